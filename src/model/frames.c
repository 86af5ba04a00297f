/* Frames: a pool of keys "length of the label, length of the file, line, label, file". */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/idmap.h"

typedef struct frame_head {
    uint32_t label;
    uint32_t file;
    int64_t line;
} frame_head;

ts_frame ts_frames_get(const ts_frames *frames, uint32_t id)
{
    ts_text key = ts_pool_text(&frames->keys, id);
    frame_head head;
    memcpy(&head, key.p, sizeof head);
    return (ts_frame){
        {key.p + sizeof head, head.label},
        {key.p + sizeof head + head.label, head.file},
        head.line,
    };
}

static ts_code see_line(ts_ctx *ctx, ts_frames *frames, uint32_t id, int64_t line)
{
    int64_t none = 0;
    while (frames->lines.n <= id) {
        TS_TRY(ts_vec_push(ctx, &frames->lines, &none, sizeof none));
    }
    int64_t *seen = (int64_t *)frames->lines.p + id;
    *seen = line > 0 && (*seen == 0 || line < *seen) ? line : *seen;
    return TS_OK;
}

ts_code ts_frames_intern(ts_ctx *ctx, uint32_t *id, ts_frames *frames, const ts_frame *frame)
{
    bool file = (frames->parts & TS_FRAME_FILE) != 0;
    bool line = (frames->parts & TS_FRAME_LINE) != 0;
    frame_head head = {(uint32_t)frame->label.n, file ? (uint32_t)frame->file.n : 0,
                       line ? frame->line : 0};
    ts_buf key = {0};
    ts_code code = ts_buf_put(ctx, &key, &head, sizeof head);
    TS_STEP(code, ts_buf_put(ctx, &key, frame->label.p, head.label));
    TS_STEP_IF(code, head.file > 0, ts_buf_put(ctx, &key, frame->file.p, head.file));
    TS_STEP(code, ts_pool_intern(ctx, id, NULL, &frames->keys, ts_buf_text(&key)));
    ts_buf_free(ctx, &key);
    TS_STEP_IF(code, (frames->parts & TS_FRAME_SEEN_LINE) != 0,
               see_line(ctx, frames, *id, frame->line));
    return code;
}

int64_t ts_frames_line(const ts_frames *frames, uint32_t id)
{
    return id < frames->lines.n ? ((const int64_t *)frames->lines.p)[id] : 0;
}

void ts_frames_free(ts_ctx *ctx, ts_frames *frames)
{
    ts_pool_free(ctx, &frames->keys);
    ts_vec_free(ctx, &frames->lines);
}

/* --- call paths of one or two profiles, joined by their frames ------------------------------- */

typedef struct tree_work {
    ts_frame_paths *tree;
    ts_ctx *ctx;
    ts_idmap paths; /* (caller, frame) -> path */
    bool difference;
} tree_work;

static ts_code tree_grow(tree_work *w)
{
    ts_frame_paths *t = w->tree;
    uint32_t cap = t->cap == 0 ? 1024 : t->cap * 2;
    ts_code code = TS_OK;
    if (t->n + 1 < t->cap) {
        return TS_OK;
    }
    if (t->cap > UINT32_MAX / 4) {
        return ts_fail(w->ctx, TS_ERR_LIMIT, "more than %u call paths", t->cap);
    }
    if ((code = stacks_grow(w->ctx, &t->parent, cap, sizeof *t->parent)) != TS_OK ||
        (code = stacks_grow(w->ctx, &t->frame, cap, sizeof *t->frame)) != TS_OK ||
        (code = stacks_grow(w->ctx, &t->self, cap, sizeof *t->self)) != TS_OK ||
        (w->difference &&
         (code = stacks_grow(w->ctx, &t->before, cap, sizeof *t->before)) != TS_OK)) {
        return code;
    }
    t->cap = cap;
    return TS_OK;
}

/* The path of a frame below a caller; a new one has no weight yet. */
static ts_code tree_path(uint32_t *out, tree_work *w, uint32_t caller, uint32_t frame)
{
    ts_frame_paths *t = w->tree;
    int64_t key = (int64_t)((uint64_t)caller << 32 | frame);
    uint64_t path;
    if (ts_idmap_find(&path, &w->paths, key)) {
        *out = (uint32_t)path;
        return TS_OK;
    }
    TS_TRY(tree_grow(w));
    TS_TRY(ts_idmap_put(w->ctx, &w->paths, key, t->n + 1));
    t->n++;
    t->parent[t->n] = caller;
    t->frame[t->n] = frame;
    t->self[t->n] = 0;
    if (w->difference) {
        t->before[t->n] = 0;
    }
    *out = t->n;
    return TS_OK;
}

/* Below the path `above`; 0: nothing. */
static ts_code tree_add(tree_work *w, const ts_calls *p, bool before, uint32_t above)
{
    const ts_weight *weight = &p->weights[p->chosen];
    uint32_t *path = ts_alloc(w->ctx, (size_t)p->nodes + 1, sizeof *path);
    ts_code code = path == NULL ? w->ctx->error.code : TS_OK;
    if (code == TS_OK) {
        path[0] = above;
    }
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        if (!p->used[i]) {
            continue;
        }
        code = tree_path(&path[i], w, path[p->parent[i]], ts_calls_frame(p, i));
        int64_t *sum = before ? w->tree->before : w->tree->self;
        TS_STEP_IF(code, ts_ckd_add(&sum[path[i]], sum[path[i]], weight->self[i]),
                   ts_fail(w->ctx, TS_ERR_LIMIT, "a sum does not fit into 64 bits"));
        TS_STEP_IF(code, i % 65536 == 0, ts_check_cancel(w->ctx));
    }
    ts_free(w->ctx, path);
    return code;
}

ts_code ts_frame_paths_make(ts_frame_paths *tree, ts_ctx *ctx, const ts_calls *p,
                            const ts_calls *before)
{
    tree_work w = {.tree = tree, .ctx = ctx, .difference = before != NULL};
    *tree = (ts_frame_paths){0};
    ts_code code = tree_grow(&w);
    TS_STEP(code, tree_add(&w, p, false, 0));
    TS_STEP_IF(code, before != NULL, tree_add(&w, before, true, 0));
    ts_idmap_free(ctx, &w.paths);
    return code;
}

ts_code ts_frame_paths_add(ts_frame_paths *tree, ts_ctx *ctx, const ts_calls *p, uint32_t above)
{
    tree_work w = {.tree = tree, .ctx = ctx};
    uint32_t root = 0;
    ts_code code = tree_grow(&w);
    TS_STEP(code, tree_path(&root, &w, 0, above));
    TS_STEP(code, tree_add(&w, p, false, root));
    ts_idmap_free(ctx, &w.paths);
    return code;
}

void ts_frame_paths_free(ts_frame_paths *tree, ts_ctx *ctx)
{
    ts_free(ctx, tree->parent);
    ts_free(ctx, tree->frame);
    ts_free(ctx, tree->self);
    ts_free(ctx, tree->before);
    *tree = (ts_frame_paths){0};
}
