/*
 * The flame graph of Datakit: one JSON object with the unit, the dimensions that there are, the one
 * that was chosen, and the frames below a root. Values are summed exactly and divided when they are
 * written, cut off, so that frames never exceed the one around them.
 */
#include "base/alloc.h"
#include "tables/profile_kinds.h"
#include "export/export_dimensions.h"
#include "export/export_formats.h"
#include "export/export_json.h"

enum { GRAPH_NS_PER_MS = 1000000 };

typedef struct graph_work {
    ts_ctx *ctx;
    ts_jout w;
    ts_export_sink sink;
    ts_calls calls;
    ts_frames frames;
    ts_uploads uploads;
    ts_naming names;
    ts_methods methods;
    ts_dim_tree tree;
    ts_dimension dimension;
    const ts_weight *weight;
    int64_t divisor;
} graph_work;

/* --- what is shown ---------------------------------------------------------------------------- */

/* The first of these events that is there is shown when no value was asked for. */
static const char *const graph_ranks[] = {"cpu-time",    "cpu-samples", "wall-time",
                                          "alloc-space", "heap-space",  "lock-acquire-wait"};

enum { GRAPH_RANKS = sizeof graph_ranks / sizeof graph_ranks[0], GRAPH_LAST };

static unsigned graph_rank(const ts_weight *w)
{
    ts_text event = ts_value_event(w->name, TS_TEXT_NULL);
    if (w->kind == TS_WEIGHT_SAMPLES) {
        return GRAPH_LAST; /* that there are samples says nothing of what they are */
    }
    for (unsigned i = 0; i < GRAPH_RANKS; i++) {
        if (ts_text_is(event, graph_ranks[i])) {
            return i;
        }
    }
    return GRAPH_RANKS;
}

static bool graph_is_before(ts_text a, ts_text b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order < 0 || (order == 0 && a.n < b.n);
}

static void graph_choose(graph_work *f)
{
    const ts_calls *p = &f->calls;
    f->weight = &p->weights[p->chosen];
    for (unsigned i = 0; p->filter.weight == NULL && i < p->weight_count; i++) {
        const ts_weight *w = &p->weights[i];
        unsigned rank = graph_rank(w);
        unsigned best = graph_rank(f->weight);
        if (w->total > 0 && w != f->weight &&
            (rank < best ||
             (rank == best && graph_is_before(ts_value_event(w->name, TS_TEXT_NULL),
                                              ts_value_event(f->weight->name, TS_TEXT_NULL))))) {
            f->weight = w;
        }
    }
    f->divisor = ts_text_is(f->weight->unit, "ns") ? GRAPH_NS_PER_MS : 1;
}

static ts_code graph_dimension(graph_work *f, const char *name)
{
    f->dimension = TS_DIM_METHOD;
    for (unsigned i = 0; name != NULL && i < TS_DIMENSIONS; i++) {
        if (strcmp(name, ts_dimension_names[i]) == 0) {
            f->dimension = (ts_dimension)i;
            return TS_OK;
        }
    }
    return name == NULL ? TS_OK
                        : ts_fail(f->ctx, TS_ERR_USAGE,
                                  "unknown dimension: \"%.100s\"; known are: method, package, "
                                  "line, thread",
                                  name);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The texts of a node. Of a package its name and the library of its first frame; of the root and of
 * threads no more than their name. */
static ts_method_row graph_texts(const graph_work *f, uint32_t i)
{
    static const ts_text empty = {"", 0};
    const ts_dim_node *node = ts_dim_at(&f->tree, i);
    ts_method_row m = {empty, empty, empty, empty, empty, empty};
    if (node->is_method) {
        return ts_methods_get(&f->methods, node->key);
    }
    if (i == 0) {
        m.method = TS_TEXT_LIT("root");
    } else if (f->dimension == TS_DIM_PACKAGE) {
        m.package = ts_pool_text(&f->tree.words, node->key);
        m.library = ts_methods_get(&f->methods, node->package).library;
    }
    return m;
}

static void graph_open(graph_work *f, uint32_t i)
{
    const ts_dim_node *node = ts_dim_at(&f->tree, i);
    ts_method_row m = graph_texts(f, i);
    ts_jout_open(&f->w, NULL, '{');
    ts_jout_int(&f->w, "value", node->value / f->divisor);
    ts_jout_text(&f->w, "method", m.method);
    ts_jout_int(&f->w, "line", node->line);
    ts_jout_text(&f->w, "source_file", m.file);
    ts_jout_open(&f->w, "sub_frame", '[');
}

static void graph_close(graph_work *f, uint32_t i)
{
    const ts_dim_node *node = ts_dim_at(&f->tree, i);
    ts_method_row m = graph_texts(f, i);
    ts_jout_close(&f->w, ']');
    ts_jout_text(&f->w, "thread",
                 node->thread == 0 ? (ts_text){"", 0}
                                   : ts_pool_text(&f->tree.words, node->thread - 1));
    ts_jout_text(&f->w, "modifier", m.modifiers);
    ts_jout_text(&f->w, "library", m.library);
    ts_jout_text(&f->w, "package", m.package);
    ts_jout_text(&f->w, "class", m.cls);
    ts_jout_close(&f->w, '}');
}

/* Without recursion: `done` counts the children of each node that are written. */
static void graph_frames(graph_work *f)
{
    const uint32_t *order = f->tree.order.p;
    uint32_t *done = ts_zalloc(f->ctx, f->tree.nodes.n, sizeof *done);
    uint32_t at = 0;
    bool open = true;
    if (done == NULL) {
        ts_jout_fail(&f->w, f->ctx->error.code);
        return;
    }
    graph_open(f, 0);
    while (open && f->w.code == TS_OK) {
        const ts_dim_node *node = ts_dim_at(&f->tree, at);
        if (done[at] < node->count) {
            uint32_t child = order[node->first + done[at]++];
            graph_open(f, child);
            at = child;
        } else {
            graph_close(f, at);
            open = at != 0;
            at = node->parent;
        }
    }
    ts_free(f->ctx, done);
}

static void graph_write(graph_work *f)
{
    ts_text unit = f->weight->unit;
    const char *shown = ts_text_is(unit, "ns")      ? "毫秒" /* milliseconds */
                        : ts_text_is(unit, "bytes") ? "字节" /* bytes */
                                                    : "次";  /* times */
    ts_jout_open(&f->w, NULL, '{');
    ts_jout_str(&f->w, "unit", shown);
    ts_jout_open(&f->w, "available_dimension", '[');
    for (unsigned i = 0; i < TS_DIMENSIONS; i++) {
        if (f->tree.available[i]) {
            ts_jout_str(&f->w, NULL, ts_dimension_names[i]);
        }
    }
    ts_jout_close(&f->w, ']');
    ts_jout_str(&f->w, "dimension", ts_dimension_names[f->dimension]);
    ts_jout_key(&f->w, TS_TEXT_LIT("root_frame"));
    graph_frames(f);
    ts_jout_close(&f->w, '}');
    ts_jout_line(&f->w);
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code graph_load(graph_work *f, const ts_export_input *input)
{
    const ts_export_side *side = &input->side;
    ts_calls_load load = side->filter.weight == NULL ? TS_LOAD_ALL : TS_LOAD_CHOSEN;
    ts_code code = graph_dimension(f, input->dimension);
    TS_STEP(code, ts_calls_open(&f->calls, f->ctx, side->reader, &side->filter, &f->frames, load));
    if (code == TS_OK) {
        graph_choose(f);
        code = ts_uploads_load(&f->uploads, f->ctx, side->reader, false);
    }
    TS_STEP(code, ts_naming_load(&f->names, f->ctx, side->reader));
    TS_STEP(code, ts_methods_load(&f->methods, f->ctx, &f->calls, &f->frames, &f->uploads));
    TS_STEP(code, ts_dim_make(&f->tree, f->ctx, &f->calls, f->weight, &f->methods, &f->names,
                              f->dimension));
    if (code == TS_OK && !f->tree.available[f->dimension]) {
        code = ts_fail(f->ctx, TS_ERR_USAGE, "--dimension=%s: no stack that is wanted has a %s",
                       ts_dimension_names[f->dimension], ts_dimension_names[f->dimension]);
    }
    if (code == TS_OK && f->tree.skipped > 0) {
        ts_log(f->ctx, TS_LOG_INFO, "%llu samples whose value is not above zero were left out",
               (unsigned long long)f->tree.skipped);
    }
    return code;
}

static ts_code graph_run(ts_ctx *ctx, const ts_export_input *input, const ts_export_output *output)
{
    graph_work *f = ts_zalloc(ctx, 1, sizeof *f);
    TS_NEED(ctx, f);
    f->ctx = ctx;
    f->frames.parts = TS_FRAME_FILE | TS_FRAME_LINE;
    ts_export_json(&f->w, &f->sink, ctx, output);
    ts_code code = graph_load(f, input);
    if (code == TS_OK) {
        graph_write(f);
    }
    ts_jout_fail(&f->w, code);
    code = ts_jout_end(&f->w);
    ts_dim_free(&f->tree, ctx);
    ts_methods_free(&f->methods, ctx);
    ts_naming_free(&f->names, ctx);
    ts_uploads_free(&f->uploads, ctx);
    ts_calls_free(&f->calls);
    ts_frames_free(ctx, &f->frames);
    ts_free(ctx, f);
    return code;
}

const ts_export ts_export_datakit_flamegraph = {
    .name = "datakit-flamegraph",
    .title = "flame graph of Datakit, JSON",
    .extension = ".json",
    .needs = TS_NEEDS_STACKS,
    .dimensions = true,
    .run = graph_run,
};
