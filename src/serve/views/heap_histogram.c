/* GET heap/classes: the rows of v_js_class_histogram. */
#include "serve/views/heap_private.h"

enum { P_SORT = 1, P_ORDER, P_FILTER, P_OFFSET, P_LIMIT };

const ts_view_param ts_heap_classes_params[] = {
    TS_PARAM_FILE,
    {.name = "sort", .type = TS_VIEW_CHOICE, .choices = "self_size,count,class", .doc = "column"},
    {.name = "order",
     .type = TS_VIEW_CHOICE,
     .choices = "default,reverse",
     .doc = "default: largest first, texts rising"},
    TS_PARAM_FILTER,
    TS_PARAMS_PAGE(10000, 200, "rows"),
    {.name = NULL}};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ts_text_has(ts_text text, ts_text part)
{
    for (size_t at = 0; at + part.n <= text.n && text.p != NULL; at++) {
        size_t i = 0;
        while (i < part.n && lower(text.p[at + i]) == lower(part.p[i])) {
            i++;
        }
        if (i == part.n) {
            return true;
        }
    }
    return part.n == 0;
}

static void put_class(ts_jout *out, const ts_heap_classes *c, uint32_t class)
{
    const ts_heap_class *one = (const ts_heap_class *)c->classes.p + class;
    ts_jout_open(out, NULL, '[');
    ts_view_text(out, NULL, ts_heap_class_text(c, class));
    ts_heap_put_number(out, one->has_count, one->count);
    ts_heap_put_number(out, one->has_size, one->size);
    ts_jout_uint(out, NULL, class);
    ts_jout_close(out, ']');
}

ts_code ts_heap_classes_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_heap_classes *c = NULL;
    ts_heap_file *f = ts_alloc(ctx, 1, sizeof *f);
    ts_code code = f == NULL ? ctx->error.code : ts_heap_file_asked(f, call);
    TS_STEP(code, ts_heap_classes_get(&c, call->views->model, f));
    ts_free(ctx, f);
    if (code != TS_OK) {
        return code;
    }
    const uint32_t *orders[] = {c->by_size, c->by_count, c->by_text};
    const uint32_t *order = orders[ts_view_value_of(call, P_SORT)->number];
    bool reverse = ts_view_value_of(call, P_ORDER)->number == 1;
    ts_text filter = ts_view_value_of(call, P_FILTER)->text;
    const ts_page page = ts_view_page(call, P_OFFSET);
    const ts_heap_class *all = c->classes.p;
    ts_wide count = 0;
    ts_wide size = 0;
    uint64_t row = 0;
    ts_jout_open(out, NULL, '{');
    ts_heap_table(out, "class,count,self_size,id");
    for (size_t i = 0; i < c->classes.n; i++) {
        uint32_t class = order[reverse ? c->classes.n - 1 - i : i];
        if (!ts_text_has(ts_heap_class_text(c, class), filter)) {
            continue;
        }
        count += all[class].count;
        size += all[class].size;
        if (row >= page.first && row < page.end) {
            put_class(out, c, class);
        }
        row++;
    }
    ts_heap_table_end(out, row);
    ts_wide_put(out, "count", count);
    ts_wide_put(out, "self_size", size);
    ts_jout_close(out, '}');
    return TS_OK;
}
