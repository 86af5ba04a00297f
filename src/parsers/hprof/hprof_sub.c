/* Bytes of a dump, and its sub-records. */
#include "parsers/hprof/hprof.h"

#include <inttypes.h>

ts_code hprof_near(const uint8_t **p, size_t *n, hprof_in *in, uint64_t pos, size_t need)
{
    uint64_t size = in->window->size;
    uint64_t left = pos < size ? size - pos : 0;
    need = left < need ? (size_t)left : need;
    if (pos < in->at || pos - in->at > in->have || in->have - (size_t)(pos - in->at) < need) {
        in->have = 0;
        in->at = pos;
        TS_TRY(ts_window_read(&in->have, in->window, pos, in->near,
                              left < HPROF_NEAR ? (size_t)left : HPROF_NEAR));
    }
    *p = in->near + (size_t)(pos - in->at);
    *n = in->have - (size_t)(pos - in->at);
    return TS_OK;
}

unsigned hprof_type_size(unsigned type, unsigned id_size)
{
    static const uint8_t sizes[HPROF_TYPES] = {
        [HPROF_BOOLEAN] = 1, [HPROF_CHAR] = 2,  [HPROF_FLOAT] = 4, [HPROF_DOUBLE] = 8,
        [HPROF_BYTE] = 1,    [HPROF_SHORT] = 2, [HPROF_INT] = 4,   [HPROF_LONG] = 8};
    return type == HPROF_OBJECT ? id_size : type < HPROF_TYPES ? sizes[type] : 0;
}

uint64_t hprof_value(const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++) {
        v = v << 8 | p[i];
    }
    return v;
}

/* --- classes -------------------------------------------------------------------------------- */

typedef struct parts {
    hprof_in *in;
    unsigned id_size;
    uint64_t at, end;
    bool good;
    hprof_part_fn *each;
    void *user;
} parts;

/* `need` bytes at the place, which moves beyond them. */
static ts_code take(const uint8_t **p, parts *c, size_t need)
{
    size_t n = 0;
    *p = NULL;
    c->good = c->good && c->end - c->at >= need;
    if (!c->good) {
        return TS_OK;
    }
    TS_TRY(hprof_get(p, &n, c->in, c->at, need));
    c->good = n >= need;
    c->at += need;
    return TS_OK;
}

static ts_code part(parts *c, hprof_part what)
{
    const uint8_t *p;
    unsigned id_size = c->id_size;
    size_t name = what == HPROF_CONSTANT ? 2 : id_size;
    uint64_t id, value = 0;
    unsigned type, size;
    TS_TRY(take(&p, c, name + 1));
    if (!c->good) {
        return TS_OK;
    }
    id = what == HPROF_CONSTANT ? hprof_u16(p) : hprof_id(p, id_size);
    type = p[name];
    size = hprof_type_size(type, id_size);
    c->good = size > 0;
    if (what != HPROF_FIELD) {
        TS_TRY(take(&p, c, size));
        value = c->good ? hprof_value(p, size) : 0;
    }
    return c->good && c->each != NULL ? c->each(c->user, what, id, type, value) : TS_OK;
}

ts_code hprof_parts(uint64_t *next, bool *good, hprof_in *in, unsigned id_size, uint64_t at,
                    uint64_t end, hprof_part_fn *each, void *user)
{
    parts c = {in, id_size, at, end, at <= end, each, user};
    for (unsigned what = HPROF_CONSTANT; what <= HPROF_FIELD && c.good; what++) {
        const uint8_t *p;
        unsigned n;
        TS_TRY(take(&p, &c, 2));
        n = c.good ? hprof_u16(p) : 0;
        for (unsigned i = 0; i < n && c.good; i++) {
            TS_TRY(part(&c, (hprof_part)what));
        }
    }
    *good = c.good;
    *next = c.at;
    return TS_OK;
}

enum { ROOT_JNI_GLOBAL = 0x01 };

/* --- sub-records ---------------------------------------------------------------------------- */

/* Of a sub-record after its tag, without a body of variable size: ids, and other bytes. */
#define HEAD(ids, bytes) ((ids) << 4 | (bytes))

static const uint8_t heads[UINT8_MAX + 1] = {
    [0x01] = HEAD(2, 0), /* JNI global */
    [0x02] = HEAD(1, 8),
    [0x03] = HEAD(1, 8),
    [0x04] = HEAD(1, 4),
    [0x05] = HEAD(1, 0),
    [0x06] = HEAD(1, 4),
    [0x07] = HEAD(1, 0),
    [0x08] = HEAD(1, 8),
    [0x89] = HEAD(1, 0),
    [0x8a] = HEAD(1, 0),
    [0x8b] = HEAD(1, 0),
    [0x8c] = HEAD(1, 0),
    [0x8d] = HEAD(1, 0),
    [0x8e] = HEAD(1, 8),
    [0x90] = HEAD(1, 0),
    [0xff] = HEAD(1, 0),
    [HPROF_CLASS] = HEAD(7, 8),
    [HPROF_INSTANCE] = HEAD(2, 8),
    [HPROF_OBJECTS] = HEAD(2, 8),
    [HPROF_PRIMITIVES] = HEAD(1, 9),
    [HPROF_NO_DATA] = HEAD(1, 9),
    [HPROF_HEAP] = HEAD(1, 4),
};

/* 0: no tag. */
static unsigned head_size(unsigned tag, unsigned id)
{
    return (heads[tag] >> 4) * id + (heads[tag] & 0xf);
}

static void read_root(hprof_sub *s, const uint8_t *p, unsigned size, unsigned id)
{
    bool two = s->tag != ROOT_JNI_GLOBAL && size == id + 8;
    bool one = s->tag != ROOT_JNI_GLOBAL && size == id + 4;
    s->serial = two || one ? hprof_u32(p + id) : 0;
    s->frame = two ? hprof_u32(p + id + 4) : HPROF_NONE;
}

/* The head is at p; the bytes of the body, or of an element where that is an array. */
static uint64_t read_object(hprof_sub *s, const uint8_t *p, unsigned id_size)
{
    size_t id = id_size;
    s->trace = hprof_u32(p + id);
    if (s->tag == HPROF_INSTANCE) {
        s->class_id = hprof_id(p + id + 4, id);
        s->length = hprof_u32(p + 2 * id + 4);
        return s->length;
    }
    s->length = hprof_u32(p + id + 4);
    if (s->tag == HPROF_OBJECTS) {
        s->class_id = hprof_id(p + id + 8, id);
        return (uint64_t)s->length * id;
    }
    s->type = p[id + 8];
    return s->tag == HPROF_NO_DATA ? 0 : (uint64_t)s->length * hprof_type_size(s->type, id_size);
}

ts_code hprof_sub_read(hprof_sub *s, bool *good, hprof_in *in, unsigned id_size, uint64_t at,
                       uint64_t end)
{
    const uint8_t *p;
    size_t n;
    unsigned size;
    *good = false;
    TS_TRY(hprof_get(&p, &n, in, at, 1 + 7 * 8 + 8));
    if (n == 0 || at >= end) {
        return TS_OK;
    }
    *s = (hprof_sub){.tag = p[0], .at = at, .frame = HPROF_NONE};
    size = head_size(s->tag, id_size);
    if (size == 0 || n - 1 < size || end - at - 1 < size) {
        s->beyond = size != 0;
        return TS_OK;
    }
    p++;
    s->body = at + 1 + size;
    s->next = s->body;
    if (s->tag == HPROF_HEAP) {
        s->serial = hprof_u32(p);
        s->class_id = hprof_id(p + 4, id_size);
        *good = true;
        return TS_OK;
    }
    s->id = hprof_id(p, id_size);
    if (s->tag == HPROF_CLASS) {
        s->trace = hprof_u32(p + id_size);
        TS_TRY(hprof_parts(&s->next, good, in, id_size, s->body, end, NULL, NULL));
        s->beyond = !*good && end - s->next < HPROF_PART;
        return TS_OK;
    }
    if (!hprof_is_object(s->tag)) {
        read_root(s, p, size, id_size);
        *good = true;
        return TS_OK;
    }
    uint64_t bytes = read_object(s, p, id_size);
    bool typed = s->tag == HPROF_INSTANCE || s->tag == HPROF_OBJECTS;
    s->beyond = bytes > end - s->body;
    *good =
        !s->beyond && (typed || (s->type != HPROF_OBJECT && hprof_type_size(s->type, id_size) > 0));
    s->next = s->body + (*good ? bytes : 0);
    return TS_OK;
}

/* --- segments ------------------------------------------------------------------------------- */

void hprof_walk_begin(hprof_walk *w, hprof_file *f, hprof_in *in, uint32_t dump)
{
    const hprof_segment *s = f->segments.p;
    *w = (hprof_walk){.f = f, .in = in, .dump = dump};
    while (w->segment < f->segments.n && s[w->segment].dump < dump) {
        w->segment++;
    }
    w->pos = w->segment < f->segments.n ? s[w->segment].at : 0;
}

/* The rest of a segment is lost. */
static ts_code end_segment(hprof_walk *w, hprof_segment *s)
{
    uint64_t bytes = s->end - w->pos;
    s->end = w->pos;
    if (w->f->cut && w->pos + bytes == w->f->total) {
        return TS_OK; /* the file was cut here, which is said once */
    }
    return hprof_lose(w->f, TS_ISSUE_hprof_segment_bad, TS_ITEM_hprof_objects, NULL,
                      (int64_t)w->pos, 1,
                      "%" PRIu64 " bytes of a segment are not records of objects", bytes);
}

ts_code hprof_walk_next(hprof_sub *s, bool *got, hprof_walk *w)
{
    hprof_file *f = w->f;
    *got = false;
    while (w->segment < f->segments.n) {
        hprof_segment *seg = (hprof_segment *)f->segments.p + w->segment;
        if (seg->dump != w->dump) {
            return TS_OK;
        }
        if (w->pos < seg->end) {
            TS_TRY(hprof_sub_read(s, got, w->in, f->id_size, w->pos, seg->end));
            if (*got) {
                w->pos = s->next;
                return TS_OK;
            }
            TS_TRY(end_segment(w, seg));
        }
        w->segment++;
        w->pos =
            w->segment < f->segments.n ? ((const hprof_segment *)f->segments.p)[w->segment].at : 0;
        TS_TRY(ts_check_cancel(f->ctx));
    }
    return TS_OK;
}
