/* A packet: its sequence and the state of that, and who gets its payload. */
#include "parsers/perfetto/perfetto.h"

#include "base/alloc.h"

#include <inttypes.h>

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2, UNKNOWN_FROM = PERFETTO_KINDS, DEFAULTS_PERF = 12 };

/* What a packet says beside its payload. */
typedef struct packet {
    uint64_t timestamp, dropped;
    uint32_t clock, sequence, flags;
    bool has_time, has_clock, has_sequence, first, other_machine;
    ts_wire_field interned, defaults, payload;
    uint32_t kind; /* of the payload, 0: none */
} packet;

const char *perfetto_kind_name(uint32_t number)
{
    switch (number) {
#define KIND(number, name)                                                                         \
    case number:                                                                                   \
        return #name;
#include "parsers/perfetto/kinds.def"
    default:
        return NULL;
    }
}

uint64_t perfetto_numbers(uint64_t *v, size_t n, const ts_wire_field *message, bool *good)
{
    uint64_t there = 0;
    ts_wire w;
    ts_wire_field f;
    memset(v, 0, n * sizeof *v);
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number < n && f.type != TS_WIRE_BYTES) {
            v[f.number] = f.value;
            there |= UINT64_C(1) << f.number;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return there;
}

ts_code perfetto_each(perfetto *p, const ts_wire_field *message, uint32_t field,
                      perfetto_take *take, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == field && f.type == TS_WIRE_BYTES) {
            code = take(p, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* A field that is known and of another type: no recorder writes it. */
static bool wrong_type(const ts_wire_field *f)
{
    static const uint8_t numbers[] = {
        PACKET_UID,     PACKET_TIMESTAMP, PACKET_SEQUENCE, PACKET_FLAGS, PACKET_CLEARED,
        PACKET_DROPPED, PACKET_CLOCK,     PACKET_PID,      PACKET_FIRST, PACKET_MACHINE};
    if (f->number == PACKET_INTERNED || f->number == PACKET_DEFAULTS ||
        perfetto_kind_name(f->number) != NULL) {
        return f->type != TS_WIRE_BYTES;
    }
    for (size_t i = 0; i < sizeof numbers; i++) {
        if (numbers[i] == f->number) {
            return f->type != TS_WIRE_VARINT;
        }
    }
    return false;
}

/* Numbers; false: it is none of those of every packet. */
static bool take_number(packet *k, const ts_wire_field *f)
{
    switch (f->number) {
    case PACKET_TIMESTAMP:
        k->timestamp = f->value;
        k->has_time = true;
        return true;
    case PACKET_CLOCK:
        k->clock = (uint32_t)f->value;
        k->has_clock = true;
        return true;
    case PACKET_SEQUENCE:
        k->sequence = (uint32_t)f->value;
        k->has_sequence = true;
        return true;
    case PACKET_FLAGS:
        k->flags |= (uint32_t)f->value;
        return true;
    case PACKET_CLEARED:
        k->flags |= f->value != 0 ? FLAG_CLEARED : 0U;
        return true;
    case PACKET_DROPPED:
        k->dropped = f->value;
        return true;
    case PACKET_FIRST:
        k->first = f->value != 0;
        return true;
    case PACKET_MACHINE:
        k->other_machine = f->value != 0;
        return true;
    default:
        return false;
    }
}

static void take_field(packet *k, const ts_wire_field *f)
{
    if (f->type != TS_WIRE_BYTES) {
        (void)take_number(k, f);
    } else if (f->number == PACKET_INTERNED) {
        k->interned = *f;
    } else if (f->number == PACKET_DEFAULTS) {
        k->defaults = *f;
    } else if (perfetto_kind_name(f->number) != NULL || k->kind == 0) {
        k->payload = *f;
        k->kind = f->number;
    }
}

/* --- sequences ------------------------------------------------------------------------------- */

static ts_code find_sequence(uint32_t *index, perfetto *p, uint32_t id)
{
    perfetto_sequence *s;
    uint64_t found;
    if (ts_idmap_find(&found, &p->sequence_of, (int64_t)id)) {
        *index = (uint32_t)found;
        return TS_OK;
    }
    *index = (uint32_t)p->sequences.n;
    TS_TRY(ts_idmap_put(p->ctx, &p->sequence_of, (int64_t)id, *index));
    TS_NEED(p->ctx, s = ts_vec_add(p->ctx, &p->sequences, sizeof *s));
    s->id = id;
    s->thread = PERFETTO_NONE;
    s->generation = ++p->generations;
    return TS_OK;
}

static void free_defaults(perfetto *p, perfetto_sequence *s)
{
    if (s->defaults != NULL) {
        ts_vec_free(p->ctx, &s->defaults->extra);
        ts_vec_free(p->ctx, &s->defaults->extra_double);
        ts_free(p->ctx, s->defaults);
        s->defaults = NULL;
    }
}

static void forget(perfetto *p, perfetto_sequence *s, bool valid)
{
    free_defaults(p, s);
    s->generation = ++p->generations;
    s->valid = valid;
    s->damages = p->damages;
}

void perfetto_damaged(perfetto *p)
{
    p->damages++;
    if (p->kernel != NULL) {
        ts_kernel_packets_lost(p->kernel);
    }
}

static bool is_valid(const perfetto *p, const perfetto_sequence *s)
{
    return s->valid && s->damages == p->damages && s->id != 0;
}

/* What the packet says of its sequence, before it is read. */
static void begin_packet(perfetto *p, const packet *k)
{
    perfetto_sequence *s = p->sequence;
    bool anew = !s->seen || k->first;
    if (k->first) {
        forget(p, s, false);
    }
    if (k->dropped != 0 && !anew) {
        s->losses++;
        if (k->kind == PACKET_FTRACE && p->kernel != NULL) {
            ts_kernel_packets_lost(p->kernel);
        }
        s->dropped++;
        s->reasons |= k->dropped;
        s->dropped_at = s->dropped == 1 ? (int64_t)p->at : s->dropped_at;
        s->valid = false;
    }
    if ((k->flags & FLAG_CLEARED) != 0) {
        forget(p, s, true);
    }
    s->seen = true;
}

/* --- defaults -------------------------------------------------------------------------------- */

static ts_code add_ids(perfetto *p, ts_vec *ids, const ts_wire_field *f, bool *good)
{
    ts_wire w;
    uint64_t v = f->value;
    if (f->type != TS_WIRE_BYTES) {
        return ids->n < PERFETTO_EXTRAS ? ts_vec_push(p->ctx, ids, &v, sizeof v) : TS_OK;
    }
    ts_wire_init(&w, f->p, f->n);
    while (ids->n < PERFETTO_EXTRAS && ts_wire_packed(&v, &w)) {
        TS_TRY(ts_vec_push(p->ctx, ids, &v, sizeof v));
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return TS_OK;
}

static ts_code event_defaults(perfetto *p, perfetto_defaults *d, const ts_wire_field *message,
                              bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 11 && f.type == TS_WIRE_VARINT) {
            d->track = f.value;
            d->has_track = true;
        } else if (f.number == 31) {
            code = add_ids(p, &d->extra, &f, good);
        } else if (f.number == 45) {
            code = add_ids(p, &d->extra_double, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* They replace those before as a whole. */
static ts_code take_defaults(perfetto *p, const ts_wire_field *message, bool *good)
{
    perfetto_sequence *s = p->sequence;
    perfetto_defaults *d;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    free_defaults(p, s);
    TS_NEED(p->ctx, d = s->defaults = ts_zalloc(p->ctx, 1, sizeof *d));
    d->sampled = PERFETTO_NONE;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == PACKET_CLOCK && f.type == TS_WIRE_VARINT) {
            d->clock = (uint32_t)f.value;
            d->has_clock = true;
        } else if (f.number == PACKET_TRACK_EVENT && f.type == TS_WIRE_BYTES) {
            code = event_defaults(p, d, &f, good);
        } else if (f.number == DEFAULTS_PERF && f.type == TS_WIRE_BYTES) {
            code = perfetto_sampled_event(p, d, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- the payload ----------------------------------------------------------------------------- */

/* Events of the kernel. */
static ts_code take_kernel(perfetto *p, const ts_wire_field *message, bool *good)
{
    if (p->kernel == NULL) {
        TS_TRY(ts_kernel_packets_open(&p->kernel, p->job));
    }
    return ts_kernel_packets_bundle(p->kernel, message, good);
}

/* NULL: such packets are only counted. */
static perfetto_take *taker_of(uint32_t kind)
{
    switch (kind) {
    case PACKET_FTRACE:
        return take_kernel;
    case PACKET_PROCESS_TREE:
        return perfetto_process_tree;
    case PACKET_CLOCK_SNAPSHOT:
        return perfetto_clock_snapshot;
    case PACKET_TRACK_EVENT:
        return perfetto_track_event;
    case PACKET_TRACE_CONFIG:
        return perfetto_trace_config;
    case PACKET_TRACE_STATS:
        return perfetto_trace_stats;
    case PACKET_PROCESS_DESCRIPTOR:
        return perfetto_process_descriptor;
    case PACKET_THREAD_DESCRIPTOR:
        return perfetto_thread_descriptor;
    case PACKET_SYSTEM_INFO:
        return perfetto_system_info;
    case PACKET_PACKAGES:
        return perfetto_packages;
    case PACKET_TRACK_DESCRIPTOR:
        return perfetto_track_descriptor;
    case PACKET_TRACE_UUID:
        return perfetto_trace_uuid;
    case PACKET_PROCESS_STATS:
        return perfetto_process_stats;
    case PACKET_SYS_STATS:
        return perfetto_sys_stats;
    case PACKET_FTRACE_STATS:
        return perfetto_ftrace_stats;
    case PACKET_PROFILE:
        return perfetto_heap_profile;
    case PACKET_BATTERY:
        return perfetto_battery;
    case PACKET_ANDROID_LOG:
        return perfetto_android_log;
    case PACKET_POWER_RAILS:
        return perfetto_power_rails;
    case PACKET_GPU_COUNTER:
        return perfetto_gpu_counters;
    case PACKET_STREAMING_PROFILE:
        return perfetto_streaming;
    case PACKET_MODULE_SYMBOLS:
        return perfetto_module_symbols;
    case PACKET_PERF_SAMPLE:
        return perfetto_perf_sample;
    case PACKET_GPU_MEMORY:
        return perfetto_gpu_memory;
    default:
        return NULL;
    }
}

static ts_code note_bad(perfetto *p, const char *why)
{
    p->broken = true;
    return ts_issue(p->store, p->source_id, TS_ISSUE_perfetto_bad_packet, NULL, (int64_t)p->at,
                    "%s", why);
}

/* State first: it holds for this packet already. */
static ts_code take_state(perfetto *p, const packet *k, bool *good)
{
    ts_code code = TS_OK;
    if (k->sequence == 0) {
        return TS_OK;
    }
    if (k->interned.p != NULL) {
        code = perfetto_interned_data(p, &k->interned, good);
    }
    TS_STEP_IF(code, k->defaults.p != NULL, take_defaults(p, &k->defaults, good));
    return code;
}

static ts_code take_payload_of(perfetto *p, const packet *k, uint32_t counted)
{
    perfetto_take *take = taker_of(k->kind);
    bool compressed = k->kind == PACKET_COMPRESSED || k->kind == PACKET_COMPRESSED_ZSTD;
    bool good = true;
    ts_code code = perfetto_take_time(p, k->has_time, k->timestamp, k->has_clock, k->clock);
    if (code != TS_OK || (take == NULL && !compressed)) {
        p->n.skipped[counted] += k->kind != PACKET_SYNC && k->kind != 0 ? 1 : 0;
        return code;
    }
    code = compressed ? perfetto_unpack(p, &k->payload, &good) : take(p, &k->payload, &good);
    if (code == TS_OK && !good) {
        p->n.lost[counted]++;
    }
    TS_STEP_IF(code, !good && !compressed, note_bad(p, "what the packet holds is damaged"));
    return code;
}

/* It may have ended what is open on the tracks of its sequence. */
static void lose_packet(perfetto *p, uint32_t counted)
{
    p->n.lost[counted]++;
    p->sequence->losses++;
}

static ts_code take_packet(perfetto *p, const packet *k, bool inner)
{
    bool nested = inner && (k->kind == PACKET_COMPRESSED || k->kind == PACKET_COMPRESSED_ZSTD);
    uint32_t counted = k->kind < UNKNOWN_FROM ? k->kind : UNKNOWN_FROM;
    bool good = true;
    p->n.seen[counted]++;
    if (k->other_machine) {
        p->n.other_machines++;
        p->n.skipped[counted]++;
        return TS_OK;
    }
    TS_TRY(find_sequence(&p->sequence_index, p, k->sequence));
    p->sequence = perfetto_sequence_at(p, p->sequence_index);
    /* The first packet of a sequence says that packets before it may be missing, or begins a state:
     * one that does neither may have a damaged number, and be of any other sequence. */
    p->strays += !p->sequence->seen && k->dropped == 0 && !k->first &&
                 (k->flags & (FLAG_CLEARED | FLAG_NEEDS_STATE)) == FLAG_NEEDS_STATE;
    begin_packet(p, k);
    if ((k->flags & FLAG_NEEDS_STATE) != 0 && !is_valid(p, p->sequence)) {
        p->sequence->skipped_at =
            p->sequence->skipped++ == 0 ? (int64_t)p->at : p->sequence->skipped_at;
        lose_packet(p, counted);
        return TS_OK;
    }
    TS_TRY(take_state(p, k, &good));
    if (!good) {
        p->sequence->valid = false;
        lose_packet(p, counted);
        return note_bad(p, "its interned data or its defaults are damaged");
    }
    if (nested) {
        p->n.lost[counted]++;
        return ts_issue(p->store, p->source_id, TS_ISSUE_perfetto_bad_compressed, NULL,
                        (int64_t)p->at, "compressed packets inside of compressed packets");
    }
    return take_payload_of(p, k, counted);
}

ts_code perfetto_packet(perfetto *p, const uint8_t *bytes, size_t n, uint64_t at, bool inner)
{
    packet k = {0};
    ts_wire w;
    ts_wire_field f;
    bool wrong = false;
    ts_wire_init(&w, bytes, n);
    while (!wrong && ts_wire_next(&f, &w)) {
        wrong = wrong_type(&f);
        take_field(&k, &f);
    }
    p->at = at;
    if (w.fault == TS_WIRE_OK && !wrong) {
        return take_packet(p, &k, inner);
    }
    p->n.packets_lost++;
    perfetto_damaged(p); /* what it would have changed, and of which sequence, is not known */
    return note_bad(p, wrong ? "a field of the packet is of another type"
                             : ts_wire_fault_text(w.fault));
}
