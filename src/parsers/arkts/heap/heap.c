/*
 * The events of a snapshot's JSON to the parts that read them, and the life of a snapshot.
 *
 * Depth 1 is the document and 2 its members: `snapshot` (the description), the flat arrays, the
 * strings and the tree. A member that occurs again, or that no table has, is skipped with all that
 * it contains (`skip` counts the levels), and counted. Members may come in any order: what an array
 * needs that has not come yet makes it wait in a spool (heap_array.c), and closing `snapshot` lets
 * such arrays go on.
 *
 * Rows go out as they come, so damage that is found later cannot take them back: what is uncertain
 * by then is set to NULL (heap_damage.c). Values of an unexpected type are left out and reported
 * once; a document that is no object is damaged as a whole.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

static enum heap_part part_of(const char *p, size_t n)
{
    static const struct {
        const char *key;
        enum heap_part part;
    } keys[] = {
        {"snapshot", PART_SNAPSHOT},
        {"nodes", PART_NODES},
        {"edges", PART_EDGES},
        {"locations", PART_LOCATIONS},
        {"samples", PART_SAMPLES},
        {"strings", PART_STRINGS},
        {"trace_function_infos", PART_FUNCTIONS},
        {"trace_tree", PART_TREE},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (ts_text_is((ts_text){p, n}, keys[i].key)) {
            return keys[i].part;
        }
    }
    return PART_OTHER;
}

static bool was_seen(const ts_heap *h, enum heap_part part)
{
    return part == PART_SNAPSHOT ? h->meta.seen
                                 : part <= PART_STRINGS && heap_state_of(h, part) != PART_ABSENT;
}

static ts_code unexpected(ts_heap *h, const char *what)
{
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_unexpected_type, h->label, h->offset,
                    "%s is not of the expected type and was left out", what);
}

const char *heap_part_name(enum heap_part part)
{
    static const char *const names[] = {
        "nodes",      "edges",   "locations", "samples", "trace_function_infos",
        "trace_tree", "strings", "snapshot",  "a member"};
    return names[part];
}

/* --- JSON events --------------------------------------------------------------------------- */

/* Members of V8 15.6 (Chrome 156) that no table has: which variables of which scopes functions use.
 */
static bool heap_known_member(const char *p, size_t n)
{
    static const char *const names[] = {"scopes", "scope_context_vars", "scope_uses"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ts_text_is((ts_text){p, n}, names[i])) {
            return true;
        }
    }
    return false;
}

/* A top-level member that no table has is counted, the first few by their names. One that is not
 * known is an issue. */
static ts_code skip_member(ts_heap *h, const char *p, size_t n)
{
    char name[48];
    snprintf(name, sizeof name, "%.*s", (int)(n < 40 ? n : 40), p);
    TS_TRY(ts_count_add(h->store, h->source_id, TS_ITEM_extra_members,
                        h->unknown_members++ < HEAP_MAX_EXTRA ? name : NULL, 0, 0, 1));
    if (heap_known_member(p, n)) {
        return TS_OK;
    }
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_unknown_member, h->label, h->offset,
                    "the member %s is not known and was skipped", name);
}

static ts_code heap_on_key(void *user, const char *p, size_t n)
{
    ts_heap *h = user;
    heap_string_begin(h);
    if (h->skip > 0) {
        return TS_OK;
    }
    if (h->depth > 1) {
        return heap_meta_key(h, p, n);
    }
    h->part = part_of(p, n);
    if (h->part == PART_OTHER) {
        return skip_member(h, p, n);
    }
    if (was_seen(h, h->part)) {
        ts_code code =
            ts_issue(h->store, h->source_id, TS_ISSUE_heap_duplicate_array, h->label, h->offset,
                     "%s occurs again; the first one counts", heap_part_name(h->part));
        h->part = PART_OTHER;
        return code;
    }
    return TS_OK;
}

/* A container begins as the value of a top-level member. */
static ts_code begin_member(ts_heap *h, bool array, int *want)
{
    if (h->part == PART_SNAPSHOT && !array) {
        h->meta.seen = true;
        return TS_OK;
    }
    if (h->part == PART_STRINGS && array) {
        h->strings.state = PART_OPEN;
        return TS_OK;
    }
    if (h->part < PART_INTS && array) {
        *want = TS_JSON_WANT_INTS;
        h->arrays[h->part].state = PART_OPEN;
        return TS_OK;
    }
    h->skip = 1;
    return h->part == PART_OTHER ? TS_OK : unexpected(h, heap_part_name(h->part));
}

static ts_code heap_begin_value(ts_heap *h, bool array, int *want)
{
    h->depth++;
    if (h->skip > 0) {
        h->skip++;
        return TS_OK;
    }
    if (h->depth == 1) {
        if (array) {
            h->skip = 1;
            h->damaged = true;
            return unexpected(h, "the document");
        }
        h->object = true;
        return TS_OK;
    }
    if (h->depth == 2) {
        return begin_member(h, array, want);
    }
    if (h->part == PART_SNAPSHOT) {
        return heap_meta_begin(h, array);
    }
    if (h->part == PART_TREE && array) {
        *want = TS_JSON_WANT_INTS;
        return heap_array_nested(h, true);
    }
    h->skip = 1;
    if (h->part == PART_STRINGS) {
        return heap_string_odd(h);
    }
    return heap_array_odd(h, h->part);
}

static ts_code end_member(ts_heap *h)
{
    if (h->part == PART_SNAPSHOT) {
        h->meta.complete = true;
        ts_code code = heap_meta_write(h);
        return code != TS_OK ? code : heap_array_resume(h);
    }
    if (h->part == PART_STRINGS) {
        h->strings.state = PART_CLOSED;
        return TS_OK;
    }
    return heap_array_close(h, h->part);
}

static ts_code heap_end_value(ts_heap *h)
{
    h->depth--;
    if (h->skip > 0) {
        h->skip--;
        h->done = h->done || (h->object && h->depth == 0);
        return TS_OK;
    }
    if (h->depth == 0) {
        h->done = true;
        return TS_OK;
    }
    if (h->depth == 1) {
        return end_member(h);
    }
    return h->part == PART_SNAPSHOT ? heap_meta_end(h) : heap_array_nested(h, false);
}

static ts_code heap_on_object_begin(void *user)
{
    int want = TS_JSON_PLAIN;
    return heap_begin_value(user, false, &want);
}

static ts_code heap_on_array_begin(void *user, int *want)
{
    return heap_begin_value(user, true, want);
}

static ts_code heap_on_end(void *user)
{
    return heap_end_value(user);
}

/* A string, number or literal that is no integer of an array. */
static ts_code heap_on_scalar(ts_heap *h, const ts_json_number *number)
{
    if (h->skip > 0) {
        return TS_OK;
    }
    if (h->depth == 0) {
        h->damaged = true;
        return unexpected(h, "the document");
    }
    if (h->depth == 1) {
        return h->part == PART_OTHER ? TS_OK : unexpected(h, heap_part_name(h->part));
    }
    if (h->part == PART_SNAPSHOT) {
        return number == NULL ? TS_OK : heap_meta_number(h, number);
    }
    if (h->part == PART_STRINGS) {
        return heap_string_odd(h);
    }
    if (number != NULL && number->is_int) {
        return heap_array_ints(h, h->part, &number->i, 1);
    }
    return heap_array_odd(h, h->part);
}

static ts_code heap_on_number(void *user, const ts_json_number *number)
{
    return heap_on_scalar(user, number);
}

static ts_code heap_on_literal(void *user, ts_json_kind kind)
{
    (void)kind;
    return heap_on_scalar(user, NULL);
}

static ts_code heap_on_ints(void *user, const int64_t *v, size_t n)
{
    ts_heap *h = user;
    return h->skip > 0 ? TS_OK : heap_array_ints(h, h->part, v, n);
}

static ts_code heap_on_string(void *user, const char *p, size_t n, unsigned flags)
{
    ts_heap *h = user;
    bool wanted = h->depth >= 2 && (h->part == PART_STRINGS || h->part == PART_SNAPSHOT);
    if ((flags & TS_JSON_LAST) != 0) {
        heap_string_end(h, wanted && h->skip == 0);
    }
    if (h->skip > 0) {
        return TS_OK;
    }
    if (!wanted) {
        return (flags & TS_JSON_FIRST) != 0 ? heap_on_scalar(h, NULL) : TS_OK;
    }
    return heap_string_piece(h, p, n, flags);
}

static const ts_json_handler heap_handler = {
    .object_begin = heap_on_object_begin,
    .object_end = heap_on_end,
    .array_begin = heap_on_array_begin,
    .array_end = heap_on_end,
    .key = heap_on_key,
    .string = heap_on_string,
    .number = heap_on_number,
    .literal = heap_on_literal,
    .ints = heap_on_ints,
};

const ts_json_handler *ts_heap_handler(void)
{
    return &heap_handler;
}

/* --- life of a snapshot -------------------------------------------------------------------- */

ts_code ts_heap_new(ts_heap **out, ts_ctx *ctx, ts_store *store)
{
    ts_heap *h = ts_zalloc(ctx, 1, sizeof *h);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, h);
    h->ctx = ctx;
    h->store = store;
    h->sink = ts_store_sink(store);
    code = ts_json_new(&h->json, ctx, &heap_handler, h, 0);
    if (code != TS_OK) {
        ts_free(ctx, h);
        return code;
    }
    *out = h;
    return TS_OK;
}

/* Releases everything that one snapshot needed. */
static void clear_heap(ts_heap *h)
{
    ts_ctx *ctx = h->ctx;
    for (int i = 0; i < PART_INTS; i++) {
        ts_spool_free(h->arrays[i].spool);
    }
    ts_buf_free(ctx, &h->meta.types[0].entries);
    ts_buf_free(ctx, &h->meta.types[1].entries);
    ts_intvec_free(ctx, &h->nodes.ids);
    ts_intvec_free(ctx, &h->nodes.edge_counts);
    ts_free(ctx, h->edges.ids);
    ts_intvec_free(ctx, &h->tree.parents);
    ts_free(ctx, h->tree.noted);
    ts_vec_free(ctx, &h->classes.entries);
    ts_index_free(ctx, &h->classes.index);
    ts_free(ctx, h->rows.located);
    ts_intvec_free(ctx, &h->rows.function_ids);
    ts_buf_free(ctx, &h->strings.text);
    ts_buf_free(ctx, &h->strings.clean);
    ts_spool_free(h->strings.long_text);
    *h = (ts_heap){.ctx = ctx, .store = h->store, .sink = h->sink, .json = h->json};
}

void ts_heap_free(ts_heap *h)
{
    if (h != NULL) {
        clear_heap(h);
        ts_json_free(h->json);
        ts_free(h->ctx, h);
    }
}

ts_code ts_heap_begin(ts_heap *h, int64_t parent_source, const char *label, const char *format)
{
    ts_sink *sink = h->sink;
    ts_code code;
    *h = (ts_heap){.ctx = h->ctx, .store = h->store, .sink = sink, .json = h->json};
    ts_json_reset(h->json);
    h->part = PART_OTHER;
    h->offset = TS_NO_OFFSET;
    h->nodes = (heap_nodes){.owner_stop = UINT64_MAX, .name_max = -1};
    h->edges = (heap_edges){.owner = UINT64_MAX, .target_stop = UINT64_MAX, .name_max = -1};
    h->rows.function_name_max = -1;
    h->tree.function_max = -1;
    h->chunks.suspect = UINT64_MAX;
    heap_trust_begin(h);
    h->file_id = (int64_t)ts_sink_rows(sink, TS_T_js_heap_files);
    snprintf(h->label, sizeof h->label, "%s", label);
    memcpy(h->first, sink->rows, sizeof h->first);
    code = ts_source_add(&h->source_id, h->store, parent_source, "snapshot", NULL, format);
    h->open = code == TS_OK;
    return code;
}

void ts_heap_take_events(ts_heap *h)
{
    h->raw = true;
}

bool ts_heap_is_open(const ts_heap *h)
{
    return h->open;
}

int64_t ts_heap_source(const ts_heap *h)
{
    return h->source_id;
}

void ts_heap_at(ts_heap *h, int64_t offset)
{
    h->offset = offset;
}

static ts_code record_damage(ts_heap *h)
{
    h->damaged = true;
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_bad_json, h->label, h->offset,
                    "%s at byte %" PRIu64 " of its JSON; the rows before it are kept",
                    ts_json_reason(h->json), ts_json_position(h->json));
}

ts_code ts_heap_feed(ts_heap *h, size_t *used, const char *p, size_t n)
{
    bool was_done = h->done;
    uint64_t before = ts_json_position(h->json);
    ts_code code;
    *used = n;
    h->fed += n;
    if (h->damaged) {
        return TS_OK;
    }
    heap_chunk_text(h, p, n);
    code = ts_json_feed(h->json, p, n);
    /* Damaged without being BAD: a document that is no object, of which nothing is taken. */
    if (code != TS_OK || h->damaged || ts_json_state(h->json) != TS_JSON_BAD) {
        return code;
    }
    if (was_done || h->done) { /* the value is complete: what follows is another text */
        *used = (size_t)(ts_json_position(h->json) - before);
        h->fed -= n - *used;
        return TS_OK;
    }
    return record_damage(h);
}

uint64_t ts_heap_taken(const ts_heap *h)
{
    return h->object ? ts_json_position(h->json) : 0;
}

bool ts_heap_pass(ts_heap *h, uint64_t n)
{
    if (h->damaged) {
        h->fed += n;
    }
    return h->damaged;
}

bool ts_heap_complete(const ts_heap *h)
{
    return h->done && !h->damaged;
}

bool ts_heap_damaged(const ts_heap *h)
{
    return h->damaged;
}

bool ts_heap_has_samples(const ts_heap *h)
{
    return h->arrays[PART_SAMPLES].rows > 0 || h->arrays[PART_SAMPLES].spooled > 1;
}

int64_t ts_heap_last_sample_us(const ts_heap *h)
{
    return h->rows.last_sample_us;
}

ts_code ts_heap_finish(ts_heap *h, const ts_heap_end *end_of)
{
    ts_code code = heap_array_finish(h);
    TS_STEP(code, heap_judge(h));
    TS_STEP(code, heap_check(h));
    TS_STEP(code, heap_put_file(h, end_of));
    clear_heap(h);
    return code;
}
