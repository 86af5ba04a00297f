#include "lib/library.h"

#include "base/alloc.h"
#include "session/questions.h"
#include "version_made.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *tst_version(void)
{
    return TS_VERSION;
}

/* --- calls --------------------------------------------------------------------------------- */

void library_begin(tst_session *s)
{
    s->message.n = 0;
    s->callers = uselocale(s->locale);
}

static int code_of(ts_code code)
{
    static const int codes[TS_CODE_COUNT] = {
        [TS_OK] = TST_OK,
        [TS_ERR_INPUT] = TST_INPUT,
        [TS_ERR_USAGE] = TST_USAGE,
        [TS_ERR_OUTPUT] = TST_OUTPUT,
        [TS_ERR_FORMAT] = TST_FORMAT,
        [TS_ERR_LIMIT] = TST_LIMIT,
        [TS_ERR_NOMEM] = TST_MEMORY,
        [TS_ERR_INTERRUPTED] = TST_CANCELLED,
        [TS_ERR_INTERNAL] = TST_DEFECT,
    };
    return codes[code];
}

/* One cause a line, outermost first. Without memory for it there is none. */
static void put_message(tst_session *s)
{
    const ts_error error = s->ctx.error;
    ts_code code = TS_OK;
    s->message.n = 0;
    for (unsigned i = error.count; i-- > 0 && code == TS_OK;) {
        code = ts_buf_printf(&s->ctx, &s->message, "%s%s", s->message.n == 0 ? "" : "\n",
                             error.causes[i]);
    }
    TS_STEP(code, ts_buf_putc(&s->ctx, &s->message, '\0'));
    if (code != TS_OK) {
        s->message.n = 0;
    }
}

int library_end(tst_session *s, ts_code code)
{
    if (code != TS_OK) {
        put_message(s);
    }
    if (code == TS_ERR_INTERRUPTED) {
        s->cancel = 0;
    }
    if (s->callers != (locale_t)0) {
        (void)uselocale(s->callers);
    }
    return code_of(code);
}

const char *tst_message(const tst_session *session)
{
    return session == NULL || session->message.n == 0 ? "" : session->message.p;
}

void tst_cancel(tst_session *session)
{
    session->cancel = SIGINT;
}

/* --- opening ------------------------------------------------------------------------------- */

/* A copy that lives as long as the session; *out NULL for NULL. */
static ts_code keep_text(const char **out, tst_session *s, const char *text)
{
    *out = NULL;
    if (text == NULL) {
        return TS_OK;
    }
    char *copy = ts_strndup(&s->ctx, text, strlen(text));
    TS_NEED(&s->ctx, copy);
    ts_code code = ts_vec_push(&s->ctx, &s->texts, &copy, sizeof copy);
    if (code != TS_OK) {
        ts_free(&s->ctx, copy);
        return code;
    }
    *out = copy;
    return TS_OK;
}

/* The folder of what is shipped, if it is found from where the library is. */
static ts_code find_shared(tst_session *s)
{
    static const char *const places[] = {"/../share/trace_streamer", "/../../share/trace_streamer",
                                         "/share"};
    ts_ctx *ctx = &s->ctx;
    ts_buf path = {0};
    struct stat st;
    Dl_info info;
    ts_code code = TS_OK;
    if (dladdr((const void *)(uintptr_t)tst_version, &info) == 0 || info.dli_fname == NULL) {
        return TS_OK;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    for (size_t i = 0; slash != NULL && code == TS_OK && ctx->share_dir == NULL &&
                       i < sizeof places / sizeof places[0];
         i++) {
        path.n = 0;
        code = ts_buf_put(ctx, &path, info.dli_fname, (size_t)(slash - info.dli_fname));
        TS_STEP(code, ts_buf_printf(ctx, &path, "%s", places[i]));
        TS_STEP(code, ts_buf_putc(ctx, &path, '\0'));
        TS_STEP_IF(code, stat(path.p, &st) == 0 && S_ISDIR(st.st_mode),
                   keep_text(&ctx->share_dir, s, path.p));
    }
    ts_buf_free(ctx, &path);
    return code;
}

static ts_code copy_options(tst_session *s, const tst_options *given)
{
    tst_options *o = &s->options;
    const size_t n = given == NULL ? 0 : given->size < sizeof *o ? given->size : sizeof *o;
    if (given != NULL && given->size < offsetof(tst_options, max_memory)) {
        return ts_fail(&s->ctx, TS_ERR_USAGE, "tst_options.size is not set");
    }
    if (n > 0) {
        memcpy(o, given, n);
    }
    const char **texts[] = {&o->format,     &o->analyze, &o->time_range, &o->symbols,  &o->syscalls,
                            &o->jfr_events, &o->viewer,  &o->temp_dir,   &o->share_dir};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        TS_TRY(keep_text(texts[i], s, *texts[i]));
    }
    return TS_OK;
}

static ts_code use_options(tst_session *s)
{
    const tst_options *o = &s->options;
    ts_ctx *ctx = &s->ctx;
    ts_conversion *c = &s->conversion;
    ctx->limits.max_memory = o->max_memory;
    ctx->limits.max_inflate = o->max_inflate != 0 ? o->max_inflate : ctx->limits.max_inflate;
    ctx->compat = (o->flags & TST_COMPAT) != 0;
    ctx->strict = (o->flags & TST_STRICT) != 0;
    ctx->symbols = o->symbols;
    ctx->tmpdir = o->temp_dir != NULL ? o->temp_dir : ctx->tmpdir;
    ctx->share_dir = o->share_dir;
    ts_conversion_syscalls(ctx, o->syscalls);
    if (o->time_range != NULL && !ts_parse_time_range(&ctx->time_range, o->time_range)) {
        return ts_fail(ctx, TS_ERR_USAGE, "bad time range \"%s\"", o->time_range);
    }
    TS_TRY(o->share_dir == NULL ? find_shared(s) : TS_OK);
    TS_TRY(o->format == NULL ? TS_OK : ts_conversion_format(c, o->format));
    return ts_analysis_choose(&c->analyses, ctx, o->analyze, true);
}

static void tell_progress(void *user, const char *name, uint64_t done, int64_t total)
{
    const tst_session *s = user;
    if (s->told != NULL) {
        s->told(s->told_user, name, done, total);
    }
}

/* Without memory for the reason only the code of the call tells of it. */
static void note_failure(void *user, const char *reason)
{
    tst_session *s = user;
    ts_ctx *ctx = &s->ctx;
    char *copy;
    s->failure = ctx->error;
    copy = ts_strndup(ctx, reason, strlen(reason));
    if (copy != NULL && ts_vec_push(ctx, &s->failures, &copy, sizeof copy) != TS_OK) {
        ts_free(ctx, copy);
    }
    ctx->error = s->failure;
}

/* Without memory *out is NULL. */
static int new_session(tst_session **out, const tst_options *options)
{
    ts_ctx ctx;
    ts_ctx_init(&ctx);
    tst_session *s = ts_zalloc(&ctx, 1, sizeof *s);
    *out = s;
    if (s == NULL) {
        return TST_MEMORY;
    }
    s->ctx = ctx;
    s->ctx.cancel = &s->cancel;
    s->ctx.version = TS_VERSION;
    s->progress = (ts_progress){s, tell_progress};
    s->conversion.ctx = &s->ctx;
    s->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ts_code code = s->locale != (locale_t)0
                       ? copy_options(s, options)
                       : ts_fail(&s->ctx, TS_ERR_NOMEM, "out of memory: locale");
    TS_STEP(code, use_options(s));
    s->state = code == TS_OK ? LIBRARY_TAKING : LIBRARY_FAILED;
    return library_end(s, code);
}

int tst_open(tst_session **out, const tst_options *options)
{
    return new_session(out, options);
}

int tst_open_database(tst_session **out, const char *path, const tst_options *options)
{
    int failed = new_session(out, options);
    tst_session *s = *out;
    ts_db_kind kind;
    if (failed != TST_OK) {
        return failed;
    }
    library_begin(s);
    ts_code code = ts_db_kind_of(&kind, &s->ctx, path);
    TS_STEP_IF(
        code, kind == TS_DB_FOREIGN,
        ts_fail(&s->ctx, TS_ERR_INPUT, "not a database of trace_streamer: path=\"%s\"", path));
    TS_STEP(code, ts_db_open(&s->db, &s->ctx, path));
    if (code == TS_OK) {
        s->path = ts_strndup(&s->ctx, path, strlen(path));
        code = s->path == NULL ? s->ctx.error.code : TS_OK;
    }
    s->state = code == TS_OK ? LIBRARY_FINISHED : LIBRARY_FAILED;
    return library_end(s, code);
}

static void free_texts(ts_ctx *ctx, ts_vec *texts)
{
    char **all = texts->p;
    for (size_t i = 0; i < texts->n; i++) {
        ts_free(ctx, all[i]);
    }
    ts_vec_free(ctx, texts);
}

void tst_close(tst_session *session)
{
    if (session == NULL) {
        return;
    }
    ts_ctx *ctx = &session->ctx;
    ts_conversion_free(&session->conversion);
    ts_db_close(session->db);
    ts_target_free(session->target);
    free_texts(ctx, &session->failures);
    free_texts(ctx, &session->texts);
    ts_vec_free(ctx, &session->paths);
    ts_buf_free(ctx, &session->message);
    ts_free(ctx, session->name);
    ts_free(ctx, session->path);
    if (session->locale != (locale_t)0) {
        freelocale(session->locale);
    }
    ts_ctx own = *ctx;
    ts_free(&own, session);
}

void tst_on_progress(tst_session *session, tst_progress *progress, void *user)
{
    session->told = progress;
    session->told_user = user;
}

/* --- recordings ---------------------------------------------------------------------------- */

static bool has_processors(void)
{
#ifdef TS_NO_THREADS
    return false;
#else
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
#endif
}

static ts_code check_taking(tst_session *s)
{
    return s->state == LIBRARY_TAKING
               ? TS_OK
               : ts_fail(&s->ctx, TS_ERR_USAGE, "the session takes no recordings: it %s",
                         s->state == LIBRARY_FINISHED ? "was finished" : "has failed");
}

/* Before the first input. */
static ts_code begin(tst_session *s)
{
    ts_conversion *c = &s->conversion;
    const uint32_t flags = s->options.flags;
    if (s->begun) {
        return TS_OK;
    }
    s->begun = true;
    c->threads = (flags & TST_ONE_THREAD) == 0 && has_processors();
    c->index = (flags & TST_INDEX) != 0;
    c->viewer = s->options.viewer;
    c->store_options = (ts_store_options){.with_times = (flags & TST_WITH_TIMES) != 0,
                                          .no_meta = (flags & TST_NO_META) != 0,
                                          .output_name = "",
                                          .runtime = ""};
    c->request.progress = &s->progress;
    c->request.jfr_events = s->options.jfr_events;
    c->request.read_ahead = c->threads;
    c->request.keep_going = (flags & TST_KEEP_GOING) != 0;
    c->request.failed = note_failure;
    c->request.failed_user = s;
    TS_TRY(ts_target_anonymous(&s->target, &s->ctx));
    TS_TRY(ts_db_create(&s->db, &s->ctx, ts_target_path(s->target)));
    c->db = s->db;
    return ts_conversion_begin(c);
}

int tst_name(tst_session *session, const char *name)
{
    tst_session *s = session;
    library_begin(s);
    ts_code code = check_taking(s);
    TS_STEP_IF(code, s->feeding,
               ts_fail(&s->ctx, TS_ERR_USAGE, "the input that is fed has a name already"));
    if (code == TS_OK) {
        const char *slash = strrchr(name, '/');
        const char *base = slash == NULL ? name : slash + 1;
        ts_free(&s->ctx, s->name);
        s->name = ts_strndup(&s->ctx, base, strlen(base));
        code = s->name == NULL ? s->ctx.error.code : TS_OK;
    }
    return library_end(s, code);
}

int tst_feed(tst_session *session, const void *bytes, size_t n, int last)
{
    tst_session *s = session;
    library_begin(s);
    ts_code code = check_taking(s);
    if (code != TS_OK) {
        return library_end(s, code);
    }
    const uint32_t failed = s->conversion.result.failed;
    code = begin(s);
    TS_STEP(code, ts_conversion_feed(&s->conversion, s->name == NULL ? "-" : s->name, bytes, n,
                                     last != 0));
    s->feeding = last == 0;
    s->state = code == TS_OK ? s->state : LIBRARY_FAILED;
    if (last != 0) {
        ts_free(&s->ctx, s->name);
        s->name = NULL;
    }
    if (code == TS_OK && last != 0 && s->failures.n > 0 &&
        (s->failed_input || s->conversion.result.failed > failed)) {
        s->ctx.error = s->failure;
        code = s->failure.code;
    }
    s->failed_input = last == 0 && (s->failed_input || s->conversion.result.failed > failed);
    return library_end(s, code);
}

int tst_add_path(tst_session *session, const char *path)
{
    tst_session *s = session;
    const char *text;
    library_begin(s);
    ts_code code = check_taking(s);
    TS_STEP(code, keep_text(&text, s, path));
    TS_STEP(code, ts_vec_push(&s->ctx, &s->paths, &text, sizeof text));
    return library_end(s, code);
}

int tst_finish(tst_session *session)
{
    tst_session *s = session;
    ts_conversion *c = &s->conversion;
    library_begin(s);
    ts_code code = check_taking(s);
    if (code != TS_OK) {
        return library_end(s, code);
    }
    TS_STEP_IF(code, s->feeding,
               ts_fail(&s->ctx, TS_ERR_USAGE,
                       "an input was fed and not ended: call tst_feed with "
                       "last, also without bytes"));
    TS_STEP_IF(code, !s->begun && s->paths.n == 0,
               ts_fail(&s->ctx, TS_ERR_USAGE, "there is no input"));
    if (code != TS_OK) {
        return library_end(s, code); /* it can still be mended */
    }
    code = begin(s);
    c->request.paths = s->paths.p;
    c->request.path_count = s->paths.n;
    TS_STEP_IF(code, s->paths.n > 0, ts_conversion_import(c));
    TS_STEP(code, ts_conversion_end(c));
    s->state = code == TS_OK ? LIBRARY_FINISHED : LIBRARY_FAILED;
    return library_end(s, code);
}

const char *tst_failure(const tst_session *session, size_t i)
{
    char *const *all = session->failures.p;
    return i < session->failures.n ? all[i] : NULL;
}

uint64_t tst_losses(const tst_session *session)
{
    const ts_store *store = session->conversion.store;
    return store == NULL ? 0 : ts_issue_losses(store);
}

/* --- the database -------------------------------------------------------------------------- */

static ts_code check_finished(tst_session *s)
{
    return s->state == LIBRARY_FINISHED
               ? TS_OK
               : ts_fail(&s->ctx, TS_ERR_USAGE, "the session has no database: it %s",
                         s->state == LIBRARY_FAILED ? "has failed" : "was not finished");
}

const char *tst_path(const tst_session *session)
{
    return session->state != LIBRARY_FINISHED ? NULL
           : session->path != NULL            ? session->path
                                              : ts_target_path(session->target);
}

/* The bytes from a descriptor to `put`. */
static ts_code put_file(tst_session *s, int fd, tst_put *put, void *user)
{
    enum { PIECE = 1 << 20 };
    ts_ctx *ctx = &s->ctx;
    uint8_t *piece = ts_alloc(ctx, PIECE, 1);
    off_t at = 0;
    ts_code code = piece == NULL ? ctx->error.code : TS_OK;
    while (code == TS_OK) {
        ssize_t got = ts_sys_pread_all(ctx, fd, piece, PIECE, at);
        if (got == 0) {
            break;
        }
        code = ts_check_cancel(ctx);
        TS_STEP_IF(code, got < 0,
                   ts_fail(ctx, TS_ERR_OUTPUT, "cannot read the database: %s", strerror(errno)));
        TS_STEP_IF(code, put(user, piece, (size_t)got) != 0,
                   ts_fail(ctx, TS_ERR_OUTPUT, "the database was not taken to its end"));
        at += code == TS_OK ? got : 0;
    }
    ts_free(ctx, piece);
    return code;
}

/* Of a finished database that was opened, what readers see: its write-ahead log is not left out. */
static ts_code put_database(tst_session *s, tst_put *put, void *user)
{
    ts_target *copy = NULL;
    if (s->target != NULL) {
        return put_file(s, ts_target_fd(s->target), put, user);
    }
    ts_code code = ts_target_anonymous(&copy, &s->ctx);
    TS_STEP(code, ts_db_copy(&s->ctx, s->path, ts_target_path(copy), true));
    TS_STEP(code, put_file(s, ts_target_fd(copy), put, user));
    ts_target_free(copy);
    return code;
}

int tst_export(tst_session *session, tst_put *put, void *user)
{
    library_begin(session);
    ts_code code = check_finished(session);
    TS_STEP(code, put_database(session, put, user));
    return library_end(session, code);
}

typedef struct saving {
    ts_ctx *ctx;
    int fd;
} saving;

static int put_saved(void *user, const void *bytes, size_t n)
{
    const saving *to = user;
    return ts_sys_write_all(to->ctx, to->fd, bytes, n);
}

int tst_save(tst_session *session, const char *path, int force)
{
    tst_session *s = session;
    const ts_target_options options = {.force = force != 0};
    ts_target *to = NULL;
    library_begin(s);
    ts_code code = check_finished(s);
    TS_STEP(code, ts_target_open(&to, &s->ctx, path, &options));
    if (code == TS_OK) {
        saving into = {&s->ctx, ts_target_fd(to)};
        code = put_database(s, put_saved, &into);
    }
    TS_STEP(code, ts_target_commit(to));
    ts_target_free(to);
    return library_end(s, code);
}
