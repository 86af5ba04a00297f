/*
 * Call paths. A location becomes the numbers of its frames, a stack the row of its innermost frame;
 * both are kept as long as profiles of the same source follow each other in a message.
 */
#include "parsers/otlp/otlp.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* With this bit a code is where its frames are in `expanded`: their number, then they. */
#define SEVERAL (UINT32_C(1) << 31)

typedef struct location {
    uint64_t mapping, address;
    bool has_mapping, good;
    ts_text type;
    ts_text library;
} location;

/* --- libraries ---------------------------------------------------------------------------------
 */

static ts_text base_name(ts_text path)
{
    const char *slash = path.n == 0 ? NULL : memrchr(path.p, '/', path.n);
    return slash == NULL ? path : ts_text_from(path, (size_t)(slash - path.p) + 1);
}

static ts_code note_build_ids(otlp *o, const ts_wire_field *f)
{
    bool good;
    ts_code code = otlp_numbers(&good, o, &o->entry_list, f, false);
    for (size_t i = 0; i < o->entry_list.n && code == TS_OK; i++) {
        const otlp_attribute *a = otlp_attribute_at(o, ((const uint64_t *)o->entry_list.p)[i]);
        if (a != NULL && a->good && a->meaning == OTLP_MEANS_BUILD_ID && a->kind != 0) {
            code = otlp_fact(o, "", TS_TEXT_LIT("build_id"), otlp_part_text(o, a->value));
        }
    }
    return code;
}

static ts_code read_library(ts_text *library, otlp *o, uint64_t number)
{
    ts_wire_field f;
    otlp_part part;
    *library = TS_TEXT_NULL;
    if (otlp_is_none(o, number) || !otlp_entry(&part, o, TABLE_MAPPING, number)) {
        return TS_OK;
    }
    otlp_walk w = otlp_enter(o, OTLP_MAPPING, part);
    while (otlp_next(&f, &w)) {
        if (w.role == MAPPING_FILE && f.value != 0) {
            *library = base_name(otlp_text(o, f.value));
        } else if (w.role == MAPPING_BUILD_ID && f.value != 0) {
            TS_TRY(otlp_fact(o, "", TS_TEXT_LIT("build_id"), otlp_text(o, f.value)));
        } else if (w.role == MAPPING_ATTRIBUTE) {
            o->entry_list.n = 0;
            TS_TRY(note_build_ids(o, &f));
        }
    }
    o->bad_entries += otlp_good(&w) ? 0 : 1;
    *library = library->n == 0 ? TS_TEXT_NULL : *library;
    return TS_OK;
}

/* --- methods -----------------------------------------------------------------------------------
 */

/* Of frames whose kind is not recorded: what the source is, or the file shows. */
static ts_language language_of(const otlp *o, ts_text type, ts_text file)
{
    static const struct {
        const char *type;
        ts_language language;
    } known[] = {
        {"jvm", TS_LANG_JAVA},    {"cpython", TS_LANG_PYTHON}, {"go", TS_LANG_GO},
        {"v8js", TS_LANG_NODEJS}, {"dotnet", TS_LANG_DOTNET},  {"ruby", TS_LANG_RUBY},
        {"php", TS_LANG_PHP},     {"rust", TS_LANG_RUST},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(type, known[i].type)) {
            return known[i].language;
        }
    }
    ts_language language = o->profile.source->language;
    return type.n > 0                    ? TS_LANG_UNKNOWN
           : language != TS_LANG_UNKNOWN ? language
                                         : ts_language_of_file(file);
}

static ts_code put_method(int64_t *method, otlp *o, const location *l, ts_language language,
                          ts_text name, ts_text file, int64_t line)
{
    ts_frame_parts frame = {.file = file, .library = l->library};
    ts_method row = {.modifiers = l->type};
    if (name.p != NULL) {
        TS_TRY(ts_frame_split(o->ctx, &frame, &o->scratch, language, name, file, l->library));
    }
    row.name = frame.name;
    row.cls = frame.cls;
    row.package = frame.package;
    row.file = frame.file;
    row.library = frame.library;
    row.has_line = line > 0 || frame.has_line;
    row.line = line > 0 ? line : frame.line;
    return ts_stack_method(method, o->store, o->profile.source->id, &row);
}

/* The function of a line; -1: it is not there. */
static ts_code function_method(int64_t *method, otlp *o, const location *l, uint64_t number)
{
    ts_wire_field f;
    otlp_part part;
    uint64_t v[FUNCTION_LINE + 1] = {0};
    *method = -1;
    if (otlp_is_none(o, number) || !otlp_entry(&part, o, TABLE_FUNCTION, number)) {
        return TS_OK;
    }
    otlp_walk w = otlp_enter(o, OTLP_FUNCTION, part);
    while (otlp_next(&f, &w)) {
        v[w.role] = f.value;
    }
    if (!otlp_good(&w)) {
        o->bad_entries++;
        return TS_OK;
    }
    uint64_t name = v[FUNCTION_NAME] != 0 ? v[FUNCTION_NAME] : v[FUNCTION_SYSTEM_NAME];
    ts_text file = v[FUNCTION_FILE] == 0 ? TS_TEXT_NULL : otlp_text(o, v[FUNCTION_FILE]);
    return put_method(method, o, l, language_of(o, l->type, file), otlp_text(o, name), file,
                      (int64_t)v[FUNCTION_LINE]);
}

static ts_code address_method(int64_t *method, otlp *o, const location *l)
{
    char text[32];
    int n = snprintf(text, sizeof text, "0x%" PRIx64, l->address);
    return put_method(method, o, l, TS_LANG_UNKNOWN, (ts_text){text, (size_t)n}, TS_TEXT_NULL, 0);
}

/* --- locations ---------------------------------------------------------------------------------
 */

static ts_code add_frame(otlp *o, int64_t method, int64_t line)
{
    uint32_t frame;
    TS_TRY(ts_paths_frame(&frame, o->ctx, o->profile.source->paths, method, line));
    return ts_vec_push(o->ctx, &o->expanded, &frame, sizeof frame);
}

static ts_code add_line(otlp *o, const location *l, const ts_wire_field *line)
{
    ts_wire_field f;
    uint64_t function = 0;
    int64_t number = 0;
    int64_t method = -1;
    otlp_walk w = otlp_enter(o, OTLP_LINE, otlp_part_of(o, line));
    while (otlp_next(&f, &w)) {
        function = w.role == LINE_FUNCTION ? f.value : function;
        number = w.role == LINE_LINE ? (int64_t)f.value : number;
    }
    if (otlp_good(&w)) {
        TS_TRY(function_method(&method, o, l, function));
    } else {
        o->bad_entries++;
        number = 0;
    }
    return add_frame(o, method, number);
}

static ts_code read_type(ts_text *type, otlp *o, const ts_wire_field *f)
{
    bool good;
    o->entry_list.n = 0;
    TS_TRY(otlp_numbers(&good, o, &o->entry_list, f, false));
    for (size_t i = 0; i < o->entry_list.n; i++) {
        const otlp_attribute *a = otlp_attribute_at(o, ((const uint64_t *)o->entry_list.p)[i]);
        if (a != NULL && a->good && a->meaning == OTLP_MEANS_FRAME_TYPE && a->kind != 0) {
            *type = otlp_part_text(o, a->value);
        }
    }
    return TS_OK;
}

/* What all frames of a location share; lines: their number. In 1.3 a mapping of 0 cannot be told
 * from none: it is the first one, as for all other numbers there. */
static ts_code read_location(location *l, size_t *lines, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_LOCATION, part);
    *l = (location){.has_mapping = o->layout == OTLP_1_3 && o->tables[TABLE_MAPPING].n > 0};
    *lines = 0;
    while (otlp_next(&f, &w)) {
        if (w.role == LOCATION_MAPPING) {
            l->mapping = f.value;
            l->has_mapping = true;
        } else if (w.role == LOCATION_ADDRESS) {
            l->address = f.value;
        } else if (w.role == LOCATION_LINE) {
            ++*lines;
        } else if (w.role == LOCATION_TYPE && f.value != 0) {
            l->type = otlp_text(o, f.value);
        } else if (w.role == LOCATION_ATTRIBUTE) {
            TS_TRY(read_type(&l->type, o, &f));
        }
    }
    l->good = otlp_good(&w);
    return l->good && l->has_mapping ? read_library(&l->library, o, l->mapping) : TS_OK;
}

/* The frames of a location, in `expanded` from `first` + 1 on: the outermost, which comes last in
 * the message, first. */
static ts_code expand(otlp *o, otlp_part part, size_t first)
{
    ts_wire_field f;
    location l;
    size_t lines;
    int64_t method;
    TS_TRY(read_location(&l, &lines, o, part));
    if (!l.good) {
        o->bad_entries++;
        return add_frame(o, 0, 0);
    }
    if (lines == 0) {
        TS_TRY(address_method(&method, o, &l));
        return add_frame(o, method, 0);
    }
    otlp_walk w = otlp_enter_again(o, OTLP_LOCATION, part);
    while (otlp_next(&f, &w)) {
        if (w.role == LOCATION_LINE) {
            TS_TRY(add_line(o, &l, &f));
        }
    }
    uint32_t *frames = (uint32_t *)o->expanded.p + first + 1;
    for (size_t a = 0, b = lines - 1; a < b; a++, b--) {
        uint32_t swap = frames[a];
        frames[a] = frames[b];
        frames[b] = swap;
    }
    return TS_OK;
}

/* One frame is its own code. */
static ts_code resolve(uint32_t *code, otlp *o, uint64_t number)
{
    otlp_part part;
    size_t first = o->expanded.n;
    uint32_t none = 0;
    if (first >= SEVERAL) {
        return ts_fail(o->ctx, TS_ERR_LIMIT, "more than %u inlined functions", SEVERAL);
    }
    TS_TRY(ts_vec_push(o->ctx, &o->expanded, &none, sizeof none));
    if (!otlp_entry(&part, o, TABLE_LOCATION, number)) {
        TS_TRY(add_frame(o, 0, 0));
    } else {
        TS_TRY(expand(o, part, first));
    }
    uint32_t *frames = (uint32_t *)o->expanded.p + first;
    frames[0] = (uint32_t)(o->expanded.n - first - 1);
    *code = (uint32_t)first | SEVERAL;
    if (frames[0] == 1 && frames[1] < SEVERAL) {
        *code = frames[1];
        o->expanded.n = first;
    }
    return TS_OK;
}

static ts_code code_of(uint32_t *code, otlp *o, uint64_t number)
{
    otlp_code *known =
        number < o->tables[TABLE_LOCATION].n ? (otlp_code *)o->location_codes.p + number : NULL;
    if (known != NULL && known->epoch == o->epoch) {
        *code = known->code;
        return TS_OK;
    }
    TS_TRY(resolve(code, o, number));
    if (known != NULL) {
        *known = (otlp_code){o->epoch, *code};
    }
    return TS_OK;
}

/* --- paths -------------------------------------------------------------------------------------
 */

/* What was found for another source is of no use. */
static ts_code begin_epoch(otlp *o)
{
    otlp_source *s = o->profile.source;
    if (s->paths == NULL) {
        TS_NEED(o->ctx, s->paths = ts_zalloc(o->ctx, 1, sizeof *s->paths));
    }
    if (o->epoch == 0 || o->epoch_source != o->profile.source) {
        o->epoch++;
        o->epoch_source = o->profile.source;
        o->expanded.n = 0;
    }
    return TS_OK;
}

/* *good false: a message may not have so many frames. */
static ts_code add_frames(bool *good, otlp *o, uint32_t code)
{
    if ((code & SEVERAL) == 0) {
        return ts_vec_push(o->ctx, &o->stack, &code, sizeof code);
    }
    const uint32_t *list = (const uint32_t *)o->expanded.p + (code & ~SEVERAL);
    *good = o->stack.n + list[0] <= OTLP_MAX_STACK && otlp_spend(o, list[0]);
    if (!*good) {
        o->too_much++;
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(o->ctx, &o->stack, list[0], sizeof *list));
    memcpy((uint32_t *)o->stack.p + o->stack.n, list + 1, list[0] * sizeof *list);
    o->stack.n += list[0];
    return TS_OK;
}

ts_code otlp_path(uint32_t *node, otlp *o, const uint64_t *locations, size_t n)
{
    ts_path_walk walk = {0};
    uint32_t code = 0;
    bool good = n <= OTLP_MAX_STACK && otlp_spend(o, n);
    TS_TRY(begin_epoch(o));
    *node = 0;
    o->stack.n = 0;
    o->too_much += good ? 0 : 1;
    for (size_t i = n; i > 0 && good; i--) {
        if (!otlp_is_none(o, locations[i - 1])) {
            TS_TRY(code_of(&code, o, locations[i - 1]));
            TS_TRY(add_frames(&good, o, code));
        }
    }
    walk.frames = o->stack.p;
    walk.n = o->stack.n;
    if (!good || walk.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_paths_walk(&walk, o->profile.source->paths, o->store, o->profile.source->id));
    *node = ts_paths_row(o->profile.source->paths, &walk);
    return TS_OK;
}

ts_code otlp_stack(uint32_t *node, otlp *o, uint64_t number)
{
    ts_wire_field f;
    otlp_part part;
    bool good = true;
    *node = 0;
    if (otlp_is_none(o, number) || !otlp_entry(&part, o, TABLE_STACK, number)) {
        return TS_OK;
    }
    TS_TRY(begin_epoch(o));
    otlp_code *known = (otlp_code *)o->stack_codes.p + number;
    if (known->epoch == o->epoch) {
        *node = known->code;
        return TS_OK;
    }
    o->location_list.n = 0;
    otlp_walk w = otlp_enter(o, OTLP_STACK, part);
    while (good && otlp_next(&f, &w)) {
        TS_TRY(otlp_numbers(&good, o, &o->location_list, &f, false));
    }
    if (good && otlp_good(&w)) {
        TS_TRY(otlp_path(node, o, o->location_list.p, o->location_list.n));
    } else {
        o->bad_entries++;
    }
    *known = (otlp_code){o->epoch, *node};
    return TS_OK;
}
