#include "tables/store_profiles.h"

#include "base/ckd.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

/* --- ids ------------------------------------------------------------------------------------ */

/* The key is none on purpose: equal files have equal ids, on all machines. */
void ts_profile_id_begin(ts_profile_id *id)
{
    static const ts_hash_key none = {{0, 0}};
    *id = (ts_profile_id){.hash = ts_hash_begin(&none)};
}

void ts_profile_id_add(ts_profile_id *id, const uint8_t *p, size_t n)
{
    ts_hash h = id->hash;
    uint64_t word;
    size_t i = 0;
    if (id->rest_n > 0) {
        i = 8 - id->rest_n < n ? 8 - id->rest_n : n;
        memcpy(id->rest + id->rest_n, p, i);
        id->rest_n += i;
        if (id->rest_n == 8) {
            memcpy(&word, id->rest, 8);
            ts_hash_word(&h, le64toh(word));
            id->rest_n = 0;
        }
    }
    for (; n - i >= 8; i += 8) {
        memcpy(&word, p + i, 8);
        ts_hash_word(&h, le64toh(word));
    }
    if (i < n) {
        memcpy(id->rest, p + i, n - i);
        id->rest_n = n - i;
    }
    id->total += n;
    id->hash = h;
}

void ts_profile_id_end(char out[TS_PROFILE_ID], ts_profile_id *id)
{
    uint64_t word = 0;
    uint64_t a;
    uint64_t b;
    memcpy(&word, id->rest, id->rest_n);
    ts_hash_word(&id->hash, le64toh(word));
    ts_hash_word(&id->hash, id->total);
    a = ts_hash_end(&id->hash);
    b = ts_hash_more(&id->hash);
    a = (a & ~UINT64_C(0xF000)) | UINT64_C(0x8000);
    b = (b & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    snprintf(out, TS_PROFILE_ID,
             "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, a >> 32,
             a >> 16 & 0xFFFF, a & 0xFFFF, b >> 48, b & UINT64_C(0xFFFFFFFFFFFF));
}

/* --- rows ----------------------------------------------------------------------------------- */

void ts_profile_row(ts_row_profile *row, ts_store *store, int64_t source_id, const char *format)
{
    *row = (ts_row_profile){
        .id = (int64_t)ts_sink_rows(ts_store_sink(store), TS_T_profile) + 1,
        .source_id = source_id,
        .format = ts_text_of(format),
    };
    TS_SET_NULL(profile, row, start_ts);
    TS_SET_NULL(profile, row, end_ts);
    TS_SET_NULL(profile, row, dur);
    TS_SET_NULL(profile, row, period);
    TS_SET_NULL(profile, row, default_type_id);
}

static void set_profile_time(ts_row_profile *row, int64_t *cell, uint64_t bit, int64_t v)
{
    if (v != TS_NO_TIME) {
        *cell = v;
        row->null &= ~bit;
    }
}

void ts_profile_times(ts_row_profile *row, int64_t start, int64_t end, int64_t dur)
{
    set_profile_time(row, &row->start_ts, TS_NULL_BIT(profile, start_ts), start);
    set_profile_time(row, &row->end_ts, TS_NULL_BIT(profile, end_ts), end);
    set_profile_time(row, &row->dur, TS_NULL_BIT(profile, dur), dur);
}

ts_code ts_profile_type_add(ts_profile_type *out, ts_store *store, int64_t source_id,
                            int64_t profile_id, ts_text name, ts_text unit, ts_text file)
{
    ts_sink *sink = ts_store_sink(store);
    ts_value_unit known = ts_value_unit_of(unit);
    ts_text event = ts_value_event(name, file);
    ts_row_stack_value_type type = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_stack_value_type) + 1,
        .source_id = source_id,
        .name = name.n == 0 || ts_text_is(name, "samples") ? event : name,
        .unit = known.kind == TS_VALUE_COUNT && unit.n > 0 ? unit : ts_text_of(known.base),
    };
    ts_row_profile_value_type own = {
        .value_type_id = type.id,
        .profile_id = profile_id,
        .type = name,
        .event_type = event,
        .kind = ts_text_of(ts_value_kind_name(known.kind)),
        .unit = unit,
        .scale = known.scale,
    };
    ts_code code = ts_put_stack_value_type(sink, &type);
    *out = (ts_profile_type){type.id, known.scale, ts_sample_cause(event)};
    TS_STEP(code, ts_put_profile_value_type(sink, &own));
    return code;
}

ts_code ts_profile_named_thread(int64_t *itid, ts_store *store, int64_t source_id, ts_text name)
{
    ts_code code = ts_thread_new(itid, store, source_id, 0, -1, "unknown");
    if (code == TS_OK) {
        TS_SET_NULL(thread, ts_thread_row(store, *itid), tid);
        code = ts_thread_name(store, *itid, name);
    }
    return code;
}
