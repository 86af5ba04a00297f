/*
 * One system event: a JSON object in a line of text. It is held whole, because its members are
 * wanted in the order of their keys. Docs: docs/formats.md, "hisysevent-plugin".
 *
 * Memory: some 70 bytes for each value of the line, and its texts. A line of EVENT_LINE_MAX bytes
 * takes 40 MiB at most.
 */
#ifndef TS_HTRACE_PLUGINS_EVENT_JSON_H
#define TS_HTRACE_PLUGINS_EVENT_JSON_H

#include "base/json_out.h"
#include "base/vec.h"
#include "json/json.h"

enum { EVENT_LINE_MAX = 1 << 20 };

typedef enum event_kind {
    EVENT_OBJECT,
    EVENT_ARRAY,
    EVENT_TEXT,
    EVENT_NUMBER,
    EVENT_LITERAL /* true, false, null */
} event_kind;

enum { EVENT_NONE = UINT32_MAX };

/* A value; others are places in event_json.values. Texts are parts of event_json.texts. */
typedef struct event_value {
    event_kind kind;
    bool is_int; /* i holds the number */
    uint32_t parent;
    uint32_t next;  /* the value after it in the same array or object, or EVENT_NONE */
    uint32_t first; /* of an array or object */
    uint32_t last;
    uint32_t key; /* of a member of an object */
    uint32_t key_n;
    uint32_t text; /* a text; a number or literal as it was written */
    uint32_t text_n;
    int64_t i;
    double d; /* a number */
} event_value;

/* The line that was read last. Zero-initialise. */
typedef struct event_json {
    ts_ctx *ctx;
    ts_json *js;
    ts_vec values; /* event_value; the first is the object itself */
    ts_buf texts;
    ts_vec order;  /* uint32_t: members that are being sorted */
    uint32_t open; /* the array or object that is being read */
    uint32_t key;  /* of the value that comes next */
    uint32_t key_n;
    uint64_t replaced; /* ill-formed parts of texts that became U+FFFD */
} event_json;

/*
 * Reads a line. Members of objects are in the order of their keys then; of those with the same key
 * the last one counts. *reason: NULL, or why it is no event (static text, or the reader's until the
 * next line), and *at where. TS_ERR_NOMEM, TS_ERR_LIMIT.
 */
ts_code event_json_read(const char **reason, uint64_t *at, event_json *e, ts_ctx *ctx,
                        const char *p, size_t n);

/* The object's member, or NULL. */
const event_value *event_json_member(const event_json *e, const char *key);

static inline const event_value *event_json_at(const event_json *e, uint32_t place)
{
    return place == EVENT_NONE ? NULL : (const event_value *)e->values.p + place;
}

static inline ts_text event_json_key(const event_json *e, const event_value *v)
{
    return (ts_text){e->texts.p + v->key, v->key_n};
}

/* Of a text, a number or a literal. */
static inline ts_text event_json_text(const event_json *e, const event_value *v)
{
    return (ts_text){e->texts.p + v->text, v->text_n};
}

/* Writes the value; empty texts may be NULL. */
void event_json_write(ts_jout *j, const event_json *e, const event_value *v);

void event_json_free(event_json *e);

#endif
