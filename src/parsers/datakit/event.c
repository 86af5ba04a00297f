/* The event file of an upload: members become values, by their paths. */
#include "parsers/datakit/datakit.h"

static const char *const event_lists[] = {"tags_profiler", "sub_custom_tags"};

static bool event_is_kept(const datakit_event *e)
{
    return e->depth > 0 && e->depth <= DATAKIT_LEVELS && e->no_object == NULL;
}

static ts_code event_value(datakit_event *e, ts_text value)
{
    ts_text path = ts_buf_text(&e->path);
    if (e->depth == 0) {
        e->no_object = "it is not an object";
    }
    if (!event_is_kept(e)) {
        e->m->seen += e->depth > DATAKIT_LEVELS ? 1 : 0;
        e->m->too_many += e->depth > DATAKIT_LEVELS ? 1 : 0;
        return TS_OK;
    }
    if (e->depth == 2 && e->array[2] && ts_text_is(path, "attachments")) {
        return datakit_meta_listed(e->m, value);
    }
    return datakit_meta_put(e->m, path, value, false, DATAKIT_JOIN);
}

static ts_code event_open_level(datakit_event *e, bool array)
{
    if (e->depth == 0 && array) {
        e->no_object = "it is not an object";
    }
    e->depth++;
    if (e->depth <= DATAKIT_LEVELS) {
        e->ends[e->depth] = e->path.n;
        e->array[e->depth] = array;
    }
    if (e->depth == 2 && array && ts_text_is(ts_buf_text(&e->path), "attachments")) {
        e->m->has_list = true;
    }
    return TS_OK;
}

static ts_code event_object_begin(void *user)
{
    return event_open_level(user, false);
}

static ts_code event_array_begin(void *user, int *want)
{
    (void)want;
    return event_open_level(user, true);
}

static ts_code event_array_end(void *user)
{
    datakit_event *e = user;
    if (e->depth <= DATAKIT_LEVELS) {
        e->path.n = e->ends[e->depth];
    }
    e->depth--;
    return TS_OK;
}

static ts_code event_key(void *user, const char *p, size_t n)
{
    datakit_event *e = user;
    ts_code code = TS_OK;
    if (!event_is_kept(e)) {
        return TS_OK;
    }
    e->path.n = e->ends[e->depth];
    if (e->path.n > 0) {
        code = ts_buf_putc(e->m->ctx, &e->path, '.');
    }
    TS_STEP(code, ts_buf_put(e->m->ctx, &e->path, p, n));
    return code;
}

static ts_code event_string(void *user, const char *p, size_t n, unsigned flags)
{
    datakit_event *e = user;
    ts_code code = TS_OK;
    if ((flags & TS_JSON_FIRST) != 0) {
        e->text.n = 0;
    }
    /* One byte more than is kept, so that it is cut. */
    if (event_is_kept(e) && e->text.n <= DATAKIT_MAX_TEXT) {
        size_t room = DATAKIT_MAX_TEXT + 1 - e->text.n;
        code = ts_buf_put(e->m->ctx, &e->text, p, n < room ? n : room);
    }
    TS_STEP_IF(code, (flags & TS_JSON_LAST) != 0, event_value(e, ts_buf_text(&e->text)));
    return code;
}

static ts_code event_number(void *user, const ts_json_number *number)
{
    return event_value(user, (ts_text){number->p, number->n});
}

static ts_code event_literal(void *user, ts_json_kind kind)
{
    return event_value(user, kind == TS_JSON_TRUE    ? TS_TEXT_LIT("true")
                             : kind == TS_JSON_FALSE ? TS_TEXT_LIT("false")
                                                     : TS_TEXT_LIT(""));
}

const ts_json_handler datakit_event_handler = {
    .object_begin = event_object_begin,
    .object_end = event_array_end,
    .array_begin = event_array_begin,
    .array_end = event_array_end,
    .key = event_key,
    .string = event_string,
    .number = event_number,
    .literal = event_literal,
};

ts_code datakit_event_end(datakit_event *e)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < 2 && code == TS_OK; i++) {
        code = datakit_meta_tags(e->m, datakit_meta_get(e->m, event_lists[i], DATAKIT_VALUE));
    }
    return code;
}
