#include "mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 1024,
    LIST_MAX = 256,    /* what stands behind them stays in one piece */
    PLAIN = 8,         /* one of so many mutations is libFuzzer's own */
    LENGTH_WRONG = 12, /* one of so many lengths stays as it was */
    GROWTH = 256,      /* what libFuzzer's mutations may add to a piece */
    SEPARATOR = 0x1e
};

/* --- memory and numbers ----------------------------------------------------------------------- */

typedef struct blob {
    uint8_t *p;
    size_t n;
} blob;

typedef struct list {
    blob items[LIST_MAX + 2];
    size_t n;
} list;

typedef struct dice {
    uint64_t state;
} dice;

static void *must(void *p)
{
    if (p == NULL) {
        abort();
    }
    return p;
}

static uint64_t roll(dice *d, uint64_t sides)
{
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return sides == 0 ? 0 : (d->state * UINT64_C(0x2545f4914f6cdd1d) >> 16) % sides;
}

static blob blob_of(const void *p, size_t n)
{
    blob b = {must(malloc(n + 1)), n};
    if (n > 0) {
        memcpy(b.p, p, n);
    }
    return b;
}

static void blob_add(blob *b, const void *p, size_t n)
{
    b->p = must(realloc(b->p, b->n + n + 1));
    if (n > 0) {
        memcpy(b->p + b->n, p, n);
    }
    b->n += n;
}

static void blob_take(blob *b, blob other)
{
    free(b->p);
    *b = other;
}

static void list_add(list *l, blob b)
{
    if (l->n < LIST_MAX + 2) {
        l->items[l->n++] = b;
    } else {
        blob_add(&l->items[l->n - 1], b.p, b.n);
        free(b.p);
    }
}

static list *list_new(void)
{
    return must(calloc(1, sizeof(list)));
}

static void list_free(list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].p);
    }
    free(l);
}

static blob list_join(const list *l)
{
    blob b = blob_of("", 0);
    for (size_t i = 0; i < l->n; i++) {
        blob_add(&b, l->items[i].p, l->items[i].n);
    }
    return b;
}

/* libFuzzer's own mutations, with its dictionary. */
static void mutate_bytes(blob *b, dice *d)
{
    size_t room = b->n + 1 + roll(d, GROWTH);
    b->p = must(realloc(b->p, room));
    b->n = LLVMFuzzerMutate(b->p, b->n, room);
}

/* Any list: drops, doubles, swaps, moves, cuts or joins items. */
static void mutate_list(list *l, dice *d)
{
    size_t i = roll(d, l->n);
    size_t k = roll(d, l->n);
    blob b;
    if (l->n == 0) {
        return;
    }
    b = l->items[i];
    switch (roll(d, 5)) {
    case 0:
        free(b.p);
        memmove(&l->items[i], &l->items[i + 1], (--l->n - i) * sizeof b);
        return;
    case 1:
        if (l->n < LIST_MAX) {
            memmove(&l->items[k + 1], &l->items[k], (l->n++ - k) * sizeof b);
            l->items[k] = blob_of(b.p, b.n);
        }
        return;
    case 2:
        l->items[i] = l->items[k];
        l->items[k] = b;
        return;
    case 3: /* all behind it are gone */
        while (l->n > i + 1) {
            free(l->items[--l->n].p);
        }
        return;
    default:
        memmove(&l->items[i], &l->items[i + 1], (l->n - 1 - i) * sizeof b);
        memmove(&l->items[k + 1], &l->items[k], (l->n - 1 - k) * sizeof b);
        l->items[k] = b;
        return;
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const uint8_t *comma_from(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
    return comma == NULL ? end : comma;
}

/* A number, or what stands between two commas, becomes another one. */
static void mutate_value(blob *b, dice *d)
{
    static const char *const values[] = {
        "0",
        "1",
        "-1",
        "7",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "1.5",
        "1e308",
        "null",
        "\"\"",
        "[]",
        "{}",
        "-9223372036854775808",
        "[[",
        "]",
        "true",
        "2147483648",
        "18446744073709551616",
    };
    const uint8_t *end = b->p + b->n;
    const uint8_t *from = comma_from(b->p + roll(d, b->n), end);
    const uint8_t *to = comma_from(from + 1, end);
    const char *value = values[roll(d, sizeof values / sizeof values[0])];
    blob out;
    if (from >= to) {
        return;
    }
    out = blob_of(b->p, (size_t)(from + 1 - b->p));
    if (roll(d, 4) != 0) {
        blob_add(&out, value, strlen(value));
    }
    blob_add(&out, to, (size_t)(end - to));
    blob_take(b, out);
}

/* A run of values is doubled. */
static void repeat_values(blob *b, dice *d)
{
    const uint8_t *end = b->p + b->n;
    const uint8_t *from = comma_from(b->p + roll(d, b->n), end);
    const uint8_t *to = from;
    blob out;
    for (uint64_t n = 1 + roll(d, 12); n > 0 && to < end; n--) {
        to = comma_from(to + 1, end);
    }
    out = blob_of(b->p, (size_t)(to - b->p));
    blob_add(&out, from, (size_t)(to - from));
    blob_add(&out, to, (size_t)(end - to));
    blob_take(b, out);
}

static void mutate_json(blob *b, dice *d)
{
    switch (b->n == 0 ? 0 : roll(d, 5)) {
    case 0:
    case 1:
        mutate_bytes(b, d);
        return;
    case 2:
    case 3:
        mutate_value(b, d);
        return;
    default:
        repeat_values(b, d);
        return;
    }
}

/* Where the text of a chunk stands in a message: from..to; false when it is none. */
static bool find_chunk(const blob *json, size_t *from, size_t *to)
{
    static const char key[] = "\"chunk\":\"";
    const uint8_t *at = memmem(json->p, json->n, key, sizeof key - 1);
    if (at == NULL) {
        return false;
    }
    *from = (size_t)(at - json->p) + sizeof key - 1;
    *to = json->n;
    while (*to > *from && json->p[*to - 1] != '"') {
        --*to;
    }
    if (*to > *from) {
        --*to;
    }
    return true;
}

/* Cuts a chunk in two: between the characters of the outer text, anywhere in the inner one. */
static bool split_chunk(blob *first, blob *second, const blob *json, dice *d)
{
    size_t from;
    size_t to;
    if (!find_chunk(json, &from, &to) || from == to) {
        return false;
    }
    size_t cut = from + roll(d, to - from);
    size_t slashes = 0;
    while (cut - slashes > from && json->p[cut - slashes - 1] == '\\') {
        slashes++;
    }
    cut += slashes % 2 == 1 && roll(d, LENGTH_WRONG) != 0 ? 1 : 0;
    *first = blob_of(json->p, cut);
    blob_add(first, json->p + to, json->n - to);
    *second = blob_of(json->p, from);
    blob_add(second, json->p + cut, json->n - cut);
    return true;
}

/* --- protobuf messages ------------------------------------------------------------------------ */

/* Bytes of a varint at p, 0 when it does not end. */
static size_t get_varint(uint64_t *v, const uint8_t *p, size_t n)
{
    *v = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        *v |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            return i + 1;
        }
    }
    return 0;
}

static void add_varint(blob *b, uint64_t v, bool padded)
{
    uint8_t bytes[12];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        bytes[n++] = (uint8_t)(v | 0x80);
    }
    bytes[n++] = (uint8_t)v;
    if (padded && n < 9) {
        bytes[n - 1] |= 0x80;
        bytes[n++] = 0;
    }
    blob_add(b, bytes, n);
}

/* One field: its tag, and where its value begins; `value` reaches to the field's end. */
typedef struct field {
    uint64_t tag;
    size_t value;
    size_t end; /* 0: this is no field */
} field;

static field get_field(const uint8_t *p, size_t n)
{
    field f = {0};
    uint64_t v;
    size_t at = get_varint(&f.tag, p, n);
    size_t used = at == 0 ? 0 : get_varint(&v, p + at, n - at);
    f.value = at;
    switch (at == 0 ? 7 : f.tag & 7) {
    case 0:
        f.end = used == 0 ? 0 : at + used;
        break;
    case 1:
        f.end = n - at >= 8 ? at + 8 : 0;
        break;
    case 2:
        f.value = at + used;
        f.end = used > 0 && v <= n - at - used ? at + used + (size_t)v : 0;
        break;
    case 5:
        f.end = n - at >= 4 ? at + 4 : 0;
        break;
    default:
        break;
    }
    return f;
}

static list *split_fields(const blob *m)
{
    list *l = list_new();
    size_t at = 0;
    while (at < m->n) {
        field f = get_field(m->p + at, m->n - at);
        size_t n = f.end == 0 || l->n >= LIST_MAX ? m->n - at : f.end;
        list_add(l, blob_of(m->p + at, n));
        at += n;
    }
    return l;
}

/* Gives a bytes field another value. */
static void set_value(blob *b, const field *f, const blob *value, dice *d)
{
    blob out = {NULL, 0};
    uint64_t n = value->n;
    add_varint(&out, f->tag, false);
    if (d != NULL && roll(d, LENGTH_WRONG) == 0) {
        n = roll(d, 2) == 0 ? f->end - f->value : n + 1 + roll(d, 300);
    }
    add_varint(&out, n, d != NULL && roll(d, LENGTH_WRONG) == 0);
    blob_add(&out, value->p, value->n);
    blob_take(b, out);
}

static void mutate_number(blob *b, const field *f, dice *d)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      999999999,
                                      1000000000,
                                      UINT32_MAX,
                                      UINT64_C(1) << 31,
                                      UINT64_C(1) << 32,
                                      INT64_MAX,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX};
    blob out = {NULL, 0};
    add_varint(&out, f->tag, false);
    add_varint(&out,
               roll(d, 3) == 0 ? roll(d, 1000) : values[roll(d, sizeof values / sizeof values[0])],
               roll(d, 8) == 0);
    blob_take(b, out);
}

static void mutate_name(blob *value, dice *d)
{
    static const char *const names[] = {"arkts-plugin",
                                        "arkts-plugin_config",
                                        "js-memory",
                                        "ftrace-plugin",
                                        "hilog-plugin",
                                        "a",
                                        "",
                                        "js-memory_config"};
    const char *name = names[roll(d, sizeof names / sizeof names[0])];
    blob_take(value, blob_of(name, strlen(name)));
}

/* The field of a segment that holds the plugin's data, and the field in it with the message. */
enum { NAME_FIELD = 1, DATA_FIELD = 3, RESULT_FIELD = 1 };

static void mutate_inner(blob *m, dice *d);

static void mutate_field(blob *b, bool outer, dice *d)
{
    field f = get_field(b->p, b->n);
    uint64_t number = f.tag >> 3;
    blob value;
    if (f.end == 0 || ((f.tag & 7) != 0 && (f.tag & 7) != 2)) {
        mutate_bytes(b, d);
        return;
    }
    if ((f.tag & 7) == 0) {
        mutate_number(b, &f, d);
        return;
    }
    value = blob_of(b->p + f.value, f.end - f.value);
    if (outer && number == NAME_FIELD && roll(d, 2) == 0) {
        mutate_name(&value, d);
    } else if (outer && number == DATA_FIELD) {
        mutate_inner(&value, d);
    } else {
        mutate_json(&value, d);
    }
    if (roll(d, 20) == 0) {
        f.tag = roll(d, 2) == 0 ? roll(d, 80) : f.tag ^ 1;
    }
    set_value(b, &f, &value, d);
    free(value.p);
}

static void mutate_message(blob *m, bool outer, dice *d)
{
    list *l = split_fields(m);
    size_t i = roll(d, l->n);
    if (l->n == 0 || roll(d, 6) == 0) {
        mutate_list(l, d);
    } else {
        if (outer && roll(d, 3) != 0) { /* most of the matter is in the data */
            for (size_t k = 0; k < l->n; k++) {
                i = get_field(l->items[k].p, l->items[k].n).tag >> 3 == DATA_FIELD ? k : i;
            }
        }
        mutate_field(&l->items[i], outer, d);
    }
    blob_take(m, list_join(l));
    list_free(l);
}

static void mutate_inner(blob *m, dice *d)
{
    if (roll(d, PLAIN) == 0) {
        mutate_bytes(m, d);
    } else {
        mutate_message(m, false, d);
    }
}

/* Position and extent of a bytes field of a message; false when it has none. */
static bool find_field(const blob *m, uint64_t number, size_t *start, field *f)
{
    for (size_t at = 0; at < m->n; at += f->end) {
        *f = get_field(m->p + at, m->n - at);
        if (f->end == 0) {
            return false;
        }
        if (f->tag == (number << 3 | 2)) {
            *start = at;
            return true;
        }
    }
    return false;
}

/* A copy of a message with another value in one field. */
static blob with_field(const blob *m, size_t start, const field *f, const blob *value)
{
    blob out = blob_of(m->p, start);
    blob changed = blob_of(m->p + start, f->end);
    set_value(&changed, f, value, NULL);
    blob_add(&out, changed.p, changed.n);
    blob_add(&out, m->p + start + f->end, m->n - start - f->end);
    free(changed.p);
    return out;
}

/* --- segments --------------------------------------------------------------------------------- */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(uint8_t *p, uint64_t v)
{
    for (size_t i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

/* The bodies of the segments; what follows the last whole one is *tail. */
static list *split_segments(blob *tail, const uint8_t *p, size_t n)
{
    list *l = list_new();
    size_t at = 0;
    while (l->n < LIST_MAX && n - at >= 4 && get_u32(p + at) <= n - at - 4) {
        list_add(l, blob_of(p + at + 4, get_u32(p + at)));
        at += 4 + l->items[l->n - 1].n;
    }
    *tail = blob_of(p + at, n - at);
    return l;
}

static blob join_segments(const list *l, const blob *tail, dice *d)
{
    blob out = blob_of("", 0);
    size_t wrong = roll(d, LENGTH_WRONG) == 0 ? roll(d, l->n) : LIST_MAX + 2;
    for (size_t i = 0; i < l->n; i++) {
        uint8_t prefix[4];
        put_u32(prefix, i == wrong ? l->items[i].n + roll(d, 5) - roll(d, 5) : l->items[i].n);
        blob_add(&out, prefix, 4);
        blob_add(&out, l->items[i].p, l->items[i].n);
    }
    blob_add(&out, tail->p, tail->n);
    return out;
}

/* Divides the chunk of segment i between two segments. */
static void split_segment(list *l, size_t i, dice *d)
{
    const blob *body = &l->items[i];
    size_t data_at;
    size_t json_at;
    field data;
    field json;
    blob halves[2];
    if (l->n >= LIST_MAX || !find_field(body, DATA_FIELD, &data_at, &data)) {
        return;
    }
    blob inner = {body->p + data_at + data.value, data.end - data.value};
    if (!find_field(&inner, RESULT_FIELD, &json_at, &json)) {
        return;
    }
    blob text = {inner.p + json_at + json.value, json.end - json.value};
    if (!split_chunk(&halves[0], &halves[1], &text, d)) {
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        blob changed = with_field(&inner, json_at, &json, &halves[k]);
        blob_take(&halves[k], with_field(body, data_at, &data, &changed));
        free(changed.p);
    }
    memmove(&l->items[i + 1], &l->items[i], (l->n++ - i) * sizeof l->items[0]);
    l->items[i] = halves[0];
    blob_take(&l->items[i + 1], halves[1]);
}

static void mutate_segments(list *l, dice *d)
{
    size_t i = roll(d, l->n);
    switch (l->n == 0 ? 9 : roll(d, 8)) {
    case 0:
    case 1:
        mutate_list(l, d);
        return;
    case 2:
        split_segment(l, i, d);
        return;
    case 9:
        list_add(l, blob_of("\x0a\x0c"
                            "arkts-plugin\x1a\x04\x0a\x02{}",
                            20));
        return;
    default:
        mutate_message(&l->items[i], true, d);
        return;
    }
}

/* --- the header ------------------------------------------------------------------------------- */

static void put_u64(uint8_t *p, uint64_t v)
{
    put_u32(p, v);
    put_u32(p + 4, v >> 32);
}

/* A number of the header: length, version, count, type, clocks. */
static void mutate_header(uint8_t *header, uint64_t length, dice *d)
{
    static const uint8_t fields[] = {8, 8, 8, 16, 20, 56, 56, 60, 68, 84, 244};
    const uint64_t values[] = {0,          1,          HEADER,    HEADER - 1, length, length - 1,
                               length + 1, UINT32_MAX, INT64_MAX, UINT64_MAX, 1000,   length / 2};
    size_t at = fields[roll(d, sizeof fields)];
    uint64_t v = values[roll(d, sizeof values / sizeof values[0])];
    if (roll(d, 10) == 0) {
        header[roll(d, HEADER)] ^= (uint8_t)(1U << roll(d, 8));
    } else if (at == 16 || at == 20 || at == 56) {
        put_u32(header + at, v);
    } else {
        put_u64(header + at, v);
    }
}

static bool has_header(const uint8_t *p, size_t n)
{
    return n >= HEADER && memcmp(p, "OHOSPROF", 8) == 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static blob mutate_file(const uint8_t *p, size_t n, dice *d)
{
    size_t head = has_header(p, n) ? HEADER : 0;
    /* A length that was right stays right. */
    bool keep_length = head > 0 && get_u32(p + 8) == n && get_u32(p + 12) == 0;
    blob tail;
    blob body;
    list *l = split_segments(&tail, p + head, n - head);
    blob out = blob_of(p, head);
    if (tail.n > 0 && roll(d, l->n + 2) == 0) {
        mutate_bytes(&tail, d);
    } else if (head == 0 || roll(d, 12) != 0) {
        mutate_segments(l, d);
    }
    body = join_segments(l, &tail, d);
    blob_add(&out, body.p, body.n);
    if (keep_length && roll(d, LENGTH_WRONG) != 0) {
        put_u64(out.p + 8, out.n);
    }
    if (head > 0 && roll(d, 12) == 0) {
        mutate_header(out.p, out.n, d);
    }
    list_free(l);
    free(tail.p);
    free(body.p);
    return out;
}

/* Messages without a container, divided by a byte. */
static blob mutate_records(const uint8_t *p, size_t n, dice *d)
{
    list *l = list_new();
    blob out = blob_of("", 0);
    for (size_t at = 0; at <= n;) {
        const uint8_t *separator = at < n ? memchr(p + at, SEPARATOR, n - at) : NULL;
        size_t m = separator == NULL || l->n >= LIST_MAX ? n - at : (size_t)(separator - p) - at;
        list_add(l, blob_of(p + at, m));
        at += m + 1;
    }
    if (roll(d, 3) == 0) {
        mutate_list(l, d);
    } else {
        mutate_json(&l->items[roll(d, l->n)], d);
    }
    for (size_t i = 0; i < l->n; i++) {
        static const uint8_t separator = SEPARATOR;
        blob_add(&out, &separator, i > 0 ? 1 : 0);
        blob_add(&out, l->items[i].p, l->items[i].n);
    }
    list_free(l);
    return out;
}

static size_t prefix_of(const uint8_t *data, size_t size)
{
    if (fuzz_prefix == SIZE_MAX) {
        const uint8_t *line = size == 0 ? NULL : memchr(data, '\n', size);
        return line == NULL ? 0 : (size_t)(line - data) + 1;
    }
    return fuzz_prefix < size ? fuzz_prefix : size;
}

static size_t give(uint8_t *data, size_t prefix, blob out, size_t max_size)
{
    size_t n = out.n < max_size - prefix ? out.n : max_size - prefix;
    memcpy(data + prefix, out.p, n);
    free(out.p);
    return prefix + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    dice d = {(uint64_t)seed << 1 | 1};
    size_t prefix = prefix_of(data, size);
    const uint8_t *p = data + prefix;
    size_t n = size - prefix;
    (void)roll(&d, 1);
    if (roll(&d, PLAIN) == 0 || prefix >= max_size) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (has_header(p, n) || (n >= 4 && get_u32(p) <= n - 4)) {
        return give(data, prefix, mutate_file(p, n, &d), max_size);
    }
    if (fuzz_prefix == 1 && n > 0) {
        return give(data, prefix, mutate_records(p, n, &d), max_size);
    }
    return LLVMFuzzerMutate(data, size, max_size);
}

/* Segments of the one file between those of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    dice d = {(uint64_t)seed << 1 | 1};
    size_t prefix = prefix_of(a, na);
    size_t prefix_b = prefix_of(b, nb);
    size_t head = prefix + (has_header(a + prefix, na - prefix) ? HEADER : 0);
    size_t head_b = prefix_b + (has_header(b + prefix_b, nb - prefix_b) ? HEADER : 0);
    blob tail;
    blob tail_b;
    list *x = split_segments(&tail, a + head, na - head);
    list *y = split_segments(&tail_b, b + head_b, nb - head_b);
    list *joined = list_new();
    size_t at = roll(&d, x->n + 1);
    size_t from = roll(&d, y->n + 1);
    size_t to = from + roll(&d, y->n - from + 1);
    for (size_t i = 0; i <= x->n; i++) {
        for (size_t k = from; i == at && k < to; k++) {
            list_add(joined, blob_of(y->items[k].p, y->items[k].n));
        }
        if (i < x->n) {
            list_add(joined, blob_of(x->items[i].p, x->items[i].n));
        }
    }
    blob whole = blob_of(a + prefix, head - prefix);
    blob body = join_segments(joined, roll(&d, 2) == 0 ? &tail : &tail_b, &d);
    blob_add(&whole, body.p, body.n);
    free(body.p);
    free(tail.p);
    free(tail_b.p);
    list_free(x);
    list_free(y);
    list_free(joined);
    if (prefix > max_size) {
        free(whole.p);
        return 0;
    }
    if (head > prefix && whole.n >= HEADER && get_u32(a + prefix + 8) == na - prefix) {
        put_u64(whole.p + 8, whole.n);
    }
    memcpy(out, a, prefix);
    return give(out, prefix, whole, max_size);
}
