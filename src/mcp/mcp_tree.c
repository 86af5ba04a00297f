/*
 * The tree of calls as text: as many boxes as fit, those that weigh most. Boxes come in the order
 * of a walk; what is left out is all that weighs less than the least box that is shown.
 */
#include "base/alloc.h"
#include "mcp/mcp_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 60, DEPTH_MOST = 200 };

typedef struct box {
    size_t text; /* in the texts */
    size_t n;
    int64_t depth, total, self;
} box;

typedef struct tree {
    ts_ctx *ctx;
    ts_buf texts;
    ts_vec boxes;
    uint64_t deeper; /* boxes beyond the depth */
    int64_t all;
    char weight[64], unit[32];
} tree;

static const char *const names[] = {"source", "thread", "event", "from", "to", "weight", NULL};

static ts_code params_of(mcp_params *p, mcp_call *call, const char *limit)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        const ts_text value = mcp_argument(call, names[i]);
        if (value.p != NULL) {
            TS_TRY(mcp_params_add(p, call->m->ctx, ts_text_of(names[i]), value));
        }
    }
    TS_TRY(mcp_params_add(p, call->m->ctx, TS_TEXT_LIT("limit"), ts_text_of(limit)));
    return mcp_params_end(p, call->m->ctx);
}

/* What the weight is called, its unit, and its sum over all that is asked for. */
static void take_weight(tree *t, tst_rows *rows)
{
    for (int i = 0; i < tst_rows_columns(rows); i++) {
        const char *name = tst_rows_name(rows, i);
        const char *value = tst_rows_text(rows, i, NULL);
        if (strcmp(name, "weight") == 0) {
            (void)snprintf(t->weight, sizeof t->weight, "%s", value == NULL ? "" : value);
        } else if (strcmp(name, "unit") == 0) {
            (void)snprintf(t->unit, sizeof t->unit, "%s", value == NULL ? "" : value);
        } else if (strcmp(name, "all") == 0) {
            t->all = tst_rows_int64(rows, i);
        }
    }
}

static ts_code take_box(tree *t, tst_rows *rows, int64_t deepest)
{
    enum {
        COL_DEPTH,
        COL_START,
        COL_TOTAL,
        COL_SELF,
        COL_METHOD,
        COL_FILE,
        COL_LINE,
        NAME_MOST = 160
    };
    const int64_t depth = tst_rows_int64(rows, COL_DEPTH);
    const char *method = tst_rows_text(rows, COL_METHOD, NULL);
    const char *file = tst_rows_text(rows, COL_FILE, NULL);
    box *b;
    if (depth > deepest) {
        t->deeper++;
        return TS_OK;
    }
    TS_NEED(t->ctx, b = ts_vec_add(t->ctx, &t->boxes, sizeof *b));
    *b = (box){.text = t->texts.n,
               .depth = depth,
               .total = tst_rows_int64(rows, COL_TOTAL),
               .self = tst_rows_int64(rows, COL_SELF)};
    TS_TRY(
        ts_buf_printf(t->ctx, &t->texts, "%.*s", NAME_MOST, method == NULL ? "(unknown)" : method));
    if (file != NULL && file[0] != '\0') {
        const char *slash = strrchr(file, '/');
        TS_TRY(ts_buf_printf(t->ctx, &t->texts, " (%.80s", slash == NULL ? file : slash + 1));
        if (tst_rows_type(rows, COL_LINE) == TST_INT64) {
            TS_TRY(ts_buf_printf(t->ctx, &t->texts, ":%" PRId64, tst_rows_int64(rows, COL_LINE)));
        }
        TS_TRY(ts_buf_putc(t->ctx, &t->texts, ')'));
    }
    b = (box *)t->boxes.p + (t->boxes.n - 1);
    b->n = t->texts.n - b->text;
    return TS_OK;
}

/* --- choosing ----------------------------------------------------------------------------------
 */

static size_t length_of(const box *b)
{
    enum { NUMBERS = 40 };
    return (size_t)b->depth + b->n + NUMBERS;
}

static int by_total(const void *a, const void *b)
{
    const int64_t x = (*(const box *const *)a)->total;
    const int64_t y = (*(const box *const *)b)->total;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The least total of a box that is shown. Equal ones are all shown, or all left out. */
static ts_code least_total(int64_t *least, const tree *t, size_t room)
{
    const box *boxes = t->boxes.p;
    const box **order = ts_alloc(t->ctx, t->boxes.n + 1, sizeof(box *));
    size_t length = 0;
    TS_NEED(t->ctx, order);
    for (size_t i = 0; i < t->boxes.n; i++) {
        order[i] = &boxes[i];
    }
    qsort(order, t->boxes.n, sizeof order[0], by_total);
    *least = t->boxes.n == 0 ? 0 : order[0]->total + 1;
    for (size_t i = 0; i < t->boxes.n;) {
        size_t next = i;
        for (; next < t->boxes.n && order[next]->total == order[i]->total; next++) {
            length += length_of(order[next]);
        }
        if (length > room) {
            break;
        }
        *least = order[i]->total;
        i = next;
    }
    ts_free(t->ctx, order);
    return TS_OK;
}

/* The shown box below this one that has all of its weight, or NULL. */
static const box *only_child(const tree *t, const box *b, int64_t least)
{
    const box *end = (const box *)t->boxes.p + t->boxes.n;
    const box *next = b + 1;
    return b->self == 0 && next < end && next->depth == b->depth + 1 && next->total == b->total &&
                   next->total >= least
               ? next
               : NULL;
}

/* A box, and those below it that have all of its weight; *b is the last of them. */
static ts_code say_chain(mcp_call *call, const tree *t, const box **b, int64_t least)
{
    const box *last = *b;
    const box *next;
    unsigned times = 1;
    TS_TRY(mcp_say_text(call, (ts_text){t->texts.p + last->text, last->n}));
    while ((next = only_child(t, last, least)) != NULL) {
        const bool same = next->n == last->n &&
                          memcmp(t->texts.p + next->text, t->texts.p + last->text, next->n) == 0;
        if (!same) {
            TS_TRY(times > 1 ? mcp_say(call, " x%u > ", times) : mcp_say(call, " > "));
            TS_TRY(mcp_say_text(call, (ts_text){t->texts.p + next->text, next->n}));
        }
        times = same ? times + 1 : 1;
        last = next;
    }
    *b = last;
    return times > 1 ? mcp_say(call, " x%u\n", times) : mcp_say(call, "\n");
}

static ts_code say_tree(mcp_call *call, const tree *t)
{
    const box *boxes = t->boxes.p;
    const box *end = boxes + t->boxes.n;
    uint64_t hidden = 0;
    int64_t hidden_self = 0;
    int64_t least = 0;
    const double all = t->all > 0 ? (double)t->all : 1;
    TS_TRY(mcp_say(call,
                   "weight %s in %s, %" PRId64
                   " in all. Lines: total, percent of all, self of the last, methods (file:line), "
                   "each called by the one before it\n",
                   t->weight, t->unit[0] == '\0' ? "counts" : t->unit, t->all));
    TS_TRY(least_total(&least, t, mcp_room(call)));
    for (const box *b = boxes; b < end; b++) {
        const box *last = b;
        if (b->total < least) {
            hidden++;
            hidden_self += b->self;
            continue;
        }
        for (const box *next; (next = only_child(t, last, least)) != NULL;) {
            last = next;
        }
        TS_TRY(mcp_say(call, "%*s%" PRId64 " %.1f%% %" PRId64 " ", (int)b->depth, "", b->total,
                       100 * (double)b->total / all, last->self));
        TS_TRY(say_chain(call, t, &b, least));
    }
    if (hidden + t->deeper > 0) {
        return mcp_say(call,
                       "(left out: %" PRIu64 " boxes that weigh less than %" PRId64
                       " each, %" PRId64 " by themselves; %" PRIu64 " deeper ones)\n",
                       hidden, least, hidden_self, t->deeper);
    }
    return TS_OK;
}

static ts_code read_rows(tree *t, mcp_call *call, tst_session *s, const char *question,
                         const char *limit)
{
    const int64_t deepest = mcp_argument_number(call, "depth", DEPTH, DEPTH_MOST);
    const bool boxes = strcmp(question, "flame_graph") == 0;
    mcp_params params = {0};
    tst_rows *rows = NULL;
    int step = TST_OK;
    ts_code code = params_of(&params, call, limit);
    if (code == TS_OK && tst_ask(&rows, s, question, params.all.p, params.all.n) != TST_OK) {
        code = mcp_refuse_session(call, s);
    }
    while (code == TS_OK && rows != NULL && (step = tst_rows_next(rows)) == TST_ROW) {
        if (boxes) {
            code = take_box(t, rows, deepest);
        } else {
            take_weight(t, rows);
        }
    }
    TS_STEP_IF(code, rows != NULL && step != TST_OK, mcp_refuse_session(call, s));
    tst_rows_free(rows);
    mcp_params_free(&params, call->m->ctx);
    return code;
}

ts_code mcp_flame(mcp_call *call)
{
    tree t = {.ctx = call->m->ctx};
    tst_session *s;
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    ts_code code = read_rows(&t, call, s, "hot_methods", "1");
    TS_STEP_IF(code, !call->failed, read_rows(&t, call, s, "flame_graph", "100000"));
    if (code == TS_OK && !call->failed) {
        code = t.boxes.n > 0 ? say_tree(call, &t)
                             : mcp_refuse(call, "nothing that is asked for has a stack: overview "
                                                "says what the recording holds");
    }
    ts_buf_free(t.ctx, &t.texts);
    ts_vec_free(t.ctx, &t.boxes);
    return code;
}
