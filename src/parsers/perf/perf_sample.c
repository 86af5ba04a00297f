/* The layout of samples, which the attribute of their event says. */
#include "parsers/perf/perf_data.h"

/* What is left of a record. */
typedef struct reader {
    const uint8_t *p;
    size_t n;
    bool good;
} reader;

static uint64_t take_u64(reader *in)
{
    uint64_t v = 0;
    if (in->n < 8) {
        in->good = false;
        return 0;
    }
    v = perfd_u64(in->p);
    in->p += 8;
    in->n -= 8;
    return v;
}

/* count items of `size` bytes, rounded up to words in all. */
static const uint8_t *take_items(reader *in, uint64_t count, uint64_t size)
{
    const uint8_t *p = in->p;
    if (count > in->n / size) {
        in->good = false;
        return p;
    }
    in->p += count * size;
    in->n -= (size_t)(count * size);
    return p;
}

static unsigned bits_of(uint64_t v)
{
    return (unsigned)__builtin_popcountll(v);
}

enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

static void take_values(perfd_sample *s, reader *in)
{
    uint64_t f = s->attr->read_format;
    unsigned times = bits_of(f & (READ_ENABLED | READ_RUNNING));
    unsigned words = 1 + bits_of(f & (READ_ID | READ_LOST));
    if ((f & READ_GROUP) == 0) {
        (void)take_items(in, words + times, 8);
        return;
    }
    s->group_n = take_u64(in);
    (void)take_items(in, times, 8);
    s->group = take_items(in, s->group_n, 8 * (uint64_t)words);
}

#define MARK_USER (UINT64_MAX - 511)

enum { BRANCH_CALL_STACK = 1 << 11, BRANCH_HW_INDEX = 1 << 17 };

/* A branch stack: the last branches, or, where the hardware keeps calls until they return, those
 * that are open. */
static void take_branches(perfd_sample *s, reader *in)
{
    s->branch_n = take_u64(in);
    if ((s->attr->branch_type & BRANCH_HW_INDEX) != 0) {
        (void)take_u64(in);
    }
    s->calls = take_items(in, s->branch_n, PERFD_BRANCH_ENTRY);
    if (!in->good) {
        return;
    }
    /* They take the place of the part of the process, where the stack has one. */
    for (uint64_t i = 0;
         (s->attr->branch_type & BRANCH_CALL_STACK) != 0 && i < s->ip_n && s->call_n == 0; i++) {
        s->call_n = perfd_u64(s->ips + 8 * i) == MARK_USER ? s->branch_n : 0;
    }
}

/* The number of the register that holds the address of the instruction. */
static unsigned ip_register(const perfd *r)
{
    const char *arch = r->arch == NULL ? "" : r->arch;
    if (strcmp(arch, "aarch64") == 0 || strcmp(arch, "arm64") == 0) {
        return 32;
    }
    if (strncmp(arch, "arm", 3) == 0) {
        return 15;
    }
    return strcmp(arch, "x86_64") == 0 || (arch[0] == 'i' && strstr(arch, "86") != NULL) ? 8 : 64;
}

static void take_registers(perfd_sample *s, const perfd *r, reader *in)
{
    uint64_t mask = s->attr->regs_user;
    unsigned ip = ip_register(r);
    const uint8_t *p;
    if (take_u64(in) == 0) {
        return;
    }
    p = take_items(in, bits_of(mask), 8);
    if (in->good && ip < 64 && (mask >> ip & 1) != 0) {
        s->user_ip = perfd_u64(p + 8 * (size_t)bits_of(mask & ((UINT64_C(1) << ip) - 1)));
    }
}

static void take_stack(reader *in)
{
    uint64_t n = take_u64(in);
    if (n != 0) {
        (void)take_items(in, n, 1);
        (void)take_u64(in);
    }
}

/* What has always the same place: up to the period. */
static void take_fixed(perfd_sample *s, reader *in, uint64_t identifier)
{
    uint64_t type = s->attr->sample_type;
    s->id = identifier;
    if ((type & PERFD_IP) != 0) {
        s->ip = take_u64(in);
        s->has_ip = true;
    }
    if ((type & PERFD_TID) != 0) {
        uint64_t both = take_u64(in);
        s->pid = (int32_t)(uint32_t)both;
        s->tid = (int32_t)(uint32_t)(both >> 32);
        s->has_tid = true;
    }
    if ((type & PERFD_TIME) != 0) {
        s->time = take_u64(in);
        s->has_time = true;
    }
    if ((type & PERFD_ADDR) != 0) {
        (void)take_u64(in);
    }
    if ((type & PERFD_ID) != 0) {
        s->id = take_u64(in);
    }
    if ((type & PERFD_STREAM_ID) != 0) {
        (void)take_u64(in);
    }
    if ((type & PERFD_CPU) != 0) {
        s->cpu = (uint32_t)take_u64(in);
        s->has_cpu = true;
    }
    s->period = s->attr->period != 0 ? s->attr->period : 1;
    if ((type & PERFD_PERIOD) != 0) {
        s->period = take_u64(in);
    }
}

static void take_rest(perfd_sample *s, perfd *r, reader *in)
{
    uint64_t type = s->attr->sample_type;
    if ((type & PERFD_READ) != 0) {
        take_values(s, in);
    }
    if ((type & PERFD_CALLCHAIN) != 0) {
        s->ip_n = take_u64(in);
        s->ips = take_items(in, s->ip_n, 8);
    }
    if ((type & PERFD_RAW) != 0 && in->good) {
        uint32_t n = in->n < 4 ? UINT32_MAX : perfd_u32(in->p);
        (void)take_items(in, 4 + (uint64_t)n, 1);
    }
    if ((type & PERFD_BRANCH) != 0) {
        take_branches(s, in);
    }
    if ((type & PERFD_REGS_USER) != 0) {
        take_registers(s, r, in);
    }
    if ((type & PERFD_SERVER_PID) != 0) {
        s->server_n = take_u64(in);
        s->servers = take_items(in, s->server_n, 8);
    }
    if ((type & PERFD_STACK_USER) != 0) {
        take_stack(in);
    }
    if ((type & PERFD_CALLCHAIN) != 0 && s->ip_n == 0 && r->stacks.n > 0 && in->n == 8) {
        s->stack_id = take_u64(in);
        s->has_stack_id = true;
    }
}

/* The id of a sample when its layout is not known yet: all events have it at the same place. */
static bool find_id(uint64_t *id, const perfd_attr *a, const uint8_t *p, size_t n)
{
    uint64_t type = a->sample_type;
    size_t at = 8 * (size_t)bits_of(type & (PERFD_IP | PERFD_TID | PERFD_TIME | PERFD_ADDR));
    at = (type & PERFD_IDENTIFIER) != 0 ? 0 : at;
    if ((type & (PERFD_IDENTIFIER | PERFD_ID)) == 0 || n < at + 8) {
        return false;
    }
    *id = perfd_u64(p + at);
    return true;
}

static const perfd_attr *attr_at(const perfd *r, uint64_t id, bool has_id)
{
    uint64_t number = 0;
    if (!has_id || !ts_idmap_find(&number, &r->attr_of, (int64_t)id) || number >= r->attrs.n) {
        number = 0;
    }
    return (const perfd_attr *)r->attrs.p + number;
}

/* By its description, by its attribute, else the first. */
static void find_event(perfd_sample *s, perfd *r, bool has_id)
{
    uint64_t number = 0;
    bool known = has_id && (ts_idmap_find(&number, &r->event_of, (int64_t)s->id) ||
                            ts_idmap_find(&number, &r->attr_of, (int64_t)s->id));
    if (!known || number >= r->events.n) {
        r->unknown_events += has_id ? 1 : 0;
        number = 0;
    }
    s->event = (uint32_t)number;
}

bool perfd_read_sample(perfd_sample *out, perfd *r, const uint8_t *p, size_t n)
{
    reader in = {p, n, true};
    uint64_t id = 0;
    bool has_id;
    *out = (perfd_sample){.pid = -1, .tid = -1};
    if (r->attrs.n == 0) {
        return false;
    }
    has_id = find_id(&id, r->attrs.p, p, n);
    out->attr = attr_at(r, id, has_id);
    if ((out->attr->sample_type & PERFD_IDENTIFIER) != 0) {
        id = take_u64(&in);
    }
    take_fixed(out, &in, id);
    if (in.good) {
        take_rest(out, r, &in);
    }
    if (in.good) {
        find_event(out, r, has_id);
    }
    return in.good;
}

/* --- the ends of other records -----------------------------------------------------------------
 */

uint64_t perfd_record_time(const perfd *r, uint32_t type, const uint8_t *p, size_t n)
{
    const perfd_attr *a = r->attrs.p;
    uint64_t id = 0;
    bool has_id = false;
    size_t after;
    if (r->attrs.n == 0) {
        return 0;
    }
    if (type == 9) {
        has_id = find_id(&id, a, p, n);
        a = attr_at(r, id, has_id);
        after = 8 * (size_t)bits_of(a->sample_type & (PERFD_IDENTIFIER | PERFD_IP | PERFD_TID));
        return (a->sample_type & PERFD_TIME) == 0 || n < after + 8 ? 0 : perfd_u64(p + after);
    }
    if ((a->sample_type & PERFD_IDENTIFIER) != 0 && n >= 8) {
        a = attr_at(r, perfd_u64(p + n - 8), true);
    }
    /* TIME, ID, STREAM_ID, CPU, IDENTIFIER end the record. */
    after = 8 * (size_t)bits_of(a->sample_type & (PERFD_TIME | PERFD_ID | PERFD_STREAM_ID |
                                                  PERFD_CPU | PERFD_IDENTIFIER));
    return !perfd_flag(a, PERFD_FLAG_ID_ALL) || (a->sample_type & PERFD_TIME) == 0 || n < after
               ? 0
               : perfd_u64(p + n - after);
}
