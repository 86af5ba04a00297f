/* "merge": the rows of several finished databases in one, as if their inputs had been converted
 * together. */
#include "cli/verbs.h"

#include "base/alloc.h"
#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "session/merge.h"
#include "tables/publish.h"

#include <inttypes.h>

typedef struct merge_verb {
    ts_ctx *ctx;
    const ts_options *o;
    ts_outputs outputs;
    ts_target *target;
    ts_conversion conversion;
    ts_merge merge;
    uint64_t rows;
} merge_verb;

/* Whether it can be read at all, before the first row is written. */
static ts_code check_input(merge_verb *v, const char *path)
{
    ts_db *db = NULL;
    ts_db_kind kind;
    int64_t version = 0;
    TS_TRY(ts_db_kind_of(&kind, v->ctx, path));
    if (kind != TS_DB_OURS) {
        return ts_fail(v->ctx, TS_ERR_INPUT, "not a database of trace_streamer: path=\"%s\"", path);
    }
    ts_code code = ts_db_open(&db, v->ctx, path);
    TS_STEP(code, ts_db_version(&version, db));
    ts_db_close(db);
    return code != TS_OK || version == TS_SCHEMA_VERSION
               ? code
               : ts_fail(v->ctx, TS_ERR_INPUT,
                         "cannot merge the database: path=\"%s\": it has version %" PRId64
                         " of the schema, not %d; `trace_streamer upgrade` makes the present one "
                         "of an older one",
                         path, version, TS_SCHEMA_VERSION);
}

/* The analyses that one of the databases has, besides those that every conversion runs. */
static ts_code choose_analyses(merge_verb *v, ts_reader *reader)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; ts_analyses[i] != NULL && code == TS_OK; i++) {
        bool done = false;
        code = ts_analysis_done(&done, reader, ts_analyses[i]);
        v->conversion.analyses |= done ? UINT64_C(1) << i : 0;
    }
    return code;
}

static ts_code begin(merge_verb *v)
{
    const ts_options *o = v->o;
    ts_target_options how = {.force = o->force, .sync = o->sync};
    ts_conversion *s = &v->conversion;
    ts_code code = ts_outputs_check(&v->outputs, v->ctx, o, NULL);
    for (size_t i = 0; i < o->path_count && code == TS_OK; i++) {
        code = check_input(v, o->paths[i]);
    }
    TS_STEP(code, ts_analysis_choose(&s->analyses, v->ctx, NULL, true));
    for (size_t i = 0; i < o->path_count && code == TS_OK; i++) {
        ts_reader *reader = NULL;
        code = ts_reader_open(&reader, v->ctx, o->paths[i]);
        TS_STEP(code, choose_analyses(v, reader));
        ts_reader_free(reader);
    }
    if (code != TS_OK) {
        return code;
    }
    how.reads = ts_outputs_reads(&v->outputs);
    TS_TRY(ts_target_open(&v->target, v->ctx, o->export_db, &how));
    ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(v->target));
    TS_TRY(ts_db_create(&s->db, v->ctx, ts_target_path(v->target)));
    s->index = o->index;
    return ts_conversion_begin(s);
}

static ts_code add(merge_verb *v, const char *path)
{
    ts_reader *reader = NULL;
    ts_db *db = NULL;
    ts_code code = ts_reader_open(&reader, v->ctx, path);
    TS_STEP(code, ts_db_open(&db, v->ctx, path));
    TS_STEP(code, ts_merge_add(&v->merge, &v->conversion, reader, db, path));
    ts_db_close(db);
    ts_reader_free(reader);
    return code == TS_OK ? code : ts_cause(v->ctx, "cannot merge: path=\"%s\"", path);
}

static void count_rows(merge_verb *v)
{
    const ts_sink *sink = ts_store_sink(v->conversion.store);
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        v->rows += ts_sink_rows(sink, (enum ts_table_id)i);
    }
}

static ts_code merge_all(merge_verb *v)
{
    v->ctx->limits.max_memory = v->o->max_memory;
    ts_code code = begin(v);
    for (size_t i = 0; i < v->o->path_count && code == TS_OK; i++) {
        code = add(v, v->o->paths[i]);
    }
    TS_STEP(code, ts_merge_end(&v->merge, &v->conversion));
    TS_STEP(code, ts_conversion_end(&v->conversion));
    if (code != TS_OK) {
        return code;
    }
    count_rows(v);
    ts_db_close(v->conversion.db);
    v->conversion.db = NULL;
    return ts_outputs_publish(v->target);
}

static void say_done(const merge_verb *v)
{
    ts_message(v->ctx, "%s: %" PRIu64 " rows of %zu databases", v->o->export_db, v->rows,
               v->o->path_count);
}

int ts_merge_verb(ts_ctx *ctx, const ts_options *options)
{
    merge_verb v = {.ctx = ctx, .o = options, .conversion = {.ctx = ctx}};
    ts_code code = merge_all(&v);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    } else if (!options->quiet) {
        say_done(&v);
    }
    const int exit_code = ts_exit_code(ctx, code);
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    ts_merge_free(&v.merge, ctx);
    ts_conversion_free(&v.conversion);
    ts_db_close(v.conversion.db);
    ts_target_free(v.target);
    ts_outputs_free(&v.outputs);
    return exit_code;
}
