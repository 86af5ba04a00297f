#include "cli/ask_print.h"

#include "base/alloc.h"
#include "cli/query_rows.h"
#include "session/ask.h"

typedef struct asking {
    ts_db *db;
    ts_ctx *ctx;
    const ts_query *query;
    const ts_options *options;
} asking;

static ts_code ask_query(void *user, const ts_rows_visitor *visitor)
{
    const asking *a = user;
    return ts_ask_query(a->db, a->ctx, a->query, a->options->params, a->options->param_count,
                        visitor);
}

static ts_row_print print_of(const ts_query *query, const ts_options *options, bool terminal)
{
    return (ts_row_print){
        .format = options->output,
        .terminal = terminal,
        .demangle = options->demangle,
        .say_cut = !options->quiet,
        .say_unbound = !options->quiet && !ts_ask_documented(ts_buf_text(&query->sql)),
    };
}

ts_code ts_ask_print(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_options *options,
                     ts_output *out, bool terminal)
{
    const ts_text sql = ts_buf_text(&query->sql);
    const ts_row_print print = print_of(query, options, terminal);
    asking a = {db, ctx, query, options};
    TS_TRY(ts_ask_check_fits(db, ctx, query->name, sql));
    return ts_query_print(ask_query, &a, &print, out);
}

/* --- several databases ------------------------------------------------------------------------ */

/* Rows on their way to one result, with the database that they are from before them. */
typedef struct asking_many {
    ts_ctx *ctx;
    const ts_query *query;
    const ts_options *options;
    const ts_rows_visitor *to;
    const char *path; /* of the database that is asked */
    ts_buf header;    /* names of the result, each with a zero byte */
    ts_vec names, values, lengths, types;
    size_t asked, failed;
} asking_many;

static ts_code room_for(asking_many *a, int n)
{
    TS_TRY(ts_vec_reserve(a->ctx, &a->names, (size_t)n, sizeof(const char *)));
    TS_TRY(ts_vec_reserve(a->ctx, &a->values, (size_t)n, sizeof(const char *)));
    TS_TRY(ts_vec_reserve(a->ctx, &a->lengths, (size_t)n, sizeof(size_t)));
    return ts_vec_reserve(a->ctx, &a->types, (size_t)n, sizeof(ts_cell_type));
}

/* The result of another database goes on when it has the same columns. */
static ts_code many_header(void *user, const char *const *names, int n)
{
    asking_many *a = user;
    ts_buf header = {0};
    ts_code code = room_for(a, n + 1);
    for (int i = 0; code == TS_OK && i < n; i++) {
        code = ts_buf_put(a->ctx, &header, names[i], strlen(names[i]) + 1);
    }
    const bool same =
        a->header.n > 0 && header.n == a->header.n && memcmp(header.p, a->header.p, header.n) == 0;
    if (code == TS_OK && !same) {
        const char **all = a->names.p;
        all[0] = "recording";
        memcpy(all + 1, names, (size_t)n * sizeof *names);
        code = a->to->header(a->to->user, all, n + 1);
    }
    ts_buf_free(a->ctx, &a->header);
    a->header = header;
    return code;
}

static ts_code many_row(void *user, const char *const *values, const size_t *lengths,
                        const ts_cell_type *types, int n)
{
    asking_many *a = user;
    const char **all = a->values.p;
    size_t *all_lengths = a->lengths.p;
    ts_cell_type *all_types = a->types.p;
    all[0] = a->path;
    all_lengths[0] = strlen(a->path);
    all_types[0] = TS_CELL_TEXT;
    memcpy(all + 1, values, (size_t)n * sizeof *values);
    memcpy(all_lengths + 1, lengths, (size_t)n * sizeof *lengths);
    memcpy(all_types + 1, types, (size_t)n * sizeof *types);
    return a->to->row(a->to->user, all, all_lengths, all_types, n + 1);
}

static void many_unbound(void *user, const char *name)
{
    const asking_many *a = user;
    a->to->unbound(a->to->user, name);
}

/* The column before the others is a text. */
static void many_declared(void *user, const ts_cell_type *types, int n)
{
    asking_many *a = user;
    const ts_error saved = a->ctx->error;
    if (room_for(a, n + 1) == TS_OK) {
        ts_cell_type *all = a->types.p;
        all[0] = TS_CELL_TEXT;
        memcpy(all + 1, types, (size_t)n * sizeof *types);
        a->to->declared(a->to->user, all, n + 1);
    }
    a->ctx->error = saved;
}

/* What has none of the rows that are needed is empty. */
static ts_code ask_one(asking_many *a)
{
    const ts_rows_visitor visitor = {a, many_header, many_row, many_unbound,
                                     a->to->declared == NULL ? NULL : many_declared};
    ts_db *db = NULL;
    ts_text what = TS_TEXT_NULL;
    bool fits = false;
    ts_code code = ts_db_open(&db, a->ctx, a->path);
    TS_STEP(code, ts_ask_fits(&fits, &what, db, ts_buf_text(&a->query->sql)));
    if (code == TS_OK && fits) {
        a->asked++;
        code = ts_ask_query(db, a->ctx, a->query, a->options->params, a->options->param_count,
                            &visitor);
    }
    ts_db_close(db);
    return code;
}

/* What is wrong with one database is said, and the next one asked. */
static ts_code ask_many(void *user, const ts_rows_visitor *visitor)
{
    asking_many *a = user;
    ts_code code = TS_OK;
    a->to = visitor;
    for (size_t i = 0; code == TS_OK && i < a->options->path_count; i++) {
        a->path = a->options->paths[i];
        code = ask_one(a);
        if (code == TS_ERR_INPUT || code == TS_ERR_USAGE || code == TS_ERR_FORMAT) {
            ts_message(a->ctx, "%s: %s", a->path, a->ctx->error.causes[0]);
            a->failed++;
            code = TS_OK;
        }
    }
    return code;
}

ts_code ts_ask_print_many(ts_ctx *ctx, const ts_query *query, const ts_options *options,
                          ts_output *out, bool terminal)
{
    const ts_row_print print = print_of(query, options, terminal);
    asking_many a = {.ctx = ctx, .query = query, .options = options};
    ts_code code = ts_query_print(ask_many, &a, &print, out);
    ts_buf_free(ctx, &a.header);
    ts_vec_free(ctx, &a.names);
    ts_vec_free(ctx, &a.values);
    ts_vec_free(ctx, &a.lengths);
    ts_vec_free(ctx, &a.types);
    if (code == TS_OK && a.failed > 0 && !options->keep_going) {
        return ts_fail(ctx, TS_ERR_INPUT, "%zu of %zu databases could not be asked", a.failed,
                       options->path_count);
    }
    return code != TS_OK || a.asked > 0
               ? code
               : ts_fail(ctx, TS_ERR_USAGE,
                         "cannot answer %s: none of the databases has the rows that it needs",
                         query->name);
}
