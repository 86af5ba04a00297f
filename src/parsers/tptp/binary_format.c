/* Binary traces of the Eclipse TPTP Java profiler (.trcbin). */
#include "parsers/tptp/binary_trace.h"
#include "parsers/format.h"

static int sniff_binary(const ts_sniff *s)
{
    return s->head != NULL && s->n >= 4 && memcmp(s->head, "0TBF", 4) == 0 ? TS_SNIFF_SURE
                                                                           : TS_SNIFF_NO;
}

/* "size=exclusive,system=bare,arrays=counted": what is not named is found from the data. */
static bool parse_options(tptp_forced *forced, const char *options)
{
    static const struct {
        const char *text;
        uint8_t what;
        uint8_t value;
    } known[] = {
        {"size=inclusive", 0, 0}, {"size=exclusive", 0, 1}, {"system=sized", 1, 0},
        {"system=bare", 1, 1},    {"arrays=plain", 2, 0},   {"arrays=counted", 2, 1},
    };
    int values[3] = {-1, -1, -1};
    const char *p = options == NULL ? "" : options;
    while (*p != '\0') {
        size_t n = strcspn(p, ",");
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] &&
               (strlen(known[i].text) != n || memcmp(known[i].text, p, n) != 0)) {
            i++;
        }
        if (i == sizeof known / sizeof known[0] || (p[n] == ',' && p[n + 1] == '\0')) {
            return false;
        }
        values[known[i].what] = known[i].value;
        p += n + (p[n] == ',');
    }
    *forced = (tptp_forced){values[0], values[1], values[2]};
    return true;
}

static bool check_options(const char *options)
{
    tptp_forced forced;
    return *options != '\0' && parse_options(&forced, options);
}

static ts_code open_binary(void **self, ts_job *job)
{
    tptp_forced forced = {-1, -1, -1};
    tptp_binary *b;
    ts_code code;
    (void)parse_options(&forced, job->options->format_options); /* they were checked */
    code = tptp_binary_open(&b, job, &forced);
    if (code != TS_OK) {
        tptp_binary_close(b);
        b = NULL;
    }
    *self = b;
    return code;
}

static ts_code feed_binary(void *self, const uint8_t *p, size_t n)
{
    return tptp_binary_feed(self, p, n);
}

static ts_code finish_binary(void *self, const ts_stream_end *end)
{
    (void)end;
    return tptp_binary_finish(self);
}

static void close_binary(void *self)
{
    tptp_binary_close(self);
}

TS_SOURCE_FORMAT(tptp_binary) = {
    .name = "trcbin",
    .title = "Binary trace of the Eclipse TPTP Java profiler (.trcbin)",
    .source_type = "tptp",
    .sniff = sniff_binary,
    .check_options = check_options,
    .open = open_binary,
    .feed = feed_binary,
    .finish = finish_binary,
    .close = close_binary,
};
