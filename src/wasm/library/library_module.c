/*
 * The library for programs of JavaScript (web/src/static, npm): the functions of tracestreamer.h
 * are exported as they are, and these where theirs take what JavaScript cannot make or hold: a
 * struct, numbers of 64 bits, rows one value at a time. Beside them the answers for the page
 * (serve/page/page.h).
 *
 * Lists of texts are one text: name, value, name, value, each with a zero byte, and one more zero
 * byte at the end. Nothing is kept here: all state is in what the functions give.
 */
#include "wasm/library/library_module.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "serve/page/page.h"
#include "tracestreamer.h"
#include "version_made.h"

enum { ROWS_BYTES = 256 << 10, ROWS_PARAMS = 200 };

/* The next text of a list; NULL at its end. */
static const char *next_text(const char **list)
{
    const char *text = *list;
    if (*text == '\0') {
        return NULL;
    }
    *list += strlen(text) + 1;
    return text;
}

/* --- sessions ----------------------------------------------------------------------------------
 */

static void set_text(tst_options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **text;
    } known[] = {
        {"format", &o->format},   {"analyze", &o->analyze},   {"time_range", &o->time_range},
        {"symbols", &o->symbols}, {"syscalls", &o->syscalls}, {"jfr_events", &o->jfr_events},
        {"viewer", &o->viewer},   {"temp_dir", &o->temp_dir}, {"share_dir", &o->share_dir},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0) {
            *known[i].text = value;
        }
    }
}

tst_session *module_open(int *code, uint32_t flags, double max_memory, double max_inflate,
                         const char *texts, const char *database)
{
    tst_options options = {.size = sizeof options,
                           .flags = flags | TST_ONE_THREAD,
                           .max_memory = (uint64_t)max_memory,
                           .max_inflate = (uint64_t)max_inflate};
    tst_session *session = NULL;
    const char *name;
    while ((name = next_text(&texts)) != NULL) {
        set_text(&options, name, texts);
        texts += strlen(texts) + 1;
    }
    *code = database == NULL ? tst_open(&session, &options)
                             : tst_open_database(&session, database, &options);
    return session;
}

static void told(void *user, const char *what, uint64_t done, int64_t total)
{
    module_progress(user, what, (double)done, (double)total);
}

void module_tell(tst_session *session)
{
    tst_on_progress(session, told, session);
}

double module_losses(const tst_session *session)
{
    return (double)tst_losses(session);
}

/* --- rows --------------------------------------------------------------------------------------
 */

tst_rows *module_query(int *code, tst_session *session, const char *text, const char *values,
                       int is_question)
{
    tst_param params[ROWS_PARAMS];
    tst_rows *rows = NULL;
    size_t n = 0;
    const char *name;
    while (n < ROWS_PARAMS && (name = next_text(&values)) != NULL) {
        params[n++] = (tst_param){name, values};
        values += strlen(values) + 1;
    }
    *code = is_question != 0 ? tst_ask(&rows, session, text, params, n)
                             : tst_query(&rows, session, text, params, n);
    return rows;
}

static ts_code put_bytes(ts_ctx *ctx, ts_buf *out, const void *p, size_t n)
{
    const uint32_t length = (uint32_t)n;
    TS_TRY(ts_buf_put(ctx, out, &length, sizeof length));
    return ts_buf_put(ctx, out, p, n);
}

/* A byte with the type, then 8 bytes of a number, or the length and the bytes of a text or blob. */
static ts_code put_cell(ts_ctx *ctx, ts_buf *out, const tst_rows *rows, int column)
{
    const tst_type type = tst_rows_type(rows, column);
    size_t n = 0;
    TS_TRY(ts_buf_putc(ctx, out, (char)type));
    if (type == TST_INT64) {
        const int64_t value = tst_rows_int64(rows, column);
        return ts_buf_put(ctx, out, &value, sizeof value);
    }
    if (type == TST_DOUBLE) {
        const double value = tst_rows_double(rows, column);
        return ts_buf_put(ctx, out, &value, sizeof value);
    }
    if (type == TST_NULL) {
        return TS_OK;
    }
    const void *p =
        type == TST_TEXT ? tst_rows_text(rows, column, &n) : tst_rows_blob(rows, column, &n);
    return put_bytes(ctx, out, p, n);
}

uint8_t *module_rows(int *code, uint32_t *size, uint32_t *count, tst_rows *rows)
{
    ts_ctx ctx;
    ts_buf out = {0};
    const int columns = tst_rows_columns(rows);
    ts_code failed = TS_OK;
    ts_ctx_init(&ctx);
    *count = 0;
    *code = TST_ROW;
    while (failed == TS_OK && out.n < ROWS_BYTES && (*code = tst_rows_next(rows)) == TST_ROW) {
        for (int i = 0; i < columns && failed == TS_OK; i++) {
            failed = put_cell(&ctx, &out, rows, i);
        }
        *count += 1;
    }
    *code = failed != TS_OK ? TST_MEMORY : *code;
    *size = (uint32_t)out.n;
    return (uint8_t *)out.p;
}

/* --- the page ----------------------------------------------------------------------------------
 */

static void page_reported(void *user, const char *what, uint64_t done, uint64_t total)
{
    module_progress(user, what, (double)done, (double)total);
}

ts_page *page_open(const char *share_dir, const char *temp_dir, double max_memory)
{
    ts_ctx ctx;
    ts_page *page = NULL;
    const ts_page_options options = {.max_memory = (uint64_t)max_memory, .report = page_reported};
    ts_ctx_init(&ctx);
    ctx.version = TS_VERSION;
    ctx.share_dir = share_dir;
    ctx.tmpdir = temp_dir;
    return ts_page_open(&page, &ctx, &options) == TS_OK ? page : NULL;
}

const char *page_add(ts_page *page, const char *path, const char *named)
{
    const ts_ctx *ctx = ts_page_ctx(page);
    return ts_page_add(page, path, named) == TS_OK ? NULL
           : ctx->error.count > 0                  ? ctx->error.causes[0]
                                                   : "there is no memory";
}

void page_ask(module_answer *out, ts_page *page, const char *method, const char *target,
              const char *body, uint32_t body_n)
{
    ts_page_answer answer;
    const ts_page_request request = {
        .method = ts_text_of(method), .target = ts_text_of(target), .body = {body, body_n}};
    ts_page_ask(&answer, page, &request);
    *out = (module_answer){.status = answer.status,
                           .bytes = answer.bytes.p,
                           .n = (uint32_t)answer.bytes.n,
                           .type = answer.type};
    memcpy(out->file, answer.file, sizeof out->file);
}
