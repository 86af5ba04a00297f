#include "cli/verbs.h"

#include "base/alloc.h"
#include "cli/exit_codes.h"
#include "base/json_out.h"
#include "cli/print.h"
#include "session/questions.h"
#include "cli/serve/serve_private.h"
#include "cli/signals.h"

#if TS_SERVE_BUILT
#include "serve/http/server.h"

#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#endif

#include <unistd.h>

#if TS_SERVE_BUILT

enum { SERVE_TICK_NS = 100000000 };

extern char **environ;

/* --- one run --------------------------------------------------------------------------------- */

typedef struct serving {
    ts_ctx *ctx;
    const ts_options *options;
    ts_serve_files files;
    ts_questions shipped;
    ts_serve_question *questions;
    ts_buf web; /* path of the page's files, or empty */
    ts_server *server;
    ts_serve_maker maker;
    ts_serve_sampler sampler;
    int fd; /* that listens, until the server has it */
    unsigned port;
    pid_t browser; /* 0: none */
} serving;

static ts_code serve_check_more(const serving *s)
{
    const ts_options *o = s->options;
    for (size_t i = 0; i < o->allow_origins.count; i++) {
        if (!ts_origin_valid(o->allow_origins.all[i])) {
            return ts_fail(s->ctx, TS_ERR_USAGE,
                           "bad value for --allow-origin: \"%s\" is not like "
                           "http://127.0.0.1:8000 (or :* for any port of a loopback host)",
                           o->allow_origins.all[i]);
        }
    }
    if (!ts_server_is_local(o->listen) && o->no_token) {
        return ts_fail(s->ctx, TS_ERR_USAGE,
                       "--listen %s is reached from other machines: the token cannot be left out",
                       o->listen);
    }
    return TS_OK;
}

static ts_code serve_questions(serving *s)
{
    TS_TRY(ts_questions_load(&s->shipped, s->ctx));
    TS_NEED(s->ctx, s->questions = ts_zalloc(s->ctx, s->shipped.count, sizeof *s->questions));
    for (size_t i = 0; i < s->shipped.count; i++) {
        s->questions[i].name = s->shipped.all[i].name;
        s->questions[i].sql = ts_buf_text(&s->shipped.all[i].sql);
    }
    return TS_OK;
}

static uint64_t or_default(uint64_t value)
{
    return value == TS_NOT_GIVEN ? 0 : value;
}

static ts_code serve_start(serving *s)
{
    const ts_options *o = s->options;
    const char *web = o->web;
    TS_TRY(web == NULL ? ts_query_shipped_folder(&s->web, s->ctx, "web") : TS_OK);
    const ts_serve_options all = {
        .paths = s->files.paths,
        .named = o->paths,
        .path_count = s->files.count,
        .listen = o->listen,
        .no_token = o->no_token,
        .origins = o->allow_origins.all,
        .origin_count = o->allow_origins.count,
        .names = o->allow_hosts.all,
        .name_count = o->allow_hosts.count,
        .flare_ui = o->flare_ui,
        .web = web != NULL    ? web
               : s->web.n > 0 ? s->web.p
                              : NULL,
        .samples = o->samples,
        .open_directory = ts_serve_open_directory,
        .query_s = or_default(o->query_timeout),
        .max_rows = or_default(o->max_rows),
        .max_memory = o->max_memory,
        .threads = (unsigned)or_default(o->threads),
        .derived = s->maker.derived,
        .samplings = s->sampler.all,
        .questions = s->questions,
        .question_count = s->shipped.count,
    };
    int fd = s->fd;
    s->fd = -1;
    return ts_server_start(&s->server, s->ctx, &all, fd, s->port);
}

/* The line that says where the page is. */
static ts_code serve_say(serving *s, const ts_buf *url)
{
    ts_output out;
    ts_output_init(&out, s->ctx, STDOUT_FILENO, "standard output");
    ts_code code;
    if (s->options->json) {
        ts_jout j = ts_jout_spaced(s->ctx, &out.buf, 1);
        ts_jout_open(&j, NULL, '{');
        ts_jout_text(&j, "url", ts_buf_text(url));
        ts_jout_uint(&j, "port", s->port);
        ts_jout_close(&j, '}');
        code = j.code;
    } else {
        code = ts_output_put(&out, url->p, url->n);
    }
    TS_STEP(code, ts_output_put(&out, "\n", 1));
    TS_STEP(code, ts_output_flush(&out));
    ts_output_free(&out);
    if (!ts_server_is_local(s->options->listen)) {
        ts_message(s->ctx,
                   "warning: other machines can reach this address; who has the token can read "
                   "everything in the databases, and so can who reads the network");
    }
    if (!ts_server_has_page(s->server) && !s->options->quiet) {
        ts_message(s->ctx, "this build has no page: only the API is served");
    }
    return code;
}

static void serve_open(serving *s, const ts_buf *url)
{
    static char program[] = "xdg-open";
    ts_buf path = {0};
    ts_code code = ts_serve_files_page(&path, &s->files, ts_buf_text(url));
    if (code == TS_OK) {
        char *const argv[] = {program, path.p, NULL};
        if (posix_spawnp(&s->browser, program, NULL, NULL, argv, environ) != 0) {
            s->browser = 0;
            ts_message(s->ctx, "cannot run xdg-open: open the address that was printed");
        }
    } else {
        ts_print_error(s->ctx, &s->ctx->error);
    }
    ts_buf_free(s->ctx, &path);
}

static void serve_wait(serving *s)
{
    const struct timespec tick = {0, SERVE_TICK_NS};
    /* From here on a signal is the end that is wanted; what does not end in time is left alone. */
    ts_signals_done(0);
    ts_signals_hurry(true);
    while (*s->ctx->cancel == 0) {
        (void)nanosleep(&tick, NULL);
        ts_server_watch(s->server);
        if (s->browser != 0 && waitpid(s->browser, NULL, WNOHANG) == s->browser) {
            s->browser = 0;
        }
    }
}

/* How many Java VMs can be sampled: who may ask has the token, and is on this machine. */
static size_t serve_room(const serving *s)
{
    return s->options->no_token || !ts_server_is_local(s->options->listen)
               ? 0
               : (size_t)TS_DATABASES - s->files.count;
}

static ts_code serve_run(serving *s)
{
    ts_buf url = {0};
    ts_code code = ts_serve_maker_start(&s->maker, &s->files, s->options, s->fd);
    TS_STEP(code, ts_serve_sampler_start(&s->sampler, s->ctx, serve_room(s), s->fd));
    TS_STEP(code, serve_start(s));
    TS_STEP(code, ts_server_url(&url, s->ctx, s->server));
    TS_STEP(code, serve_say(s, &url));
    if (code == TS_OK && s->options->open_page) {
        serve_open(s, &url);
    }
    if (code == TS_OK) {
        serve_wait(s);
    }
    ts_buf_free(s->ctx, &url);
    return code;
}

int ts_serve(ts_ctx *ctx, const ts_options *options)
{
    serving s = {.ctx = ctx, .options = options, .fd = -1};
    int exit_code = 0;
    s.port = options->port == TS_NOT_GIVEN ? TS_SERVE_PORT : (unsigned)options->port;
    s.files.ctx = ctx;
    ts_code code = serve_check_more(&s);
    if (code == TS_OK) {
        code = ts_server_listen(&s.fd, &s.port, ctx, options->listen);
        exit_code = code == TS_ERR_OUTPUT ? TS_EXIT_ADDRESS : 0;
    }
    TS_STEP(code, ts_serve_files_open(&s.files, &exit_code, ctx, options));
    bool said = exit_code != 0 && exit_code != TS_EXIT_ADDRESS; /* by the conversion */
    if (code == TS_OK) {
        exit_code = 0;
        code = serve_questions(&s);
    }
    TS_STEP(code, serve_run(&s));
    if (code != TS_OK && !said) {
        ts_print_error(ctx, &ctx->error);
        exit_code = exit_code != 0 ? exit_code : ts_exit_code(ctx, code);
    }
    ts_server_stop(s.server);
    ts_serve_maker_stop(&s.maker);
    ts_serve_sampler_stop(&s.sampler);
    if (s.fd >= 0) {
        (void)close(s.fd);
    }
    ts_serve_files_free(&s.files);
    ts_questions_free(&s.shipped, ctx);
    ts_free(ctx, s.questions);
    ts_buf_free(ctx, &s.web);
    return exit_code;
}

#else

int ts_serve(ts_ctx *ctx, const ts_options *options)
{
    (void)options;
    ts_message(ctx, "this build has no server: libmicrohttpd-dev and libwslay-dev were missing "
                    "when it was made (scripts/install-deps.sh installs them)");
    return TS_EXIT_USAGE;
}

#endif
