/*
 * "fleet ask QUESTION" and "fleet report": the questions of share/sql/fleet, whose rows come from
 * the engine. A report is all questions that have a line "Report: PLACE TITLE", in order of PLACE,
 * those without rows left out.
 */
#include "cli/fleet/fleet_private.h"

#include "cli/print.h"
#include "cli/query_rows.h"
#include "session/questions.h"
#include "tables/question_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#if TS_FLEET_BUILT
#include "fleet/fleet_question.h"

static ts_code load_questions(ts_questions *all, ts_ctx *ctx)
{
    TS_TRY(ts_questions_load_from(all, ctx, "/fleet"));
    return all->count > 0 ? TS_OK
                          : ts_fail(ctx, TS_ERR_INPUT,
                                    "the questions to a fleet are not installed: fleet/*.sql is "
                                    "missing beside the shipped questions");
}

/* Which recordings --label and --by choose. */
static ts_fleet_chosen chosen_of(const ts_options *o)
{
    return (ts_fleet_chosen){.by = o->by, .only = o->labels.all, .only_count = o->labels.count};
}

/* --- one question ----------------------------------------------------------------------------- */

typedef struct asking {
    ts_fleet *fleet;
    ts_fleet_question question;
} asking;

static ts_code ask_fleet(void *user, const ts_rows_visitor *visitor)
{
    const asking *a = user;
    return ts_fleet_ask(a->fleet, &a->question, visitor);
}

static ts_code unknown_question(ts_ctx *ctx, const ts_questions *all, const char *name)
{
    const char *nearest = ts_questions_nearest(all, name);
    return ts_fail(ctx, TS_ERR_USAGE, "unknown question to a fleet \"%s\"%s%s%s", name,
                   nearest == NULL ? " (fleet ask lists them)" : "; did you mean ",
                   nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
}

/* How many recordings are asked: also that there are some, and that labels are not mistyped. */
static ts_code say_chosen(const ts_fleet_doing *d, const ts_fleet_chosen *chosen)
{
    ts_fleet_count count = {0};
    TS_TRY(ts_fleet_choose(d->fleet, &count, chosen));
    if (!d->options->quiet) {
        ts_message(d->ctx, "%" PRIu64 " recording%s", count.recordings,
                   count.recordings == 1 ? "" : "s");
    }
    if (count.incomplete > 0) {
        ts_message(d->ctx,
                   "%" PRIu64 " of them lost data (fleet ask losses): what is left is asked",
                   count.incomplete);
    }
    return TS_OK;
}

static ts_code ask_one(ts_fleet_doing *d, const ts_shipped *s)
{
    const ts_options *o = d->options;
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    const ts_row_print print = {.format = ts_row_format_chosen(o->output, terminal),
                                .terminal = terminal,
                                .demangle = o->demangle};
    const ts_fleet_chosen chosen = chosen_of(o);
    asking a = {NULL,
                {.name = s->name,
                 .sql = ts_buf_text(&s->sql),
                 .chosen = &chosen,
                 .params = o->params,
                 .param_count = o->param_count}};
    TS_TRY(ts_fleet_connect(d));
    a.fleet = d->fleet;
    TS_TRY(say_chosen(d, &chosen));
    return ts_query_print(ask_fleet, &a, &print, &d->out);
}

ts_code ts_fleet_ask_verb(ts_fleet_doing *d)
{
    ts_questions all = {0};
    const char *name = d->options->path_count > 1 ? d->options->paths[1] : NULL;
    ts_code code = load_questions(&all, d->ctx);
    const ts_shipped *found = name == NULL || code != TS_OK ? NULL : ts_questions_find(&all, name);
    if (code == TS_OK && name == NULL) {
        code = ts_questions_list(&d->out.buf, d->ctx, &all);
        TS_STEP(code, ts_output_flush(&d->out));
    } else if (code == TS_OK && d->options->path_count > 2) {
        code = ts_fail(d->ctx, TS_ERR_USAGE, "fleet ask takes one question");
    } else if (code == TS_OK) {
        code = found == NULL ? unknown_question(d->ctx, &all, name) : ask_one(d, found);
    }
    ts_questions_free(&all, d->ctx);
    return code;
}

/* --- all of them ------------------------------------------------------------------------------ */

enum { REPORT_ROWS = 10 };

/* Rows of one question, printed once there is one: a title, then a table. */
typedef struct section {
    ts_ctx *ctx;
    ts_output *out;
    ts_row_printer *printer;
    ts_text title;
    const char *names[64];
    int count;
    size_t rows;
} section;

static ts_code section_header(void *user, const char *const *names, int n)
{
    section *s = user;
    s->count = n < 64 ? n : 64;
    for (int i = 0; i < s->count; i++) {
        s->names[i] = names[i];
    }
    return TS_OK;
}

static ts_code section_row(void *user, const char *const *values, const size_t *lengths,
                           const ts_cell_type *types, int n)
{
    section *s = user;
    if (s->rows == 0) {
        TS_TRY(ts_buf_printf(s->ctx, &s->out->buf, "%.*s\n\n", (int)s->title.n, s->title.p));
        TS_TRY(ts_row_printer_header(s->printer, s->names, s->count));
    }
    return s->rows++ < REPORT_ROWS ? ts_row_printer_row(s->printer, values, lengths, types, n)
                                   : TS_OK;
}

static ts_code put_section(ts_fleet_doing *d, const ts_fleet_chosen *chosen,
                           const ts_shipped *shipped, ts_text title)
{
    const ts_fleet_question question = {
        .name = shipped->name, .sql = ts_buf_text(&shipped->sql), .chosen = chosen};
    section s = {.ctx = d->ctx, .out = &d->out, .title = title};
    const ts_rows_visitor visitor = {&s, section_header, section_row, NULL, NULL};
    ts_code code = ts_row_printer_new(&s.printer, &d->out, TS_ROWS_TABLE, false);
    TS_STEP(code, ts_fleet_ask(d->fleet, &question, &visitor));
    TS_STEP_IF(code, s.rows > 0, ts_row_printer_end(s.printer));
    TS_STEP_IF(code, s.rows > REPORT_ROWS,
               ts_buf_printf(d->ctx, &d->out.buf, "%zu more: fleet ask %s\n", s.rows - REPORT_ROWS,
                             shipped->name));
    TS_STEP_IF(code, s.rows > 0, ts_buf_putc(d->ctx, &d->out.buf, '\n'));
    TS_STEP(code, ts_output_flush(&d->out));
    ts_row_printer_free(s.printer);
    return code;
}

typedef struct place {
    long number;
    const ts_shipped *shipped;
    ts_text title;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a;
    const place *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Without --by all recordings are one group. */
static ts_fleet_chosen chosen_for_report(const ts_options *o)
{
    ts_fleet_chosen chosen = chosen_of(o);
    chosen.by = chosen.by == NULL ? "all" : chosen.by;
    return chosen;
}

ts_code ts_fleet_report_verb(ts_fleet_doing *d)
{
    enum { PLACES = 64 };
    place places[PLACES];
    size_t n = 0;
    ts_questions all = {0};
    const ts_fleet_chosen chosen = chosen_for_report(d->options);
    ts_code code = load_questions(&all, d->ctx);
    for (size_t i = 0; code == TS_OK && i < all.count && n < PLACES; i++) {
        const ts_text line = ts_question_first(ts_buf_text(&all.all[i].sql), "Report");
        const char *blank = line.n == 0 ? NULL : memchr(line.p, ' ', line.n);
        if (blank != NULL) {
            const size_t before = (size_t)(blank + 1 - line.p);
            places[n++] = (place){strtol(line.p, NULL, 10), &all.all[i],
                                  (ts_text){blank + 1, line.n - before}};
        }
    }
    TS_STEP(code, say_chosen(d, &chosen));
    if (code == TS_OK) {
        qsort(places, n, sizeof places[0], compare_places);
    }
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = put_section(d, &chosen, places[i].shipped, places[i].title);
    }
    ts_questions_free(&all, d->ctx);
    return d->out.gone ? TS_OK : code;
}

#endif
