/* The binary form: a header, then messages of id, size and attributes in a fixed order. */
#include "tptp.h"

#include <string.h>

enum { HEAD = 6 };

static bool is(const char *value, const char *name)
{
    return strcmp(value, name) == 0;
}

static void put(const tp_config *c, mk_buf *b, uint64_t v, unsigned bytes)
{
    bool little = is(c->endian, "little");

    for (unsigned i = 0; i < bytes; i++)
        mk_buf_byte(b, (uint8_t)(v >> (8 * (little ? i : bytes - 1 - i))));
}

uint64_t tp_ticks(const tp_config *c, int64_t ns)
{
    uint64_t f = c->frequency > 0 ? (uint64_t)c->frequency : 0;

    if (is(c->unit, "ns"))
        return (uint64_t)ns;
    if (is(c->unit, "us"))
        return (uint64_t)ns / 1000;
    if (is(c->unit, "ms"))
        return (uint64_t)ns / 1000000;
    /* The smallest number of ticks that is not before this nanosecond. */
    return (uint64_t)(((unsigned __int128)ns * f + 999999999) / 1000000000);
}

int64_t tp_quantum(const tp_config *c, int64_t ns)
{
    if (is(c->unit, "ns"))
        return ns;
    if (is(c->unit, "us"))
        return ns / 1000 * 1000;
    if (is(c->unit, "ms"))
        return ns / 1000000 * 1000000;
    return (int64_t)((unsigned __int128)tp_ticks(c, ns) * 1000000000 / (uint64_t)c->frequency);
}

/* UTF-8, or ISO 8859-1 as far as it reaches. */
static void put_text(const tp_config *c, mk_buf *b, const char *s)
{
    if (!is(c->encoding, "ISO-8859-1") && !is(c->encoding, "latin1")) {
        mk_buf_str(b, s);
        return;
    }
    for (const uint8_t *p = (const uint8_t *)s; *p != 0; p++) {
        if (*p < 0x80) {
            mk_buf_byte(b, *p);
        } else if ((*p & 0xfc) == 0xc0 && p[1] != 0) {
            mk_buf_byte(b, (uint8_t)((*p << 6) | (p[1] & 0x3f)));
            p++;
        } else if (*p >= 0xc0) {
            mk_buf_byte(b, '?');
        }
    }
}

static void string(tp_encoder *e, const char *s)
{
    if (s != NULL)
        put_text(e->c, &e->b, s);
    if (s != NULL && *s != 0 && tp_breaks(e, TP_BREAK_bad_bytes))
        mk_buf_put(&e->b, "\xff\xfe", 2);
    if (!tp_breaks(e, TP_BREAK_no_end))
        mk_buf_byte(&e->b, 0);
}

static void frames(tp_encoder *e, const tp_event *event, bool numbers)
{
    if (is(e->c->arrays, "counted"))
        put(e->c, &e->b, (uint64_t)event->frames, 4);
    for (int i = 0; i < event->frames; i++) {
        if (numbers)
            put(e->c, &e->b, (uint64_t)event->lines[i], 8);
        else
            string(e, event->methods[i]);
    }
}

static void attribute(tp_encoder *e, const tp_event *event, int i)
{
    const tp_schema *s = &tp_schemas[event->kind];
    bool entry_b = is(e->c->entry, "B");
    int64_t n = event->n[i];

    switch (s->attributes[i].type[0]) {
    case 'q':
        put(e->c, &e->b, (uint64_t)n, 8);
        break;
    case 'B':
        if (entry_b)
            put(e->c, &e->b, (uint64_t)n, 8);
        break;
    case 't':
    case 'd':
        put(e->c, &e->b, tp_ticks(e->c, n), 8);
        break;
    case 'i':
        if (is(s->attributes[i].name, "stackCount"))
            n = tp_breaks(e, TP_BREAK_count_negative) ? -1
                : tp_breaks(e, TP_BREAK_count_huge)   ? 65537
                                                      : event->frames;
        put(e->c, &e->b, (uint64_t)n, 4);
        break;
    case 'b':
        put(e->c, &e->b, (uint64_t)n, 1);
        break;
    case 's':
        string(e, event->s[i]);
        break;
    case 'C':
        if (is(e->c->exit, "B"))
            put(e->c, &e->b, (uint64_t)n, 8);
        else if (n == 0)
            string(e, "");
        else {
            char digits[32];
            snprintf(digits, sizeof digits, "%lld", (long long)n);
            string(e, digits);
        }
        break;
    case 'A':
    case 'Q':
        frames(e, event, s->attributes[i].type[0] == 'Q');
        break;
    default: /* X: only in XML */
        break;
    }
}

/* Begins a message; returns where its size is. */
static size_t begin_message(tp_encoder *e, unsigned id, bool sized)
{
    e->b.n = 0;
    if (tp_breaks(e, TP_BREAK_padding)) {
        for (int i = 0; i < 60; i++)
            mk_buf_byte(&e->b, 0);
    }
    if (tp_breaks(e, TP_BREAK_garbage)) {
        for (int i = 0; i < 60; i++)
            mk_buf_byte(&e->b, 0xaa);
    }
    put(e->c, &e->b, id, 2);
    if (sized)
        put(e->c, &e->b, 0, 4);
    return e->b.n - 4;
}

static void end_message(tp_encoder *e, size_t at)
{
    mk_buf size = {0};
    uint64_t n = e->b.n - at - 4 + (is(e->c->size, "exclusive") ? 0 : HEAD);

    if (tp_breaks(e, TP_BREAK_size_small))
        n = 3;
    else if (tp_breaks(e, TP_BREAK_size_large))
        n = 0x7fffffff;
    else if (tp_breaks(e, TP_BREAK_size_less))
        n -= 5;
    else if (tp_breaks(e, TP_BREAK_size_more))
        n += 5;
    put(e->c, &size, n, 4);
    memcpy(e->b.p + at, size.p, 4);
    mk_buf_free(&size);
}

static void system_message(tp_encoder *e, unsigned id, const char *text, uint64_t number)
{
    bool sized = is(e->c->system, "sized");
    int64_t count = e->count;
    size_t at;

    e->count = -1; /* no event: nothing breaks it */
    at = begin_message(e, id, sized);
    if (text != NULL) {
        mk_buf_str(&e->b, text);
        mk_buf_byte(&e->b, 0);
    } else {
        put(e->c, &e->b, number, 8);
    }
    if (sized)
        end_message(e, at);
    e->count = count;
    tp_output_put(e->out, e->b.p, e->b.n);
}

static uint64_t frequency_bits(const tp_config *c, int64_t f)
{
    double d = (double)f;
    uint64_t bits = (uint64_t)f;

    if (c->frequency_double)
        memcpy(&bits, &d, sizeof bits);
    return bits;
}

void tp_binary_begin(tp_encoder *e)
{
    const tp_config *c = e->c;
    uint8_t head[8] = {
        '0', 'T', 'B', 'F', (uint8_t)c->major, (uint8_t)c->minor, (uint8_t)c->platform};

    head[7] = c->endian_byte >= 0 ? (uint8_t)c->endian_byte : is(c->endian, "little");
    e->b.n = 0;
    mk_buf_put(&e->b, head, sizeof head);
    put(c, &e->b, (uint64_t)c->data_offset, 4);
    for (int64_t i = 12; i < c->data_offset && i < 1 << 20; i++)
        mk_buf_byte(&e->b, 0xee);
    tp_output_put(e->out, e->b.p, e->b.n);
    if (*c->encoding != 0)
        system_message(e, 1, c->encoding, 0);
    if (is(c->unit, "ticks") || is(c->unit, "MHz"))
        system_message(
            e, 2, NULL,
            frequency_bits(c, is(c->unit, "MHz") ? c->frequency / 1000000 : c->frequency));
}

/* Of --extras: numbers of events whose attributes are not described. */
static const uint16_t undescribed[] = {
    1013, 1017, 1018, 1019, 1020, 1021, 1022, 1025, 1026, 1028, 1029,
};
enum { UNDESCRIBED = sizeof undescribed / sizeof undescribed[0] };

void tp_binary_event(tp_encoder *e, const tp_event *event)
{
    const tp_schema *s = &tp_schemas[event->kind];
    unsigned id = tp_breaks(e, TP_BREAK_unknown) ? TP_UNKNOWN_ID : (unsigned)s->id;
    int count = 0;
    size_t at;

    if (s->id == 0) {
        int n = (int)event->kind - TP_processSuspend;

        if (n >= UNDESCRIBED)
            return;
        id = undescribed[n];
    }
    at = begin_message(e, id, true);
    while (s->attributes[count].name != NULL)
        count++;
    if (tp_breaks(e, TP_BREAK_shorter))
        count -= 2;
    for (int i = 0; i < count; i++)
        attribute(e, event, i);
    if (tp_breaks(e, TP_BREAK_longer)) {
        for (int i = 0; i < 8; i++)
            mk_buf_byte(&e->b, 7);
    }
    end_message(e, at);
}
