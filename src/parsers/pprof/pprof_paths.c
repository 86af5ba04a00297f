/*
 * Call paths of samples. Locations become numbers of frames, one for each (method, line), and paths
 * are found by those (tables/store_paths.h): whatever locations two samples have, equal frames are
 * one path.
 */
#include "parsers/pprof/pprof.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* --- texts, and the methods that they name -------------------------------------------------- */

static size_t text_begin(const pprof *p, size_t i)
{
    return i == 0 ? 0 : ((const size_t *)p->text_ends.p)[i - 1];
}

ts_code pprof_text_bytes(pprof *p, const uint8_t *bytes, size_t n)
{
    size_t have = p->texts.n - text_begin(p, p->text_ends.n);
    size_t left = PPROF_MAX_TEXT - have;
    if (n > left) {
        p->too_large = true; /* what it says here: the text was cut */
        n = left;
    }
    return ts_buf_put(p->job->ctx, &p->texts, bytes, n);
}

/* The limit may have cut a character: what is left of it goes as well. */
static void drop_part(ts_buf *text)
{
    while (text->n > 0 && ((unsigned char)text->p[text->n - 1] & 0xC0) == 0x80) {
        text->n--;
    }
    text->n -= text->n > 0 && (unsigned char)text->p[text->n - 1] >= 0xC0 ? 1 : 0;
}

ts_code pprof_text_end(pprof *p)
{
    ts_ctx *ctx = p->job->ctx;
    size_t begin = text_begin(p, p->text_ends.n);
    size_t *end;
    ts_code code;
    if (p->too_large) {
        p->texts_cut++;
        drop_part(&p->texts);
        p->too_large = false;
    }
    if (p->texts.n > begin && !ts_utf8_valid(p->texts.p + begin, p->texts.n - begin)) {
        p->scratch.n = 0;
        code =
            ts_utf8_clean(ctx, &p->scratch, &p->bad_texts, p->texts.p + begin, p->texts.n - begin);
        p->texts.n = begin;
        if (code != TS_OK ||
            (code = ts_buf_put(ctx, &p->texts, p->scratch.p, p->scratch.n)) != TS_OK) {
            return code;
        }
    }
    TS_NEED(ctx, end = ts_vec_add(ctx, &p->text_ends, sizeof *end));
    *end = p->texts.n;
    return TS_OK;
}

ts_text pprof_text(pprof *p, int64_t number)
{
    if (number < 0 || (uint64_t)number >= p->text_ends.n || (uint64_t)number >= p->certain) {
        p->bad_strings++;
        return TS_TEXT_NULL;
    }
    size_t begin = text_begin(p, (size_t)number);
    return (ts_text){p->texts.p == NULL ? "" : p->texts.p + begin,
                     ((const size_t *)p->text_ends.p)[number] - begin};
}

/* --- methods -------------------------------------------------------------------------------- */

/* Of the image that holds the location's code. */
static ts_text library_of(pprof *p, const pprof_location *location)
{
    if (location->mapping == 0) {
        return TS_TEXT_NULL;
    }
    const pprof_mapping *mapping = pprof_find(&p->mappings, location->mapping);
    if (mapping == NULL) {
        p->unknown_mappings++;
        return TS_TEXT_NULL;
    }
    return mapping->file == 0 ? TS_TEXT_NULL : pprof_text(p, mapping->file);
}

/* A location without lines is named by its address. */
static ts_code method_of_address(pprof *p, pprof_location *location)
{
    char text[32];
    ts_text library = library_of(p, location);
    int n = snprintf(text, sizeof text, "0x%" PRIx64, location->address);
    ts_frame_parts frame;
    ts_code code = ts_frame_split(p->job->ctx, &frame, &p->scratch, TS_LANG_UNKNOWN,
                                  (ts_text){text, (size_t)n}, TS_TEXT_NULL, library);
    ts_method row = {.name = frame.name, .library = frame.library};
    return code != TS_OK ? code
                         : ts_stack_method(&location->method, p->job->store, p->source_id, &row);
}

static ts_code method_of_function(int64_t *method, pprof *p, const pprof_location *location,
                                  const pprof_function *function)
{
    ts_text name = pprof_text(p, function->name != 0 ? function->name : function->system_name);
    ts_text file = function->file == 0 ? TS_TEXT_NULL : pprof_text(p, function->file);
    ts_text library = library_of(p, location);
    bool has_line = function->start_line > 0;
    ts_method row = {.has_raw_id = true, .raw_id = (int64_t)function->id};
    ts_frame_parts frame = {.file = file};
    ts_code code = name.p != NULL ? ts_frame_split(p->job->ctx, &frame, &p->scratch, p->language,
                                                   name, file, library)
                                  : TS_OK;
    row.name = frame.name;
    row.cls = frame.cls;
    row.package = frame.package;
    row.file = frame.file;
    row.library = frame.library;
    row.has_line = has_line || frame.has_line;
    row.line = has_line ? function->start_line : frame.line;
    return code != TS_OK ? code : ts_stack_method(method, p->job->store, p->source_id, &row);
}

/* The method of a line of a location (NULL: of one that has none); -1: not known. */
static ts_code pprof_method(int64_t *method, pprof *p, pprof_location *location, pprof_line *line)
{
    pprof_function *function;
    ts_code code = TS_OK;
    if (line == NULL) {
        code = location->method == 0 ? method_of_address(p, location) : TS_OK;
        *method = location->method;
        return code;
    }
    if (line->method == 0) {
        function = pprof_find(&p->functions, line->function);
        if (function == NULL) {
            p->unknown_ids++;
            line->method = -1;
        } else {
            code = method_of_function(&line->method, p, location, function);
        }
    }
    *method = line->method;
    return code;
}

/* What a location's code is: 0 as long as nothing is known; a number of a frame; or, with this bit,
 * where its frames are in `expanded`: their number, then they. */
#define SEVERAL (UINT32_C(1) << 31)

/* --- frames --------------------------------------------------------------------------------- */

static ts_code intern_frame(uint32_t *number, pprof *p, int64_t method, int64_t line)
{
    return ts_paths_frame(number, p->job->ctx, &p->paths, method, line);
}

static ts_code add_number(pprof *p, ts_vec *list, uint32_t v)
{
    ts_code code = ts_vec_reserve(p->job->ctx, list, 1, sizeof v);
    if (code == TS_OK) {
        ((uint32_t *)list->p)[list->n++] = v;
    }
    return code;
}

/* The frames of several lines, the outermost first: inlined functions are callees of the one that
 * they were put into. */
static ts_code expand_lines(uint32_t *out, pprof *p, pprof_location *location)
{
    size_t first = p->expanded.n;
    if (first >= SEVERAL || location->line_count > UINT32_MAX) {
        return ts_fail(p->job->ctx, TS_ERR_LIMIT, "more than %u inlined functions", SEVERAL);
    }
    ts_code code = add_number(p, &p->expanded, (uint32_t)location->line_count);
    for (size_t i = location->line_count; i > 0 && code == TS_OK; i--) {
        pprof_line *line = (pprof_line *)p->lines.p + location->first_line + i - 1;
        int64_t method;
        uint32_t frame;
        code = pprof_method(&method, p, location, line);
        TS_STEP(code, intern_frame(&frame, p, method, line->line));
        TS_STEP(code, add_number(p, &p->expanded, frame));
    }
    *out = (uint32_t)first | SEVERAL;
    return code;
}

static ts_code resolve_location(uint32_t *out, pprof *p, pprof_location *location)
{
    pprof_line *line =
        location->line_count == 0 ? NULL : (pprof_line *)p->lines.p + location->first_line;
    int64_t method;
    if (location->line_count > 1) {
        return expand_lines(out, p, location);
    }
    ts_code code = pprof_method(&method, p, location, line);
    TS_STEP(code, intern_frame(out, p, method, line == NULL ? 0 : line->line));
    return code;
}

/* --- locations ------------------------------------------------------------------------------ */

/* The place of a location in the list; false: there is none. */
static inline bool find_location(size_t *i, const pprof *p, uint64_t id)
{
    *i = (size_t)(id - 1);
    if (p->locations.others.count == 0) { /* all of them have the number of their place */
        return id - 1 < p->locations.items.n;
    }
    const pprof_location *found = pprof_find(&p->locations, id);
    if (found != NULL) {
        *i = (size_t)(found - (const pprof_location *)p->locations.items.p);
    }
    return found != NULL;
}

ts_code pprof_paths_begin(pprof *p)
{
    size_t n = p->locations.items.n;
    pprof_stacks_begin(p);
    ts_code code = ts_vec_reserve(p->job->ctx, &p->codes, n, sizeof(uint32_t));
    if (code == TS_OK && n > 0) {
        memset(p->codes.p, 0, n * sizeof(uint32_t));
    }
    return code;
}

/* The code of a location; 0: it is not resolved yet, and is not to be. */
static ts_code code_of(uint32_t *out, bool *known, pprof *p, uint64_t id, bool resolve)
{
    size_t i;
    uint32_t *codes = p->codes.p;
    ts_code code = TS_OK;
    *out = 0;
    if (!find_location(&i, p, id)) {
        *known = false;
        p->unknown_ids += resolve ? 1 : 0;
        return resolve ? intern_frame(out, p, 0, 0) : TS_OK;
    }
    TS_STEP_IF(code, codes[i] == 0 && resolve,
               resolve_location(&codes[i], p, (pprof_location *)p->locations.items.p + i));
    *out = codes[i];
    return code;
}

/* One frame, for which there is room, or several, and then room for `more` again. */
static ts_code put_frames(pprof *p, uint32_t found, size_t more)
{
    if ((found & SEVERAL) == 0) {
        ((uint32_t *)p->stack.p)[p->stack.n++] = found;
        return TS_OK;
    }
    const uint32_t *list = (const uint32_t *)p->expanded.p + (found & ~SEVERAL);
    ts_code code = ts_vec_reserve(p->job->ctx, &p->stack, list[0] + more, sizeof *list);
    if (code == TS_OK) {
        memcpy((uint32_t *)p->stack.p + p->stack.n, list + 1, list[0] * sizeof *list);
        p->stack.n += list[0];
    }
    return code;
}

/* Of the first `n` locations those at the end, as long as they have the number of their place and
 * one frame that is known. Returns how many are left. */
static size_t put_known(pprof *p, const uint64_t *locations, size_t n)
{
    const size_t count = p->locations.others.count == 0 ? p->locations.items.n : 0;
    const uint32_t *codes = p->codes.p;
    uint32_t *out = (uint32_t *)p->stack.p + p->stack.n;
    const size_t before = n;
    while (n > 0 && locations[n - 1] - 1 < count) {
        const uint32_t found = codes[locations[n - 1] - 1];
        if (found == 0 || (found & SEVERAL) != 0) {
            break;
        }
        *out++ = found;
        n--;
    }
    p->stack.n += before - n;
    return n;
}

ts_code pprof_expand(pprof *p, pprof_sample *s, bool resolve)
{
    const uint64_t *locations = (const uint64_t *)p->locations_of.p + s->first_location;
    size_t n = s->location_n;
    ts_code code = ts_vec_reserve(p->job->ctx, &p->stack, n, sizeof(uint32_t));
    s->first_frame = p->stack.n;
    s->known = true;
    n = code == TS_OK && n > 0 ? put_known(p, locations, n) : n;
    for (size_t i = n; i > 0 && code == TS_OK; i--) {
        uint32_t found;
        code = code_of(&found, &s->known, p, locations[i - 1], resolve);
        if (code == TS_OK && found == 0) {
            p->stack.n = s->first_frame;
            return TS_OK;
        }
        TS_STEP(code, put_frames(p, found, i - 1));
    }
    s->frame_n = p->stack.n - s->first_frame;
    s->expanded = code == TS_OK;
    return code;
}

/* --- paths ---------------------------------------------------------------------------------- */

void pprof_walk_ahead(pprof *p)
{
    ts_path_walk *walks[PPROF_BATCH];
    size_t count = 0;
    for (size_t i = 0; i < p->batch_n; i++) {
        const pprof_sample *s = &p->batch[i];
        if (s->node == 0) {
            p->walks[i] = (ts_path_walk){0};
        }
        if (s->expanded && s->node == 0) {
            p->walks[i].frames = (const uint32_t *)p->stack.p + s->first_frame;
            p->walks[i].n = s->frame_n;
            walks[count++] = &p->walks[i];
        }
    }
    ts_paths_ahead(&p->paths, walks, count);
}

ts_code pprof_walk(pprof *p, pprof_sample *s)
{
    ts_path_walk *walk = &p->walks[s - p->batch];
    walk->frames = (const uint32_t *)p->stack.p + s->first_frame; /* where they are now */
    walk->n = s->frame_n;
    ts_code code = ts_paths_walk(walk, &p->paths, p->job->store, p->source_id);
    s->node = ts_paths_row(&p->paths, walk);
    return code;
}
