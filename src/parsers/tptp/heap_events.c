/* Allocations and frees, collections, heap dumps, custom events (docs/formats.md, "TPTP traces").
 */
#include "parsers/tptp/trace_session.h"

#include <inttypes.h>

enum { OPEN_PAUSES = 64 };

/* The row of the thread that the record names, or -1. */
static ts_code itid_of(int64_t *itid, tptp_thread **t, tptp_session *s, const tptp_record *r)
{
    ts_code code = tptp_thread_of(t, s, tptp_thread_id(r));
    *itid = code == TS_OK && *t != NULL ? (*t)->itid : -1;
    return code;
}

/* --- objects --------------------------------------------------------------------------------- */

ts_code tptp_take_alloc(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_allocation row = {
        .source_id = s->source_id,
        .ts = tptp_time(s, r),
        .object_id = tptp_object(r),
        .size = r->num[TPTP_N_SIZE],
        .is_array = r->num[TPTP_N_IS_ARRAY],
        .line = r->num[TPTP_N_LINE],
        .context = tptp_text(r, TPTP_S_CONTEXT),
    };
    tptp_thread *t;
    ts_code code;
    TS_TRY_INTO(code, itid_of(&row.itid, &t, s, r));
    TS_TRY_INTO(code, tptp_class_of(&row.class_id, s, r));
    TS_TRY_INTO(code, tptp_method_of(&row.method_id, s, r->num[TPTP_N_METHOD]));
    if (!tptp_wanted(s, row.ts)) {
        return TS_OK;
    }
    row.id = TPTP_NEXT_ROW(s, tptp_allocation);
    row.slice_id = tptp_open_slice(t);
    TS_NULL_IF(row.itid < 0, tptp_allocation, &row, itid);
    TPTP_NULL_TIME(tptp_allocation, &row, ts);
    TS_NULL_IF((r->bad & TPTP_BIT(IS_ARRAY)) != 0, tptp_allocation, &row, is_array);
    TS_NULL_ZEROS(tptp_allocation, &row, object_id, class_id, size, method_id, line, slice_id);
    if (row.object_id != 0) {
        uint32_t class_number =
            tptp_class_number(s, tptp_either(r->num[TPTP_N_CLASS], r->num[TPTP_N_TRANSIENT_CLASS]));
        if (row.id > UINT32_MAX) {
            return ts_fail(s->ctx, TS_ERR_LIMIT, "more than %u allocations", UINT32_MAX);
        }
        code = ts_idmap_put(s->ctx, &s->objects, row.object_id,
                            (uint64_t)class_number << 32 | (uint32_t)row.id);
    }
    return code != TS_OK ? code : ts_put_tptp_allocation(s->sink, &row);
}

ts_code tptp_take_free(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_free row = {
        .source_id = s->source_id,
        .object_id = tptp_object(r),
        .ts = tptp_time(s, r),
        .age = r->num[TPTP_N_AGE],
        .sequence = r->num[TPTP_N_SEQUENCE],
        .stack_depth = r->num[TPTP_N_STACK_DEPTH],
    };
    uint64_t known = 0;
    tptp_thread *t;
    ts_code code = itid_of(&row.itid, &t, s, r);
    if (ts_idmap_find(&known, &s->objects, row.object_id)) {
        ts_idmap_remove(&s->objects, row.object_id);
    }
    row.allocation_id = (uint32_t)known;
    if (code != TS_OK || !tptp_wanted(s, row.ts)) {
        return code;
    }
    if (row.allocation_id != 0) {
        tptp_count_imported(s, TPTP_C_PAIRS);
    } else {
        tptp_count_skipped(s, TPTP_C_PAIRS);
        code = tptp_issue(s, TS_ISSUE_tptp_begin_missing,
                          "object %" PRId64 " is freed, but was not allocated", row.object_id);
    }
    row.id = TPTP_NEXT_ROW(s, tptp_free);
    TS_NULL_IF(row.itid < 0, tptp_free, &row, itid);
    TPTP_NULL_TIME(tptp_free, &row, ts);
    TS_NULL_IF((r->bad & TPTP_BIT(AGE)) != 0, tptp_free, &row, age);
    TS_NULL_ZEROS(tptp_free, &row, allocation_id, object_id, sequence, stack_depth);
    return code != TS_OK ? code : ts_put_tptp_free(s->sink, &row);
}

/* --- collections ----------------------------------------------------------------------------- */

#define LATE_PAUSE                                                                                 \
    (TS_NULL_BIT(runtime_pause, dur) | TS_NULL_BIT(runtime_pause, bytes_after) |                   \
     TS_NULL_BIT(runtime_pause, bytes_total) | TS_NULL_BIT(runtime_pause, objects_after) |         \
     TS_NULL_BIT(runtime_pause, state))

static ts_row_runtime_pause pause_row(const tptp_session *s, int64_t itid, int64_t ts)
{
    ts_row_runtime_pause row = {
        .id = TPTP_NEXT_ROW(s, runtime_pause),
        .source_id = s->source_id,
        .kind = TS_TEXT_LIT("gc"),
        .itid = itid,
        .ts = ts,
        .null = TS_NULL_BITS(runtime_pause, bytes_before, objects_before),
    };
    TS_NULL_IF(itid < 0, runtime_pause, &row, itid);
    TPTP_NULL_TIME(runtime_pause, &row, ts);
    return row;
}

/* The row of a collection: columns that its end did not give are NULL. */
static ts_code settle_pause(tptp_session *s, int64_t id, uint64_t columns, const int64_t *values)
{
    uint64_t unknown = LATE_PAUSE & ~columns & ~TS_NULL_BIT(runtime_pause, state);
    if (id == 0) { /* outside --time-range */
        return TS_OK;
    }
    ts_code code = ts_sink_settle(s->sink, TS_T_runtime_pause, id, columns, values);
    return code != TS_OK || unknown == 0
               ? code
               : ts_sink_invalidate(s->sink, TS_T_runtime_pause, id, id, unknown);
}

/* The oldest collection that is open has no end. */
static ts_code drop_pause(tptp_session *s)
{
    tptp_pause *pauses = s->pauses.p;
    tptp_pause first = pauses[0];
    int64_t state = 1;
    memmove(pauses, pauses + 1, --s->pauses.n * sizeof *pauses);
    ts_code code = tptp_issue(s, TS_ISSUE_tptp_end_missing, "a collection has no end");
    return code != TS_OK ? code
                         : settle_pause(s, first.row, TS_NULL_BIT(runtime_pause, state), &state);
}

ts_code tptp_end_pauses(tptp_session *s)
{
    ts_code code = TS_OK;
    while (s->pauses.n > 0 && code == TS_OK) {
        code = drop_pause(s);
    }
    return code;
}

ts_code tptp_take_gc_start(tptp_session *s, const tptp_record *r)
{
    tptp_thread *t;
    int64_t itid;
    tptp_pause *open;
    ts_code code = itid_of(&itid, &t, s, r);
    if (code != TS_OK || (s->pauses.n >= OPEN_PAUSES && (code = drop_pause(s)) != TS_OK)) {
        return code;
    }
    ts_row_runtime_pause row = pause_row(s, itid, tptp_time(s, r));
    bool wanted = tptp_wanted(s, tptp_time(s, r));
    TS_NEED(s->ctx, open = ts_vec_add(s->ctx, &s->pauses, sizeof *open));
    *open = (tptp_pause){wanted ? row.id : 0, row.ts, s->gaps};
    return !wanted ? TS_OK : ts_sink_reserve(s->sink, TS_T_runtime_pause, &row, LATE_PAUSE);
}

/* An end whose beginning was not seen is a row of its own. */
static ts_code lone_finish(tptp_session *s, const tptp_record *r, int64_t itid)
{
    ts_row_runtime_pause row = pause_row(s, itid, tptp_time(s, r));
    if (!tptp_wanted(s, tptp_time(s, r))) {
        return TS_OK;
    }
    ts_code code = tptp_issue(s, TS_ISSUE_tptp_begin_missing, "a collection has no beginning");
    row.bytes_after = r->num[TPTP_N_USED_SPACE];
    row.bytes_total = r->num[TPTP_N_TOTAL_SPACE];
    row.objects_after = r->num[TPTP_N_USED_OBJECTS];
    row.state = 2;
    TS_SET_NULL(runtime_pause, &row, dur);
    TS_NULL_ZEROS(runtime_pause, &row, bytes_after, bytes_total, objects_after);
    tptp_count_skipped(s, TPTP_C_PAIRS);
    return code != TS_OK ? code : ts_put_runtime_pause(s->sink, &row);
}

/* How long something lasted; TS_NO_TIME when a time is not known. */
static ts_code span_of(int64_t *dur, tptp_session *s, int64_t start, int64_t ts)
{
    *dur = TS_NO_TIME;
    if (start == TS_NO_TIME || ts == TS_NO_TIME || ts_ckd_sub(dur, ts, start)) {
        *dur = TS_NO_TIME;
        return TS_OK;
    }
    if (*dur >= 0) {
        return TS_OK;
    }
    *dur = 0;
    return tptp_issue(s, TS_ISSUE_tptp_time_backwards,
                      "a collection ends %" PRIu64 " ns before it begins",
                      (uint64_t)start - (uint64_t)ts);
}

ts_code tptp_take_gc_finish(tptp_session *s, const tptp_record *r)
{
    static const struct {
        uint64_t column;
        uint8_t slot;
    } figures[] = {
        {TS_NULL_BIT(runtime_pause, bytes_after), TPTP_N_USED_SPACE},
        {TS_NULL_BIT(runtime_pause, bytes_total), TPTP_N_TOTAL_SPACE},
        {TS_NULL_BIT(runtime_pause, objects_after), TPTP_N_USED_OBJECTS},
    };
    tptp_pause *pauses = s->pauses.p;
    tptp_thread *t;
    int64_t itid;
    int64_t values[4];
    unsigned n = 0;
    uint64_t columns = 0;
    ts_code code = itid_of(&itid, &t, s, r);
    if (code != TS_OK || s->pauses.n == 0) {
        return code != TS_OK ? code : lone_finish(s, r, itid);
    }
    tptp_pause first = pauses[0];
    memmove(pauses, pauses + 1, --s->pauses.n * sizeof *pauses);
    code =
        span_of(&values[0], s, first.gaps == s->gaps ? first.start : TS_NO_TIME, tptp_time(s, r));
    if (code != TS_OK) {
        return code;
    }
    if (values[0] != TS_NO_TIME) {
        columns = TS_NULL_BIT(runtime_pause, dur);
        n = 1;
    }
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (r->num[figures[i].slot] != 0) {
            columns |= figures[i].column;
            values[n++] = r->num[figures[i].slot];
        }
    }
    tptp_count_imported(s, TPTP_C_PAIRS);
    return settle_pause(s, first.row, columns, values);
}

/* --- heap dumps ------------------------------------------------------------------------------ */

ts_code tptp_take_dump(tptp_session *s, const tptp_record *r)
{
    int64_t base = r->num[TPTP_N_BASE_TIME];
    bool no_base = (r->bad & TPTP_BIT(BASE_TIME)) != 0;
    ts_row_tptp_heap_dump row = {
        .id = TPTP_NEXT_ROW(s, tptp_heap_dump),
        .source_id = s->source_id,
        .dump_id = r->num[TPTP_N_DUMP],
        .name = tptp_text(r, TPTP_S_NAME),
        .ts = tptp_time(s, r),
        .base_time = base,
    };
    ts_code code = TS_OK;
    s->last_dump = row.id;
    s->dump_gaps = s->gaps;
    TS_NULL_ZEROS(tptp_heap_dump, &row, dump_id);
    TPTP_NULL_TIME(tptp_heap_dump, &row, ts);
    TS_NULL_IF(no_base || base == 0, tptp_heap_dump, &row, base_time);
    TS_STEP_IF(code, row.dump_id != 0,
               ts_idmap_put(s->ctx, &s->dumps, row.dump_id, (uint64_t)row.id));
    return code != TS_OK ? code : ts_put_tptp_heap_dump(s->sink, &row);
}

ts_code tptp_take_root(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_gc_root row = {
        .source_id = s->source_id,
        .heap_dump_id = s->dump_gaps == s->gaps ? s->last_dump : 0,
        .object_id = tptp_object(r),
        .type = tptp_text(r, TPTP_S_TYPE),
    };
    ts_code code = tptp_class_of(&row.class_id, s, r);
    TS_NULL_ZEROS(tptp_gc_root, &row, heap_dump_id, object_id, class_id);
    return code != TS_OK ? code : ts_put_tptp_gc_root(s->sink, &row);
}

ts_code tptp_take_reference(tptp_session *s, const tptp_record *r)
{
    int64_t id = r->num[TPTP_N_DUMP];
    uint64_t dump = s->dump_gaps == s->gaps ? (uint64_t)s->last_dump : 0;
    ts_row_tptp_reference row = {
        .source_id = s->source_id,
        .from_object_id = r->num[TPTP_N_FROM],
        .to_object_id = r->num[TPTP_N_TO],
    };
    if (id != 0 && !ts_idmap_find(&dump, &s->dumps, id)) {
        dump = 0;
    }
    row.heap_dump_id = (int64_t)dump;
    TS_NULL_ZEROS(tptp_reference, &row, heap_dump_id, from_object_id, to_object_id);
    return ts_put_tptp_reference(s->sink, &row);
}

ts_code tptp_take_custom(tptp_session *s, const tptp_record *r)
{
    ts_row_tptp_custom row = {
        .id = TPTP_NEXT_ROW(s, tptp_custom),
        .source_id = s->source_id,
        .body = tptp_text(r, TPTP_S_BODY),
    };
    return ts_put_tptp_custom(s->sink, &row);
}
