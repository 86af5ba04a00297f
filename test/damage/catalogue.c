/* Runs the catalogue of hostile inputs; see catalogue.h. */
#include "catalogue.h"

#include <sys/stat.h>

static const item *const sections[] = {framing_items, wire_items, envelope_items, heap_items,
                                       profile_items, tptp_items, servers_items};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static making make_item(const item *it)
{
    making m = {.arg = it->arg, .n = it->n};
    it->make(&m);
    return m;
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool is_info(const run *r, size_t row)
{
    return ts_text_is(MEM_TEXT(r->sink, import_issue, row, severity), "info");
}

static const item_issue *find_issue(const item *it, ts_text code)
{
    for (int i = 0; i < ITEM_ISSUES && it->issues[i].code != NULL; i++) {
        if (ts_text_is(code, it->issues[i].code)) {
            return &it->issues[i];
        }
    }
    return NULL;
}

static bool check_issues(const item *it, const making *m, const run *r)
{
    bool ok = true;
    for (size_t row = 0; row < MEM_ROWS(r->sink, import_issue); row++) {
        ok = ok && (is_info(r, row) ||
                    find_issue(it, MEM_TEXT(r->sink, import_issue, row, code)) != NULL);
    }
    for (int i = 0; i < ITEM_ISSUES && it->issues[i].code != NULL; i++) {
        const item_issue *e = &it->issues[i];
        int64_t offset = e->offset <= OFF_MARK ? m->marks[OFF_MARK - e->offset] : e->offset;
        ok = ok &&
             (e->count == SOME ? issue_sum(r, e->code) > 0 : issue_sum(r, e->code) == e->count) &&
             (offset == OFF_ANY || issue_offset(r, e->code) == offset);
    }
    return ok;
}

static bool check_counts(const item *it, const run *r)
{
    bool ok = true;
    for (int i = 0; i < ITEM_COUNTS && it->counts[i].item != NULL; i++) {
        const item_count *e = &it->counts[i];
        ok = ok && count_sum(r, e->item, TS_C_import_count__seen) == e->seen &&
             count_sum(r, e->item, TS_C_import_count__imported) == e->imported &&
             count_sum(r, e->item, TS_C_import_count__lost) == e->lost &&
             count_sum(r, e->item, TS_C_import_count__skipped) == e->skipped;
    }
    for (int i = 0; i < ITEM_ROWS && it->rows[i].table != 0; i++) {
        ok = ok && (int64_t)memsink_rows(r->sink, it->rows[i].table) == it->rows[i].n;
    }
    return ok;
}

/* What is counted twice in different places has to agree. */
static bool check_sums(const run *r)
{
    int64_t segments = count_sum(r, "segments", TS_C_import_count__imported);
    int64_t of_plugins = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_count); i++) {
        ts_text name = MEM_TEXT(r->sink, import_count, i, item);
        if (name.n > 16 && memcmp(name.p, "plugin_segments:", 16) == 0) {
            of_plugins += MEM_INT(r->sink, import_count, i, imported);
        }
    }
    return segments == of_plugins;
}

static void show(const item *it, const making *m, const run *r)
{
    print_error("%s: code %s\n", it->name, ts_code_name(r->code));
    if (r->code != TS_OK) {
        print_error("  %s\n", r->ctx->error.causes[0]);
    }
    for (int k = 0; k < ITEM_MARKS; k++) {
        print_error("  mark %d: %" PRId64 "\n", k, m->marks[k]);
    }
    memsink_print(r->sink, TS_T_import_issue);
    memsink_print(r->sink, TS_T_import_count);
    for (int i = 0; i < ITEM_ROWS && it->rows[i].table != 0; i++) {
        print_error("  %s has %zu rows\n", ts_schema[it->rows[i].table].name,
                    memsink_rows(r->sink, it->rows[i].table));
    }
}

/* Whole and in blocks of 7 bytes: the same database. */
static void check_blocks(const item *it, const making *m, const run *whole)
{
    run r;
    import_begin(&r);
    (void)import_files(&r, &m->b, 1, 7);
    if (r.code != whole->code || !memsink_equal(r.sink, whole->sink)) {
        fail_msg("%s: blocks of 7 bytes give another result", it->name);
    }
    run_free(&r);
}

/* False when the entry is not as expected; the checks of single cells fail at once. */
static bool check_item(const item *it)
{
    making m = make_item(it);
    run r;
    import_begin(&r);
    (void)import_files(&r, &m.b, 1, 0);
    bool ok =
        r.code == it->code && issues(&r, "conservation") == 0 && issues(&r, "items_lost") == 0;
    if (ok && it->code == TS_OK) {
        ok = check_issues(it, &m, &r) && check_counts(it, &r) && check_sums(&r) &&
             count_sum(&r, "bytes", TS_C_import_count__seen) > 0;
    }
    if (!ok) {
        show(it, &m, &r);
    } else if (it->check != NULL) {
        it->check(&r);
    }
    if (ok && m.b.n < 64 * 1024) {
        check_blocks(it, &m, &r);
    }
    run_free(&r);
    free(m.b.p);
    return ok;
}

/* All of them, so that one run shows every difference. */
static void check_section(void **state)
{
    unsigned bad = 0;
    for (const item *it = *state; it->name != NULL; it++) {
        bad += !check_item(it);
    }
    assert_int_equal(bad, 0);
}

/* --- files for hostile.sh --------------------------------------------------------------------- */

/* With --strict: 3 when something is lost. */
static int exit_code(const item *it)
{
    if (it->code != TS_OK) {
        return it->code == TS_ERR_INPUT ? 1 : it->code == TS_ERR_FORMAT ? 5 : 6;
    }
    for (int i = 0; i < ITEM_ISSUES && it->issues[i].code != NULL; i++) {
        for (int k = 0; k < TS_ISSUE_COUNT; k++) {
            if (strcmp(ts_issue_list[k].name, it->issues[i].code) == 0 &&
                ts_issue_list[k].severity >= TS_DATA_LOSS) {
                return 3;
            }
        }
    }
    return 0;
}

static int write_item(const char *dir, const item *it, FILE *list)
{
    making m = make_item(it);
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, it->name);
    FILE *f = fopen(path, "wb");
    bool ok = f != NULL && fwrite(m.b.n == 0 ? "" : (const char *)m.b.p, 1, m.b.n, f) == m.b.n;
    ok = f != NULL && fclose(f) == 0 && ok;
    fprintf(list, "%s %d\n", it->name, exit_code(it));
    free(m.b.p);
    return ok ? 0 : 1;
}

static int write_all(const char *dir)
{
    char path[512];
    int bad = 0;
    snprintf(path, sizeof path, "%s/list", dir);
    FILE *list = fopen(path, "w");
    if (list == NULL) {
        return 1;
    }
    for (int s = 0; s < SECTIONS; s++) {
        for (const item *it = sections[s]; it->name != NULL; it++) {
            bad |= it->large ? 0 : write_item(dir, it, list);
        }
    }
    return fclose(list) == 0 ? bad : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_all(argv[2]);
    }
#define SECTION(name)                                                                              \
    {                                                                                              \
#name, check_section, NULL, NULL, (void *)(uintptr_t)name##_items                          \
    }
    const struct CMUnitTest tests[] = {SECTION(framing), SECTION(wire),    SECTION(envelope),
                                       SECTION(heap),    SECTION(profile), SECTION(tptp),
                                       SECTION(servers)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
