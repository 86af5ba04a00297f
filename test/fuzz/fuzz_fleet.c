/*
 * The bytes up to the first zero byte are a question to a fleet, after them come what recordings
 * are grouped by, which ones are asked, the value of a parameter, and the server's answer, each to
 * a zero byte. A question becomes a statement or a sentence that says why not; whatever the texts
 * are, they end in literals that are closed. Fields of an answer lie in it, one after the other,
 * each with a zero byte after it.
 *
 * Options: -max_len=4096
 */
#include "fuzz.h"

#include "fleet/cluster.h"
#include "fleet/engine.h"
#include "fleet/fleet_question.h"

enum { TEXTS = 5 };

/* Literals have quotation marks at both ends and none inside: those of a text are written \x27. */
static void check_literals(ts_text sql)
{
    size_t marks = 0;
    for (size_t i = 0; i < sql.n; i++) {
        const unsigned char c = (unsigned char)sql.p[i];
        marks += c == '\'' ? 1 : 0;
        check(c >= 0x20 && c < 0x7f);
        check(c != '\\' || (marks % 2 == 1 && i + 1 < sql.n && sql.p[i + 1] == 'x'));
    }
    check(marks % 2 == 0);
}

static void check_question(ts_ctx *ctx, char *const texts[TEXTS])
{
    ts_buf out = {0};
    const char *const only = texts[2];
    const ts_fleet_chosen chosen = {.by = texts[1], .only = &only, .only_count = 1};
    ts_code code = ts_fleet_chosen_sql(&out, ctx, &chosen);
    check(code == TS_OK || (code == TS_ERR_USAGE && ctx->error.count > 0));
    if (code == TS_OK) {
        check_literals(ts_buf_text(&out));
    }
    const ts_param param = {"text", texts[3]};
    const ts_fleet_question question = {.name = "question",
                                        .sql = ts_text_of(texts[0]),
                                        .chosen = &chosen,
                                        .params = &param,
                                        .param_count = 1};
    out.n = 0;
    code = ts_fleet_question_sql(&out, ctx, &question);
    check(code == TS_OK || code == TS_ERR_USAGE || code == TS_ERR_INTERNAL);
    ts_buf_free(ctx, &out);
}

static void check_answer(ts_ctx *ctx, const char *p, size_t n)
{
    ts_fleet f = {.ctx = ctx};
    char cluster[TS_FLEET_NAME];
    size_t rows = 0;
    check(ts_buf_put(ctx, &f.answer.body, p, n) == TS_OK);
    check(ts_buf_putc(ctx, &f.answer.body, '\0') == TS_OK); /* as ts_http_post leaves it */
    f.answer.body.n--;
    const char *at = f.answer.body.p;
    const char *end = at + f.answer.body.n;
    ts_engine_rows answer = ts_engine_rows_of(&f);
    while (ts_engine_next(&answer)) {
        check(answer.count > 0 && answer.count <= TS_ENGINE_FIELDS);
        for (size_t i = 0; i < answer.count; i++) {
            const ts_text field = answer.fields[i];
            check(field.p >= at && field.p + field.n <= end);
            check(field.p[field.n] == '\0');
            check(!answer.null[i] || field.n == 2);
            at = field.p + field.n;
            (void)ts_cluster_name(cluster, field);
        }
        rows++;
    }
    check(rows <= n);
    ts_buf_free(ctx, &f.answer.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx ctx;
    char *texts[TEXTS];
    char *copy = malloc(size + TEXTS);
    size_t at = 0;
    check(copy != NULL);
    memcpy(copy, data, size);
    memset(copy + size, 0, TEXTS);
    ts_ctx_init(&ctx);
    for (size_t i = 0; i < TEXTS; i++) {
        texts[i] = copy + at;
        at += i + 1 < TEXTS ? strlen(copy + at) + 1 : 0;
    }
    check_question(&ctx, texts);
    check_answer(&ctx, texts[TEXTS - 1], at < size ? size - at : 0);
    free(copy);
    return 0;
}
