/* Profiles of pprof. */
#include "mkprofile.h"

#include <stdlib.h>
#include <string.h>

/* A message that is being made. */
typedef struct message {
    uint8_t *p;
    size_t n, cap;
} message;

static void add_byte(message *m, uint64_t byte)
{
    if (m->n == m->cap) {
        m->cap = m->cap * 2 + 256;
        m->p = realloc(m->p, m->cap);
        if (m->p == NULL) {
            abort();
        }
    }
    m->p[m->n++] = (uint8_t)byte;
}

static void add_varint(message *m, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        add_byte(m, v | 0x80);
    }
    add_byte(m, v);
}

/* Fields that are 0 are left out, as proto3 does. */
static void add_number(message *m, unsigned field, uint64_t v)
{
    if (v != 0) {
        add_varint(m, field << 3);
        add_varint(m, v);
    }
}

static void add_bytes(message *m, unsigned field, const void *p, size_t n)
{
    add_varint(m, field << 3 | 2);
    add_varint(m, n);
    for (size_t i = 0; i < n; i++) {
        add_byte(m, ((const uint8_t *)p)[i]);
    }
}

static void add_list(message *m, const options *o, unsigned field, const uint64_t *v, size_t n)
{
    size_t half = o->packed == PACKED_MIXED ? n / 2 : 0;
    message list = {0};
    if (o->packed == PACKED_NEVER || (o->packed == PACKED_AUTO && n <= 2)) {
        half = n;
    }
    for (size_t i = 0; i < half; i++) {
        add_varint(m, field << 3);
        add_varint(m, v[i]);
    }
    for (size_t i = half; i < n; i++) {
        add_varint(&list, v[i]);
    }
    if (half < n) {
        add_bytes(m, field, list.p, list.n);
    }
    free(list.p);
}

/* fwrite must not get a null pointer, also for no bytes. */
static void write_bytes(FILE *out, const message *m)
{
    if (m->n > 0) {
        fwrite(m->p, 1, m->n, out);
    }
}

static void put_message(FILE *out, unsigned field, message *m)
{
    message head = {0};
    add_varint(&head, field << 3 | 2);
    add_varint(&head, m->n);
    write_bytes(out, &head);
    write_bytes(out, m);
    free(head.p);
    m->n = 0;
}

static void put_number(FILE *out, unsigned field, uint64_t v)
{
    message m = {0};
    add_number(&m, field, v);
    write_bytes(out, &m);
    free(m.p);
}

/* --- texts ---------------------------------------------------------------------------------- */

static const char *const fixed[] = {"",
                                    "samples",
                                    "count",
                                    "cpu",
                                    "nanoseconds",
                                    "alloc_objects",
                                    "count",
                                    "alloc_space",
                                    "bytes",
                                    "thread name",
                                    "thread native id",
                                    "span id",
                                    "trace endpoint",
                                    "size",
                                    "made by mkprofile",
                                    "/usr/bin/shop",
                                    "^drop$",
                                    "^keep$"};
enum {
    FIXED = sizeof fixed / sizeof fixed[0],
    NAMES = 16, /* of threads */
    ENDPOINTS = 8,
    FIRST_FUNCTION = FIXED + NAMES + ENDPOINTS
};

static void put_texts(FILE *out, const options *o)
{
    char text[64];
    message m = {0};
    for (uint64_t i = 0; i < FIRST_FUNCTION + 2 * o->functions; i++) {
        const char *t = text;
        if (i < FIXED) {
            t = fixed[i];
        } else if (i < FIXED + NAMES) {
            snprintf(text, sizeof text, "worker-%d", (int)(i - FIXED));
        } else if (i < FIRST_FUNCTION) {
            snprintf(text, sizeof text, "GET /shop/%d", (int)(i - FIXED - NAMES));
        } else {
            uint64_t f = (i - FIRST_FUNCTION) / 2;
            t = (i - FIRST_FUNCTION) % 2 == 0 ? function_name(f) : function_file(f);
        }
        m.n = 0;
        for (size_t k = 0; t[k] != '\0'; k++) {
            add_byte(&m, (uint8_t)t[k]);
        }
        put_message(out, 6, &m);
    }
    free(m.p);
}

/* --- the rest ------------------------------------------------------------------------------- */

static uint64_t id_of(const options *o, uint64_t i)
{
    return o->sparse ? mix(i, 5) | 1 : i + 1;
}

static void put_types(FILE *out, const options *o)
{
    message m = {0};
    for (uint64_t i = 0; i < o->types; i++) {
        add_number(&m, 1, 1 + 2 * i);
        add_number(&m, 2, 2 + 2 * i);
        put_message(out, 1, &m);
    }
    free(m.p);
}

static void add_labels(message *m, const options *o, uint64_t k)
{
    message label = {0};
    for (uint64_t i = 0; i < o->labels; i++) {
        uint64_t r = mix(k, i + 100);
        label.n = 0;
        add_number(&label, 1, 9 + i);
        if (i == 0 || i == 3) {
            add_number(&label, 2, i == 0 ? FIXED + r % NAMES : FIXED + NAMES + r % ENDPOINTS);
        } else {
            add_number(&label, 3, i == 1 ? 1000 + mix(k, 100) % NAMES : i == 2 ? r : r % 65536);
            add_number(&label, 4, i == 4 ? 8 : 0);
        }
        add_bytes(m, 3, label.p, label.n);
    }
    free(label.p);
}

static void put_samples(FILE *out, const options *o)
{
    message m = {0};
    uint64_t *locations = calloc(o->depth + 1, sizeof *locations);
    if (locations == NULL) {
        abort();
    }
    for (uint64_t k = 0; k < o->samples; k++) {
        uint64_t s = stack_of(o, k);
        uint64_t n = depth_of(o, s);
        uint64_t count = 1 + mix(k, 3) % 5;
        uint64_t values[4] = {count, count * 10000000, count * 7, count * 7 * 512};
        for (uint64_t d = 0; d < n; d++) {
            locations[n - 1 - d] = id_of(o, frame_of(o, s, d));
        }
        m.n = 0;
        add_list(&m, o, 1, locations, n);
        add_list(&m, o, 2, values, o->types);
        add_labels(&m, o, k);
        put_message(out, 2, &m);
    }
    free(locations);
    free(m.p);
}

static void put_places(FILE *out, const options *o)
{
    message m = {0};
    message line = {0};
    add_number(&m, 1, 1);
    add_number(&m, 2, 0x400000);
    add_number(&m, 3, 0x800000);
    add_number(&m, 5, 15);
    put_message(out, 3, &m);
    for (uint64_t i = 0; i < 2 * o->functions; i++) {
        uint64_t lines = 1 + (i % 10 == 0 ? o->inlined : 0);
        add_number(&m, 1, id_of(o, i));
        add_number(&m, 2, 1);
        add_number(&m, 3, 0x400000 + i * 16);
        for (uint64_t k = 0; k < lines; k++) {
            line.n = 0;
            add_number(&line, 1, id_of(o, (i + k) % o->functions));
            add_number(&line, 2, 10 + i % 900);
            add_bytes(&m, 4, line.p, line.n);
        }
        put_message(out, 4, &m);
    }
    for (uint64_t f = 0; f < o->functions; f++) {
        add_number(&m, 1, id_of(o, f));
        add_number(&m, 2, FIRST_FUNCTION + 2 * f);
        add_number(&m, 3, FIRST_FUNCTION + 2 * f);
        add_number(&m, 4, FIRST_FUNCTION + 2 * f + 1);
        add_number(&m, 5, 1 + f % 500);
        put_message(out, 5, &m);
    }
    free(line.p);
    free(m.p);
}

static void put_rest(FILE *out, const options *o)
{
    message m = {0};
    put_number(out, 7, 16);
    put_number(out, 8, 17);
    put_number(out, 9, UINT64_C(1700000000000000000));
    put_number(out, 10, UINT64_C(60000000000));
    add_number(&m, 1, 3);
    add_number(&m, 2, 4);
    put_message(out, 11, &m);
    put_number(out, 12, 10000000);
    put_number(out, 13, 14);
    put_number(out, 14, o->types > 1 ? 3 : 0);
    free(m.p);
}

void write_pprof(FILE *out, const options *o)
{
    static void (*const parts[])(FILE *, const options *) = {put_types, put_samples, put_places,
                                                             put_texts, put_rest};
    static const struct {
        const char *name;
        int order[5];
    } orders[] = {
        {"normal", {0, 1, 2, 3, 4}},
        {"samples-first", {1, 0, 2, 3, 4}},
        {"strings-first", {3, 2, 0, 1, 4}},
        {"reversed", {4, 3, 2, 1, 0}},
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcmp(o->order, orders[i].name) == 0) {
            for (int k = 0; k < 5; k++) {
                parts[orders[i].order[k]](out, o);
            }
            return;
        }
    }
    fprintf(stderr, "mkprofile: unknown order: %s\n", o->order);
    exit(2);
}
