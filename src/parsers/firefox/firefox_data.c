/*
 * Data of markers: an object as JSON, read once for what it says of the marker, and a second time
 * when it has texts by number or a stack of its own (Gecko's `stack` is a thread of one sample),
 * which are not shown as recorded.
 */
#include "parsers/firefox/firefox.h"

#include "base/alloc.h"

/* Members that matter, by the place where they are. */
typedef enum member {
    M_OTHER,
    M_TYPE,
    M_START,
    M_END,
    M_INTERVAL,
    M_STACK,
    M_CAUSE,
    M_SAMPLES,
    M_SCHEMA,
    M_DATA
} member;

enum { LEVELS = 6 };

typedef struct fox_reading {
    fox *f;
    ts_json *json;
    ts_buf string;
    fox_data *d;
    bool writing;
    unsigned depth;
    member at[LEVELS]; /* the key of each open level */
    uint64_t element;  /* in a row of Gecko's samples */
    int64_t place;     /* of the stack in it */
    bool any_row;
    bool screenshot;
    bool as_text;   /* the number that follows is one of a text */
    bool any_stack; /* of Gecko */
    ts_jout out;
} reading;

static member member_of(const char *p, size_t n)
{
    static const char *const names[] = {
        [M_TYPE] = "type",         [M_START] = "startTime", [M_END] = "endTime",
        [M_INTERVAL] = "interval", [M_STACK] = "stack",     [M_CAUSE] = "cause",
        [M_SAMPLES] = "samples",   [M_SCHEMA] = "schema",   [M_DATA] = "data"};
    for (member m = M_TYPE; m <= M_DATA; m++) {
        if (ts_text_is((ts_text){p, n}, names[m])) {
            return m;
        }
    }
    return M_OTHER;
}

/* Inside of Gecko's stack, which is left out. */
static bool left_out(const reading *r)
{
    return r->depth > 1 && r->at[0] == M_STACK;
}

/* The value that follows is written. */
static bool writes(const reading *r)
{
    return r->writing && !left_out(r);
}

static bool in_path(const reading *r, unsigned depth, member last)
{
    return r->depth == depth && r->at[0] == M_STACK && r->at[1] == M_SAMPLES && r->at[2] == last;
}

static ts_code r_key(void *user, const char *p, size_t n)
{
    reading *r = user;
    fox *f = r->f;
    uint32_t id;
    const member m = member_of(p, n);
    if (r->depth <= LEVELS) {
        r->at[r->depth - 1] = m;
    }
    r->as_text = false;
    if (!writes(r)) {
        return TS_OK;
    }
    if (r->depth == 1 && r->d->has_type && !r->screenshot) {
        const ts_text type = ts_buf_text(&r->d->type);
        f->scratch.n = 0;
        TS_TRY(ts_buf_put(f->ctx, &f->scratch, type.p, type.n));
        TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '\1'));
        TS_TRY(ts_buf_put(f->ctx, &f->scratch, p, n));
        r->as_text = ts_pool_find(&id, &f->schemas, ts_buf_text(&f->scratch));
    }
    ts_jout_key(&r->out, (ts_text){p, n});
    return r->out.code;
}

/* A value of any kind begins: elements of the first row are counted. */
static void count_element(reading *r)
{
    if (in_path(r, 5, M_DATA)) {
        r->element++;
    }
}

static ts_code r_open(reading *r, char bracket)
{
    /* The key is written already, so the object is null where it is left out. */
    const bool whole_stack = r->depth == 1 && r->at[0] == M_STACK && bracket == '{';
    count_element(r);
    r->any_stack = r->any_stack || whole_stack;
    if (writes(r)) {
        if (whole_stack) {
            ts_jout_null(&r->out, NULL);
        } else {
            ts_jout_open(&r->out, NULL, bracket);
        }
    }
    r->depth++;
    if (r->depth <= LEVELS) {
        r->at[r->depth - 1] = M_OTHER;
    }
    if (in_path(r, 5, M_DATA) && !r->any_row) {
        r->any_row = true;
        r->element = 0;
    }
    return r->writing ? r->out.code : TS_OK;
}

static ts_code r_close(reading *r, char bracket)
{
    const bool out = left_out(r);
    r->depth--;
    if (r->writing && !out) {
        ts_jout_close(&r->out, bracket);
        return r->out.code;
    }
    return TS_OK;
}

static ts_code r_object_begin(void *user)
{
    return r_open(user, '{');
}

static ts_code r_object_end(void *user)
{
    return r_close(user, '}');
}

static ts_code r_array_begin(void *user, int *want)
{
    *want = TS_JSON_PLAIN;
    return r_open(user, '[');
}

static ts_code r_array_end(void *user)
{
    return r_close(user, ']');
}

static fox_cell cell_of(const ts_json_number *n)
{
    const fox_number v = fox_number_of(n);
    return (fox_cell){
        .tag = v.known ? (n->is_int ? FOX_INT : FOX_DECIMAL) : FOX_NULL,
        .i = v.known ? (int64_t)(v.v / FOX_MS) : 0,
        .part = v.known ? (int64_t)(v.v % FOX_MS) : 0,
        .d = n->d,
    };
}

/* What a number says of the marker. */
static void look_at(reading *r, const ts_json_number *n)
{
    const member top = r->at[0];
    if (r->depth == 1 && top == M_START) {
        r->d->start = cell_of(n);
    } else if (r->depth == 1 && top == M_END) {
        r->d->end = cell_of(n);
    } else if (r->depth == 2 && top == M_CAUSE && r->at[1] == M_STACK) {
        r->d->stack = cell_of(n);
    } else if (in_path(r, 4, M_SCHEMA) && r->at[3] == M_STACK) {
        r->place = n->i;
    } else if (in_path(r, 5, M_DATA) && r->d->stack.tag == FOX_NULL &&
               (int64_t)r->element == r->place) {
        r->d->stack = cell_of(n);
    }
}

static ts_code r_number(void *user, const ts_json_number *n)
{
    reading *r = user;
    ts_text text = TS_TEXT_NULL;
    if (!r->writing) {
        look_at(r, n);
        count_element(r);
        return TS_OK;
    }
    if (!writes(r)) {
        return TS_OK;
    }
    if (r->as_text && r->depth == 1 && n->is_int) {
        TS_TRY(fox_string_at(&text, r->f, &(fox_cell){.tag = FOX_INT, .i = n->i}));
    }
    if (text.p != NULL) {
        ts_jout_text(&r->out, NULL, text);
    } else {
        ts_jout_raw(&r->out, NULL, (ts_text){n->p, n->n});
    }
    return r->out.code;
}

static ts_code take_string(reading *r)
{
    const ts_text t = ts_buf_text(&r->string);
    count_element(r);
    if (r->writing) {
        if (writes(r)) {
            ts_jout_text(&r->out, NULL, t);
        }
        return r->out.code;
    }
    if (r->depth != 1) {
        return TS_OK;
    }
    if (r->at[0] == M_TYPE) {
        r->d->has_type = true;
        r->d->type.n = 0;
        return ts_buf_put(r->f->ctx, &r->d->type, t.p, t.n);
    }
    if (r->at[0] == M_INTERVAL) {
        r->d->interval = (char)(ts_text_is(t, "start") ? 's' : ts_text_is(t, "end") ? 'e' : '\0');
    }
    return TS_OK;
}

static ts_code r_string(void *user, const char *p, size_t n, unsigned flags)
{
    reading *r = user;
    if ((flags & TS_JSON_FIRST) != 0) {
        r->string.n = 0;
    }
    TS_TRY(ts_buf_put(r->f->ctx, &r->string, p, n));
    return (flags & TS_JSON_LAST) != 0 ? take_string(r) : TS_OK;
}

static ts_code r_literal(void *user, ts_json_kind kind)
{
    reading *r = user;
    count_element(r);
    if (!writes(r)) {
        return TS_OK;
    }
    if (kind == TS_JSON_NULL) {
        ts_jout_null(&r->out, NULL);
    } else {
        ts_jout_bool(&r->out, NULL, kind == TS_JSON_TRUE);
    }
    return r->out.code;
}

static const ts_json_handler handler = {
    .object_begin = r_object_begin,
    .object_end = r_object_end,
    .array_begin = r_array_begin,
    .array_end = r_array_end,
    .key = r_key,
    .string = r_string,
    .number = r_number,
    .literal = r_literal,
};

/* Reads the text of f->raw. */
static ts_code read_raw(reading *r)
{
    r->depth = 0;
    r->any_row = false;
    ts_json_reset(r->json);
    TS_TRY(ts_json_feed(r->json, r->f->raw.p, r->f->raw.n));
    return ts_json_finish(r->json);
}

static ts_code open_reading(reading **out, fox_data *d, fox *f)
{
    reading *r = d->reading;
    if (r == NULL) {
        TS_NEED(f->ctx, d->reading = r = ts_zalloc(f->ctx, 1, sizeof *r));
        r->f = f;
        r->d = d;
        TS_TRY(ts_json_new(&r->json, f->ctx, &handler, r, 0));
    }
    r->writing = false;
    r->any_stack = false;
    r->place = 0;
    *out = r;
    return TS_OK;
}

/* Some members of this type of data are texts. */
static ts_code has_texts(bool *has, fox *f, const fox_data *d)
{
    uint32_t id;
    f->scratch.n = 0;
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, d->type.p, d->type.n));
    TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '\3'));
    *has = d->has_type && ts_pool_find(&id, &f->schemas, ts_buf_text(&f->scratch));
    return TS_OK;
}

ts_code fox_data_read(fox_data *d, fox *f, const fox_cell *raw)
{
    reading *r = NULL;
    bool texts;
    d->type.n = 0;
    d->text.n = 0;
    d->has_type = false;
    d->interval = '\0';
    d->start = d->end = d->stack = FOX_NO_CELL;
    if (raw->tag != FOX_RAW) {
        return TS_OK;
    }
    TS_TRY(open_reading(&r, d, f));
    TS_TRY(fox_bytes(f, &f->raw, raw));
    TS_TRY(read_raw(r));
    TS_TRY(has_texts(&texts, f, d));
    r->screenshot = d->has_type && ts_text_is(ts_buf_text(&d->type), "CompositorScreenshot");
    f->n.screenshots += r->screenshot ? 1 : 0;
    if (!texts && !r->any_stack) {
        return ts_buf_put(f->ctx, &d->text, f->raw.p, f->raw.n);
    }
    r->writing = true;
    r->out = ts_jout_into(f->ctx, &d->text);
    r->out.escapes = TS_JOUT_PLAIN;
    return read_raw(r);
}

void fox_data_free(fox_data *d, fox *f)
{
    reading *r = d->reading;
    if (r != NULL) {
        ts_json_free(r->json);
        ts_buf_free(f->ctx, &r->string);
        ts_free(f->ctx, r);
    }
    ts_buf_free(f->ctx, &d->type);
    ts_buf_free(f->ctx, &d->text);
}
