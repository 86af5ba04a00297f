/* Pages of the kernel's ring buffers (Linux: include/linux/ring_buffer.h) to events
 * (docs/formats.md, "Raw traces of the kernel"). */
#include "parsers/ftrace/raw/ftrace_raw.h"

/* Kinds of entries: the low 5 bits of their first word. */
enum {
    ENTRY_LONG = 0, /* the next word is the length, itself included */
    ENTRY_MAX = 28, /* up to here: the length in words */
    ENTRY_PADDING = 29,
    ENTRY_TIME_EXTEND = 30,
    ENTRY_TIME_STAMP = 31,
    DELTA_BITS = 27,
    STAMP_BITS = 59 /* of a whole time that a time stamp holds */
};

#define COMMIT_LENGTH UINT32_C(0xFFFFF)
#define COMMIT_STORED UINT32_C(0x40000000) /* the number of dropped events is after the data */
#define COMMIT_MISSED UINT32_C(0x80000000)

static inline uint16_t raw_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint64_t raw_u64(const uint8_t *p)
{
    return ftrace_raw_u32(p) | (uint64_t)ftrace_raw_u32(p + 4) << 32;
}

typedef struct page_reader {
    const ftrace_raw_texts *texts;
    ftrace_raw_counts *counts;
    ftrace_queue_take *take;
    void *user;
    uint32_t cpu;
    uint64_t time;
    ftrace_event event;
} page_reader;

/* --- records ---------------------------------------------------------------------------------- */

static int64_t read_int(const uint8_t *p, uint32_t size, bool is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? (int8_t)p[0] : p[0];
    case 2:
        return is_signed ? (int16_t)raw_u16(p) : raw_u16(p);
    case 4:
        return is_signed ? (int64_t)(int32_t)ftrace_raw_u32(p) : (int64_t)ftrace_raw_u32(p);
    default:
        return (int64_t)raw_u64(p);
    }
}

/* Up to the first NUL. */
static ts_text chars(const uint8_t *p, size_t n)
{
    const char *text = (const char *)p;
    return (ts_text){text, strnlen(text, n)};
}

/* The text of a field; false: the record does not have it. */
static bool read_text(ts_text *out, const ftrace_raw_texts *t, const ftrace_raw_field *f,
                      const uint8_t *p, size_t n)
{
    uint32_t where;
    size_t begin;
    size_t length;
    if (f->form == FTRACE_RAW_CHARS) {
        *out = chars(p + f->offset, f->size == 0 ? n - f->offset : f->size);
        return true;
    }
    if (f->form == FTRACE_RAW_POINTER) {
        *out = ftrace_raw_text_at(t, (uint64_t)read_int(p + f->offset, f->size, false));
        return true;
    }
    where = ftrace_raw_u32(p + f->offset);
    begin = (where & 0xFFFF) + (f->form == FTRACE_RAW_REL_LOC ? f->offset + f->size : 0);
    length = where >> 16;
    if (begin > n || length > n - begin) {
        return false;
    }
    *out = chars(p + begin, length);
    return true;
}

/* The fields of a record p[0..n); false: it is shorter than its format says. */
static bool read_fields(ftrace_event *e, const ftrace_raw_texts *t, const ftrace_raw_plan *plan,
                        const uint8_t *p, size_t n)
{
    e->numbers = 0;
    e->texts = 0;
    memset(e->number, 0, sizeof e->number);
    memset(e->text, 0, sizeof e->text);
    for (uint32_t i = 0; i < plan->count; i++) {
        const ftrace_raw_field *f = &plan->field[i];
        if (f->offset > n || f->size > n - f->offset) {
            return false;
        }
        if (f->form <= FTRACE_RAW_UNSIGNED) {
            e->number[f->slot] = read_int(p + f->offset, f->size, f->form == FTRACE_RAW_SIGNED);
            e->numbers |= (uint8_t)(1U << f->slot);
        } else if (!read_text(&e->text[f->slot], t, f, p, n)) {
            return false;
        } else if (e->text[f->slot].p != NULL) {
            e->texts |= (uint8_t)(1U << f->slot);
        }
    }
    return true;
}

/* Markers end with a line end. */
static void cut_line_end(ftrace_event *e)
{
    if ((e->kind == FTRACE_print || e->kind == FTRACE_tracing_mark_write) && e->text[0].n > 0 &&
        e->text[0].p[e->text[0].n - 1] == '\n') {
        e->text[0].n--;
    }
}

/* A record that cannot be read: it was there at this time. */
static ts_code lose_record(page_reader *r)
{
    const ftrace_event loss = r->time > INT64_MAX
                                  ? ftrace_loss(FTRACE_LOST_BEFORE, r->cpu, 0)
                                  : ftrace_loss(FTRACE_LOST_HERE, r->cpu, (int64_t)r->time);
    return r->take(r->user, &loss);
}

static ts_code one_record(page_reader *r, const uint8_t *p, size_t n)
{
    ftrace_event *e = &r->event;
    const ftrace_raw_plan *plan = n < 2 ? NULL : ftrace_raw_plan_of(r->texts, raw_u16(p));
    if (plan == NULL) {
        r->counts->no_format++;
        return lose_record(r);
    }
    if (plan->kind == FTRACE_KINDS) {
        r->counts->not_supported++;
        return TS_OK;
    }
    e->kind = plan->kind;
    if (r->time > INT64_MAX || !plan->has_pid || plan->pid_offset > n || n - plan->pid_offset < 4 ||
        !read_fields(e, r->texts, plan, p, n)) {
        r->counts->bad_events++;
        return lose_record(r);
    }
    cut_line_end(e);
    e->ts = (int64_t)r->time;
    e->pid = (int32_t)ftrace_raw_u32(p + plan->pid_offset);
    e->tgid = ftrace_raw_tgid_of(r->texts, e->pid);
    e->comm = ftrace_raw_comm(r->texts, e->pid);
    e->cpu = r->cpu;
    e->reader = FTRACE_FROM_RAW;
    r->counts->events++;
    return r->take(r->user, e);
}

/* --- entries ---------------------------------------------------------------------------------- */

/* The whole time of a time stamp, which lacks the highest bits. */
static uint64_t whole_time(uint64_t stamp, uint64_t before)
{
    const uint64_t high = ~(uint64_t)0 << STAMP_BITS;
    uint64_t time = stamp | (before & high);
    return (before & high) != 0 && time < before ? time + (UINT64_C(1) << STAMP_BITS) : time;
}

/* Bytes of the entry at p, of which n are left; 0: it makes no sense. */
static size_t entry_bytes(unsigned type, const uint8_t *p, size_t n)
{
    size_t bytes = type == ENTRY_LONG || type == ENTRY_PADDING ? (n < 8 ? 0 : ftrace_raw_u32(p + 4))
                   : type <= ENTRY_MAX                         ? 4 * (size_t)type
                                                               : 4;
    return bytes < 4 || bytes > n - 4 ? 0 : bytes + 4;
}

static ts_code read_entries(const char **bad, page_reader *r, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        uint32_t word;
        unsigned type;
        uint64_t delta;
        size_t bytes;
        if (n < 4) {
            *bad = "it ends in an entry";
            return TS_OK;
        }
        word = ftrace_raw_u32(p);
        type = word & 31;
        delta = word >> 5;
        if (type == ENTRY_PADDING && delta == 0) {
            return TS_OK; /* nothing follows */
        }
        bytes = entry_bytes(type, p, n);
        if (bytes == 0) {
            *bad = "an entry does not fit into it";
            return TS_OK;
        }
        if (type == ENTRY_TIME_EXTEND || type == ENTRY_TIME_STAMP) {
            delta |= (uint64_t)ftrace_raw_u32(p + 4) << DELTA_BITS;
            r->time = type == ENTRY_TIME_STAMP ? whole_time(delta, r->time) : r->time + delta;
        } else if (type != ENTRY_PADDING) {
            size_t head = type == ENTRY_LONG ? 8 : 4;
            r->time += delta;
            code = one_record(r, p + head, bytes - head);
        }
        p += bytes;
        n -= bytes;
    }
    return code;
}

ftrace_raw_emptiness ftrace_raw_page_empty(const ftrace_raw_layout *l, const uint8_t *p, size_t n)
{
    if (l->commit_offset + 4 > n || l->data_offset >= n ||
        ftrace_raw_u32(p + l->commit_offset) != 0) {
        return FTRACE_RAW_FILLED;
    }
    p += l->data_offset;
    n -= l->data_offset;
    return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0 ? FTRACE_RAW_EMPTY : FTRACE_RAW_DENIED;
}

ts_code ftrace_raw_page(const char **bad, ftrace_raw_counts *counts, const ftrace_raw_texts *t,
                        uint32_t cpu, const uint8_t *p, size_t n, ftrace_queue_take *take,
                        void *user)
{
    const ftrace_raw_layout *l = &t->layout;
    page_reader r = {.texts = t, .counts = counts, .take = take, .user = user, .cpu = cpu};
    uint32_t commit;
    uint32_t length;
    *bad = NULL;
    counts->pages++;
    if (n < 8 || l->commit_offset + 4 > n || l->data_offset > n) {
        *bad = "it is too short";
        return TS_OK;
    }
    commit = ftrace_raw_u32(p + l->commit_offset);
    length = commit & COMMIT_LENGTH;
    if (length > n - l->data_offset) {
        *bad = "its length is larger than a page";
        return TS_OK;
    }
    if ((commit & COMMIT_MISSED) != 0) {
        const ftrace_event loss = ftrace_loss(FTRACE_LOST_BEFORE, cpu, 0);
        counts->missed_pages++;
        TS_TRY(take(user, &loss));
        if ((commit & COMMIT_STORED) != 0 && n - l->data_offset - length >= 8) {
            counts->missed_events += raw_u64(p + l->data_offset + length);
        }
    }
    r.time = raw_u64(p);
    return read_entries(bad, &r, p + l->data_offset, length);
}
