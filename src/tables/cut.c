/*
 * Rows that belong to a part, in two steps. Each table has a condition: what part_rules.h says of
 * it, or that one of its keys is in the set of those that are referred to. First all tables are
 * gone over, again and again, to put into the sets what rows that meet their condition refer to,
 * and their own keys; then rows that meet it are copied.
 *
 * A table is gone over again when a set that its condition looks at has grown. Callers come before
 * what they call, so rows are read from the last to the first, and every other time the other way:
 * a chain takes two rounds, whichever way it goes.
 */
#include "tables/cut.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "tables/part_rules.h"
#include "tables/store.h"
#include "tables/table_copy.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_SETS = 160, MOST_READ = 64 };

/* Numbers of rows of a table, by one of its keys. */
typedef struct cut_set {
    enum ts_table_id table;
    ts_text key;
    bool owned;       /* rows of other tables belong to those of the set */
    ts_idmap words;   /* number / 64: a bit each */
    uint64_t grown;   /* how often by references */
    uint64_t touched; /* and by rows themselves */
} cut_set;

/* A table of the file. */
typedef struct cut_table {
    char *name;
    enum ts_table_id id;
    bool view;         /* of short rows; becomes a table */
    unsigned round;    /* times that it was gone over */
    uint64_t looked;   /* what its sets had grown before the last time */
    uint64_t all_rows; /* and what was copied of them: */
    uint64_t kept;
} cut_table;

typedef struct cut_run {
    ts_ctx *ctx;
    ts_db *from, *to;
    const ts_cut_wanted *wanted;
    ts_cut_done *done;
    cut_set sets[MOST_SETS];
    unsigned set_count;
    ts_vec tables;    /* cut_table */
    ts_idmap of_tid;  /* tid: a thread that is wanted, if there is one */
    ts_idmap sources; /* itid: its source */
    bool met;         /* a row is in the time */
} cut_run;

/* --- sets --------------------------------------------------------------------------------------
 */

static bool set_has(const cut_set *set, int64_t id)
{
    uint64_t word;
    return ts_idmap_find(&word, &set->words, id >> 6) && (word >> (id & 63) & 1) != 0;
}

static ts_code set_add(cut_run *run, cut_set *set, int64_t id, bool by_reference)
{
    uint64_t word;
    if (!ts_idmap_find(&word, &set->words, id >> 6)) {
        word = 0;
    }
    if ((word >> (id & 63) & 1) != 0) {
        return TS_OK;
    }
    set->grown += by_reference ? 1 : 0;
    set->touched++;
    return ts_idmap_put(run->ctx, &set->words, id >> 6, word | UINT64_C(1) << (id & 63));
}

/* The set of a key, which is made when there is none; NULL: there are too many. */
static cut_set *set_of(cut_run *run, enum ts_table_id table, ts_text key)
{
    unsigned i = 0;
    while (i < run->set_count &&
           (run->sets[i].table != table || !ts_text_equal(run->sets[i].key, key))) {
        i++;
    }
    if (i == MOST_SETS) {
        return NULL;
    }
    if (i == run->set_count) {
        run->sets[run->set_count++] = (cut_set){.table = table, .key = key};
    }
    return &run->sets[i];
}

/* Whether a row stays because another one refers to it; rows of the rest stay with what they
 * belong to, or all of them. */
static bool is_followed(const ts_reference *r)
{
    const ts_part_rule *rule = ts_part_rule_of(r->to);
    return !r->place && !ts_text_is(r->key, "rowid") &&
           (rule == NULL || rule->kind == TS_PART_TIMED);
}

/* What a table belongs with, by the reference of its column. */
static bool find_reference(ts_reference *out, enum ts_table_id table, const char *column)
{
    unsigned at = 0;
    bool found;
    do {
        found = ts_reference_next(out, &at);
    } while (found && (out->table != table || strcmp(out->what, column) != 0));
    return found;
}

static ts_code make_sets(cut_run *run)
{
    ts_reference r;
    cut_set *set;
    for (unsigned at = 0; ts_reference_next(&r, &at);) {
        if (is_followed(&r)) {
            TS_NEED(run->ctx, set = set_of(run, r.to, r.key));
        }
    }
    for (unsigned i = 0; i < ts_part_rule_count; i++) {
        if (ts_part_rules[i].kind == TS_PART_WITH &&
            find_reference(&r, ts_part_rules[i].table, ts_part_rules[i].begin)) {
            TS_NEED(run->ctx, set = set_of(run, r.to, r.key));
            set->owned = true;
        }
    }
    return TS_OK;
}

/* What views of viewers count from: the empty text, and the last method, which is that of the last
 * text (formats/common/views/perf_callchain.sql). */
static ts_code seed_sets(cut_run *run)
{
    cut_set *texts;
    cut_set *methods;
    int64_t last;
    bool any;
    TS_NEED(run->ctx, texts = set_of(run, TS_T_data_dict, ts_text_of("id")));
    TS_NEED(run->ctx, methods = set_of(run, TS_T_stack_method, ts_text_of("id")));
    TS_TRY(set_add(run, texts, 0, true));
    TS_TRY(ts_db_int(&last, &any, run->from,
                     "SELECT max(id) FROM stack_method WHERE EXISTS(SELECT 1 FROM sqlite_schema "
                     "WHERE type = 'view' AND name = 'perf_callchain')"));
    return any ? set_add(run, methods, last, true) : TS_OK;
}

/* --- functions of SQL --------------------------------------------------------------------------
 */

static cut_run *run_of(sqlite3_context *c)
{
    return (cut_run *)sqlite3_user_data(c);
}

static bool is_null(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL;
}

/* in_set(set, number) */
static void sql_in_set(sqlite3_context *c, int n, sqlite3_value **values)
{
    const cut_set *set = &run_of(c)->sets[sqlite3_value_int(values[0]) % MOST_SETS];
    (void)n;
    sqlite3_result_int(c, !is_null(values[1]) && set_has(set, sqlite3_value_int64(values[1])));
}

/* in_time(begin, end): what overlaps the time, or begins in it. */
static void sql_in_time(sqlite3_context *c, int n, sqlite3_value **values)
{
    cut_run *run = run_of(c);
    const ts_cut_wanted *w = run->wanted;
    const int64_t begin = sqlite3_value_int64(values[0]);
    const bool in =
        !is_null(values[0]) && begin < w->until &&
        (begin >= w->from || (!is_null(values[1]) && sqlite3_value_int64(values[1]) > w->from));
    (void)n;
    /* What never ends goes on after the recording, too. */
    run->met |= in && (begin >= w->from || sqlite3_value_int64(values[1]) != INT64_MAX);
    sqlite3_result_int(c, in || (w->from == INT64_MIN && w->until == INT64_MAX));
}

static void sql_in_thread(sqlite3_context *c, int n, sqlite3_value **values)
{
    const ts_cut_wanted *w = run_of(c)->wanted;
    (void)n;
    sqlite3_result_int(c, w->thread(w->user, !is_null(values[0]), sqlite3_value_int64(values[0])));
}

static void sql_in_source(sqlite3_context *c, int n, sqlite3_value **values)
{
    const ts_cut_wanted *w = run_of(c)->wanted;
    (void)n;
    sqlite3_result_int(c, w->source(w->user, !is_null(values[0]), sqlite3_value_int64(values[0])));
}

static void result_of(sqlite3_context *c, const ts_idmap *map, sqlite3_value *key)
{
    uint64_t found;
    if (!is_null(key) && ts_idmap_find(&found, map, sqlite3_value_int64(key))) {
        sqlite3_result_int64(c, (int64_t)found);
    }
}

/* thread_of_tid(tid): itid of one that is wanted, or of another one. */
static void sql_thread_of_tid(sqlite3_context *c, int n, sqlite3_value **values)
{
    (void)n;
    result_of(c, &run_of(c)->of_tid, values[0]);
}

static void sql_source_of(sqlite3_context *c, int n, sqlite3_value **values)
{
    (void)n;
    result_of(c, &run_of(c)->sources, values[0]);
}

static void sql_or_open(sqlite3_context *c, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_int64(c, is_null(values[0]) ? INT64_MAX : sqlite3_value_int64(values[0]));
}

static const struct {
    const char *name;
    int count;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} functions[] = {
    {"in_set", 2, sql_in_set},       {"in_time", 2, sql_in_time},
    {"in_thread", 1, sql_in_thread}, {"in_source", 1, sql_in_source},
    {"or_open", 1, sql_or_open},     {"thread_of_tid", 1, sql_thread_of_tid},
    {"source_of", 1, sql_source_of},
};

/* With `run` NULL they are taken away again. */
static ts_code set_functions(ts_db *db, cut_run *run)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && rc == SQLITE_OK; i++) {
        rc = sqlite3_create_function_v2(db->handle, functions[i].name, functions[i].count,
                                        SQLITE_UTF8 | SQLITE_DIRECTONLY, run,
                                        run == NULL ? NULL : functions[i].call, NULL, NULL, NULL);
    }
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "read");
}

/* Both maps of threads. */
static ts_code read_threads(cut_run *run)
{
    static const char sql[] = "SELECT t.itid, t.tid, d.source_id FROM thread AS t LEFT JOIN "
                              "thread_detail AS d ON d.itid = t.itid";
    const ts_cut_wanted *w = run->wanted;
    sqlite3_stmt *st = NULL;
    int rc = SQLITE_DONE;
    ts_code code = ts_db_prepare(&st, run->from, sql);
    while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const int64_t itid = sqlite3_column_int64(st, 0);
        const int64_t tid = sqlite3_column_int64(st, 1);
        uint64_t other;
        const bool known = ts_idmap_find(&other, &run->of_tid, tid);
        TS_STEP_IF(code,
                   sqlite3_column_type(st, 1) != SQLITE_NULL &&
                       (!known || (!w->thread(w->user, true, (int64_t)other) &&
                                   w->thread(w->user, true, itid))),
                   ts_idmap_put(run->ctx, &run->of_tid, tid, (uint64_t)itid));
        TS_STEP_IF(
            code, sqlite3_column_type(st, 2) != SQLITE_NULL,
            ts_idmap_put(run->ctx, &run->sources, itid, (uint64_t)sqlite3_column_int64(st, 2)));
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(run->from, rc, "read"));
    (void)sqlite3_finalize(st);
    return code;
}

/* --- conditions --------------------------------------------------------------------------------
 */

/* Views of short rows have all columns. */
static bool file_has(const cut_run *run, const cut_table *t, const char *column)
{
    return t->view || sqlite3_table_column_metadata(run->from->handle, "main", t->name, column,
                                                    NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static bool has_source(enum ts_table_id id)
{
    bool has = false;
    for (unsigned i = 0; i < ts_schema[id].column_count && !has; i++) {
        has = strcmp(ts_schema[id].columns[i].name, "source_id") == 0;
    }
    return has;
}

static void put_timed(sqlite3_str *sql, const ts_part_rule *rule)
{
    /* Pauses of a runtime stop all of its threads. */
    const bool all = rule->table == TS_T_runtime_pause || rule->table == TS_T_cloud_suspend;
    const char *thread = rule->thread[0] == '\0' ? "NULL" : rule->thread;
    sqlite3_str_appendf(
        sql, " OR (in_time(%s, %s) AND (in_thread(%s) OR (%d AND %s IS NULL)) AND in_source(",
        rule->begin, rule->end[0] == '\0' ? "NULL" : rule->end, thread, (int)all, thread);
    if (rule->source[0] != '\0' || has_source(rule->table)) {
        sqlite3_str_appendf(sql, "%s))", rule->source[0] != '\0' ? rule->source : "t.source_id");
    } else {
        sqlite3_str_appendf(sql, "source_of(%s)))", thread);
    }
}

/* Appends the condition; *grown: what the sets that it looks at have grown. */
static void put_condition(sqlite3_str *sql, uint64_t *grown, cut_run *run, enum ts_table_id id)
{
    ts_reference r;
    *grown = 0;
    sqlite3_str_appendall(sql, "0");
    for (unsigned i = 0; i < ts_part_rule_count; i++) {
        const ts_part_rule *rule = &ts_part_rules[i];
        if (rule->table != id) {
            continue;
        }
        if (rule->kind == TS_PART_ALWAYS) {
            sqlite3_str_appendall(sql, " OR 1");
        } else if (rule->kind == TS_PART_TIMED) {
            put_timed(sql, rule);
        } else if (rule->kind == TS_PART_WITH && find_reference(&r, id, rule->begin)) {
            const cut_set *set = set_of(run, r.to, r.key);
            *grown += set->touched;
            sqlite3_str_appendf(sql, " OR in_set(%d, t.\"%w\")", (int)(set - run->sets),
                                rule->begin);
        }
    }
    const ts_part_rule *rule = ts_part_rule_of(id);
    for (unsigned i = 0; i < run->set_count; i++) {
        if (run->sets[i].table == id && (rule == NULL || rule->kind == TS_PART_TIMED)) {
            *grown += run->sets[i].grown;
            sqlite3_str_appendf(sql, " OR in_set(%d, %.*s)", (int)i, (int)run->sets[i].key.n,
                                run->sets[i].key.p);
        }
    }
}

/* --- what rows refer to ------------------------------------------------------------------------
 */

/* A column of the statement that goes over a table, and the set that it belongs to. */
typedef struct cut_read {
    cut_set *set;
    bool list, own;
} cut_read;

static ts_code add_list(cut_run *run, cut_set *set, const char *text)
{
    ts_code code = TS_OK;
    while (code == TS_OK && text != NULL && *text != '\0') {
        char *end;
        const long long id = strtoll(text, &end, 10);
        if (end != text) {
            code = set_add(run, set, id, true);
        }
        text = end + (*end != '\0' ? 1 : 0);
    }
    return code;
}

/* Columns: keys by which other rows belong to these, then references. */
static unsigned put_columns(sqlite3_str *sql, cut_read *reads, cut_run *run, const cut_table *t)
{
    unsigned n = 0;
    ts_reference r;
    for (unsigned i = 0; i < run->set_count && n < MOST_READ; i++) {
        if (run->sets[i].table == t->id && run->sets[i].owned) {
            sqlite3_str_appendf(sql, "%s%.*s", n == 0 ? "" : ", ", (int)run->sets[i].key.n,
                                run->sets[i].key.p);
            reads[n++] = (cut_read){&run->sets[i], false, true};
        }
    }
    for (unsigned at = 0; ts_reference_next(&r, &at) && n < MOST_READ;) {
        const bool there = r.table == t->id && is_followed(&r) &&
                           (strpbrk(r.what, " (") != NULL || file_has(run, t, r.what));
        if (there) {
            sqlite3_str_appendf(sql, r.when[0] == '\0' ? "%s%s" : "%sCASE WHEN %s THEN %s END",
                                n == 0 ? "" : ", ", r.when[0] == '\0' ? r.what : r.when, r.what);
            reads[n++] = (cut_read){set_of(run, r.to, r.key), r.list, false};
        }
    }
    return n;
}

static ts_code visit(cut_run *run, sqlite3_stmt *row, const cut_read *reads, unsigned n)
{
    ts_code code = ts_check_cancel(run->ctx);
    for (unsigned i = 0; i < n && code == TS_OK; i++) {
        const int type = sqlite3_column_type(row, (int)i);
        if (type == SQLITE_NULL) {
            continue;
        }
        code = reads[i].list
                   ? add_list(run, reads[i].set, (const char *)sqlite3_column_text(row, (int)i))
                   : set_add(run, reads[i].set, sqlite3_column_int64(row, (int)i), !reads[i].own);
    }
    return code;
}

/* Goes over a table once. *any: it was necessary. */
static ts_code go_over(bool *any, cut_run *run, cut_table *t)
{
    cut_read reads[MOST_READ];
    uint64_t grown;
    sqlite3_stmt *st = NULL;
    int rc = SQLITE_DONE;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "SELECT ");
    const unsigned n = put_columns(sql, reads, run, t);
    sqlite3_str_appendf(sql, " FROM main.\"%w\" AS t WHERE ", t->name);
    put_condition(sql, &grown, run, t->id);
    if (!t->view) {
        sqlite3_str_appendf(sql, " ORDER BY t.rowid %s", t->round % 2 == 0 ? "DESC" : "ASC");
    }
    char *text = sqlite3_str_finish(sql);
    const ts_part_rule *rule = ts_part_rule_of(t->id);
    const bool never = n == 0 || (rule != NULL && rule->kind == TS_PART_NEVER);
    ts_code code = TS_OK;
    if (!never && (t->round == 0 || grown != t->looked)) {
        *any = true;
        t->round++;
        t->looked = grown;
        code = ts_db_prepare(&st, run->from, text);
        while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
            code = visit(run, st, reads, n);
        }
        TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(run->from, rc, "read"));
    }
    (void)sqlite3_finalize(st);
    sqlite3_free(text);
    return code;
}

static ts_code find_rows(cut_run *run)
{
    cut_table *tables = run->tables.p;
    bool any = true;
    ts_code code = TS_OK;
    while (any && code == TS_OK) {
        any = false;
        for (size_t i = run->tables.n; i > 0 && code == TS_OK; i--) {
            code = go_over(&any, run, &tables[i - 1]);
        }
    }
    return code;
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* The statements that read and write the rows of a table. */
static ts_code prepare_copy(sqlite3_stmt **select, sqlite3_stmt **insert, int *count, cut_run *run,
                            const cut_table *t)
{
    sqlite3_str *read = sqlite3_str_new(NULL);
    sqlite3_str *write = sqlite3_str_new(NULL);
    sqlite3_str *values = sqlite3_str_new(NULL);
    sqlite3_stmt *st = NULL;
    uint64_t grown;
    int rc = SQLITE_DONE;
    ts_code code = ts_db_prepare(&st, run->from, "SELECT name FROM pragma_table_info(?1)");
    /* Rows of a view are found by their ids. */
    sqlite3_str_appendall(read, !t->view                     ? "SELECT t.rowid"
                                : t->id == TS_T_stack_sample ? "SELECT t.id"
                                                             : "SELECT t.id + 1");
    sqlite3_str_appendf(write, "INSERT INTO \"%w\"(rowid", t->name);
    sqlite3_str_appendall(values, ") VALUES(?");
    if (code == TS_OK) {
        (void)sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    }
    *count = 1;
    while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        sqlite3_str_appendf(read, ", t.\"%w\"", name);
        sqlite3_str_appendf(write, ", \"%w\"", name);
        sqlite3_str_appendall(values, ", ?");
        (*count)++;
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(run->from, rc, "read"));
    (void)sqlite3_finalize(st);
    sqlite3_str_appendf(read, " FROM main.\"%w\" AS t WHERE ", t->name);
    put_condition(read, &grown, run, t->id);
    char *values_sql = sqlite3_str_finish(values);
    sqlite3_str_appendf(write, "%s)", values_sql == NULL ? "" : values_sql);
    char *read_sql = sqlite3_str_finish(read);
    char *write_sql = sqlite3_str_finish(write);
    TS_STEP(code, ts_db_prepare(select, run->from, read_sql));
    TS_STEP(code, ts_db_prepare(insert, run->to, write_sql));
    sqlite3_free(values_sql);
    sqlite3_free(read_sql);
    sqlite3_free(write_sql);
    return code;
}

static ts_code count_rows(cut_run *run, cut_table *t)
{
    sqlite3_stmt *st = NULL;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM main.\"%w\"", t->name);
    ts_code code = ts_db_prepare(&st, run->from, sql);
    if (code == TS_OK) {
        const int rc = sqlite3_step(st);
        t->all_rows = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
        code = rc == SQLITE_ROW ? TS_OK : ts_db_fail(run->from, rc, "read");
    }
    (void)sqlite3_finalize(st);
    sqlite3_free(sql);
    return code;
}

static ts_code copy_rows(cut_run *run, cut_table *t)
{
    sqlite3_stmt *select = NULL;
    sqlite3_stmt *insert = NULL;
    int count;
    int rc = SQLITE_DONE;
    ts_code code = count_rows(run, t);
    TS_STEP(code, prepare_copy(&select, &insert, &count, run, t));
    while (code == TS_OK && (rc = sqlite3_step(select)) == SQLITE_ROW) {
        code = ts_check_cancel(run->ctx);
        for (int i = 0; i < count && code == TS_OK; i++) {
            code = ts_db_bind_value(run->to, insert, i + 1, select, i);
        }
        TS_STEP(code, ts_db_step(run->to, insert));
        t->kept++;
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(run->from, rc, "read"));
    (void)sqlite3_finalize(select);
    (void)sqlite3_finalize(insert);
    run->done->kept += t->kept;
    run->done->left_out += t->all_rows - t->kept;
    return code;
}

/* --- the schema --------------------------------------------------------------------------------
 */

/* Whether a view is that of short rows: it becomes a table. */
static bool is_short(const char *type, const char *name)
{
    return strcmp(type, "view") == 0 && (strcmp(name, ts_schema[TS_T_stack_sample].name) == 0 ||
                                         strcmp(name, "js_cpu_profiler_sample") == 0);
}

static ts_code add_table(cut_run *run, const char *name, bool view)
{
    cut_table *t;
    TS_NEED(run->ctx, t = ts_vec_add(run->ctx, &run->tables, sizeof *t));
    *t = (cut_table){.id = ts_db_table_id(name), .view = view};
    TS_NEED(run->ctx, t->name = ts_strndup(run->ctx, name, strlen(name)));
    return TS_OK;
}

static ts_code make_object(void *user, const char *type, const char *name, const char *sql)
{
    cut_run *run = user;
    const bool rows_of_samples = strncmp(name, TS_SAMPLE_ROWS, strlen(TS_SAMPLE_ROWS)) == 0 ||
                                 strcmp(name, TS_SAMPLE_BLOCKS) == 0;
    if (rows_of_samples) {
        return TS_OK;
    }
    if (is_short(type, name)) {
        TS_TRY(add_table(run, name, true));
        return ts_db_create_table(run->to, &ts_schema[ts_db_table_id(name)]);
    }
    if (strcmp(type, "index") == 0) {
        unsigned i = 0;
        while (strcmp(ts_indexes[i].name, name) != 0) {
            i++;
        }
        return ts_db_run(run->to, ts_indexes[i].sql);
    }
    TS_TRY(ts_db_run(run->to, sql));
    return strcmp(type, "table") == 0 ? add_table(run, name, false) : TS_OK;
}

/* Views of short rows become tables, before all other views. */
static ts_code make_short_view(void *user, const char *type, const char *name, const char *sql)
{
    return is_short(type, name) ? make_object(user, type, name, sql) : TS_OK;
}

static ts_code make_other(void *user, const char *type, const char *name, const char *sql)
{
    return is_short(type, name) ? TS_OK : make_object(user, type, name, sql);
}

static ts_code make_objects(cut_run *run, const char *type)
{
    unsigned others;
    ts_code code = ts_db_each_object(&others, run->from, type, make_other, run);
    run->done->unknown += others;
    return code;
}

/* What was done, for who reads the database. */
static ts_code say_part(cut_run *run)
{
    const ts_cut_wanted *w = run->wanted;
    const cut_table *tables = run->tables.p;
    ts_code code = TS_OK;
    TS_STEP_IF(
        code, w->from != INT64_MIN,
        ts_db_runf(run->to, "INSERT INTO meta VALUES('cut_from', '%lld')", (long long)w->from));
    TS_STEP_IF(
        code, w->until != INT64_MAX,
        ts_db_runf(run->to, "INSERT INTO meta VALUES('cut_until', '%lld')", (long long)w->until));
    TS_STEP_IF(code, w->threads != NULL,
               ts_db_runf(run->to, "INSERT INTO meta VALUES('cut_threads', %Q)", w->threads));
    TS_STEP_IF(code, w->sources != NULL,
               ts_db_runf(run->to, "INSERT INTO meta VALUES('cut_sources', %Q)", w->sources));
    for (size_t i = 0; i < run->tables.n && code == TS_OK; i++) {
        const uint64_t left = tables[i].all_rows - tables[i].kept;
        const ts_issue_info *about = &ts_issue_list[TS_ISSUE_left_out];
        TS_STEP_IF(code, left > 0,
                   ts_db_runf(run->to,
                              "INSERT INTO import_issue(severity, code, stream, count, message) "
                              "VALUES('info', %Q, %Q, %lld, '%lld of %lld rows were left out')",
                              about->name, ts_schema[tables[i].id].name, (long long)left,
                              (long long)left, (long long)tables[i].all_rows));
    }
    return code;
}

/* A part without a row of its own is a time that was typed wrong. */
static ts_code check_time(cut_run *run)
{
    const ts_cut_wanted *w = run->wanted;
    sqlite3_stmt *st = NULL;
    if (run->met || (w->from == INT64_MIN && w->until == INT64_MAX)) {
        return TS_OK;
    }
    ts_code code =
        ts_db_prepare(&st, run->from, "SELECT min(start_ts), max(end_ts) FROM trace_range");
    if (code == TS_OK && sqlite3_step(st) == SQLITE_ROW) {
        const int64_t begin = sqlite3_column_int64(st, 0);
        const int64_t end = sqlite3_column_int64(st, 1);
        TS_STEP_IF(code, w->from > end || w->until <= begin,
                   ts_fail(run->ctx, TS_ERR_USAGE,
                           "no row is in this time; the recording is from %" PRId64 " to %" PRId64,
                           begin, end));
    }
    (void)sqlite3_finalize(st);
    return code;
}

static ts_code cut_all(cut_run *run)
{
    unsigned counted_later;
    ts_code code = make_objects(run, "table");
    TS_STEP(code, ts_db_each_object(&counted_later, run->from, "view", make_short_view, run));
    TS_STEP(code, make_sets(run));
    TS_STEP(code, seed_sets(run));
    TS_STEP(code, read_threads(run));
    ts_db_watch_cancel(run->from);
    TS_STEP(code, set_functions(run->from, run));
    TS_STEP(code, find_rows(run));
    TS_STEP(code, check_time(run));
    for (size_t i = 0; i < run->tables.n && code == TS_OK; i++) {
        code = copy_rows(run, &((cut_table *)run->tables.p)[i]);
    }
    TS_STEP(code, say_part(run));
    TS_STEP(code, make_objects(run, "view"));
    TS_STEP(code, make_objects(run, "index"));
    TS_STEP(code, make_objects(run, "trigger"));
    TS_STEP(code, ts_db_end_copy(run->to, run->from));
    return code;
}

ts_code ts_db_cut(ts_cut_done *done, ts_db *from, const char *to, const ts_cut_wanted *wanted)
{
    cut_run *run;
    *done = (ts_cut_done){0};
    TS_TRY(ts_db_check_version(from, "cut"));
    TS_NEED(from->ctx, run = ts_alloc(from->ctx, 1, sizeof *run));
    *run = (cut_run){.ctx = from->ctx, .from = from, .wanted = wanted, .done = done};
    ts_code code = ts_db_begin_copy(&run->to, run->ctx, to);
    TS_STEP(code, cut_all(run));
    (void)set_functions(from, NULL);
    ts_db_close(run->to);
    for (unsigned i = 0; i < run->set_count; i++) {
        ts_idmap_free(run->ctx, &run->sets[i].words);
    }
    for (size_t i = 0; i < run->tables.n; i++) {
        ts_free(run->ctx, ((cut_table *)run->tables.p)[i].name);
    }
    ts_vec_free(run->ctx, &run->tables);
    ts_idmap_free(run->ctx, &run->of_tid);
    ts_idmap_free(run->ctx, &run->sources);
    ts_free(run->ctx, run);
    return code;
}
