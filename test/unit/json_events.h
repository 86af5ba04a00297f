/*
 * Records what a JSON reader reports as text, so that tests compare it with what they expect and
 * with what other block sizes give. Used by the unit tests and the fuzz target; no cmocka here.
 *
 *   { } [ ]      begin and end           t f n        literals
 *   k"..."       key                     s"..."       string; without the last '"' when cut
 *   i-12         integer, single or from a batch      d0x1.8p+1    any other number
 *
 * Bytes of strings outside 0x21..0x7E, '"' and '\' stand as \XX.
 */
#ifndef TEST_JSON_EVENTS_H
#define TEST_JSON_EVENTS_H

#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_events {
    char *text;
    size_t n;
    size_t cap;
    bool want_ints; /* asked for in every array */
    size_t batches; /* calls of ints */
    size_t pieces;  /* calls of string */
    size_t numbers; /* calls of number */
    size_t calls;   /* all calls */
    size_t fail_at; /* the number of the call that returns fail_code; 0 = none */
    ts_code fail_code;
    bool open;       /* inside a string */
    bool wrong;      /* flags of pieces or batches that the interface does not allow */
    ts_json *reader; /* when set, "@" and its position stands after each item */
} json_events;

static inline void json_events_put(json_events *ev, const char *p, size_t n)
{
    if (ev->cap - ev->n < n + 1) {
        ev->cap = (ev->cap + n) * 2 + 64;
        ev->text = realloc(ev->text, ev->cap);
        if (ev->text == NULL) {
            abort();
        }
    }
    memcpy(ev->text + ev->n, p, n);
    ev->n += n;
    ev->text[ev->n] = '\0';
}

static inline void json_events_escaped(json_events *ev, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        char hex[4];
        if (c > 0x20 && c < 0x7F && c != '"' && c != '\\') {
            json_events_put(ev, p + i, 1);
        } else {
            snprintf(hex, sizeof hex, "\\%02X", c);
            json_events_put(ev, hex, 3);
        }
    }
}

/* Counts a call, and lets it fail when it is its turn. */
static inline ts_code json_events_call(json_events *ev, const char *text)
{
    if (++ev->calls == ev->fail_at) {
        return ev->fail_code;
    }
    json_events_put(ev, text, strlen(text));
    if (ev->reader != NULL && ts_json_state(ev->reader) == TS_JSON_BAD) {
        ev->wrong = true;
    }
    if (ev->reader != NULL && !ev->open) {
        char at[32];
        snprintf(at, sizeof at, "@%" PRIu64 " ", ts_json_position(ev->reader));
        json_events_put(ev, at, strlen(at));
    }
    return TS_OK;
}

static inline ts_code json_events_object_begin(void *user)
{
    return json_events_call(user, "{ ");
}

static inline ts_code json_events_object_end(void *user)
{
    return json_events_call(user, "} ");
}

static inline ts_code json_events_array_begin(void *user, int *want)
{
    json_events *ev = user;
    *want = ev->want_ints ? TS_JSON_WANT_INTS : TS_JSON_PLAIN;
    return json_events_call(ev, "[ ");
}

static inline ts_code json_events_array_end(void *user)
{
    return json_events_call(user, "] ");
}

static inline ts_code json_events_key(void *user, const char *p, size_t n)
{
    json_events *ev = user;
    if (ev->calls + 1 != ev->fail_at) {
        json_events_put(ev, "k\"", 2);
        json_events_escaped(ev, p, n);
    }
    return json_events_call(ev, "\" ");
}

static inline ts_code json_events_string(void *user, const char *p, size_t n, unsigned flags)
{
    json_events *ev = user;
    bool first = (flags & TS_JSON_FIRST) != 0;
    ev->wrong |= first == ev->open || (n == 0 && (flags & TS_JSON_LAST) == 0);
    ev->open = (flags & TS_JSON_LAST) == 0;
    ev->pieces++;
    if (ev->calls + 1 != ev->fail_at) {
        json_events_put(ev, "s\"", first ? 2 : 0);
        json_events_escaped(ev, p, n);
    }
    return json_events_call(ev, ev->open ? "" : "\" ");
}

static inline ts_code json_events_number(void *user, const ts_json_number *number)
{
    json_events *ev = user;
    char text[64];
    if (number->is_int) {
        snprintf(text, sizeof text, "i%" PRId64 " ", number->i);
    } else {
        snprintf(text, sizeof text, "d%a ", number->d);
    }
    ev->numbers++;
    ev->wrong |= number->n == 0 || number->n > 64 || number->p == NULL;
    return json_events_call(ev, text);
}

static inline ts_code json_events_literal(void *user, ts_json_kind kind)
{
    return json_events_call(user, kind == TS_JSON_NULL ? "n " : kind == TS_JSON_TRUE ? "t " : "f ");
}

static inline ts_code json_events_ints(void *user, const int64_t *v, size_t n)
{
    json_events *ev = user;
    ev->batches++;
    ev->wrong |= n == 0 || !ev->want_ints;
    ts_code code = json_events_call(ev, "");
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        char text[32];
        snprintf(text, sizeof text, "i%" PRId64 " ", v[i]);
        json_events_put(ev, text, strlen(text));
    }
    return code;
}

static const ts_json_handler json_events_handler = {
    .object_begin = json_events_object_begin,
    .object_end = json_events_object_end,
    .array_begin = json_events_array_begin,
    .array_end = json_events_array_end,
    .key = json_events_key,
    .string = json_events_string,
    .number = json_events_number,
    .literal = json_events_literal,
    .ints = json_events_ints,
};

/* Feeds p[0..n) in blocks, each in memory of its own so that a sanitizer sees every read outside.
 */
static inline ts_code json_events_feed(ts_json *js, const char *p, size_t n, size_t block)
{
    ts_code code = TS_OK;
    size_t len;
    for (size_t at = 0; at < n && code == TS_OK; at += len) {
        len = n - at < block ? n - at : block;
        char *copy = malloc(len);
        if (copy == NULL) {
            abort();
        }
        memcpy(copy, p + at, len);
        code = ts_json_feed(js, copy, len);
        free(copy);
    }
    return code == TS_OK ? ts_json_finish(js) : code;
}

#endif
