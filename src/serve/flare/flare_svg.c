/* flame_graph: the tree of calls as an image (docs/flare.md). */
#include "base/utf8.h"
#include "serve/flare/flare_private.h"

#include <inttypes.h>

enum { BAR = 16, MARGIN = 10, DEFAULT_WIDTH = 900, MAX_WIDTH = 20000 };

static const char *const units[][2] = {
    {"duration", "ms"}, {"cpu_time", "micros"}, {"samples", "samples"}};

static const char *unit_of(ts_text type)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ts_text_is(type, units[i][0])) {
            return units[i][1];
        }
    }
    return NULL;
}

/* Text of XML; characters that XML cannot have become U+FFFD. */
static ts_code put_xml(ts_ctx *ctx, ts_buf *out, ts_text t)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < t.n && code == TS_OK; i++) {
        char c = t.p[i];
        const char *entity = c == '<'                                           ? "&lt;"
                             : c == '>'                                         ? "&gt;"
                             : c == '&'                                         ? "&amp;"
                             : c == '"'                                         ? "&quot;"
                             : (unsigned char)c < ' ' && c != '\t' && c != '\n' ? "\xef\xbf\xbd"
                                                                                : NULL;
        code = entity == NULL ? ts_buf_putc(ctx, out, c)
                              : ts_buf_put(ctx, out, entity, strlen(entity));
    }
    return code;
}

/* One bar with a tool tip, and its label where at least three letters fit. */
static ts_code put_bar(ts_ctx *ctx, ts_buf *out, const fp_tree_node *n, ts_text label, double scale,
                       const char *unit)
{
    double x = MARGIN + (double)n->start * scale;
    double width = (double)n->duration * scale;
    int y = MARGIN + (int)(n->depth - 1) * BAR;
    unsigned hue = (n->method * 2654435U) % 55;
    size_t letters = width < 21 ? 0 : (size_t)(width / 7);
    ts_code code = ts_buf_printf(ctx, out, "<g><title>");
    TS_STEP(code, put_xml(ctx, out, label));
    TS_STEP(code,
            ts_buf_printf(ctx, out,
                          " (%" PRId64 " %s)</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                          "height=\"%d\" fill=\"rgb(%u,%u,55)\"/>",
                          n->duration, unit, x, y, width, BAR - 1, 205 + hue % 50, 90 + hue * 2));
    if (code == TS_OK && letters > 0) {
        code = ts_buf_printf(ctx, out, "<text x=\"%.1f\" y=\"%d\">", x + 3, y + BAR - 5);
        if (code == TS_OK) {
            ts_text shown = {label.p, ts_utf8_cut(label.p, label.n < letters ? label.n : letters)};
            code = put_xml(ctx, out, shown);
        }
        TS_STEP(code, ts_buf_printf(ctx, out, "</text>"));
    }
    TS_STEP(code, ts_buf_printf(ctx, out, "</g>\n"));
    return code;
}

static ts_code put_image(ts_buf *out, const fp_tree *tree, int64_t width, const char *unit)
{
    ts_ctx *ctx = tree->data->ctx;
    const fp_tree_node *nodes = tree->nodes.p;
    double scale = ((double)width - 2.0 * MARGIN) / (double)nodes[0].duration;
    uint32_t depth = 0;
    ts_buf label = {0};
    ts_code code;
    for (size_t i = 0; i < tree->nodes.n; i++) {
        depth = nodes[i].depth > depth ? nodes[i].depth : depth;
    }
    code = ts_buf_printf(ctx, out,
                         "<svg version=\"1.1\" width=\"%" PRId64 "\" height=\"%" PRIu32 "\" "
                         "xmlns=\"http://www.w3.org/2000/svg\" font-family=\"monospace\" "
                         "font-size=\"11\">\n",
                         width, depth * BAR + 2 * MARGIN);
    for (size_t i = 1; i < tree->nodes.n && code == TS_OK; i++) {
        code = fp_tree_label(&label, tree, (uint32_t)i);
        TS_STEP(code, put_bar(ctx, out, &nodes[i], ts_buf_text(&label), scale, unit));
    }
    ts_buf_free(ctx, &label);
    TS_STEP(code, ts_buf_printf(ctx, out, "</svg>\n"));
    return code;
}

static ts_code draw(ts_buf *svg, fp_tree *tree, fp_call *call, int64_t width, const char *unit)
{
    const fp_tree_node *root = tree->nodes.p;
    if (root->duration <= 0) {
        return ts_fail(call->ctx, TS_ERR_USAGE,
                       "create flame graph failed: no time between records of this range");
    }
    if (tree->nodes.n > FP_TREE_NODES) {
        return ts_fail(call->ctx, TS_ERR_LIMIT, "range too large: %zu nodes", tree->nodes.n);
    }
    return put_image(svg, tree, width, unit);
}

ts_code fp_flame_graph(fp_call *call)
{
    ts_text type = fp_request_text(call->request, "stats_type", "duration");
    int64_t width = fp_request_int(call->request, "image_width", DEFAULT_WIDTH);
    const char *unit = unit_of(type);
    ts_buf svg = {0};
    fp_tree tree;
    int64_t thread_id;
    int64_t start;
    int64_t end;
    ts_code code = fp_sequenced_tree(&tree, &thread_id, &start, &end, call);
    width = width <= 0 ? DEFAULT_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
    TS_STEP_IF(code, unit == NULL,
               ts_fail(call->ctx, TS_ERR_USAGE, "invalid stats_type: %.*s",
                       (int)(type.n < 100 ? type.n : 100), type.p));
    TS_STEP(code, draw(&svg, &tree, call, width, unit));
    if (code == TS_OK) {
        fp_reply_session(call);
        ts_jout_int(&call->json, "thread_id", thread_id);
        ts_jout_int(&call->json, "start_time", start);
        ts_jout_int(&call->json, "end_time", end);
        ts_jout_text(&call->json, "stats_type", type);
        ts_jout_int(&call->json, "image_width", width);
        ts_jout_text(&call->json, "flame_graph_data", ts_buf_text(&svg));
        code = fp_reply_end(call);
    }
    ts_buf_free(call->ctx, &svg);
    fp_tree_close(&tree);
    return code;
}
