#include "cli/fleet/fleet_private.h"

#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/query_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#if !TS_FLEET_BUILT

int ts_fleet_verb(ts_ctx *ctx, const ts_options *options)
{
    (void)options;
    ts_message(ctx,
               "this build of trace_streamer has no fleet: libcurl was missing when it was built");
    return TS_EXIT_USAGE;
}

int ts_fleet_load_all(ts_ctx *ctx, const ts_options *options)
{
    return ts_fleet_verb(ctx, options);
}

#else

enum { RETRIES = 6, TIMEOUT_S = 300 };
static const uint64_t day_ms = 86400000;

static void say(void *user, const char *text)
{
    ts_message(user, "%s", text);
}

ts_fleet_options ts_fleet_options_of(ts_ctx *ctx, const ts_options *o)
{
    return (ts_fleet_options){.at = o->at,
                              .cluster = o->cluster,
                              .timeout_s = o->timeout == TS_NOT_GIVEN ? TIMEOUT_S : o->timeout,
                              .retries = o->retries == TS_NOT_GIVEN ? RETRIES : o->retries,
                              .say = o->quiet ? NULL : say,
                              .user = ctx};
}

/* --- what can be done ------------------------------------------------------------------------- */

typedef ts_fleet_doing doing;

static void say_made(const doing *d, const ts_fleet_made *made)
{
    const size_t servers = ts_fleet_servers(d->fleet);
    char on[60] = "";
    if (servers > 1) {
        (void)snprintf(on, sizeof on, " on each of %zu servers", servers);
    }
    ts_message(d->ctx, "the fleet %s (ClickHouse %s, %u tables%s)",
               made->servers == servers ? "was made" : "is there", ts_fleet_engine(d->fleet),
               (unsigned)TS_TABLE_COUNT, on);
    if (made->servers > 0 && made->servers < servers) {
        ts_message(d->ctx, "its tables were made on %zu more server%s", made->servers,
                   made->servers == 1 ? "" : "s");
    }
    if (made->columns > 0) {
        ts_message(d->ctx, "%u columns were added", made->columns);
    }
}

static ts_code init(doing *d)
{
    ts_fleet_made made;
    const uint64_t keep = d->options->keep;
    TS_TRY(ts_fleet_init(d->fleet, &made, keep == TS_NOT_GIVEN ? 0 : keep));
    if (!d->options->quiet) {
        say_made(d, &made);
    }
    return TS_OK;
}

static ts_code take_recording(void *user, const ts_text fields[TS_FLEET_COLUMNS])
{
    const ts_rows_visitor *visitor = user;
    const char *values[TS_FLEET_COLUMNS];
    size_t lengths[TS_FLEET_COLUMNS];
    ts_cell_type types[TS_FLEET_COLUMNS];
    for (int i = 0; i < TS_FLEET_COLUMNS; i++) {
        const char *name = ts_fleet_list_names[i];
        const bool number = strcmp(name, "bytes") == 0 || strcmp(name, "rows") == 0 ||
                            strcmp(name, "issues") == 0 || strcmp(name, "complete") == 0 ||
                            strcmp(name, "schema_version") == 0;
        values[i] = fields[i].p;
        lengths[i] = fields[i].n;
        types[i] = number ? TS_CELL_INT : TS_CELL_TEXT;
    }
    return visitor->row(visitor->user, values, lengths, types, TS_FLEET_COLUMNS);
}

static ts_code ask_list(void *user, const ts_rows_visitor *visitor)
{
    const doing *d = user;
    ts_rows_visitor to = *visitor;
    TS_TRY(to.header(to.user, ts_fleet_list_names, TS_FLEET_COLUMNS));
    return ts_fleet_list(d->fleet, take_recording, &to);
}

static ts_code list(doing *d)
{
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    const ts_row_print print = {.format = ts_row_format_chosen(d->options->output, terminal),
                                .terminal = terminal};
    return ts_query_print(ask_list, d, &print, &d->out);
}

static ts_code forget(doing *d)
{
    const ts_options *o = d->options;
    uint64_t count = 0;
    if ((o->path_count > 1) == (o->older_than != TS_NOT_GIVEN)) {
        return ts_fail(d->ctx, TS_ERR_USAGE,
                       "fleet forget needs either ids (fleet list shows them) or --older-than=AGE");
    }
    TS_TRY(ts_fleet_forget(d->fleet, &count, o->paths + 1, o->path_count - 1, o->older_than));
    if (!o->quiet) {
        ts_message(d->ctx, "%" PRIu64 " recording%s forgotten", count,
                   count == 1 ? " was" : "s were");
    }
    return TS_OK;
}

static ts_code sweep(doing *d)
{
    uint64_t rows = 0;
    const uint64_t age = d->options->older_than;
    TS_TRY(ts_fleet_sweep(d->fleet, &rows, age == TS_NOT_GIVEN ? day_ms : age));
    if (!d->options->quiet) {
        ts_message(d->ctx, "%" PRIu64 " rows of attempts that failed were deleted", rows);
    }
    return TS_OK;
}

static ts_code check(doing *d)
{
    TS_TRY(ts_fleet_check(d->fleet, &d->differences, say, d->ctx));
    if (d->differences == 0 && !d->options->quiet) {
        ts_message(d->ctx, "the fleet is as it should be");
    }
    return TS_OK;
}

static const struct {
    const char *name;
    ts_code (*run)(doing *d);
    bool more;  /* words after it */
    bool later; /* it connects by itself, after what can be wrong without a server */
} things[] = {
    {"init", init, false, false},           {"list", list, false, false},
    {"ask", ts_fleet_ask_verb, true, true}, {"report", ts_fleet_report_verb, false, false},
    {"forget", forget, true, false},        {"sweep", sweep, false, false},
    {"check", check, false, false}};

ts_code ts_fleet_connect(ts_fleet_doing *d)
{
    const ts_fleet_options options = ts_fleet_options_of(d->ctx, d->options);
    return ts_fleet_open(&d->fleet, d->ctx, &options);
}

static ts_code run_thing(doing *d)
{
    const ts_options *o = d->options;
    if (o->cluster != NULL && strcmp(o->paths[0], "init") != 0) {
        return ts_fail(
            d->ctx, TS_ERR_USAGE,
            "--cluster is an option of fleet init: a fleet that is there keeps its cluster");
    }
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        if (strcmp(things[i].name, o->paths[0]) == 0 && (things[i].more || o->path_count == 1)) {
            if (!things[i].later) {
                TS_TRY(ts_fleet_connect(d));
            }
            return things[i].run(d);
        }
    }
    return ts_fail(
        d->ctx, TS_ERR_USAGE,
        "fleet does init, list, ask QUESTION, report, forget ID..., sweep or check, not %s%s",
        o->paths[0], o->path_count > 1 ? " with more words" : "");
}

int ts_fleet_verb(ts_ctx *ctx, const ts_options *options)
{
    doing d = {.ctx = ctx, .options = options};
    ts_output_init(&d.out, ctx, STDOUT_FILENO, "standard output");
    ts_code code = run_thing(&d);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    const int exit_code =
        code == TS_OK && d.differences > 0 ? TS_EXIT_DIFFERS : ts_exit_code(ctx, code);
    ts_output_free(&d.out);
    ts_fleet_close(d.fleet);
    return exit_code;
}

#endif
