#include "base/result.h"

#include <stdio.h>
#include <string.h>

const char *ts_code_name(ts_code code)
{
    static const char *const names[TS_CODE_COUNT] = {
        [TS_OK] = "done",
        [TS_ERR_INPUT] = "input cannot be imported",
        [TS_ERR_USAGE] = "wrong use",
        [TS_ERR_OUTPUT] = "output cannot be written",
        [TS_ERR_FORMAT] = "unknown format",
        [TS_ERR_LIMIT] = "limit reached",
        [TS_ERR_NOMEM] = "out of memory",
        [TS_ERR_INTERRUPTED] = "interrupted",
        [TS_ERR_INTERNAL] = "internal error",
    };
    return (unsigned)code < TS_CODE_COUNT ? names[code] : "unknown code";
}

ts_code ts_error_vset(ts_error *err, ts_code code, const char *fmt, va_list ap)
{
    err->code = code;
    err->count = 1;
    vsnprintf(err->causes[0], TS_ERROR_TEXT, fmt, ap);
    return code;
}

ts_code ts_error_vadd(ts_error *err, const char *fmt, va_list ap)
{
    if (err->count == TS_ERROR_CAUSES) {
        err->count--;
    }
    vsnprintf(err->causes[err->count++], TS_ERROR_TEXT, fmt, ap);
    return err->code;
}
