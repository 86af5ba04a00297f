/* The outermost message of a profile: samples go into the spool, definitions into memory. */
#include "parsers/pprof/pprof.h"

/* --- lists ---------------------------------------------------------------------------------- */

static uint64_t id_at(const pprof_list *list, size_t i)
{
    uint64_t id;
    memcpy(&id, (const char *)list->items.p + i * list->size, sizeof id);
    return id;
}

void *pprof_find(const pprof_list *list, uint64_t id)
{
    uint64_t i = id - 1;
    if (i >= list->items.n || id_at(list, (size_t)i) != id) {
        if (list->others.count == 0 || !ts_idmap_find(&i, &list->others, (int64_t)id)) {
            return NULL;
        }
    }
    return (char *)list->items.p + (size_t)i * list->size;
}

/* A message that is left out. */
static ts_code refuse(pprof *p, ts_issue_code issue, const char *what)
{
    p->damaged = true;
    p->certain = p->text_ends.n < p->certain ? p->text_ends.n : p->certain;
    return ts_issue(p->job->store, p->source_id, issue, p->name, (int64_t)p->wire.tag_at, "%s",
                    what);
}

/* The element that has just been added: it goes again when its id is taken. */
static ts_code add_id(bool *kept, pprof *p, pprof_list *list)
{
    size_t i = list->items.n - 1;
    uint64_t id = id_at(list, i);
    ts_code code = TS_OK;
    list->items.n--;
    *kept = id != 0 && pprof_find(list, id) == NULL;
    TS_STEP_IF(code, *kept && id != (uint64_t)i + 1,
               ts_idmap_put(p->job->ctx, &list->others, (int64_t)id, i));
    if (code != TS_OK || *kept) {
        list->items.n++;
        return code;
    }
    p->defined_lost++;
    return ts_issue(
        p->job->store, p->source_id, TS_ISSUE_prof_duplicate_id, p->name, (int64_t)p->wire.tag_at,
        id == 0 ? "a definition has the number 0" : "a definition has the number of another one");
}

/* --- inner messages ------------------------------------------------------------------------- */

typedef struct pprof_fields {
    uint64_t value[12];
} pprof_fields;

/* Fields 1 to `last` are numbers, others unknown ones. */
static bool read_numbers(pprof_fields *out, const ts_buf *message, uint32_t last)
{
    ts_wire w;
    ts_wire_field f;
    *out = (pprof_fields){0};
    ts_wire_init(&w, (const uint8_t *)message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number <= last) {
            if (f.type != TS_WIRE_VARINT) {
                return false;
            }
            out->value[f.number] = f.value;
        }
    }
    return w.fault == TS_WIRE_OK;
}

static ts_code take_value_type(bool *good, pprof *p, bool period)
{
    pprof_fields f;
    pprof_value_type *type;
    *good = read_numbers(&f, &p->message, 2);
    if (!*good) {
        return TS_OK;
    }
    TS_NEED(p->job->ctx, type = period ? &p->period_type
                                       : ts_vec_add(p->job->ctx, &p->value_types, sizeof *type));
    *type = (pprof_value_type){.type = (int64_t)f.value[1], .unit = (int64_t)f.value[2]};
    return TS_OK;
}

static ts_code take_mapping(bool *good, pprof *p)
{
    pprof_fields f;
    pprof_mapping *mapping;
    bool kept;
    *good = read_numbers(&f, &p->message, 10);
    if (!*good) {
        return TS_OK;
    }
    TS_NEED(p->job->ctx, mapping = ts_vec_add(p->job->ctx, &p->mappings.items, sizeof *mapping));
    *mapping = (pprof_mapping){f.value[1], (int64_t)f.value[5], (int64_t)f.value[6]};
    return add_id(&kept, p, &p->mappings);
}

static ts_code take_function(bool *good, pprof *p)
{
    pprof_fields f;
    pprof_function *function;
    bool kept;
    *good = read_numbers(&f, &p->message, 5);
    if (!*good) {
        return TS_OK;
    }
    TS_NEED(p->job->ctx, function = ts_vec_add(p->job->ctx, &p->functions.items, sizeof *function));
    *function = (pprof_function){
        .id = f.value[1],
        .name = (int64_t)f.value[2],
        .system_name = (int64_t)f.value[3],
        .file = (int64_t)f.value[4],
        .start_line = (int64_t)f.value[5],
    };
    return add_id(&kept, p, &p->functions);
}

/* function, line; the column has no place. */
static bool read_line(pprof_line *out, const ts_wire *outer, const ts_wire_field *field)
{
    ts_wire w;
    ts_wire_field f;
    *out = (pprof_line){0};
    ts_wire_enter(&w, outer, field);
    while (ts_wire_next(&f, &w)) {
        if (f.number <= 3 && f.type != TS_WIRE_VARINT) {
            return false;
        }
        out->function = f.number == 1 ? f.value : out->function;
        out->line = f.number == 2 ? (int64_t)f.value : out->line;
    }
    return w.fault == TS_WIRE_OK;
}

static ts_code read_location(bool *good, pprof *p, pprof_location *out)
{
    ts_wire w;
    ts_wire_field f;
    *out = (pprof_location){.first_line = p->lines.n};
    ts_wire_init(&w, (const uint8_t *)p->message.p, p->message.n);
    *good = true;
    while (*good && ts_wire_next(&f, &w)) {
        *good = f.number > 5 || f.type == (f.number == 4 ? TS_WIRE_BYTES : TS_WIRE_VARINT);
        out->id = f.number == 1 ? f.value : out->id;
        out->mapping = f.number == 2 ? f.value : out->mapping;
        out->address = f.number == 3 ? f.value : out->address;
        if (*good && f.number == 4) {
            pprof_line *line = ts_vec_add(p->job->ctx, &p->lines, sizeof *line);
            TS_NEED(p->job->ctx, line);
            *good = read_line(line, &w, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    out->line_count = p->lines.n - out->first_line;
    p->inlined = p->inlined || out->line_count > 1;
    return TS_OK;
}

static ts_code take_location(bool *good, pprof *p)
{
    pprof_location read;
    pprof_location *location;
    bool kept = false;
    ts_code code = read_location(good, p, &read);
    if (code == TS_OK && *good) {
        TS_NEED(p->job->ctx,
                location = ts_vec_add(p->job->ctx, &p->locations.items, sizeof *location));
        *location = read;
        code = add_id(&kept, p, &p->locations);
    }
    p->lines.n = !kept ? read.first_line : p->lines.n;
    return code;
}

static ts_code add_comment(pprof *p, uint64_t number)
{
    int64_t *comment = ts_vec_add(p->job->ctx, &p->comments, sizeof *comment);
    TS_NEED(p->job->ctx, comment);
    *comment = (int64_t)number;
    return TS_OK;
}

static ts_code take_comments(bool *good, pprof *p)
{
    ts_wire w;
    uint64_t v;
    ts_code code = TS_OK;
    ts_wire_init(&w, (const uint8_t *)p->message.p, p->message.n);
    while (code == TS_OK && ts_wire_packed(&v, &w)) {
        code = add_comment(p, v);
    }
    *good = w.fault == TS_WIRE_OK;
    return code;
}

static bool is_definition(uint32_t field)
{
    return field >= PPROF_MAPPING && field <= PPROF_FUNCTION;
}

static ts_code take_message(pprof *p, uint32_t field)
{
    bool good = true;
    ts_code code = TS_OK;
    p->defined += is_definition(field) ? 1 : 0;
    switch (field) {
    case PPROF_SAMPLE_TYPE:
    case PPROF_PERIOD_TYPE:
        code = take_value_type(&good, p, field == PPROF_PERIOD_TYPE);
        break;
    case PPROF_MAPPING:
        code = take_mapping(&good, p);
        break;
    case PPROF_LOCATION:
        code = take_location(&good, p);
        break;
    case PPROF_FUNCTION:
        code = take_function(&good, p);
        break;
    default:
        code = take_comments(&good, p);
    }
    if (code == TS_OK && !good) {
        p->defined_lost += is_definition(field) ? 1 : 0;
        code = refuse(p, TS_ISSUE_prof_bad_message, "a message is not well-formed");
    }
    return code;
}

/* --- the outermost message ------------------------------------------------------------------ */

static bool is_message(uint32_t field)
{
    return field <= PPROF_STRING || field == PPROF_PERIOD_TYPE || field == PPROF_COMMENT;
}

static ts_code on_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    pprof *p = user;
    if (field >= PPROF_FIELDS) {
        p->certain = p->text_ends.n < p->certain ? p->text_ends.n : p->certain;
        return TS_OK;
    }
    if (type != TS_WIRE_VARINT || (is_message(field) && field != PPROF_COMMENT)) {
        return refuse(p, TS_ISSUE_prof_bad_message, "a field has the wrong wire type");
    }
    if (field == PPROF_COMMENT) {
        return add_comment(p, value);
    }
    p->number[field] = (int64_t)value;
    p->has[field] = true;
    return TS_OK;
}

static size_t put_varint(uint8_t *out, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        out[n++] = (uint8_t)(v | 0x80);
    }
    out[n++] = (uint8_t)v;
    return n;
}

/* Samples wait as they stand in the file. Where the next one does not follow the one before, a 0
 * and the distance come first. */
static ts_code begin_samples(pprof *p, uint64_t at)
{
    uint8_t head[11] = {0};
    if (at == p->spooled_to) {
        return TS_OK;
    }
    size_t n = 1 + put_varint(head + 1, at - p->spooled_to);
    p->spooled_to = at;
    return ts_spool_write(p->samples, head, n);
}

/* The head may have been longer in the file: then the next one has a distance. */
static ts_code begin_sample(pprof *p, uint64_t n)
{
    uint8_t head[11] = {PPROF_SAMPLE << 3 | TS_WIRE_BYTES};
    size_t used = 1 + put_varint(head + 1, n);
    ts_code code = begin_samples(p, p->wire.tag_at);
    p->spooled_to += used + n;
    TS_STEP(code, ts_spool_write(p->samples, head, used));
    return code;
}

static ts_code on_samples(void *user, uint64_t at, uint64_t count, const uint8_t *bytes, size_t n)
{
    pprof *p = user;
    TS_TRY(begin_samples(p, at));
    TS_TRY(ts_spool_write(p->samples, bytes, n));
    p->spooled_to += n;
    p->samples_seen += count;
    p->samples_end = ts_spool_size(p->samples);
    return TS_OK;
}

static ts_code on_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    pprof *p = user;
    p->message.n = 0;
    p->too_large = false;
    *want = field < PPROF_FIELDS && is_message(field);
    if (!*want) {
        if (field < PPROF_FIELDS) {
            return refuse(p, TS_ISSUE_prof_bad_message, "a field has the wrong wire type");
        }
        p->certain = p->text_ends.n < p->certain ? p->text_ends.n : p->certain;
        return TS_OK;
    }
    if (field == PPROF_STRING) {
        return TS_OK;
    }
    if (n > PPROF_MAX_MESSAGE) {
        *want = false;
        p->too_large = true;
        return TS_OK;
    }
    return field == PPROF_SAMPLE ? begin_sample(p, n) : TS_OK;
}

static ts_code on_bytes(void *user, uint32_t field, const uint8_t *bytes, size_t n)
{
    pprof *p = user;
    if (field == PPROF_SAMPLE) {
        return ts_spool_write(p->samples, bytes, n);
    }
    return field == PPROF_STRING ? pprof_text_bytes(p, bytes, n)
                                 : ts_buf_put(p->job->ctx, &p->message, bytes, n);
}

static ts_code on_end(void *user, uint32_t field, bool complete)
{
    pprof *p = user;
    bool lost = p->too_large || !complete;
    if (field >= PPROF_FIELDS || !is_message(field)) {
        return TS_OK;
    }
    if (field == PPROF_SAMPLE) {
        p->samples_seen++;
        p->samples_lost += lost ? 1 : 0;
        p->samples_end = !lost ? ts_spool_size(p->samples) : p->samples_end;
    } else if (lost) {
        p->defined += is_definition(field) ? 1 : 0;
        p->defined_lost += is_definition(field) ? 1 : 0;
    }
    if (lost) { /* one that is cut is reported with the profile */
        return complete ? refuse(p, TS_ISSUE_prof_too_large, "a message is too large") : TS_OK;
    }
    if (field == PPROF_STRING) {
        return pprof_text_end(p);
    }
    return field == PPROF_SAMPLE ? TS_OK : take_message(p, field);
}

const ts_wire_handler pprof_handler = {
    .number = on_number,
    .begin = on_begin,
    .bytes = on_bytes,
    .end = on_end,
    .run = on_samples,
    .run_field = PPROF_SAMPLE,
};
