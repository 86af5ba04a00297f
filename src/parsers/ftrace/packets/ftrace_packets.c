/*
 * Events of the kernel in packets: bundles of the events of a CPU, one by one, or, of scheduling,
 * as lists of numbers. In those, times are differences, names are numbers of a list of the bundle,
 * and who was switched out is who was switched in before on that CPU, over bundles.
 */
#include "parsers/ftrace/ftrace_files.h"
#include "parsers/shared/kernel_packets.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/ckd.h"
#include "base/intvec.h"

#include <inttypes.h>

enum { EVENT_MAX = 420, BODY_FIELDS = 8, COMM_MAX = 64, NOT_A_FIELD = 0xff };

/* Events that have a form of their own; and where numbers of described ones begin. */
enum { EVENT_MARK = 80, EVENT_GENERIC = 327, EVENT_CALL = 329, EVENT_DESCRIBED = 65536 };

/* What fields of a bundle hold. */
enum {
    BUNDLE_CPU = 1,
    BUNDLE_EVENT,
    BUNDLE_LOST,
    BUNDLE_COMPACT,
    BUNDLE_CLOCK,
    BUNDLE_DESCRIPTORS = 11,
    EVENT_TIME = 1,
    EVENT_PID = 2
};

/* Lists of a bundle's compact form, by field. */
enum {
    SWITCH_TIME = 1,
    SWITCH_STATE,
    SWITCH_PID,
    SWITCH_PRIO,
    COMPACT_NAMES,
    SWITCH_NAME,
    WAKING_TIME,
    WAKING_PID,
    WAKING_CPU,
    COMPACT_LISTS = 12 /* and those of a waking that are not used */
};

typedef struct packet_kind {
    uint8_t kind; /* + 1; 0: none that is handled */
    uint8_t slot[BODY_FIELDS];
    uint8_t texts; /* a bit per field */
    uint8_t width[BODY_FIELDS];
} packet_kind;

/* An event whose fields a bundle describes. */
typedef struct described_kind {
    uint32_t number;
    packet_kind kind;
} described_kind;

/* Who runs on a CPU. */
typedef struct packet_cpu {
    int64_t pid, prio;
    bool known;
    uint8_t comm_n;
    char comm[COMM_MAX];
} packet_cpu;

struct ts_kernel_packets {
    ftrace_file file;
    packet_kind kinds[EVENT_MAX];
    ts_idmap cpu_of;
    ts_vec cpus;      /* packet_cpu */
    ts_vec names;     /* ts_text, of the bundle */
    ts_vec described; /* described_kind */
    ts_idmap described_of;
    ts_buf text; /* of the event that is read */
    ts_intvec lists[COMPACT_LISTS];
    uint64_t events, bad, others, lost, other_clocks;
};

/* --- opening --------------------------------------------------------------------------------- */

static void add_event(packet_kind *k, ftrace_kind kind)
{
    k->kind = (uint8_t)(kind + 1);
    memset(k->slot, NOT_A_FIELD, sizeof k->slot);
}

static void add_field(packet_kind *k, unsigned number, unsigned slot, bool text)
{
    const ftrace_kind_info *info = &ftrace_kinds[k->kind - 1];
    k->slot[number] = (uint8_t)slot;
    k->texts |= (uint8_t)(text ? 1U << number : 0);
    for (unsigned i = 0; i < info->field_count; i++) {
        if (info->fields[i].slot == slot && info->fields[i].is_text == text) {
            k->width[number] = info->fields[i].width;
        }
    }
}

static void make_kinds(packet_kind *kinds)
{
#define EVENT(number, kind)                                                                        \
    {                                                                                              \
        packet_kind *k = &kinds[number];                                                           \
        add_event(k, FTRACE_##kind);
#define NUMBER(number, kind, name) add_field(k, number, FTRACE_N_##kind##_##name, false);
#define TEXT(number, kind, name) add_field(k, number, FTRACE_T_##kind##_##name, true);
#define END }
#include "parsers/ftrace/packets/packet_events.def"
}

void ts_kernel_packets_close(ts_kernel_packets *k)
{
    if (k != NULL) {
        ts_ctx *ctx = k->file.job->ctx;
        ftrace_file_close(&k->file);
        ts_idmap_free(ctx, &k->cpu_of);
        ts_vec_free(ctx, &k->cpus);
        ts_vec_free(ctx, &k->names);
        ts_vec_free(ctx, &k->described);
        ts_idmap_free(ctx, &k->described_of);
        ts_buf_free(ctx, &k->text);
        for (unsigned i = 0; i < COMPACT_LISTS; i++) {
            ts_intvec_free(ctx, &k->lists[i]);
        }
        ts_free(ctx, k);
    }
}

ts_code ts_kernel_packets_open(ts_kernel_packets **out, ts_job *job)
{
    ts_kernel_packets *k = ts_zalloc(job->ctx, 1, sizeof *k);
    ts_code code;
    *out = NULL;
    TS_NEED(job->ctx, k);
    make_kinds(k->kinds);
    if ((code = ftrace_file_open(&k->file, job)) != TS_OK ||
        (code = ftrace_file_machine(&k->file, NULL)) != TS_OK) {
        ts_kernel_packets_close(k);
        return code;
    }
    *out = k;
    return TS_OK;
}

/* --- events, one by one ---------------------------------------------------------------------- */

static int64_t number_of(uint8_t width, uint64_t v)
{
    return width == FTRACE_WIDTH_INT32    ? (int32_t)(uint32_t)v
           : width == FTRACE_WIDTH_UINT32 ? (int64_t)(uint32_t)v
                                          : (int64_t)v;
}

static bool read_body(ftrace_event *e, const packet_kind *kind, const ts_wire_field *body)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, body->p, body->n);
    while (ts_wire_next(&f, &w)) {
        unsigned slot = f.number < BODY_FIELDS ? kind->slot[f.number] : NOT_A_FIELD;
        if (slot == NOT_A_FIELD) {
            continue;
        }
        if ((kind->texts >> f.number & 1) != 0 && f.type == TS_WIRE_BYTES) {
            e->text[slot] = (ts_text){(const char *)f.p, f.n};
            e->texts |= (uint8_t)(1U << slot);
        } else if ((kind->texts >> f.number & 1) == 0 && f.type == TS_WIRE_VARINT) {
            e->number[slot] = number_of(kind->width[f.number], f.value);
            e->numbers |= (uint8_t)(1U << slot);
        }
    }
    return w.fault == TS_WIRE_OK;
}

/* Numbers that are 0 may be left out of a message: all that are needed are there. */
static void fill_zeros(ftrace_event *e, const packet_kind *kind)
{
    for (unsigned i = 0; i < BODY_FIELDS; i++) {
        if (kind->slot[i] == NOT_A_FIELD) {
            continue;
        }
        *((kind->texts >> i & 1) != 0 ? &e->texts : &e->numbers) |= (uint8_t)(1U << kind->slot[i]);
        if ((kind->texts >> i & 1) != 0 && e->text[kind->slot[i]].p == NULL) {
            e->text[kind->slot[i]] = TS_TEXT_LIT("");
        }
    }
}

static void set_number(ftrace_event *e, unsigned slot, int64_t v)
{
    e->number[slot] = v;
    e->numbers |= (uint8_t)(1U << slot);
}

static void set_text(ftrace_event *e, unsigned slot, ts_text v)
{
    e->text[slot] = v;
    e->texts |= (uint8_t)(1U << slot);
}

/* A marker in parts: process, name, whether it begins. It becomes the text that others write. */
static ts_code read_mark(ftrace_event *e, ts_kernel_packets *k, const ts_wire_field *body)
{
    ts_ctx *ctx = k->file.job->ctx;
    ts_text name = TS_TEXT_LIT("");
    uint64_t v[4] = {0};
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, body->p, body->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 2 && f.type == TS_WIRE_BYTES) {
            name = (ts_text){(const char *)f.p, f.n};
        } else if (f.number < 4 && f.type == TS_WIRE_VARINT) {
            v[f.number] = f.value;
        }
    }
    k->text.n = 0;
    TS_TRY(ts_buf_printf(ctx, &k->text, "%c|%" PRId32 "%s", v[3] != 0 ? 'B' : 'E', (int32_t)v[1],
                         v[3] != 0 ? "|" : ""));
    TS_TRY(ts_buf_put(ctx, &k->text, name.p, v[3] != 0 ? name.n : 0));
    set_text(e, FTRACE_T_print_buf, ts_buf_text(&k->text));
    return TS_OK;
}

/* Arguments of a system call, as texts have them. */
static ts_code read_call(ftrace_event *e, ts_kernel_packets *k, const ts_wire_field *body)
{
    ts_ctx *ctx = k->file.job->ctx;
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    uint64_t v;
    k->text.n = 0;
    ts_wire_init(&w, body->p, body->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 2 && f.type == TS_WIRE_VARINT) {
            TS_TRY(ts_buf_printf(ctx, &k->text, "%s%" PRIx64, k->text.n > 0 ? ", " : "", f.value));
        } else if (f.number == 2 && f.type == TS_WIRE_BYTES) {
            ts_wire_init(&inner, f.p, f.n);
            while (ts_wire_packed(&v, &inner)) {
                TS_TRY(ts_buf_printf(ctx, &k->text, "%s%" PRIx64, k->text.n > 0 ? ", " : "", v));
            }
        }
    }
    if (k->text.n > 0) {
        set_text(e, FTRACE_T_sys_enter_args, ts_buf_text(&k->text));
    }
    return TS_OK;
}

/* --- events by names ------------------------------------------------------------------------- */

/* Whether a field of the kind has this name. */
static const ftrace_field_info *field_of(unsigned kind, ts_text name)
{
    const ftrace_kind_info *info = &ftrace_kinds[kind];
    for (unsigned i = 0; i < info->field_count; i++) {
        if (ts_text_is(name, info->fields[i].name)) {
            return &info->fields[i];
        }
    }
    return NULL;
}

/* {1 name, 3 text, 4 number, 5 number} */
static bool read_named(ftrace_event *e, const ts_wire_field *message)
{
    const ftrace_field_info *field;
    ts_text name = TS_TEXT_LIT("");
    ts_wire_field value = {0};
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            name = (ts_text){(const char *)f.p, f.n};
        } else if (f.number >= 3 && f.number <= 5) {
            value = f;
        }
    }
    field = field_of(e->kind, name);
    if (field != NULL && field->is_text && value.type == TS_WIRE_BYTES) {
        set_text(e, field->slot, (ts_text){(const char *)value.p, value.n});
    } else if (field != NULL && !field->is_text && value.type == TS_WIRE_VARINT) {
        set_number(e, field->slot, number_of(field->width, value.value));
    }
    return w.fault == TS_WIRE_OK;
}

/* Whether all fields are there that the event needs. Texts that it does not need may be missing. */
static bool has_fields(ftrace_event *e)
{
    const ftrace_kind_info *info = &ftrace_kinds[e->kind];
    for (unsigned i = 0; i < info->field_count; i++) {
        const ftrace_field_info *field = &info->fields[i];
        bool there =
            field->is_text ? ftrace_has_text(e, field->slot) : ftrace_has_number(e, field->slot);
        if (!there && (field->text & FTRACE_NEEDED) != 0) {
            return false;
        }
        if (!there && field->is_text) {
            set_text(e, field->slot, TS_TEXT_LIT(""));
        }
    }
    return true;
}

/* An event whose name and fields' names are in it: {1 event, 2 fields}. *known: it has rows. */
static bool read_generic(ftrace_event *e, bool *known, const ts_wire_field *body)
{
    ts_wire w;
    ts_wire_field f;
    bool good = true;
    unsigned kind = FTRACE_KINDS;
    ts_wire_init(&w, body->p, body->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            kind = ftrace_kind_of((ts_text){(const char *)f.p, f.n});
        }
    }
    *known = kind != FTRACE_KINDS;
    e->kind = (uint16_t)kind;
    ts_wire_init(&w, body->p, body->n);
    while (good && *known && ts_wire_next(&f, &w)) {
        if (f.number == 2 && f.type == TS_WIRE_BYTES) {
            good = read_named(e, &f);
        }
    }
    *known = *known && has_fields(e);
    return good && w.fault == TS_WIRE_OK;
}

/* A field of a description: {1 name, 3 number}. */
static bool describe_field(packet_kind *kind, const ts_wire_field *message)
{
    const ftrace_field_info *field;
    ts_text name = TS_TEXT_LIT("");
    uint64_t number = 0;
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            name = (ts_text){(const char *)f.p, f.n};
        } else if (f.number == 3 && f.type == TS_WIRE_VARINT) {
            number = f.value;
        }
    }
    field = kind->kind == 0 ? NULL : field_of(kind->kind - 1U, name);
    if (field != NULL && number < BODY_FIELDS) {
        add_field(kind, (unsigned)number, field->slot, field->is_text);
    }
    return w.fault == TS_WIRE_OK;
}

/* {1 number, 2 {1 name of the event, 2 fields}}; it holds for the whole trace. */
static ts_code describe(ts_kernel_packets *k, const ts_wire_field *message, bool *good)
{
    ts_ctx *ctx = k->file.job->ctx;
    described_kind d = {0};
    ts_wire_field body = {0};
    uint64_t place;
    unsigned kind = FTRACE_KINDS;
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        d.number = f.number == 1 && f.type == TS_WIRE_VARINT ? (uint32_t)f.value : d.number;
        body = f.number == 2 && f.type == TS_WIRE_BYTES ? f : body;
    }
    *good = *good && w.fault == TS_WIRE_OK;
    ts_wire_init(&w, body.p, body.n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            kind = ftrace_kind_of((ts_text){(const char *)f.p, f.n});
        }
    }
    if (kind != FTRACE_KINDS) {
        add_event(&d.kind, (ftrace_kind)kind);
    }
    ts_wire_init(&w, body.p, body.n);
    while (*good && ts_wire_next(&f, &w)) {
        if (f.number == 2 && f.type == TS_WIRE_BYTES) {
            *good = describe_field(&d.kind, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (!*good || d.number < EVENT_DESCRIBED || kind == FTRACE_KINDS) {
        return TS_OK;
    }
    if (ts_idmap_find(&place, &k->described_of, d.number)) {
        ((described_kind *)k->described.p)[place] = d;
        return TS_OK;
    }
    TS_TRY(ts_idmap_put(ctx, &k->described_of, d.number, k->described.n));
    return ts_vec_push(ctx, &k->described, &d, sizeof d);
}

static const packet_kind *kind_of(const ts_kernel_packets *k, uint32_t number)
{
    uint64_t place;
    if (number < EVENT_MAX) {
        return &k->kinds[number];
    }
    return number >= EVENT_DESCRIBED && ts_idmap_find(&place, &k->described_of, number)
               ? &((const described_kind *)k->described.p)[place].kind
               : NULL;
}

/* --- all forms ------------------------------------------------------------------------------- */

/* What the event says; *known: it has rows. */
static ts_code read_event(ftrace_event *e, ts_kernel_packets *k, const ts_wire_field *body,
                          bool *known, bool *good)
{
    const packet_kind *kind = kind_of(k, body->number);
    *known = true;
    if (body->number == EVENT_GENERIC) {
        *good = read_generic(e, known, body);
        return TS_OK;
    }
    if (kind == NULL || kind->kind == 0) {
        *known = false;
        return TS_OK;
    }
    e->kind = (uint16_t)(kind->kind - 1);
    *good = read_body(e, kind, body);
    fill_zeros(e, kind);
    *known = body->number < EVENT_DESCRIBED || has_fields(e);
    return !*good                       ? TS_OK
           : body->number == EVENT_MARK ? read_mark(e, k, body)
           : body->number == EVENT_CALL ? read_call(e, k, body)
                                        : TS_OK;
}

static ts_code take_event(ts_kernel_packets *k, const ts_wire_field *message, uint32_t cpu,
                          bool *good)
{
    bool known;
    bool well = true;
    ftrace_event e;
    ts_wire_field body = {0};
    ts_wire w;
    ts_wire_field f;
    ftrace_event_clear(&e);
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == EVENT_TIME && f.type == TS_WIRE_VARINT) {
            e.ts = f.value > INT64_MAX ? 0 : (int64_t)f.value;
        } else if (f.number == EVENT_PID && f.type == TS_WIRE_VARINT) {
            e.pid = (int32_t)(uint32_t)f.value;
        } else if (f.type == TS_WIRE_BYTES) {
            body = f;
        }
    }
    if (w.fault != TS_WIRE_OK || e.ts <= 0) {
        k->bad++;
        *good = false;
        return TS_OK;
    }
    e.cpu = cpu;
    e.reader = FTRACE_FROM_RAW;
    TS_TRY(read_event(&e, k, &body, &known, &well));
    if (!well || !known) {
        *(well ? &k->others : &k->bad) += 1;
        *good = *good && well;
        return TS_OK;
    }
    k->events++;
    return ftrace_file_take(&k->file, &e);
}

/* --- lists of scheduling --------------------------------------------------------------------- */

static ts_code cpu_state(packet_cpu **out, ts_kernel_packets *k, uint32_t cpu)
{
    ts_ctx *ctx = k->file.job->ctx;
    uint64_t found;
    if (!ts_idmap_find(&found, &k->cpu_of, cpu)) {
        found = k->cpus.n;
        TS_NEED(ctx, ts_vec_add(ctx, &k->cpus, sizeof(packet_cpu)));
        TS_TRY(ts_idmap_put(ctx, &k->cpu_of, cpu, found));
    }
    *out = (packet_cpu *)k->cpus.p + found;
    return TS_OK;
}

static ts_code read_lists(ts_kernel_packets *k, const ts_wire_field *message, bool *good)
{
    ts_ctx *ctx = k->file.job->ctx;
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    uint64_t v;
    k->names.n = 0;
    for (unsigned i = 0; i < COMPACT_LISTS; i++) {
        ts_intvec_truncate(ctx, &k->lists[i], 0);
    }
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == COMPACT_NAMES && f.type == TS_WIRE_BYTES) {
            ts_text name = {(const char *)f.p, f.n};
            TS_TRY(ts_vec_push(ctx, &k->names, &name, sizeof name));
        } else if (f.number < COMPACT_LISTS && f.type == TS_WIRE_VARINT) {
            TS_TRY(ts_intvec_push(ctx, &k->lists[f.number], (int64_t)f.value));
        } else if (f.number < COMPACT_LISTS && f.type == TS_WIRE_BYTES) {
            ts_wire_init(&inner, f.p, f.n);
            while (ts_wire_packed(&v, &inner)) {
                TS_TRY(ts_intvec_push(ctx, &k->lists[f.number], (int64_t)v));
            }
            *good = *good && inner.fault == TS_WIRE_OK;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return TS_OK;
}

/* The shortest of so many lists; *good becomes false when they differ. */
static uint64_t length_of(const ts_kernel_packets *k, const uint8_t *lists, size_t n, bool *good)
{
    uint64_t least = k->lists[lists[0]].n;
    for (size_t i = 1; i < n; i++) {
        *good = *good && k->lists[lists[i]].n == k->lists[lists[0]].n;
        least = k->lists[lists[i]].n < least ? k->lists[lists[i]].n : least;
    }
    return least;
}

/* The first switch of a CPU says only who runs from there on. */
static ts_code take_switch(ts_kernel_packets *k, packet_cpu *c, uint32_t cpu, uint64_t i,
                           int64_t ts)
{
    int64_t name = ts_intvec_get(&k->lists[SWITCH_NAME], i);
    int64_t pid = (int32_t)ts_intvec_get(&k->lists[SWITCH_PID], i);
    int64_t prio = (int32_t)ts_intvec_get(&k->lists[SWITCH_PRIO], i);
    ts_text comm = name >= 0 && (uint64_t)name < k->names.n ? ((const ts_text *)k->names.p)[name]
                                                            : TS_TEXT_LIT("");
    ftrace_event e;
    ts_code code;
    ftrace_event_clear(&e);
    e.ts = ts;
    e.kind = FTRACE_sched_switch;
    e.cpu = cpu;
    e.reader = FTRACE_FROM_RAW;
    e.pid = c->known ? (int32_t)c->pid : 0;
    set_text(&e, FTRACE_T_sched_switch_prev_comm, (ts_text){c->comm, c->known ? c->comm_n : 0U});
    set_number(&e, FTRACE_N_sched_switch_prev_pid, e.pid);
    set_number(&e, FTRACE_N_sched_switch_prev_prio, c->known ? c->prio : 0);
    set_number(&e, FTRACE_N_sched_switch_prev_state, ts_intvec_get(&k->lists[SWITCH_STATE], i));
    set_text(&e, FTRACE_T_sched_switch_next_comm, comm);
    set_number(&e, FTRACE_N_sched_switch_next_pid, pid);
    set_number(&e, FTRACE_N_sched_switch_next_prio, prio);
    code = ftrace_file_take(&k->file, &e);
    k->events++;
    comm.n = comm.n < COMM_MAX ? comm.n : COMM_MAX - 1;
    memcpy(c->comm, comm.p, comm.n);
    c->comm_n = (uint8_t)comm.n;
    c->pid = pid;
    c->prio = prio;
    c->known = true;
    return code;
}

static ts_code take_waking(ts_kernel_packets *k, const packet_cpu *c, uint32_t cpu, uint64_t i,
                           int64_t ts)
{
    ftrace_event e;
    ftrace_event_clear(&e);
    e.ts = ts;
    e.kind = FTRACE_sched_waking;
    e.cpu = cpu;
    e.reader = FTRACE_FROM_RAW;
    e.pid = c->known ? (int32_t)c->pid : 0;
    set_number(&e, FTRACE_N_sched_waking_pid, (int32_t)ts_intvec_get(&k->lists[WAKING_PID], i));
    set_number(&e, FTRACE_N_sched_waking_target_cpu,
               (int32_t)ts_intvec_get(&k->lists[WAKING_CPU], i));
    k->events++;
    return ftrace_file_take(&k->file, &e);
}

/* Both lists by time: who wakes is who runs. */
static ts_code take_lists(ts_kernel_packets *k, const ts_wire_field *message, uint32_t cpu,
                          bool *good)
{
    static const uint8_t switches[] = {SWITCH_TIME, SWITCH_STATE, SWITCH_PID, SWITCH_PRIO,
                                       SWITCH_NAME};
    static const uint8_t wakings[] = {WAKING_TIME, WAKING_PID, WAKING_CPU};
    packet_cpu *c = NULL;
    uint64_t i = 0;
    uint64_t j = 0;
    uint64_t n;
    uint64_t m;
    int64_t at = 0;
    int64_t waking = 0;
    ts_code code;
    TS_TRY_INTO(code, cpu_state(&c, k, cpu));
    TS_TRY_INTO(code, read_lists(k, message, good));
    n = length_of(k, switches, sizeof switches, good);
    m = length_of(k, wakings, sizeof wakings, good);
    at = n > 0 ? ts_intvec_get(&k->lists[SWITCH_TIME], 0) : 0;
    waking = m > 0 ? ts_intvec_get(&k->lists[WAKING_TIME], 0) : 0;
    while (code == TS_OK && (i < n || j < m)) {
        if (j < m && (i == n || waking <= at)) {
            code = take_waking(k, c, cpu, j, waking);
            waking = ++j < m ? ts_sat_add(waking, ts_intvec_get(&k->lists[WAKING_TIME], j)) : 0;
        } else {
            code = take_switch(k, c, cpu, i, at);
            at = ++i < n ? ts_sat_add(at, ts_intvec_get(&k->lists[SWITCH_TIME], i)) : 0;
        }
    }
    return code;
}

/* --- bundles --------------------------------------------------------------------------------- */

static ts_code lose_before(ts_kernel_packets *k, uint32_t cpu)
{
    const ftrace_event loss = ftrace_loss(FTRACE_LOST_BEFORE, cpu, 0);
    packet_cpu *c = NULL;
    TS_TRY(cpu_state(&c, k, cpu));
    c->known = false;
    k->lost++;
    return ftrace_file_take(&k->file, &loss);
}

ts_code ts_kernel_packets_bundle(ts_kernel_packets *k, const ts_wire_field *message, bool *good)
{
    uint32_t cpu = 0;
    bool lost = false;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == BUNDLE_DESCRIPTORS && f.type == TS_WIRE_BYTES) {
            code = describe(k, &f, good);
        } else if (f.type == TS_WIRE_VARINT) {
            cpu = f.number == BUNDLE_CPU ? (uint32_t)f.value : cpu;
            lost = f.number == BUNDLE_LOST ? f.value != 0 : lost;
            k->other_clocks += f.number == BUNDLE_CLOCK && f.value != 0;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    TS_STEP_IF(code, lost, lose_before(k, cpu));
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES && f.number == BUNDLE_EVENT) {
            code = take_event(k, &f, cpu, good);
        } else if (f.type == TS_WIRE_BYTES && f.number == BUNDLE_COMPACT) {
            code = take_lists(k, &f, cpu, good);
        }
    }
    return code;
}

void ts_kernel_packets_lost(ts_kernel_packets *k)
{
    ftrace_feed_part_lost(&k->file.feed);
    for (size_t i = 0; i < k->cpus.n; i++) {
        ((packet_cpu *)k->cpus.p)[i].known = false;
    }
}

ts_code ts_kernel_packets_finish(ts_kernel_packets *k)
{
    const ftrace_file *f = &k->file;
    TS_TRY(ftrace_file_count(f, TS_ITEM_ftrace_records, NULL, k->events, k->bad, k->others));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_raw_bad_record, k->bad,
                            "events of packets are damaged"));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_other_events, k->others,
                            "events of kinds that have no rows"));
    TS_TRY(ftrace_file_note(f, TS_ISSUE_ftrace_clock_unknown, k->other_clocks,
                            "bundles of events have times of another clock"));
    if (k->lost > 0) {
        TS_TRY(ftrace_file_dropped(f, k->lost, 0));
    }
    return ftrace_file_finish(&k->file);
}
