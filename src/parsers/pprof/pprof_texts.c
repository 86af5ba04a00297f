/* Texts of a profile, and the methods that they name. */
#include "parsers/pprof/pprof.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

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
    size_t begin;
    if (number < 0 || (uint64_t)number >= p->text_ends.n || (uint64_t)number >= p->certain) {
        p->bad_strings++;
        return TS_TEXT_NULL;
    }
    begin = text_begin(p, (size_t)number);
    return (ts_text){p->texts.p == NULL ? "" : p->texts.p + begin,
                     ((const size_t *)p->text_ends.p)[number] - begin};
}

/* --- methods -------------------------------------------------------------------------------- */

/* Of the image that holds the location's code. */
static ts_text library_of(pprof *p, const pprof_location *location)
{
    const pprof_mapping *mapping;
    if (location->mapping == 0) {
        return TS_TEXT_NULL;
    }
    mapping = pprof_find(&p->mappings, location->mapping);
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
    ts_code code = TS_OK;
    if (name.p != NULL) {
        code = ts_frame_split(p->job->ctx, &frame, &p->scratch, p->language, name, file, library);
    }
    row.name = frame.name;
    row.cls = frame.cls;
    row.package = frame.package;
    row.file = frame.file;
    row.library = frame.library;
    row.has_line = has_line || frame.has_line;
    row.line = has_line ? function->start_line : frame.line;
    return code != TS_OK ? code : ts_stack_method(method, p->job->store, p->source_id, &row);
}

ts_code pprof_method(int64_t *method, pprof *p, pprof_location *location, pprof_line *line)
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
