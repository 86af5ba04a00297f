/* What a database says of itself, for the row that commits it. */
#include "fleet/load.h"

#include "export/columns/day.h"
#include "tables/table_rows.h"

#include <time.h>

/* Times of the clock of the first source that has times. */
static ts_code read_sources(ts_recording *r, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_source__clock, TS_C_source__start_ts,
                                       TS_C_source__end_ts, TS_C_source__host,
                                       TS_C_source__complete};
    ts_walk at = ts_walk_of(ts_rows_of(reader), TS_T_source, columns, 5);
    char clock[32] = "";
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        const ts_text own = ts_walk_text(&at, 0);
        const ts_text host = ts_walk_text(&at, 3);
        const bool first =
            clock[0] == '\0' && own.n > 0 && own.n < sizeof clock && !ts_walk_null(&at, 1);
        if (first) {
            memcpy(clock, own.p, own.n);
            clock[own.n] = '\0';
        }
        const bool timed = clock[0] != '\0' && ts_text_is(own, clock);
        if (timed && !ts_walk_null(&at, 1) && (!r->has_begin || ts_walk_int(&at, 1) < r->begin)) {
            r->begin = ts_walk_int(&at, 1);
            r->has_begin = true;
        }
        if (timed && !ts_walk_null(&at, 2) && (!r->has_end || ts_walk_int(&at, 2) > r->end)) {
            r->end = ts_walk_int(&at, 2);
            r->has_end = true;
        }
        if (r->host[0] == '\0' && host.n < sizeof r->host) {
            memcpy(r->host, host.p, host.n);
            r->host[host.n] = '\0';
        }
        r->complete &= ts_walk_int(&at, 4) != 0;
    }
    return code;
}

static ts_code read_issues(ts_recording *r, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_import_issue__severity, TS_C_import_issue__count};
    ts_walk at = ts_walk_of(ts_rows_of(reader), TS_T_import_issue, columns, 2);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        const ts_text severity = ts_walk_text(&at, 0);
        const bool lost = ts_text_is(severity, "data_loss") || ts_text_is(severity, "error");
        r->issues += ts_text_is(severity, "info") ? 0 : (uint64_t)ts_walk_int(&at, 1);
        r->complete &= !lost;
    }
    return code;
}

ts_code ts_recording_read(ts_recording *out, ts_reader *reader)
{
    int64_t day = 0;
    bool known = false;
    struct timespec now = {0};
    *out = (ts_recording){.complete = true};
    TS_TRY(ts_recording_day(&day, &known, reader));
    if (!known || day < 0 || day > UINT16_MAX) {
        (void)clock_gettime(CLOCK_REALTIME, &now);
        day = now.tv_sec / 86400;
    }
    out->day = (uint16_t)day;
    TS_TRY(read_sources(out, reader));
    return read_issues(out, reader);
}
