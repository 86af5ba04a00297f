#include "cli/ask_print.h"

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

ts_code ts_ask_print(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_options *options,
                     ts_output *out, bool terminal)
{
    const ts_text sql = ts_buf_text(&query->sql);
    const ts_row_print print = {
        .format = options->output,
        .terminal = terminal,
        .demangle = options->demangle,
        .say_unbound = !options->quiet && !ts_ask_documented(sql),
    };
    asking a = {db, ctx, query, options};
    TS_TRY(ts_ask_check_fits(db, ctx, query->name, sql));
    return ts_query_print(ask_query, &a, &print, out);
}
