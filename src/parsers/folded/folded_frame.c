/* Frames of folded stacks: what is in their names, and tokens that are no frames. */
#include "parsers/folded/folded.h"

/* --- tokens --------------------------------------------------------------------------------- */

static int hex_value(char c)
{
    return ts_is_digit(c)         ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A number, decimal or 0x...; bytes that it takes, 0 when there is none or it is too large. */
static size_t read_id(int64_t *v, ts_text t)
{
    bool hex = ts_text_begins(t, "0x");
    size_t i = hex ? 2 : 0;
    size_t first = i;
    *v = 0;
    for (; i < t.n; i++) {
        int digit = hex_value(t.p[i]);
        if (digit < 0 || (!hex && digit > 9)) {
            break;
        }
        if (ts_ckd_mul(v, *v, INT64_C(1) * (hex ? 16 : 10)) || ts_ckd_add(v, *v, (int64_t)digit)) {
            return 0;
        }
    }
    return i == first ? 0 : i;
}

/* process 12:"command line": the command may hold ';'. */
static ts_code process_token(size_t *n, folded *f, ts_text t)
{
    int64_t pid;
    size_t used;
    const char *quote;
    ts_code code;
    *n = 0;
    if (!ts_text_begins(t, "process ")) {
        return TS_OK;
    }
    used = read_id(&pid, ts_text_from(t, 8));
    if (used == 0 || pid <= 0 || t.n < 8 + used + 2 || t.p[8 + used] != ':' ||
        t.p[8 + used + 1] != '"') {
        return TS_OK;
    }
    used += 10;
    quote = memchr(t.p + used, '"', t.n - used);
    if (quote == NULL || (quote + 1 < t.p + t.n && quote[1] != ';')) {
        return TS_OK;
    }
    *n = (size_t)(quote - t.p) + (quote + 1 < t.p + t.n ? 2 : 1);
    if (f->pid == 0) {
        f->pid = pid;
    }
    code = ts_process(&f->ipid, f->job->store, f->source_id, pid);
    if (code != TS_OK || ts_process_row(f->job->store, f->ipid)->name.p != NULL) {
        return code;
    }
    return ts_process_name(f->job->store, f->ipid,
                           (ts_text){t.p + used, (size_t)(quote - t.p) - used});
}

static ts_code set_thread(folded *f, int64_t tid, ts_text name)
{
    ts_code code = ts_thread(&f->itid, f->job->store, f->source_id, tid, f->ipid, "unknown");
    TS_STEP_IF(code, name.n > 0 && ts_thread_row(f->job->store, f->itid)->name.p == NULL,
               ts_thread_name(f->job->store, f->itid, name));
    return code;
}

/* "thread (12)" and "thread (12): name"; "[name tid=12]". */
static ts_code thread_token(size_t *n, folded *f, ts_text t)
{
    const char *semicolon = memchr(t.p, ';', t.n);
    ts_text token = {t.p, semicolon == NULL ? t.n : (size_t)(semicolon - t.p)};
    ts_text name = {"", 0};
    const char *tid_at;
    int64_t tid;
    size_t used;
    *n = 0;
    if (ts_text_begins(token, "thread (")) {
        used = read_id(&tid, ts_text_from(token, 8));
        if (used == 0 || 8 + used >= token.n || token.p[8 + used] != ')') {
            return TS_OK;
        }
        used += 9;
        if (token.n > used + 2 && memcmp(token.p + used, ": ", 2) == 0) {
            name = ts_text_from(token, used + 2);
        } else if (token.n > used) {
            return TS_OK;
        }
    } else {
        tid_at = token.n > 2 && token.p[0] == '[' && token.p[token.n - 1] == ']'
                     ? memmem(token.p, token.n, " tid=", 5)
                     : NULL;
        if (tid_at == NULL) {
            return TS_OK;
        }
        used = (size_t)(tid_at - token.p) + 5;
        if (used + read_id(&tid, ts_text_from(token, used)) != token.n - 1 || used + 1 == token.n) {
            return TS_OK;
        }
        name = (ts_text){token.p + 1, (size_t)(tid_at - token.p) - 1};
    }
    *n = token.n + (semicolon == NULL ? 0 : 1);
    return set_thread(f, tid, name);
}

ts_code folded_tokens(size_t *n, folded *f, ts_text stack)
{
    size_t process;
    size_t thread = 0;
    ts_code code;
    f->itid = -1;
    f->ipid = -1;
    code = process_token(&process, f, stack);
    TS_STEP(code, thread_token(&thread, f, ts_text_from(stack, process)));
    *n = process + thread;
    return code;
}

/* --- frames --------------------------------------------------------------------------------- */

/* _[j] and so on: what kind of code it is. Cuts it off. */
static ts_text annotation(ts_text *frame, bool *java)
{
    static const struct {
        char letter;
        bool java;
        const char *word;
    } kinds[] = {{'j', true, "jit"},
                 {'i', false, "inlined"},
                 {'k', false, "kernel"},
                 {'1', true, "c1"},
                 {'0', true, "interpreted"}};
    if (frame->n < 5 || memcmp(frame->p + frame->n - 4, "_[", 2) != 0 ||
        frame->p[frame->n - 1] != ']') {
        return TS_TEXT_NULL;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (frame->p[frame->n - 2] == kinds[i].letter) {
            frame->n -= 4;
            *java = kinds[i].java;
            return ts_text_of(kinds[i].word);
        }
    }
    return TS_TEXT_NULL;
}

/* p/q/Class.method: no dot in the package, and a class that begins with a capital. Go's
 * net/http.Get is not. */
static bool looks_like_java(ts_text t)
{
    const char *slash = t.n == 0 ? NULL : memrchr(t.p, '/', t.n);
    size_t n;
    while (slash != NULL && slash + 1 < t.p + t.n && ts_is_digit(slash[1])) { /* of a lambda */
        slash = slash == t.p ? NULL : memrchr(t.p, '/', (size_t)(slash - t.p));
    }
    n = slash == NULL ? 0 : (size_t)(slash - t.p);
    return slash != NULL && n > 0 && n + 1 < t.n && memchr(t.p, '.', n) == NULL &&
           memchr(t.p, ' ', n) == NULL && slash[1] >= 'A' && slash[1] <= 'Z' &&
           memchr(slash, '.', t.n - n) != NULL;
}

/* "name (file:12)": py-spy and others. Cuts it off. */
static ts_text place(ts_text *frame, int64_t *line)
{
    ts_text inner;
    const char *colon;
    int64_t v = 0;
    size_t open;
    if (frame->n < 6 || frame->p[frame->n - 1] != ')') {
        return TS_TEXT_NULL;
    }
    for (open = frame->n - 1; open > 0 && memcmp(frame->p + open - 1, " (", 2) != 0; open--) {
    }
    if (open < 2) {
        return TS_TEXT_NULL;
    }
    inner = (ts_text){frame->p + open + 1, frame->n - open - 2};
    colon = inner.n == 0 ? NULL : memrchr(inner.p, ':', inner.n);
    if (colon == NULL || colon == inner.p || colon + 1 == inner.p + inner.n) {
        return TS_TEXT_NULL;
    }
    for (const char *c = colon + 1; c < inner.p + inner.n; c++) {
        if (!ts_is_digit(*c) || v > INT32_MAX) {
            return TS_TEXT_NULL;
        }
        v = v * 10 + (*c - '0');
    }
    *line = v > 0 ? v : TS_NO_LINE;
    frame->n = open - 1;
    return (ts_text){inner.p, (size_t)(colon - inner.p)};
}

/* lib`name, and lib+0x12, whose name it stays. */
static ts_text image(ts_text *frame)
{
    const char *tick = memchr(frame->p, '`', frame->n);
    const char *plus = memmem(frame->p, frame->n, "+0x", 3);
    if (tick != NULL && tick > frame->p && tick + 1 < frame->p + frame->n) {
        ts_text library = {frame->p, (size_t)(tick - frame->p)};
        *frame = (ts_text){tick + 1, frame->n - library.n - 1};
        return library;
    }
    return plus != NULL && plus > frame->p ? (ts_text){frame->p, (size_t)(plus - frame->p)}
                                           : TS_TEXT_NULL;
}

static ts_code new_method(int64_t *method, int64_t *line, folded *f, ts_text frame)
{
    bool java = false;
    ts_frame_parts parts;
    ts_method row = {.modifiers = annotation(&frame, &java)};
    ts_text file = place(&frame, line);
    ts_text library = file.p == NULL ? image(&frame) : TS_TEXT_NULL;
    ts_language language = ts_language_of_file(file);
    if (file.p == NULL && (java || looks_like_java(frame))) {
        language = TS_LANG_JAVA;
        f->java = true;
    }
    f->python = f->python || language == TS_LANG_PYTHON;
    TS_TRY(ts_frame_split(f->job->ctx, &parts, &f->scratch, language, frame, file, library));
    row.name = parts.name;
    row.cls = parts.cls;
    row.package = parts.package;
    row.file = parts.file;
    row.library = parts.library;
    return ts_stack_method(method, f->job->store, f->source_id, &row);
}

ts_code folded_number(uint32_t *number, folded *f, ts_text frame)
{
    char key[TS_POOL_KEY];
    ts_ctx *ctx = f->job->ctx;
    uint32_t *known;
    uint32_t text;
    bool added;
    int64_t method = 0;
    int64_t line = TS_NO_LINE;
    ts_code code;
    TS_TRY_INTO(code, ts_pool_intern(ctx, &text, &added, &f->frames, ts_pool_key(key, ctx, frame)));
    if (!added) {
        *number = ((const uint32_t *)f->numbers.p)[text];
        return TS_OK;
    }
    TS_NEED(ctx, known = ts_vec_add(ctx, &f->numbers, sizeof *known));
    code = new_method(&method, &line, f, frame);
    TS_STEP(code, ts_paths_frame(known, ctx, &f->paths, method, line));
    *number = *known;
    return code;
}
