/* Names of classes and methods as they are stored (docs/formats.md, "TPTP traces"). */
#include "parsers/tptp/trace_session.h"

ts_code tptp_class_name(ts_text *out, tptp_session *s, ts_text raw, unsigned scratch)
{
    ts_buf *b = &s->scratch[scratch];
    ts_code code;
    *out = raw;
    if (raw.n == 0) {
        *out = TS_TEXT_NULL;
        return TS_OK;
    }
    if (memchr(raw.p, '/', raw.n) == NULL) {
        return TS_OK;
    }
    b->n = 0;
    TS_TRY(code, ts_buf_put(s->ctx, b, raw.p, raw.n));
    for (size_t i = 0; i < b->n; i++) {
        b->p[i] = b->p[i] == '/' ? '.' : b->p[i];
    }
    *out = ts_buf_text(b);
    return TS_OK;
}

ts_text tptp_method_name(ts_text raw)
{
    return ts_text_is(raw, "-init-")     ? TS_TEXT_LIT("<init>")
           : ts_text_is(raw, "-clinit-") ? TS_TEXT_LIT("<clinit>")
           : raw.n == 0                  ? TS_TEXT_NULL
                                         : raw;
}

void tptp_split(ts_text *package, ts_text *name, ts_text whole)
{
    const char *dot = whole.n == 0 ? NULL : memrchr(whole.p, '.', whole.n);
    *package = TS_TEXT_NULL;
    *name = whole;
    if (dot != NULL && dot > whole.p && dot + 1 < whole.p + whole.n) {
        *package = (ts_text){whole.p, (size_t)(dot - whole.p)};
        *name = (ts_text){dot + 1, whole.n - package->n - 1};
    }
}
