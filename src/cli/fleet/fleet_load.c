/*
 * --to=clickhouse: each argument is a recording, which is converted to a temporary database, or a
 * finished database; its rows are loaded. Which of them count already is asked once, before
 * anything is converted.
 */
#include "cli/fleet/fleet_private.h"

#include "base/alloc.h"
#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#if TS_FLEET_BUILT

typedef struct loading {
    ts_ctx *ctx;
    const ts_options *options;
    ts_fleet *fleet; /* NULL: --dry-run */
    ts_amount amount;
    ts_fleet_labels labels;
    ts_buf how; /* options that change rows */
    ts_recording_id *identities;
    bool *done; /* it counts already, or was loaded just now */
    ts_code *failed;
    ts_output out;
    size_t loaded, known, failures;
} loading;

/* --- before anything is converted ------------------------------------------------------------- */

static ts_code put_option(loading *l, const char *name, const char *value)
{
    return value == NULL ? TS_OK
                         : ts_buf_printf(l->ctx, &l->how, "%s%s%s%s", l->how.n == 0 ? "" : " ",
                                         name, value[0] == '\0' ? "" : "=", value);
}

static ts_code describe_options(loading *l)
{
    const ts_options *o = l->options;
    const ts_time_range *range = &o->time_range;
    char times[100] = "";
    (void)snprintf(times, sizeof times, "%d:%" PRId64 ",%" PRId64, (int)range->kind, range->from,
                   range->to);
    ts_code code = put_option(l, "--analyze", o->analyze);
    TS_STEP(code, put_option(l, "--format", o->format));
    TS_STEP(code, put_option(l, "--jfr-events", o->jfr_events));
    TS_STEP(code, put_option(l, "--syscalls", o->syscalls));
    TS_STEP(code, put_option(l, "--symbols", o->symbols));
    TS_STEP(code, put_option(l, "--compat", o->compat ? "" : NULL));
    TS_STEP_IF(code, range->kind != TS_WANTED_ALL, put_option(l, "--time-range", times));
    TS_STEP(code, ts_buf_putc(l->ctx, &l->how, '\0'));
    return code;
}

/* An input that cannot be read is a failure of its own, and the others go on with --keep-going. */
static ts_code identify(loading *l)
{
    const ts_options *o = l->options;
    for (size_t i = 0; i < o->path_count; i++) {
        l->failed[i] = ts_recording_identity(&l->identities[i], l->ctx, o->paths[i]);
        if (l->failed[i] == TS_ERR_INTERRUPTED || (l->failed[i] != TS_OK && !o->keep_going)) {
            return l->failed[i];
        }
        if (l->failed[i] != TS_OK) {
            l->failures++;
            ts_print_error(l->ctx, &l->ctx->error);
        }
    }
    return TS_OK;
}

static ts_code prepare_load(loading *l)
{
    const ts_options *o = l->options;
    const ts_fleet_options options = ts_fleet_options_of(l->ctx, o);
    const size_t n = o->path_count;
    TS_NEED(l->ctx, l->identities = ts_zalloc(l->ctx, n, sizeof *l->identities));
    TS_NEED(l->ctx, l->done = ts_zalloc(l->ctx, n, sizeof *l->done));
    TS_NEED(l->ctx, l->failed = ts_zalloc(l->ctx, n, sizeof *l->failed));
    TS_TRY(ts_amount_choose(&l->amount, l->ctx, o->rows, o->table));
    for (size_t i = 0; i < o->labels.count; i++) {
        TS_TRY(ts_fleet_labels_add(&l->labels, l->ctx, o->labels.all[i]));
    }
    if (o->labels_from != NULL) {
        TS_TRY(ts_fleet_labels_read(&l->labels, l->ctx, o->labels_from));
    }
    TS_TRY(describe_options(l));
    TS_TRY(identify(l));
    if (o->dry_run) {
        return ts_fleet_statements(l->ctx, &l->out.buf, false);
    }
    TS_TRY(ts_fleet_open(&l->fleet, l->ctx, &options));
    return ts_fleet_loaded(l->fleet, l->done, l->identities, n, &l->amount, l->how.p);
}

/* --- one recording ---------------------------------------------------------------------------- */

/* Its finished database; *copy is the temporary that it is in, or NULL. */
static ts_code open_database(ts_reader **reader, ts_target **copy, loading *l, const char *path)
{
    ts_options one = *l->options;
    ts_db *db = NULL;
    one.paths = &path;
    one.path_count = 1;
    one.keep_going = false;
    ts_code code = ts_convert_to_ask(&db, copy, l->ctx, &one);
    ts_db_close(db);
    if (code != TS_OK || *copy == NULL) {
        return code != TS_OK ? code : ts_export_reader(reader, copy, l->ctx, path);
    }
    return ts_reader_open_fd(reader, l->ctx, ts_target_fd(*copy), path);
}

static void say_loaded(const loading *l, const char *path, const ts_load_result *r)
{
    if (!l->options->quiet) {
        ts_message(l->ctx,
                   "%s: %" PRIu64 " rows of %" PRIu64 " tables %s, %" PRIu64 " bytes of %" PRIu64
                   " sent%s",
                   path, r->rows, r->tables, l->fleet == NULL ? "would be loaded" : "loaded",
                   r->sent, r->bytes, r->attempts > 1 ? ", after failed attempts" : "");
    }
}

static ts_code load_one(loading *l, size_t i)
{
    const char *path = l->options->paths[i];
    ts_reader *reader = NULL;
    ts_target *copy = NULL;
    ts_load_result result = {0};
    ts_code code = open_database(&reader, &copy, l, path);
    const ts_load_request request = {.identity = l->identities[i],
                                     .reader = reader,
                                     .path = path,
                                     .options = l->how.p,
                                     .amount = &l->amount,
                                     .labels = &l->labels};
    TS_STEP(code, l->fleet == NULL ? ts_fleet_dry_run(l->ctx, &l->out.buf, &result, &request)
                                   : ts_fleet_load(l->fleet, &result, &request));
    ts_error why = l->ctx->error;
    ts_reader_free(reader);
    ts_target_free(copy);
    l->ctx->error = why;
    if (code == TS_OK) {
        say_loaded(l, path, &result);
    }
    return code;
}

/* One of the arguments before that has the same bytes, and was loaded. */
static bool is_loaded_twin(const loading *l, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (l->done[k] && l->failed[k] == TS_OK &&
            memcmp(l->identities[k].id, l->identities[i].id, sizeof l->identities[i].id) == 0) {
            return true;
        }
    }
    return false;
}

/* Failures of the server, of memory and signals are the same for all that would follow. */
static bool goes_on(const loading *l, ts_code code)
{
    return code == TS_OK || (l->options->keep_going && code != TS_ERR_OUTPUT &&
                             code != TS_ERR_NOMEM && code != TS_ERR_INTERRUPTED);
}

static ts_code load_all(loading *l)
{
    const ts_options *o = l->options;
    ts_code code = TS_OK;
    for (size_t i = 0; i < o->path_count && goes_on(l, code); i++) {
        if (l->failed[i] != TS_OK) {
            continue;
        }
        if (l->done[i] || is_loaded_twin(l, i)) {
            l->done[i] = true;
            l->known++;
            if (!o->quiet) {
                ts_message(l->ctx, "%s: already loaded", o->paths[i]);
            }
            continue;
        }
        code = load_one(l, i);
        l->done[i] = code == TS_OK;
        l->failed[i] = code;
        l->loaded += code == TS_OK ? 1 : 0;
        if (code != TS_OK) {
            l->failures++;
            code = ts_cause(l->ctx, "cannot load the recording: path=\"%s\"", o->paths[i]);
            ts_print_error(l->ctx, &l->ctx->error);
        }
    }
    return goes_on(l, code) ? TS_OK : code;
}

/* --- all of them ------------------------------------------------------------------------------ */

static int end_load(loading *l, ts_code code)
{
    const size_t n = l->options->path_count;
    const size_t rest = n - l->loaded - l->known - l->failures;
    if (n > 1 && (!l->options->quiet || l->failures > 0)) {
        ts_message(l->ctx, "%zu loaded, %zu already loaded, %zu failed%s", l->loaded, l->known,
                   l->failures, rest > 0 ? "; the others were not tried" : "");
    }
    if (code != TS_OK || l->failures == 0) {
        return ts_exit_code(l->ctx, code);
    }
    return TS_EXIT_INPUT;
}

int ts_fleet_load_all(ts_ctx *ctx, const ts_options *options)
{
    loading l = {.ctx = ctx, .options = options};
    ts_output_init(&l.out, ctx, STDOUT_FILENO, "standard output");
    ts_code code = prepare_load(&l);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    int exit_code = ts_exit_code(ctx, code);
    if (code == TS_OK) {
        code = load_all(&l);
        exit_code = end_load(&l, code);
        const ts_code printed = ts_output_flush(&l.out);
        exit_code = exit_code == TS_EXIT_DONE ? ts_exit_code(ctx, printed) : exit_code;
    }
    ts_output_free(&l.out);
    ts_fleet_close(l.fleet);
    ts_fleet_labels_free(&l.labels, ctx);
    ts_buf_free(ctx, &l.how);
    ts_free(ctx, l.identities);
    ts_free(ctx, l.done);
    ts_free(ctx, l.failed);
    return exit_code;
}

#endif
