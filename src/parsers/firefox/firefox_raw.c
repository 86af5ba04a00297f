/*
 * Data of markers are kept as JSON: while they are being read, what the reader says goes to a
 * writer of JSON, and else to the tables of fields.
 */
#include "parsers/firefox/firefox.h"

enum { NUMBER_TEXT = 64 }; /* bytes of a number that the reader keeps */

/* What is too long becomes no value at all. */
static ts_code raw_limit(fox *f)
{
    if (f->raw.n > FOX_TEXT_MAX) {
        f->raw_cut = true;
        f->raw.n = 0;
    }
    return f->out.code;
}

static ts_code raw_open(fox *f, char bracket)
{
    if (f->depth == 0) {
        f->raw.n = 0;
        f->raw_cut = false;
        f->out = ts_jout_into(f->ctx, &f->raw);
        f->out.escapes = TS_JOUT_PLAIN;
    }
    f->depth++;
    ts_jout_open(&f->out, NULL, bracket);
    return raw_limit(f);
}

static ts_code raw_close(fox *f, char bracket)
{
    ts_jout_close(&f->out, bracket);
    TS_TRY(raw_limit(f));
    if (--f->depth > 0) {
        return TS_OK;
    }
    fox_begin_cell(f);
    if (f->raw_cut) {
        f->n.texts_cut++;
        return fox_put_tag(f, FOX_NULL);
    }
    return fox_put_bytes(f, FOX_RAW, ts_buf_text(&f->raw));
}

static ts_code raw_number(fox *f, const ts_json_number *n)
{
    if (n->n < NUMBER_TEXT) { /* as it was written */
        ts_jout_raw(&f->out, NULL, (ts_text){n->p, n->n});
    } else {
        ts_jout_real(&f->out, NULL, n->d);
    }
    return raw_limit(f);
}

static ts_code h_object_begin(void *user)
{
    fox *f = user;
    return f->depth > 0 || fox_is_kept(f, true) ? raw_open(f, '{')
                                                : ts_json_by_table.object_begin(&f->in);
}

static ts_code h_object_end(void *user)
{
    fox *f = user;
    return f->depth > 0 ? raw_close(f, '}') : ts_json_by_table.object_end(&f->in);
}

static ts_code h_array_begin(void *user, int *want)
{
    fox *f = user;
    return f->depth > 0 || fox_is_kept(f, false) ? raw_open(f, '[')
                                                 : ts_json_by_table.array_begin(&f->in, want);
}

static ts_code h_array_end(void *user)
{
    fox *f = user;
    return f->depth > 0 ? raw_close(f, ']') : ts_json_by_table.array_end(&f->in);
}

static ts_code h_key(void *user, const char *p, size_t n)
{
    fox *f = user;
    if (f->depth == 0) {
        return ts_json_by_table.key(&f->in, p, n);
    }
    ts_jout_key(&f->out, (ts_text){p, n});
    return raw_limit(f);
}

static ts_code h_string(void *user, const char *p, size_t n, unsigned flags)
{
    fox *f = user;
    ts_code code;
    if (f->depth == 0) {
        return ts_json_by_table.string(&f->in, p, n, flags);
    }
    if (!fox_collect(&code, f, p, n, flags)) {
        return code;
    }
    ts_jout_text(&f->out, NULL, ts_buf_text(&f->text));
    return raw_limit(f);
}

static ts_code h_number(void *user, const ts_json_number *n)
{
    fox *f = user;
    return f->depth > 0 ? raw_number(f, n) : ts_json_by_table.number(&f->in, n);
}

static ts_code h_literal(void *user, ts_json_kind kind)
{
    fox *f = user;
    if (f->depth == 0) {
        return ts_json_by_table.literal(&f->in, kind);
    }
    if (kind == TS_JSON_NULL) {
        ts_jout_null(&f->out, NULL);
    } else {
        ts_jout_bool(&f->out, NULL, kind == TS_JSON_TRUE);
    }
    return raw_limit(f);
}

static ts_code h_ints(void *user, const int64_t *v, size_t n)
{
    fox *f = user;
    return ts_json_by_table.ints(&f->in, v, n);
}

const ts_json_handler fox_handler = {
    .object_begin = h_object_begin,
    .object_end = h_object_end,
    .array_begin = h_array_begin,
    .array_end = h_array_end,
    .key = h_key,
    .string = h_string,
    .number = h_number,
    .literal = h_literal,
    .ints = h_ints,
};
