#include "cli/extract.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { WRITE_BLOCK = 256 * 1024, SAME_NAMES_MAX = 100000 };

/* One file that is being written. */
typedef struct extract_file {
    ts_extractor *x;
    char *name; /* final, in the directory */
    ts_nameless file;
    ts_buf buf;
} extract_file;

/* --- names --------------------------------------------------------------------------------- */

/* The last part of an input's name as the beginning of a file name. */
static ts_text input_part(const char *input)
{
    const char *slash = strrchr(input, '/');
    const char *base = slash == NULL ? input : slash + 1;
    if (strcmp(base, "-") == 0) {
        return TS_TEXT_LIT("stdin");
    }
    return *base == '\0' ? TS_TEXT_LIT("input") : ts_text_of(base);
}

/* "Snapshot0.heapsnapshot" with a mark before the extension when it was cut. */
static ts_code extractor_put_name(ts_ctx *ctx, ts_buf *out, const char *name, bool complete)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot == NULL ? strlen(name) : (size_t)(dot - name);
    ts_code code = ts_buf_put(ctx, out, name, stem);
    TS_STEP_IF(code, !complete, ts_buf_printf(ctx, out, ".incomplete"));
    return code != TS_OK ? code : ts_buf_put(ctx, out, name + stem, strlen(name) - stem);
}

/* Attempt k of a name; the input's part is cut where the whole would be too long for a file. */
static ts_code compose(ts_ctx *ctx, ts_buf *out, const char *input, const char *name, unsigned k)
{
    ts_text part = input_part(input);
    size_t room = NAME_MAX - 40 - (strlen(name) < 150 ? strlen(name) : 150);
    size_t n = part.n < room ? part.n : room;
    ts_code code = TS_OK;
    uint32_t cp;
    out->n = 0;
    for (size_t i = 0, bytes; code == TS_OK && i < n; i += bytes) {
        /* A name that shells and terminals cannot harm. */
        bytes = ts_utf8_next(&cp, part.p + i, n - i);
        bool harms = cp == UINT32_MAX || ts_utf8_steers(cp) || (i == 0 && (cp == '.' || cp == '-'));
        code = harms ? ts_buf_putc(ctx, out, '_') : ts_buf_put(ctx, out, part.p + i, bytes);
    }
    TS_STEP_IF(code, k > 1, ts_buf_printf(ctx, out, "-%u", k));
    TS_STEP(code, ts_buf_putc(ctx, out, '.'));
    return code != TS_OK ? code : ts_buf_put(ctx, out, name, strlen(name));
}

/* The first name that this run has not used yet. */
static ts_code choose_name(char **out, ts_extractor *x, const char *input, const char *name)
{
    ts_buf text = {0};
    ts_code code = TS_OK;
    bool added = false;
    for (unsigned k = 1; code == TS_OK && !added; k++) {
        uint32_t id;
        code = k > SAME_NAMES_MAX ? ts_fail(x->ctx, TS_ERR_LIMIT, "too many inputs of one name")
                                  : compose(x->ctx, &text, input, name, k);
        TS_STEP(code, ts_pool_intern(x->ctx, &id, &added, &x->names, ts_buf_text(&text)));
    }
    TS_STEP(code, ts_copy_text(out, x->ctx, text.p, text.n));
    ts_buf_free(x->ctx, &text);
    return code;
}

/* Refuses a name that is taken: early, before the work is done; and an input even with --force. */
static ts_code check_free(const ts_extractor *x, const char *name)
{
    struct stat st;
    struct stat dir;
    bool exists = fstatat(x->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if ((!exists && errno != ENOENT) || fstat(x->dir, &dir) != 0) {
        return ts_nameless_cannot(&x->folder, "write", name, errno);
    }
    ts_code code =
        ts_outputs_check_name(x->outputs, &dir, name, exists ? &st : NULL, x->options->out);
    if (!exists || code != TS_OK) {
        return code;
    }
    if (!x->options->force) {
        return ts_fail(x->ctx, TS_ERR_OUTPUT,
                       "a file of this name exists (--force replaces it): path=\"%s/%s\"",
                       x->options->out, name);
    }
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
        return ts_nameless_cannot(&x->folder, "replace", name,
                                  S_ISDIR(st.st_mode) ? EISDIR : EEXIST);
    }
    return TS_OK;
}

/* --- writing ------------------------------------------------------------------------------- */

static void file_free(extract_file *f)
{
    ts_ctx *ctx = f->x->ctx;
    ts_nameless_free(&f->file);
    ts_buf_free(ctx, &f->buf);
    ts_free(ctx, f->name);
    ts_free(ctx, f);
}

static ts_code extractor_begin(void *user, void **file, const char *input, const char *name)
{
    ts_extractor *x = user;
    *file = NULL;
    extract_file *f = ts_zalloc(x->ctx, 1, sizeof *f);
    TS_NEED(x->ctx, f);
    f->x = x;
    ts_code code = choose_name(&f->name, x, input, name);
    TS_STEP(code, check_free(x, f->name));
    TS_STEP(code, ts_nameless_open(&f->file, &x->folder, f->name));
    if (code != TS_OK) {
        file_free(f);
        return code;
    }
    *file = f;
    return TS_OK;
}

static ts_code extractor_flush(extract_file *f)
{
    ts_ctx *ctx = f->x->ctx;
    if (ts_sys_write_all(ctx, f->file.fd, f->buf.p, f->buf.n) != 0) {
        return errno == EINTR ? ts_check_cancel(ctx)
                              : ts_nameless_cannot(&f->x->folder, "write", f->name, errno);
    }
    f->buf.n = 0;
    return TS_OK;
}

static ts_code write_piece(void *file, const char *p, size_t n)
{
    extract_file *f = file;
    f->x->bytes += n;
    ts_code code = ts_buf_put(f->x->ctx, &f->buf, p, n);
    TS_STEP_IF(code, f->buf.n >= WRITE_BLOCK, extractor_flush(f));
    return code;
}

static ts_code extractor_end(void *file, bool complete)
{
    extract_file *f = file;
    ts_extractor *x = f->x;
    ts_buf name = {0};
    ts_code code = extractor_flush(f);
    TS_STEP(code, extractor_put_name(x->ctx, &name, f->name, complete));
    TS_STEP(code, ts_buf_putc(x->ctx, &name, '\0'));
    TS_STEP(code, ts_nameless_end(&f->file, f->name));
    /* Never over a file that was created in between, unless --force says so. */
    TS_STEP(code, check_free(x, name.p));
    TS_STEP(code, ts_nameless_name(&f->file, name.p, x->options->force));
    if (code == TS_OK) {
        x->files++;
        x->incomplete += complete ? 0 : 1;
    }
    ts_buf_free(x->ctx, &name);
    file_free(f);
    return code;
}

static void extractor_drop(void *file)
{
    file_free(file);
}

ts_code ts_extractor_open(ts_extractor *x, ts_extract *hooks, ts_ctx *ctx,
                          const ts_options *options, ts_outputs *outputs)
{
    *x = (ts_extractor){.ctx = ctx, .options = options, .outputs = outputs, .dir = -1};
    *hooks = (ts_extract){x, extractor_begin, write_piece, extractor_end, extractor_drop};
    x->dir = ts_sys_open(ctx, options->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (x->dir < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the directory of -o: path=\"%s\": %s",
                       options->out, strerror(errno));
    }
    x->folder = (ts_nameless_folder){ctx, x->dir, options->out, "the recording", 0};
    return TS_OK;
}

void ts_extractor_close(ts_extractor *x)
{
    if (x->dir >= 0) {
        (void)x->ctx->sys.close(x->ctx->sys.user, x->dir);
        x->dir = -1;
    }
    ts_pool_free(x->ctx, &x->names);
}
