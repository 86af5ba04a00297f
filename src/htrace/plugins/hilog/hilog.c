/*
 * hilog-plugin: lines of the system's log. One row of log for each, in the order of the recording.
 * Docs: docs/formats.md, "hilog-plugin".
 */
#include "htrace/plugins/plugin_records.h"

#include "base/ckd.h"

#include <inttypes.h>

/* Fields of a message (HilogInfo), of a line in it, and of the line's detail. */
enum { LINES };
static const ts_field_def message_fields[] = {{1, TS_FIELD_BYTES, "info"}};

enum { DETAIL, CONTEXT, ID, LINE_FIELDS };
static const ts_field_def line_fields[LINE_FIELDS] = {
    [DETAIL] = {1, TS_FIELD_BYTES, "detail"},
    [CONTEXT] = {2, TS_FIELD_BYTES, "context"},
    [ID] = {3, TS_FIELD_UINT, "id"},
};

enum { SEC, NSEC, PID, TID, LEVEL, TAG, DETAIL_FIELDS };
static const ts_field_def detail_fields[DETAIL_FIELDS] = {
    [SEC] = {1, TS_FIELD_UINT, "tv_sec"},    [NSEC] = {2, TS_FIELD_UINT, "tv_nsec"},
    [PID] = {3, TS_FIELD_UINT32, "pid"},     [TID] = {4, TS_FIELD_UINT32, "tid"},
    [LEVEL] = {5, TS_FIELD_UINT32, "level"}, [TAG] = {6, TS_FIELD_BYTES, "tag"},
};

/* Lines whose number is not the one that follows, of one kind. */
typedef struct odd_numbers {
    uint64_t count;
    int64_t offset; /* of the first */
} odd_numbers;

typedef struct hilog {
    ts_records records;
    ts_tally *lines; /* NULL before the first */
    int64_t last;    /* number of the line before, 0 at the beginning */
    bool begun;
    uint64_t received;
    uint64_t invalid; /* levels */
    odd_numbers begins;
    odd_numbers missing;
    odd_numbers back;
    ts_buf tag;
    ts_buf context;
} hilog;

static void note_odd(odd_numbers *odd, const ts_message *m)
{
    odd->offset = odd->count++ == 0 ? m->seg->offset : odd->offset;
}

static void follow_numbers(hilog *h, const ts_message *m, const ts_value *id)
{
    if (id->state == TS_VALUE_UNKNOWN) {
        return;
    }
    if (id->i <= h->last) {
        note_odd(&h->back, m);
    } else if (id->i > h->last + 1) {
        note_odd(h->begun ? &h->missing : &h->begins, m);
    }
    h->last = id->i;
    h->begun = true;
}

/* The time of a line as recorded. */
static int64_t time_of(hilog *h, const ts_message *m, const ts_value *detail)
{
    if (detail[SEC].state == TS_VALUE_UNKNOWN || detail[NSEC].state == TS_VALUE_UNKNOWN ||
        (detail[SEC].i == 0 && detail[NSEC].i == 0)) {
        ts_records_untimed(&h->records, m);
        return TS_NO_TIME;
    }
    return ts_records_ns(&h->records, detail[SEC].i, detail[NSEC].i);
}

/* The letter of a level; NULL when no letter can be shown. */
static ts_code level_of(ts_text *out, char letter[1], hilog *h, ts_message *m,
                        const ts_value *level)
{
    static const char known[] = "DEIVWF";
    *out = TS_TEXT_NULL;
    if (level->state == TS_VALUE_UNKNOWN) {
        ts_records_lose(&h->records, 1);
        return TS_OK;
    }
    if (level->i > ' ' && level->i < 0x7f) {
        letter[0] = (char)level->i;
        *out = (ts_text){letter, 1};
        h->invalid += memchr(known, letter[0], sizeof known - 1) == NULL;
        return TS_OK;
    }
    h->invalid++;
    ts_records_lose(&h->records, 1);
    m->faults++;
    return ts_issue(h->records.host->store, h->records.host->source_id, TS_ISSUE_plugin_bad_field,
                    m->seg->plugin, m->seg->offset,
                    "message %" PRIu64 ": level %" PRId64 " is not a letter", m->seg->number,
                    level->i);
}

static ts_code put_line(hilog *h, ts_message *m, const ts_value *line, const ts_value *detail)
{
    ts_records *r = &h->records;
    ts_row_log row = {0};
    char letter[1];
    bool wanted;
    ts_code code;
    row.origints = time_of(h, m, detail);
    if ((code = ts_records_time(&row.ts, &wanted, r, row.origints)) != TS_OK || !wanted) {
        h->lines->skipped += code == TS_OK;
        return code;
    }
    row.seq = ts_records_int(&row.null, TS_NULL_BIT(log, seq), r, &line[ID]);
    row.pid = ts_records_int(&row.null, TS_NULL_BIT(log, pid), r, &detail[PID]);
    row.tid = ts_records_int(&row.null, TS_NULL_BIT(log, tid), r, &detail[TID]);
    TS_NULL_IF(row.ts == TS_NO_TIME, log, &row, ts);
    TS_NULL_IF(row.origints == TS_NO_TIME, log, &row, origints);
    TS_TRY_INTO(code, level_of(&row.level, letter, h, m, &detail[LEVEL]));
    TS_TRY_INTO(code, ts_records_text(&row.tag, &h->tag, r, &detail[TAG]));
    TS_TRY_INTO(code, ts_records_text(&row.context, &h->context, r, &line[CONTEXT]));
    h->lines->imported++;
    return ts_put_log(ts_store_sink(r->host->store), &row);
}

static ts_code one_line(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hilog *h = user;
    ts_value line[LINE_FIELDS];
    ts_value detail[DETAIL_FIELDS];
    TS_TRY(ts_fields_part(line, NULL, m, "info", line_fields, LINE_FIELDS, p, n));
    h->lines->seen++;
    if (line[DETAIL].state == TS_VALUE_UNKNOWN && line[CONTEXT].state == TS_VALUE_UNKNOWN) {
        h->lines->lost++;
        return TS_OK;
    }
    TS_TRY(ts_fields_inside(detail, m, &line_fields[DETAIL], &line[DETAIL], detail_fields,
                            DETAIL_FIELDS));
    h->received++;
    follow_numbers(h, m, &line[ID]);
    return put_line(h, m, line, detail);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    hilog *h = self;
    ts_value lines;
    ts_message m;
    ts_code code = ts_records_begin(&m, &h->records, seg);
    TS_STEP_IF(code, h->lines == NULL, ts_records_tally(&h->lines, &h->records, NULL));
    if (code != TS_OK ||
        (code = ts_fields_part(&lines, NULL, &m, NULL, message_fields, 1, p, n)) != TS_OK ||
        (code = ts_fields_repeat(&m, message_fields[LINES].number, p, n, one_line, h)) != TS_OK) {
        return code;
    }
    ts_records_end(&h->records, &m);
    return TS_OK;
}

static ts_code record_odd(const hilog *h, ts_issue_code issue, const odd_numbers *odd,
                          const char *what)
{
    const ts_plugin_host *host = h->records.host;
    return odd->count == 0
               ? TS_OK
               : ts_issue_n(host->store, host->source_id, issue, h->records.plugin, odd->offset,
                            odd->count, "%" PRIu64 " lines %s", odd->count, what);
}

static ts_code finish(void *self)
{
    hilog *h = self;
    ts_store *store = h->records.host->store;
    ts_code code;
    if ((code = ts_stat(store, "hilog", "received", h->received)) != TS_OK ||
        (code = ts_stat(store, "hilog", "not_match", h->back.count)) != TS_OK ||
        (code = ts_stat(store, "hilog", "data_lost", h->missing.count + h->begins.count)) !=
            TS_OK ||
        (code = ts_stat(store, "hilog", "invalid_data", h->invalid)) != TS_OK ||
        (code = record_odd(h, TS_ISSUE_log_begins_late, &h->begins,
                           "begin the log with a number above 1")) != TS_OK ||
        (code = record_odd(h, TS_ISSUE_log_lines_missing, &h->missing,
                           "have a number after others that are left out")) != TS_OK ||
        (code = record_odd(h, TS_ISSUE_log_numbers_back, &h->back,
                           "have no higher number than the line before")) != TS_OK) {
        return code;
    }
    return ts_records_finish(&h->records);
}

static void close_plugin(void *self)
{
    hilog *h = self;
    ts_ctx *ctx = h->records.host->ctx;
    ts_buf_free(ctx, &h->tag);
    ts_buf_free(ctx, &h->context);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    hilog *h = *self;
    ts_records_init(&h->records, host, "hilog-plugin");
    ts_records_table_add(&h->records, TS_T_log, TS_NULL_BIT(log, ts));
    return TS_OK;
}

static const ts_plugin_name names[] = {
    {"hilog-plugin", TS_RECORDS_MESSAGE, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(hilog) = {
    .names = names,
    .size = sizeof(hilog),
    .open = open_plugin,
    .message = message,
    .finish = finish,
    .close = close_plugin,
};
