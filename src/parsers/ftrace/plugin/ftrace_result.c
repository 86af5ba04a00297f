/*
 * The message of ftrace-plugin: its parts, and the events of its CPUs, in pieces of any size.
 *
 * What is done with a part depends on its length, never on how much of it has come: events of a CPU
 * up to FTRACE_RESULT_HELD are held and looked at as a whole, because the number of the CPU may
 * follow its events; larger ones are streamed, and there a number that comes after events is
 * reported (`moved`). Other parts are held up to FTRACE_RESULT_PART. So the calls are the same for
 * any size of blocks.
 *
 * An event is handed on alone, with the bytes after it that may be read (`room`). One that is too
 * large or breaks off is lost alone. A message has the bytes that came: what a cut of its segment
 * takes away is reported by the container, and here only what is wrong inside.
 */
#include "parsers/ftrace/plugin/ftrace_result.h"

#include <inttypes.h>

/* Fields of the message. */
enum { FIELD_STATS = 1, FIELD_DETAIL = 2, FIELD_SYMBOL = 5, FIELD_COMM = 8 };

/* Fields of a CPU's events. */
enum { DETAIL_CPU = 1, DETAIL_EVENT = 2, DETAIL_OVERWRITE = 3 };

enum { STATUS, PER_CPU, TRACE_CLOCK, STATS_FIELDS };
static const ts_field_def stats_fields[STATS_FIELDS] = {
    [STATUS] = {1, TS_FIELD_INT32, "status"},
    [PER_CPU] = {2, TS_FIELD_BYTES, "per_cpu_stats"},
    [TRACE_CLOCK] = {3, TS_FIELD_BYTES, "trace_clock"},
};
enum { STATUS_END = 1 };

enum { CPU, OVERRUN, DROPPED, CPU_FIELDS };
static const ts_field_def cpu_fields[CPU_FIELDS] = {
    [CPU] = {1, TS_FIELD_UINT, "cpu"},
    [OVERRUN] = {3, TS_FIELD_UINT, "overrun"},
    [DROPPED] = {8, TS_FIELD_UINT, "dropped_events"},
};

enum { ADDR, SYMBOL_NAME, SYMBOL_FIELDS };
static const ts_field_def symbol_fields[SYMBOL_FIELDS] = {
    [ADDR] = {1, TS_FIELD_INT, "addr"},
    [SYMBOL_NAME] = {2, TS_FIELD_BYTES, "name"},
};

enum { TID, COMM, COMM_FIELDS };
static const ts_field_def comm_fields[COMM_FIELDS] = {
    [TID] = {1, TS_FIELD_INT32, "tid"},
    [COMM] = {2, TS_FIELD_BYTES, "comm"},
};

void ftrace_result_init(ftrace_result *r, const ts_plugin_host *host,
                        const ftrace_result_calls *calls, void *user)
{
    *r = (ftrace_result){.host = host, .calls = calls, .user = user};
}

void ftrace_result_free(ftrace_result *r)
{
    ts_buf_free(r->host->ctx, &r->part);
    ts_buf_free(r->host->ctx, &r->event);
}

static ts_code bad_message(ftrace_result *r, const char *what, const char *why)
{
    const ts_segment *seg = r->message.seg;
    r->message.faults++;
    return ts_issue(r->host->store, r->host->source_id, TS_ISSUE_plugin_bad_message, seg->plugin,
                    seg->offset, "message %" PRIu64 ": %s: %s", seg->number, what, why);
}

/* --- events of a CPU ------------------------------------------------------------------------- */

static ts_code detail_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    ftrace_result *r = user;
    if (field > DETAIL_OVERWRITE) {
        return TS_OK;
    }
    if (type != TS_WIRE_VARINT || field == DETAIL_EVENT) {
        return bad_message(r, "ftrace_cpu_detail", "a field has another type than it should");
    }
    if (field == DETAIL_OVERWRITE) {
        r->overwrite = value;
    } else if (!r->told) {
        r->moved |= r->has_events && r->cpu != (uint32_t)value;
        r->cpu = (uint32_t)value;
    }
    return TS_OK;
}

static inline ts_code one_event(ftrace_result *r, const uint8_t *p, size_t n, size_t room)
{
    r->has_events = true;
    return n > FTRACE_RESULT_EVENT ? r->calls->lost(r->user, r->cpu, "it is larger than 1 MiB")
                                   : r->calls->event(r->user, r->cpu, p, n, room);
}

/* Whole events, one after the other. */
static ts_code detail_run(void *user, uint64_t at, uint64_t count, const uint8_t *p, size_t n)
{
    ftrace_result *r = user;
    ts_code code = TS_OK;
    size_t i = 0;
    (void)at;
    (void)count;
    while (i < n && code == TS_OK) {
        size_t body = 0;
        unsigned shift = 0;
        do { /* the lengths are there: fewer than 2 MiB */
            body |= (size_t)(p[++i] & 0x7f) << shift;
            shift += 7;
        } while (p[i] >= 0x80);
        i++;
        code = one_event(r, p + i, body, (size_t)(r->readable - (p + i)));
        i += body;
    }
    return code;
}

static ts_code detail_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    ftrace_result *r = user;
    r->event.n = 0;
    r->large = n > FTRACE_RESULT_EVENT;
    *want = field == DETAIL_EVENT && !r->large;
    return field == DETAIL_CPU || field == DETAIL_OVERWRITE
               ? bad_message(r, "ftrace_cpu_detail", "a field has another type than it should")
               : TS_OK;
}

static ts_code detail_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    ftrace_result *r = user;
    (void)field;
    return ts_buf_put(r->host->ctx, &r->event, p, n);
}

static ts_code detail_end(void *user, uint32_t field, bool complete)
{
    ftrace_result *r = user;
    if (field != DETAIL_EVENT) {
        return TS_OK;
    }
    if (r->large || !complete) {
        r->has_events = true;
        return r->calls->lost(r->user, r->cpu, complete ? "it is larger than 1 MiB" : NULL);
    }
    return one_event(r, (const uint8_t *)ts_buf_text(&r->event).p, r->event.n, r->event.n);
}

static const ts_wire_handler detail_handler = {
    .number = detail_number,
    .begin = detail_begin,
    .bytes = detail_bytes,
    .end = detail_end,
    .run = detail_run,
    .run_field = DETAIL_EVENT,
};

static void begin_detail(ftrace_result *r, uint64_t size)
{
    r->cpu = 0;
    r->told = false;
    r->overwrite = 0;
    r->has_events = false;
    r->moved = false;
    r->calls->part(r->user);
    ts_wire_push_init(&r->detail, &detail_handler, r, size);
}

/* complete: its last byte came. What a cut of the segment does is recorded by the container. */
static ts_code end_detail(ftrace_result *r, bool complete)
{
    ts_code code = TS_OK;
    if (!complete) {
        r->detail.size = r->detail.at; /* what is missing is said of the message */
    }
    code = ts_wire_push_finish(&r->detail);
    TS_STEP_IF(code, complete && r->detail.fault != TS_WIRE_OK,
               bad_message(r, "ftrace_cpu_detail", ts_wire_fault_text(r->detail.fault)));
    TS_STEP_IF(code, r->moved,
               bad_message(r, "ftrace_cpu_detail", "the CPU is named after its events"));
    TS_STEP_IF(code, r->overwrite > 0, r->calls->overwrite(r->user, r->cpu, r->overwrite));
    return code;
}

/* Passes over events that follow each other; most have lengths of one or two bytes. */
static size_t pass_events(const uint8_t *p, size_t n, size_t at)
{
    enum { TAG = DETAIL_EVENT << 3 | TS_WIRE_BYTES };
    while (n - at >= 3 && p[at] == TAG) {
        bool longer = p[at + 1] >= 0x80;
        size_t head = longer ? 3 : 2;
        size_t body = longer ? (size_t)(p[at + 1] & 0x7f) | (size_t)p[at + 2] << 7 : p[at + 1];
        if ((longer && p[at + 2] >= 0x80) || body > n - at - head) {
            break;
        }
        at += head + body;
    }
    return at;
}

/* The number of the CPU may be after its events. */
static void look_for_cpu(ftrace_result *r, const uint8_t *p, size_t n)
{
    ts_wire_field field;
    ts_wire wire;
    ts_wire_init(&wire, p, n);
    wire.in.at = pass_events(p, n, 0);
    while (ts_wire_next(&field, &wire)) {
        wire.in.at = pass_events(p, n, wire.in.at);
        if (field.number == DETAIL_CPU && field.type == TS_WIRE_VARINT) {
            r->cpu = (uint32_t)field.value;
        }
    }
    r->told = true;
}

/* After it, bytes up to `readable` may be read. */
static ts_code whole_detail(ftrace_result *r, const uint8_t *p, size_t n, bool complete,
                            const uint8_t *readable)
{
    ts_code code;
    r->readable = readable;
    begin_detail(r, complete ? n : UINT64_MAX);
    look_for_cpu(r, p, n);
    code = ts_wire_push_feed(&r->detail, p, n);
    TS_STEP(code, end_detail(r, complete));
    return code;
}

/* --- small parts ----------------------------------------------------------------------------- */

static ts_code one_cpu(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    ftrace_result *r = user;
    ts_value v[CPU_FIELDS];
    ts_code code = ts_fields_part(v, NULL, m, "per_cpu_stats", cpu_fields, CPU_FIELDS, p, n);
    ftrace_cpu_stats stats = {r->at_end, (uint64_t)v[CPU].i, (uint64_t)v[OVERRUN].i,
                              (uint64_t)v[DROPPED].i};
    TS_STEP_IF(code, v[CPU].state != TS_VALUE_UNKNOWN, r->calls->stats(r->user, &stats));
    return code;
}

static ts_code read_stats(ftrace_result *r, const uint8_t *p, size_t n)
{
    ts_value v[STATS_FIELDS];
    ts_code code =
        ts_fields_part(v, NULL, &r->message, "ftrace_cpu_stats", stats_fields, STATS_FIELDS, p, n);
    TS_STEP_IF(code, v[TRACE_CLOCK].state != TS_VALUE_UNKNOWN,
               r->calls->clock(r->user, ts_value_text(&v[TRACE_CLOCK])));
    r->at_end = v[STATUS].i == STATUS_END;
    TS_STEP(code, ts_fields_repeat(&r->message, stats_fields[PER_CPU].number, p, n, one_cpu, r));
    return code;
}

static ts_code read_symbol(ftrace_result *r, const uint8_t *p, size_t n)
{
    ts_value v[SYMBOL_FIELDS];
    ts_code code =
        ts_fields_part(v, NULL, &r->message, "symbols_detail", symbol_fields, SYMBOL_FIELDS, p, n);
    TS_STEP_IF(code, v[ADDR].state != TS_VALUE_UNKNOWN && v[SYMBOL_NAME].state != TS_VALUE_UNKNOWN,
               r->calls->symbol(r->user, (uint64_t)v[ADDR].i, ts_value_text(&v[SYMBOL_NAME])));
    return code;
}

static ts_code read_comm(ftrace_result *r, const uint8_t *p, size_t n)
{
    ts_value v[COMM_FIELDS];
    ts_code code =
        ts_fields_part(v, NULL, &r->message, "comm_dict", comm_fields, COMM_FIELDS, p, n);
    TS_STEP_IF(code, v[TID].state != TS_VALUE_UNKNOWN && v[COMM].state != TS_VALUE_UNKNOWN,
               r->calls->comm(r->user, (int32_t)v[TID].i, ts_value_text(&v[COMM])));
    return code;
}

/* --- the message ------------------------------------------------------------------------------ */

static bool is_part(uint32_t field)
{
    return field == FIELD_STATS || field == FIELD_SYMBOL || field == FIELD_COMM;
}

static ts_code result_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    (void)type;
    (void)value;
    return is_part(field) || field == FIELD_DETAIL
               ? bad_message(user, "a part", "a field has another type than it should")
               : TS_OK;
}

/* What is done with a part depends on its length, never on what of it came already. */
static ts_code result_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    ftrace_result *r = user;
    r->part.n = 0;
    r->passed = is_part(field) && n > FTRACE_RESULT_PART;
    r->streamed = field == FIELD_DETAIL && n > FTRACE_RESULT_HELD;
    *want = field == FIELD_DETAIL || (is_part(field) && !r->passed);
    if (r->streamed) {
        begin_detail(r, n);
    }
    return r->passed ? bad_message(r, "a part", "it is larger than 1 MiB") : TS_OK;
}

static ts_code result_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    ftrace_result *r = user;
    (void)field;
    r->readable = p + n;
    return r->streamed ? ts_wire_push_feed(&r->detail, p, n)
                       : ts_buf_put(r->host->ctx, &r->part, p, n);
}

static ts_code result_end(void *user, uint32_t field, bool complete)
{
    ftrace_result *r = user;
    const uint8_t *p = (const uint8_t *)ts_buf_text(&r->part).p;
    size_t n = r->part.n;
    if (field == FIELD_DETAIL) {
        return r->streamed ? end_detail(r, complete) : whole_detail(r, p, n, complete, p + n);
    }
    if (!is_part(field) || r->passed || !complete) {
        return TS_OK;
    }
    return field == FIELD_STATS    ? read_stats(r, p, n)
           : field == FIELD_SYMBOL ? read_symbol(r, p, n)
                                   : read_comm(r, p, n);
}

/* Events of CPUs that are whole in what was fed. */
static ts_code result_run(void *user, uint64_t at, uint64_t count, const uint8_t *p, size_t n)
{
    ftrace_result *r = user;
    ts_wire_field field;
    ts_wire wire;
    ts_code code = TS_OK;
    (void)at;
    (void)count;
    ts_wire_init(&wire, p, n);
    while (code == TS_OK && ts_wire_next(&field, &wire)) {
        code = whole_detail(r, field.p, field.n, true, p + n);
    }
    return code;
}

static const ts_wire_handler result_handler = {
    .number = result_number,
    .begin = result_begin,
    .bytes = result_bytes,
    .end = result_end,
    .run = result_run,
    .run_field = FIELD_DETAIL,
};

void ftrace_result_begin(ftrace_result *r, const ts_segment *seg)
{
    r->message = (ts_message){.host = r->host, .seg = seg};
    ts_wire_push_init(&r->wire, &result_handler, r, UINT64_MAX);
}

ts_code ftrace_result_feed(ftrace_result *r, const ts_segment *seg, const uint8_t *p, size_t n)
{
    r->message.seg = seg;
    return ts_wire_push_feed(&r->wire, p, n);
}

ts_code ftrace_result_end(uint64_t *faults, ftrace_result *r, const ts_segment *seg)
{
    ts_code code;
    r->message.seg = seg;
    r->wire.size = r->wire.at; /* it has the bytes that came */
    code = ts_wire_push_finish(&r->wire);
    TS_STEP_IF(code, r->wire.fault != TS_WIRE_OK && !seg->truncated,
               bad_message(r, "it is damaged", ts_wire_fault_text(r->wire.fault)));
    *faults = r->message.faults + seg->truncated;
    return code;
}
