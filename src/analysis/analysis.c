#include "analysis/analysis.h"

#include "base/buf.h"

/* --- choosing ------------------------------------------------------------------------------ */

static ts_analysis_set of_cost(ts_analysis_cost cost)
{
    ts_analysis_set set = 0;
    for (unsigned i = 0; ts_analyses[i] != NULL; i++) {
        set |= ts_analyses[i]->cost == cost ? UINT64_C(1) << i : 0;
    }
    return set;
}

static ts_code analysis_unknown(ts_ctx *ctx, ts_text name)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; ts_analyses[i] != NULL && code == TS_OK; i++) {
        code = ts_buf_printf(ctx, &names, "%s, ", ts_analyses[i]->name);
    }
    TS_STEP(code,
            ts_fail(ctx, TS_ERR_USAGE, "unknown analysis \"%.*s\"; known are: %.*sdefault, none",
                    (int)(name.n > 100 ? 100 : name.n), name.p, (int)names.n, names.p));
    ts_buf_free(ctx, &names);
    return code;
}

static ts_code choose_one(ts_analysis_set *set, ts_ctx *ctx, ts_text name)
{
    if (ts_text_is(name, "default")) {
        *set |= of_cost(TS_ANALYSIS_DEFAULT);
        return TS_OK;
    }
    for (unsigned i = 0; ts_analyses[i] != NULL; i++) {
        if (ts_text_is(name, ts_analyses[i]->name)) {
            *set |= UINT64_C(1) << i;
            return TS_OK;
        }
    }
    return ts_text_is(name, "none")
               ? ts_fail(ctx, TS_ERR_USAGE, "--analyze=none cannot be combined with other names")
               : analysis_unknown(ctx, name);
}

ts_code ts_analysis_choose(ts_analysis_set *set, ts_ctx *ctx, const char *list, bool importing)
{
    ts_code code = TS_OK;
    *set = 0;
    list = list == NULL ? "default" : list;
    if (strcmp(list, "none") == 0) {
        return TS_OK;
    }
    for (const char *at = list; code == TS_OK; at++) {
        size_t n = strcspn(at, ",");
        code = choose_one(set, ctx, (ts_text){at, n});
        at += n;
        if (*at == '\0') {
            break;
        }
    }
    if (importing) {
        *set |= of_cost(TS_ANALYSIS_FREE);
    }
    return code;
}

/* --- watching ------------------------------------------------------------------------------ */

ts_code ts_analysis_watch(ts_ctx *ctx, ts_sink *sink, ts_analysis_set set)
{
    ts_sink_watch *watch = NULL;
    ts_code code = TS_OK;
    for (unsigned i = 0; ts_analyses[i] != NULL && watch == NULL && code == TS_OK; i++) {
        if ((set >> i & 1) != 0 && ts_analyses[i]->watch != NULL && ctx->limits.max_memory == 0) {
            code = ts_analyses[i]->watch(&watch, ctx, sink);
        }
    }
    sink->watch = watch;
    return code;
}

void ts_analysis_unwatch(ts_sink *sink, ts_analysis_set set)
{
    ts_sink_watch *watch = sink->watch;
    sink->watch = NULL;
    for (unsigned i = 0; ts_analyses[i] != NULL && watch != NULL; i++) {
        if ((set >> i & 1) != 0 && ts_analyses[i]->watch != NULL) {
            ts_analyses[i]->unwatch(watch);
            watch = NULL;
        }
    }
}

/* --- running ------------------------------------------------------------------------------- */

/* *found: the first of the tables that has rows, or has none, or TS_TABLE_COUNT. */
static ts_code find_table(enum ts_table_id *found, ts_reader *reader, const enum ts_table_id *t,
                          bool has_rows)
{
    ts_code code = TS_OK;
    bool any = !has_rows;
    while (*t != TS_TABLE_COUNT && (code = ts_reader_has_rows(&any, reader, *t)) == TS_OK &&
           any != has_rows) {
        t++;
    }
    *found = *t;
    return code;
}

ts_code ts_analysis_missing(enum ts_table_id *missing, ts_reader *reader, const ts_analysis *a)
{
    TS_TRY(find_table(missing, reader, a->needs, a->any));
    if (a->any) {
        *missing = *missing == TS_TABLE_COUNT ? a->needs[0] : TS_TABLE_COUNT;
    }
    return TS_OK;
}

ts_code ts_analysis_done(bool *done, ts_reader *reader, const ts_analysis *a)
{
    enum ts_table_id found;
    TS_TRY(find_table(&found, reader, a->writes, true));
    *done = found != TS_TABLE_COUNT;
    return TS_OK;
}

static uint64_t rows_written(const ts_analysis *a, ts_store *store)
{
    uint64_t rows = 0;
    for (const enum ts_table_id *t = a->writes; *t != TS_TABLE_COUNT; t++) {
        rows += ts_sink_rows(ts_store_sink(store), *t);
    }
    return rows;
}

static ts_code run_one(ts_ctx *ctx, ts_reader *reader, ts_store *store, const ts_analysis *a)
{
    uint64_t before = rows_written(a, store);
    ts_code code = a->run(ctx, reader, store);
    if (code == TS_ERR_LIMIT && ctx->limits.max_memory != 0 && rows_written(a, store) == before) {
        return ts_issue(store, 0, TS_ISSUE_analysis_skipped, a->name, TS_NO_OFFSET, "%s",
                        ctx->error.causes[0]);
    }
    return code == TS_OK ? TS_OK : ts_cause(ctx, "the analysis %s failed", a->name);
}

ts_code ts_analysis_run(ts_ctx *ctx, ts_reader *reader, ts_store *store, ts_analysis_set set,
                        const ts_analysis_hooks *hooks)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; ts_analyses[i] != NULL && code == TS_OK; i++) {
        enum ts_table_id missing;
        if ((set >> i & 1) == 0) {
            continue;
        }
        if ((code = ts_check_cancel(ctx)) != TS_OK ||
            (code = ts_analysis_missing(&missing, reader, ts_analyses[i])) != TS_OK) {
            continue;
        }
        if (missing != TS_TABLE_COUNT) {
            if (hooks != NULL && hooks->idle != NULL) {
                code = hooks->idle(hooks->user, ts_analyses[i], missing);
            }
            continue;
        }
        ts_log(ctx, TS_LOG_INFO, "analysis %s", ts_analyses[i]->name);
        if (hooks != NULL && hooks->begin != NULL) {
            hooks->begin(hooks->user, ts_analyses[i]);
        }
        code = run_one(ctx, reader, store, ts_analyses[i]);
    }
    return code;
}
