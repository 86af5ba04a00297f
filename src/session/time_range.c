/* --time-range. */
#include "session/conversion.h"

#include "base/ckd.h"
#include "model/when.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TIME_TEXT = 64, MAX_MS_DIGITS = 13 };

static bool parse_ms(int64_t *out, const char *text)
{
    size_t sign = text[0] == '-' ? 1 : 0;
    size_t digits = strspn(text + sign, "0123456789");
    if (digits == 0 || digits > MAX_MS_DIGITS || text[sign + digits] != '\0') {
        return false;
    }
    return !ts_ckd_mul(out, (int64_t)strtoll(text, NULL, 10), INT64_C(1000000));
}

/* One end, n bytes of it. */
static bool parse_end(ts_wanted_kind *kind, int64_t *out, const char *p, size_t n)
{
    char text[MAX_TIME_TEXT];
    if (n >= sizeof text) {
        return false;
    }
    memcpy(text, p, n);
    text[n] = '\0';
    *kind = text[0] == '+' ? TS_WANTED_OFFSET : TS_WANTED_REALTIME;
    return text[0] == '+' ? ts_parse_duration(out, text + 1)
                          : parse_ms(out, text) || ts_parse_date(out, text);
}

bool ts_parse_time_range(ts_time_range *out, const char *text)
{
    const char *comma = strchr(text, ',');
    ts_wanted_kind from = TS_WANTED_ALL;
    ts_wanted_kind to = TS_WANTED_ALL;
    *out = (ts_time_range){TS_WANTED_ALL, INT64_MIN, INT64_MAX};
    if (comma == NULL ||
        (comma != text && !parse_end(&from, &out->from, text, (size_t)(comma - text))) ||
        (comma[1] != '\0' && !parse_end(&to, &out->to, comma + 1, strlen(comma + 1)))) {
        return false;
    }
    out->kind = from != TS_WANTED_ALL ? from : to;
    return out->kind != TS_WANTED_ALL &&
           (from == to || from == TS_WANTED_ALL || to == TS_WANTED_ALL) && out->from < out->to;
}
