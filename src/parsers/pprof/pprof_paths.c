/*
 * Call paths of samples. Locations become numbers of frames, one for each (method, line), and paths
 * are found by those (tables/store_paths.h): whatever locations two samples have, equal frames are
 * one path.
 */
#include "parsers/pprof/pprof.h"

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
    ts_code code;
    if (first >= SEVERAL || location->line_count > UINT32_MAX) {
        return ts_fail(p->job->ctx, TS_ERR_LIMIT, "more than %u inlined functions", SEVERAL);
    }
    code = add_number(p, &p->expanded, (uint32_t)location->line_count);
    for (size_t i = location->line_count; i > 0 && code == TS_OK; i--) {
        pprof_line *line = (pprof_line *)p->lines.p + location->first_line + i - 1;
        int64_t method;
        uint32_t frame;
        if ((code = pprof_method(&method, p, location, line)) == TS_OK &&
            (code = intern_frame(&frame, p, method, line->line)) == TS_OK) {
            code = add_number(p, &p->expanded, frame);
        }
    }
    *out = (uint32_t)first | SEVERAL;
    return code;
}

static ts_code resolve_location(uint32_t *out, pprof *p, pprof_location *location)
{
    pprof_line *line =
        location->line_count == 0 ? NULL : (pprof_line *)p->lines.p + location->first_line;
    int64_t method;
    ts_code code;
    if (location->line_count > 1) {
        return expand_lines(out, p, location);
    }
    code = pprof_method(&method, p, location, line);
    TS_STEP(code, intern_frame(out, p, method, line == NULL ? 0 : line->line));
    return code;
}

/* --- locations ------------------------------------------------------------------------------ */

/* The place of a location in the list; false: there is none. */
static inline bool find_location(size_t *i, const pprof *p, uint64_t id)
{
    const pprof_location *found;
    *i = (size_t)(id - 1);
    if (p->locations.others.count == 0) { /* all of them have the number of their place */
        return id - 1 < p->locations.items.n;
    }
    found = pprof_find(&p->locations, id);
    if (found != NULL) {
        *i = (size_t)(found - (const pprof_location *)p->locations.items.p);
    }
    return found != NULL;
}

ts_code pprof_paths_begin(pprof *p)
{
    size_t n = p->locations.items.n;
    ts_code code;
    pprof_stacks_begin(p);
    code = ts_vec_reserve(p->job->ctx, &p->codes, n, sizeof(uint32_t));
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
    if (codes[i] == 0 && resolve) {
        code = resolve_location(&codes[i], p, (pprof_location *)p->locations.items.p + i);
    }
    *out = codes[i];
    return code;
}

/* One frame, for which there is room, or several, and then room for `more` again. */
static ts_code put_frames(pprof *p, uint32_t found, size_t more)
{
    const uint32_t *list;
    ts_code code;
    if ((found & SEVERAL) == 0) {
        ((uint32_t *)p->stack.p)[p->stack.n++] = found;
        return TS_OK;
    }
    list = (const uint32_t *)p->expanded.p + (found & ~SEVERAL);
    code = ts_vec_reserve(p->job->ctx, &p->stack, list[0] + more, sizeof *list);
    if (code == TS_OK) {
        memcpy((uint32_t *)p->stack.p + p->stack.n, list + 1, list[0] * sizeof *list);
        p->stack.n += list[0];
    }
    return code;
}

ts_code pprof_expand(pprof *p, pprof_sample *s, bool resolve)
{
    const uint64_t *locations = (const uint64_t *)p->locations_of.p + s->first_location;
    size_t n = s->location_n;
    ts_code code = ts_vec_reserve(p->job->ctx, &p->stack, n, sizeof(uint32_t));
    s->first_frame = p->stack.n;
    s->known = true;
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
    ts_code code;
    walk->frames = (const uint32_t *)p->stack.p + s->first_frame; /* where they are now */
    walk->n = s->frame_n;
    code = ts_paths_walk(walk, &p->paths, p->job->store, p->source_id);
    s->node = ts_paths_row(&p->paths, walk);
    return code;
}
