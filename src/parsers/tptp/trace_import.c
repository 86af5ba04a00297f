#include "parsers/tptp/trace_import.h"

#include <stdarg.h>
#include <stdio.h>

void tptp_import_close(tptp_import *import)
{
    tptp_session_free(import->session);
    import->session = NULL;
    ts_pool_free(import->job->ctx, &import->unknown);
}

ts_code tptp_import_session(tptp_session **out, tptp_import *import)
{
    ts_code code = TS_OK;
    if (import->session == NULL) {
        code = tptp_session_begin(&import->session, import->job, import->format);
    }
    *out = import->session;
    return code;
}

ts_code tptp_import_issue(tptp_import *import, ts_issue_code issue, uint64_t offset,
                          const char *fmt, ...)
{
    tptp_session *s;
    char text[160];
    va_list ap;
    ts_code code = tptp_import_session(&s, import);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return code != TS_OK
               ? code
               : ts_issue(s->store, s->source_id, issue, NULL, (int64_t)offset, "%s", text);
}

ts_code tptp_import_end_session(tptp_import *import)
{
    ts_code code = import->session == NULL ? TS_OK : tptp_session_end(import->session);
    tptp_session_free(import->session);
    import->session = NULL;
    return code;
}

ts_code tptp_import_take(bool *begun, tptp_import *import, const tptp_record *r)
{
    tptp_session *s;
    ts_code code = TS_OK;
    if (import->session != NULL && tptp_session_is_over(import->session, r)) {
        code = tptp_import_end_session(import);
    }
    *begun = import->session == NULL;
    if (code != TS_OK || (code = tptp_import_session(&s, import)) != TS_OK) {
        return code;
    }
    return tptp_session_take(s, r);
}

ts_code tptp_import_unknown(tptp_import *import, ts_item item, ts_issue_code issue, ts_text name,
                            uint64_t offset, bool message)
{
    ts_ctx *ctx = import->job->ctx;
    char detail[48];
    char key[52];
    tptp_session *s;
    uint32_t number;
    size_t n = name.n < sizeof detail - 1 ? name.n : sizeof detail - 1;
    bool added = false;
    ts_code code;
    TS_TRY(code, tptp_import_session(&s, import));
    while (n > 0 && n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80) {
        n--; /* no part of a character */
    }
    memcpy(detail, name.p, n);
    detail[n] = '\0';
    key[0] = (char)('A' + (int)(item % 26));
    memcpy(key + 1, detail, n);
    if (!ts_pool_find(&number, &import->unknown, (ts_text){key, n + 1})) {
        if (import->unknown.count >= TPTP_OWN_COUNTS) {
            memcpy(detail, "others", sizeof "others");
        } else if ((code = ts_pool_intern(ctx, &number, &added, &import->unknown,
                                          (ts_text){key, n + 1})) != TS_OK) {
            return code;
        }
    }
    TS_TRY(code, ts_count_add(s->store, s->source_id, item, detail, 0, 0, 1));
    if (message) {
        tptp_count_skipped(s, TPTP_C_MESSAGES);
    }
    return !added ? TS_OK
                  : ts_issue(s->store, s->source_id, issue, NULL, (int64_t)offset, "%s", detail);
}

ts_code tptp_import_finish(tptp_import *import)
{
    uint64_t lost;
    uint64_t skipped;
    ts_code code;
    TS_TRY(code, tptp_import_end_session(import));
    /* What was left out may reach beyond the end. */
    lost = import->bytes_lost < import->bytes ? import->bytes_lost : import->bytes;
    skipped = import->bytes - lost;
    skipped = import->bytes_skipped < skipped ? import->bytes_skipped : skipped;
    return ts_count_add(import->job->store, import->job->source_id, TS_ITEM_bytes, NULL,
                        import->bytes - lost - skipped, lost, skipped);
}
