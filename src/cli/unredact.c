/*
 * "unredact": what tokens were. Tokens cannot be turned back by the key alone; the texts of the
 * original database are redacted once more, and what gives a token that was asked for is its text.
 *
 * A token that was given as an argument is translated piece by piece. A text from standard input
 * has other words too, and numbers: there only pieces that cannot be hit by chance are translated,
 * and short ones that are in one name with them.
 */
#include "cli/verbs.h"

#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/redact_key.h"
#include "tables/redact.h"

#include <errno.h>
#include <unistd.h>

enum { SURE = 5, TEXT_MOST = 64 << 20 };

typedef struct unredact {
    ts_ctx *ctx;
    const ts_options *o;
    ts_redactor r;
    ts_buf text;    /* input of the translation */
    ts_pool wanted; /* its pieces */
    ts_pool found;  /* texts */
    ts_vec names;   /* uint32_t: of each wanted one its text in `found` + 1, or 0 */
    ts_output out;
} unredact;

static ts_code learn(void *user, ts_text token, ts_text piece)
{
    unredact *u = user;
    uint32_t id;
    uint32_t text;
    if (!ts_pool_find(&id, &u->wanted, token) || ((uint32_t *)u->names.p)[id] != 0) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(u->ctx, &text, NULL, &u->found, piece));
    ((uint32_t *)u->names.p)[id] = text + 1;
    return TS_OK;
}

static ts_code read_input(unredact *u)
{
    const ts_sys *sys = &u->ctx->sys;
    for (;;) {
        TS_TRY(ts_buf_reserve(u->ctx, &u->text, 65536));
        const ssize_t n = sys->read(sys->user, STDIN_FILENO, u->text.p + u->text.n, 65536);
        if (n == 0) {
            return TS_OK;
        }
        if (n < 0) {
            if (errno == EINTR && ts_check_cancel(u->ctx) == TS_OK) {
                continue;
            }
            return errno == EINTR ? TS_ERR_INTERRUPTED
                                  : ts_fail(u->ctx, TS_ERR_INPUT, "cannot read standard input: %s",
                                            strerror(errno));
        }
        u->text.n += (size_t)n;
        if (u->text.n > TEXT_MOST) {
            return ts_fail(u->ctx, TS_ERR_LIMIT, "standard input has more than %d MiB",
                           TEXT_MOST >> 20);
        }
    }
}

/* The piece at `at`, empty when there is none. */
static ts_text piece_at(const unredact *u, size_t at)
{
    ts_text piece = {u->text.p + at, 0};
    while (at + piece.n < u->text.n && ts_redact_is_piece(u->text.p[at + piece.n])) {
        piece.n++;
    }
    return piece;
}

static ts_code list_wanted(unredact *u)
{
    for (size_t i = 0; i < u->text.n;) {
        const ts_text piece = piece_at(u, i);
        bool added = false;
        uint32_t id;
        if (piece.n > 0 && piece.n <= TS_TOKEN_MOST) {
            TS_TRY(ts_pool_intern(u->ctx, &id, &added, &u->wanted, piece));
        }
        if (added) {
            uint32_t *name;
            TS_NEED(u->ctx, name = ts_vec_add(u->ctx, &u->names, sizeof *name));
            *name = 0;
        }
        i += piece.n == 0 ? 1 : piece.n;
    }
    return TS_OK;
}

static bool name_of(ts_text *name, const unredact *u, ts_text piece)
{
    uint32_t id;
    if (piece.n == 0 || !ts_pool_find(&id, &u->wanted, piece) ||
        ((const uint32_t *)u->names.p)[id] == 0) {
        return false;
    }
    *name = ts_pool_text(&u->found, ((const uint32_t *)u->names.p)[id] - 1);
    return true;
}

static bool is_sure(ts_text piece)
{
    bool letters = false;
    for (size_t i = 0; i < piece.n && !letters; i++) {
        letters = !ts_is_digit(piece.p[i]);
    }
    return letters && piece.n >= SURE;
}

static bool ends_name(char c)
{
    return c != '\0' && strchr(" \t\n;\",", c) != NULL;
}

/* Up to where a name goes on; *sure: one of its pieces is a token for certain. */
static size_t run_end(bool *sure, const unredact *u, size_t at)
{
    ts_text name;
    *sure = false;
    while (at < u->text.n && !ends_name(u->text.p[at])) {
        const ts_text piece = piece_at(u, at);
        *sure = *sure || (is_sure(piece) && name_of(&name, u, piece));
        at += piece.n == 0 ? 1 : piece.n;
    }
    return at;
}

static ts_code translate_run(unredact *u, size_t at, size_t end, bool all)
{
    ts_code code = TS_OK;
    while (at < end && code == TS_OK) {
        const ts_text piece = piece_at(u, at);
        ts_text name = {u->text.p + at, piece.n == 0 ? 1 : piece.n};
        at += name.n;
        if (all || (piece.n > 0 && !ts_is_digit(piece.p[0]))) {
            (void)name_of(&name, u, piece);
        }
        code = ts_output_put(&u->out, name.p, name.n);
    }
    return code;
}

static ts_code translate(unredact *u)
{
    const bool all = u->o->path_count > 1;
    for (size_t i = 0; i < u->text.n;) {
        bool sure;
        const size_t end = run_end(&sure, u, i);
        TS_TRY(all || sure ? translate_run(u, i, end, all)
                           : ts_output_put(&u->out, u->text.p + i, end - i));
        TS_TRY(ts_output_put(&u->out, u->text.p + end, end < u->text.n ? 1 : 0));
        i = end + 1;
    }
    return TS_OK;
}

static ts_code unredact_run(unredact *u)
{
    const ts_options *o = u->o;
    ts_db *db = NULL;
    ts_code code = ts_redact_key(&u->r.key, u->ctx, o->redact_key, false);
    u->r.level = TS_REDACT_ALL;
    u->r.user = u;
    u->r.learn = learn;
    for (size_t i = 1; i < o->path_count && code == TS_OK; i++) {
        code = ts_buf_printf(u->ctx, &u->text, "%s\n", o->paths[i]);
    }
    TS_STEP_IF(code, o->path_count == 1, read_input(u));
    TS_STEP(code, list_wanted(u));
    TS_STEP(code, ts_redactor_init(&u->r, u->ctx));
    TS_STEP(code, ts_db_open(&db, u->ctx, o->paths[0]));
    TS_STEP(code, ts_db_redact_learn(db, &u->r));
    TS_STEP(code, translate(u));
    ts_db_close(db);
    return code;
}

int ts_unredact_verb(ts_ctx *ctx, const ts_options *options)
{
    unredact u = {.ctx = ctx, .o = options};
    ts_output_init(&u.out, ctx, STDOUT_FILENO, "standard output");
    const ts_code code = ts_output_end(&u.out, unredact_run(&u));
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    ts_redactor_free(&u.r);
    ts_buf_free(ctx, &u.text);
    ts_pool_free(ctx, &u.wanted);
    ts_pool_free(ctx, &u.found);
    ts_vec_free(ctx, &u.names);
    return ts_exit_code(ctx, code);
}
