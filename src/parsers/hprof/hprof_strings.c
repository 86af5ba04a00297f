/* Texts of java.lang.String: an array of char, or one of byte with a coder. */
#include "parsers/hprof/hprof.h"

#include "base/utf8.h"

enum { WIDE_TRIED = 1000, REPLACEMENT = 0xfffd, HASH = 31 };

/* Which part of an array is the text, and what its units are. */
typedef struct span {
    uint64_t at;
    uint64_t units;
    unsigned size; /* of a unit */
    bool big;      /* endian */
} span;

typedef struct decoder {
    hprof_file *f;
    hprof_decoded *out;
    unsigned high; /* a surrogate that waits for the other one; 0: none */
} decoder;

static unsigned unit_at(const uint8_t *p, const span *s)
{
    return s->size == 1 ? p[0] : s->big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

static ts_code put_char(decoder *c, uint32_t cp)
{
    char utf8[4];
    size_t n = ts_utf8_encode(utf8, cp);
    if (c->out->cut || c->f->text.n + n > TS_JAVA_TEXT) {
        c->out->cut = true;
        return TS_OK;
    }
    return ts_buf_put(c->f->ctx, &c->f->text, utf8, n);
}

static ts_code put_unit(decoder *c, unsigned unit)
{
    unsigned high = c->high;
    c->out->hash = c->out->hash * HASH + unit;
    c->out->units++;
    c->high = 0;
    if (high != 0 && unit >> 10 == 0x37) {
        return put_char(c, 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff)));
    }
    if (high != 0) {
        TS_TRY(put_char(c, REPLACEMENT));
    }
    c->high = unit >> 10 == 0x36 ? unit : 0;
    return c->high != 0 ? TS_OK : put_char(c, unit >> 10 == 0x37 ? REPLACEMENT : unit);
}

/* Units of one byte that are all ASCII, as most are. False: they are not, or do not fit. */
static bool put_ascii(ts_code *code, decoder *c, const uint8_t *p, size_t n)
{
    uint32_t hash = c->out->hash;
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= p[i];
    }
    if (all >= 0x80 || c->out->cut || n > TS_JAVA_TEXT - c->f->text.n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        hash = hash * HASH + p[i];
    }
    c->out->hash = hash;
    c->out->units += n;
    *code = ts_buf_put(c->f->ctx, &c->f->text, p, n);
    return true;
}

static ts_code put_units(decoder *c, const uint8_t *p, size_t n, const span *s)
{
    ts_code code = TS_OK;
    if (s->size == 1 && put_ascii(&code, c, p, n)) {
        return code;
    }
    for (size_t k = 0; k + s->size <= n && code == TS_OK; k += s->size) {
        code = put_unit(c, unit_at(p + k, s));
    }
    return code;
}

static ts_code decode(hprof_decoded *out, hprof_file *f, const span *s)
{
    decoder c = {f, out, 0};
    uint64_t bytes = s->units * s->size;
    *out = (hprof_decoded){0};
    f->text.n = 0;
    if (f->text_budget < bytes) {
        f->text_budget = 0;
        return TS_OK;
    }
    f->text_budget -= bytes;
    for (uint64_t i = 0; i < s->units;) {
        uint64_t left = (s->units - i) * s->size;
        const uint8_t *p;
        size_t n;
        TS_TRY(hprof_get(&p, &n, &f->near, s->at + i * s->size,
                         left < HPROF_NEAR ? (size_t)left : HPROF_NEAR));
        n = n < left ? n : (size_t)left;
        if (n < s->size) {
            break;
        }
        TS_TRY(put_units(&c, p, n, s));
        i += n / s->size;
    }
    if (c.high != 0) {
        TS_TRY(put_char(&c, REPLACEMENT));
    }
    TS_TRY(ts_buf_reserve(f->ctx, &f->text, 1));
    out->text = ts_buf_text(&f->text);
    return TS_OK;
}

/* The part of an array of char or byte that a text is; units of size 0: it is neither. */
static span span_of(const hprof_dump *d, const hprof_sub *array, bool wide)
{
    span s = {.at = array->body, .units = array->length, .size = 0, .big = true};
    if (array->tag == HPROF_PRIMITIVES && array->type == HPROF_CHAR) {
        s.size = 2;
    } else if (array->tag == HPROF_PRIMITIVES && array->type == HPROF_BYTE) {
        s.size = wide ? 2 : 1;
        s.units /= s.size;
        s.big = d->big_endian;
    }
    return s;
}

/* Strings of JDK 6 share arrays. */
static ts_code narrow(span *s, hprof_dump *d, const hprof_sub *string)
{
    uint64_t offset, count;
    bool first, second;
    TS_TRY(hprof_field_value(&offset, &first, d, string, d->offset));
    TS_TRY(hprof_field_value(&count, &second, d, string, d->count));
    if (first && second && offset <= s->units && count <= s->units - offset) {
        s->at += offset * s->size;
        s->units = count;
    }
    return TS_OK;
}

/* The text of a string whose array is known; `string` may be NULL. */
static ts_code text_of(hprof_decoded *out, hprof_dump *d, uint32_t node, uint32_t array, bool wide)
{
    hprof_sub record, string;
    bool got;
    span s;
    *out = (hprof_decoded){0};
    TS_TRY(hprof_record_of(&record, &got, d, array));
    s = got ? span_of(d, &record, wide) : (span){0};
    if (s.size == 0) {
        return TS_OK;
    }
    if (d->offset.type == HPROF_INT && d->count.type == HPROF_INT) {
        TS_TRY(hprof_record_of(&string, &got, d, node));
        TS_TRY(got ? narrow(&s, d, &string) : TS_OK);
    }
    return decode(out, d->f, &s);
}

ts_code hprof_string_text(hprof_decoded *out, hprof_dump *d, uint32_t node)
{
    hprof_sub s;
    uint64_t id = 0;
    uint64_t coder = 0;
    bool got;
    *out = (hprof_decoded){0};
    TS_TRY(hprof_record_of(&s, &got, d, node));
    if (!got || s.tag != HPROF_INSTANCE) {
        return got ? text_of(out, d, node, node, false) : TS_OK;
    }
    TS_TRY(hprof_field_value(&id, &got, d, &s, d->value));
    if (!got) {
        return TS_OK;
    }
    TS_TRY(hprof_field_value(&coder, &got, d, &s, d->coder));
    return text_of(out, d, node, hprof_node_of(d, id), coder == 1);
}

/* --- the order of bytes ------------------------------------------------------------------------
 */

typedef struct evidence {
    uint64_t unpaired, low;
} evidence;

static void weigh(evidence *e, const uint8_t *p, size_t units, bool big)
{
    span s = {.size = 2, .big = big};
    bool high = false;
    for (size_t i = 0; i < units; i++) {
        unsigned unit = unit_at(p + 2 * i, &s);
        bool second = unit >> 10 == 0x37;
        e->unpaired += high != second ? 1 : 0;
        high = unit >> 10 == 0x36;
        e->low += unit < 0x100 ? 1 : 0;
    }
    e->unpaired += high ? 1 : 0;
}

/* Bytes of wide strings are those of the machine's memory: what makes more sense of the first ones.
 */
static ts_code find_order(hprof_dump *d)
{
    const hprof_text *texts = d->texts.p;
    const uint8_t *wide = d->wide.p;
    evidence big = {0};
    evidence little = {0};
    unsigned tried = 0;
    for (size_t i = 0; i < d->texts.n && tried < WIDE_TRIED; i++) {
        hprof_sub s;
        bool got;
        const uint8_t *p;
        size_t n, want;
        if (wide[i] == 0) {
            continue;
        }
        tried++;
        TS_TRY(hprof_record_of(&s, &got, d, texts[i].array));
        if (got && s.tag == HPROF_PRIMITIVES && s.type == HPROF_BYTE && s.length > 1) {
            want = s.length < HPROF_NEAR ? s.length : HPROF_NEAR;
            TS_TRY(hprof_get(&p, &n, &d->f->near, s.body, want));
            n = n < want ? n : want;
            weigh(&big, p, n / 2, true);
            weigh(&little, p, n / 2, false);
        }
    }
    d->big_endian = big.unpaired < little.unpaired && big.low > little.low;
    return TS_OK;
}

/* --- rows ----------------------------------------------------------------------------------- */

ts_code hprof_put_strings(hprof_dump *d)
{
    hprof_file *f = d->f;
    const hprof_text *texts = d->texts.p;
    uint64_t put = 0;
    uint64_t lost = 0;
    d->first_string = (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_string) + 1;
    TS_TRY(find_order(d));
    for (size_t i = 0; i < d->texts.n; i++) {
        hprof_decoded t;
        TS_TRY(text_of(&t, d, texts[i].node, texts[i].array, ((const uint8_t *)d->wide.p)[i] != 0));
        if (t.text.p == NULL) {
            lost += f->text_budget == 0 ? 1 : 0;
            continue;
        }
        ts_row_java_heap_string row = {
            .null = t.cut ? 0 : TS_NULL_BITS(java_heap_string, hash),
            .file_id = d->file_id,
            .node_index = texts[i].node,
            .text = t.text,
            .length = (int64_t)t.units,
            .hash = (int32_t)t.hash,
        };
        put++;
        TS_TRY(ts_put_java_heap_string(f->sink, &row));
        if ((i & 0xfff) == 0) {
            TS_TRY(ts_check_cancel(f->ctx));
        }
    }
    TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_strings, NULL, put, 0, 0));
    return lost == 0 ? TS_OK
                     : hprof_lose(f, TS_ISSUE_hprof_texts, TS_ITEM_hprof_strings, NULL,
                                  TS_NO_OFFSET, lost, "texts of strings were not looked for");
}
