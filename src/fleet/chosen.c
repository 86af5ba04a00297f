/* Which recordings of a fleet are asked, and what they are grouped by. */
#include "fleet/chosen.h"

#include "fleet/engine.h"

#include <inttypes.h>

/* --- keys ------------------------------------------------------------------------------------- */

/* What a recording has beside its labels. */
static const struct {
    const char *name;
    const char *sql;
} own_keys[] = {
    {"recording", "concat(path, ' ', substring(lower(hex(id)), 1, 8))"},
    {"host", "host"},
    {"day", "toString(day)"},
    {"program", "program"},
    {"all", "'all'"},
};

static const char *own_key(ts_text key)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof own_keys[0]; i++) {
        if (ts_text_is(key, own_keys[i].name)) {
            return own_keys[i].sql;
        }
    }
    return NULL;
}

/* Takes what is before the next comma off the list; false at its end. */
static bool next_of(ts_text *one, const char **list)
{
    if (**list == '\0') {
        return false;
    }
    *one = (ts_text){*list, strcspn(*list, ",")};
    *list += one->n + ((*list)[one->n] == ',' ? 1 : 0);
    return true;
}

/* --- what they are grouped by ----------------------------------------------------------------- */

static ts_code put_value(ts_buf *out, ts_ctx *ctx, ts_text key)
{
    const char *own = own_key(key);
    if (own != NULL) {
        return ts_buf_printf(ctx, out, "%s", own);
    }
    TS_TRY(ts_buf_printf(ctx, out, "label.value[indexOf(label.key, "));
    TS_TRY(ts_engine_quote(ctx, out, key));
    return ts_buf_printf(ctx, out, ")]");
}

static ts_code put_part(ts_buf *out, ts_ctx *ctx, const char *by)
{
    ts_text key;
    const bool several = strchr(by, ',') != NULL;
    const char *before = several ? "concat(" : "";
    const size_t n = strlen(by);
    if (n == 0 || by[n - 1] == ',') {
        return ts_fail(ctx, TS_ERR_USAGE, "bad value for --by: an empty name");
    }
    while (next_of(&key, &by)) {
        if (key.n == 0) {
            return ts_fail(ctx, TS_ERR_USAGE, "bad value for --by: an empty name");
        }
        TS_TRY(ts_buf_printf(ctx, out, "%s", before));
        TS_TRY(put_value(out, ctx, key));
        before = ", ', ', ";
    }
    return several ? ts_buf_putc(ctx, out, ')') : TS_OK;
}

/* --- which ones ------------------------------------------------------------------------------- */

ts_code ts_fleet_put_match(ts_buf *out, ts_ctx *ctx, ts_text glob)
{
    ts_buf pattern = {0};
    bool any = false;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < glob.n; i++) {
        const char c = glob.p[i];
        any = any || c == '*' || c == '?';
        code = c == '*'                            ? ts_buf_putc(ctx, &pattern, '%')
               : c == '?'                          ? ts_buf_putc(ctx, &pattern, '_')
               : c == '%' || c == '_' || c == '\\' ? ts_buf_printf(ctx, &pattern, "\\%c", c)
                                                   : ts_buf_putc(ctx, &pattern, c);
    }
    TS_STEP(code, ts_buf_printf(ctx, out, any ? "LIKE " : "= "));
    TS_STEP(code, ts_engine_quote(ctx, out, any ? ts_buf_text(&pattern) : glob));
    ts_buf_free(ctx, &pattern);
    return code;
}

static ts_code put_recording(ts_buf *out, ts_ctx *ctx, ts_text value)
{
    TS_TRY(ts_buf_printf(ctx, out, "(path "));
    TS_TRY(ts_fleet_put_match(out, ctx, value));
    TS_TRY(ts_buf_printf(ctx, out, " OR (lower(hex(id)) LIKE concat("));
    TS_TRY(ts_engine_quote(ctx, out, value));
    return ts_buf_printf(ctx, out, ", '%%') AND %d))", value.n >= 8);
}

static ts_code put_condition(ts_buf *out, ts_ctx *ctx, ts_text one)
{
    const char *equal = one.n == 0 ? NULL : memchr(one.p, '=', one.n);
    const ts_text key = {one.p, equal == NULL ? 0 : (size_t)(equal - one.p)};
    if (key.n == 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "\"%.*s\" names no recordings: LABEL=VALUE, such as build=4711, or "
                       "recording=, host=, day= or program=",
                       (int)one.n, one.p);
    }
    const ts_text value = {equal + 1, one.n - key.n - 1};
    if (ts_text_is(key, "recording")) {
        return put_recording(out, ctx, value);
    }
    if (own_key(key) != NULL) {
        TS_TRY(ts_buf_printf(ctx, out, "%s ", own_key(key)));
        return ts_fleet_put_match(out, ctx, value);
    }
    TS_TRY(ts_buf_printf(ctx, out, "arrayExists((k, v) -> k = "));
    TS_TRY(ts_engine_quote(ctx, out, key));
    TS_TRY(ts_buf_printf(ctx, out, " AND v "));
    TS_TRY(ts_fleet_put_match(out, ctx, value));
    return ts_buf_printf(ctx, out, ", label.key, label.value)");
}

ts_code ts_fleet_chosen_sql(ts_buf *out, ts_ctx *ctx, const ts_fleet_chosen *chosen)
{
    const char *before = " WHERE ";
    TS_TRY(ts_buf_printf(ctx, out, "(SELECT load, "));
    TS_TRY(put_part(out, ctx, chosen->by == NULL ? own_keys[0].name : chosen->by));
    TS_TRY(ts_buf_printf(ctx, out, " AS part FROM v_recording"));
    for (size_t i = 0; i < chosen->only_count; i++) {
        const char *list = chosen->only[i];
        ts_text one;
        while (next_of(&one, &list)) {
            TS_TRY(ts_buf_printf(ctx, out, "%s", before));
            TS_TRY(put_condition(out, ctx, one));
            before = " AND ";
        }
    }
    return ts_buf_printf(ctx, out, ") AS chosen"); /* today's engines join nothing nameless */
}

/* --- whether there are some ------------------------------------------------------------------- */

/* "labels are: build, device" */
static ts_code put_labels(ts_buf *out, ts_fleet *f)
{
    const char *before = "; labels are: ";
    TS_TRY(ts_engine_askf(f, "SELECT DISTINCT arrayJoin(label.key) AS k FROM v_recording "
                             "ORDER BY k LIMIT 20"));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        TS_TRY(ts_buf_printf(f->ctx, out, "%s%s", before, rows.fields[0].p));
        before = ", ";
    }
    return TS_OK;
}

static ts_code none_chosen(ts_fleet *f, const ts_fleet_chosen *chosen)
{
    ts_buf labels = {0};
    ts_buf which = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < chosen->only_count; i++) {
        code = ts_buf_printf(f->ctx, &which, "%s%s", i == 0 ? " has " : ",", chosen->only[i]);
    }
    TS_STEP(code, put_labels(&labels, f));
    TS_STEP(code,
            ts_fail(f->ctx, TS_ERR_USAGE, "no recording%.*s%.*s", (int)which.n,
                    which.n == 0 ? "" : which.p, (int)labels.n, labels.n == 0 ? "" : labels.p));
    ts_buf_free(f->ctx, &labels);
    ts_buf_free(f->ctx, &which);
    return code;
}

/* A label that no recording has was mistyped. */
static ts_code check_by(ts_fleet *f, const char *by)
{
    ts_text key;
    while (next_of(&key, &by)) {
        ts_buf sql = {0};
        uint64_t count = 0;
        if (own_key(key) != NULL) {
            continue;
        }
        ts_code code =
            ts_buf_printf(f->ctx, &sql, "SELECT count() FROM v_recording WHERE has(label.key, ");
        TS_STEP(code, ts_engine_quote(f->ctx, &sql, key));
        TS_STEP(code, ts_buf_putc(f->ctx, &sql, ')'));
        TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
        TS_STEP(code, ts_engine_number(&count, f));
        sql.n = 0;
        TS_STEP_IF(code, count == 0, put_labels(&sql, f));
        TS_STEP_IF(code, count == 0,
                   ts_fail(f->ctx, TS_ERR_USAGE, "no recording has the label \"%.*s\"%.*s",
                           (int)key.n, key.p, (int)sql.n, sql.n == 0 ? "" : sql.p));
        ts_buf_free(f->ctx, &sql);
        TS_TRY(code);
    }
    return TS_OK;
}

static ts_code take_count(ts_fleet *f, ts_fleet_count *count)
{
    uint64_t *const numbers[] = {&count->recordings, &count->incomplete};
    ts_engine_rows rows = ts_engine_rows_of(f);
    const bool good = ts_engine_next(&rows) && rows.count == 2;
    for (size_t i = 0; i < 2; i++) {
        if (!good || !ts_engine_field(numbers[i], rows.fields[i])) {
            return ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's counts make no sense");
        }
    }
    return TS_OK;
}

ts_code ts_fleet_choose(ts_fleet *f, ts_fleet_count *count, const ts_fleet_chosen *chosen)
{
    ts_buf sql = {0};
    ts_engine_fresh(f);
    ts_code code = ts_buf_printf(f->ctx, &sql,
                                 "SELECT count(), countIf(complete = 0) FROM v_recording "
                                 "GLOBAL ALL INNER JOIN ");
    TS_STEP(code, ts_fleet_chosen_sql(&sql, f->ctx, chosen));
    TS_STEP(code, ts_buf_printf(f->ctx, &sql, " USING load"));
    TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
    TS_STEP(code, take_count(f, count));
    ts_buf_free(f->ctx, &sql);
    TS_STEP_IF(code, count->recordings == 0, none_chosen(f, chosen));
    TS_STEP_IF(code, chosen->by != NULL, check_by(f, chosen->by));
    return code;
}
