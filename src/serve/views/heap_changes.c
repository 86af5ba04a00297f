/* Which nodes came and went between two heap files, by class, as js_snapshot_diff.sql has them. */
#include "serve/views/heap_private.h"

#include "base/sorter.h"

#include <stdio.h>

enum { CHANGES_MEMORY = 12 << 20 }; /* a side */
enum { N_ID, N_TYPE, N_NAME, N_SIZE };

typedef struct changes_pass {
    const ts_heap_sides *sides;
    ts_heap_changes *made;
    ts_heap_match *match;
    ts_vec pairs;        /* of ts_heap_pair: rows of the result while it is made */
    uint32_t *row_of[2]; /* by class of each file */
    uint32_t none;       /* the row of nodes without a class */
    ts_heap_change *sums;
    unsigned side;
} changes_pass;

/* Rows for the classes of both files, one more for nodes without a class. */
static ts_code changes_rows(changes_pass *p, ts_ctx *ctx)
{
    ts_code code = ts_heap_pairs_make(&p->pairs, ctx, p->sides->classes);
    const ts_heap_pair *pairs = p->pairs.p;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        p->row_of[side] =
            ts_alloc(ctx, p->sides->classes[side]->classes.n, sizeof *p->row_of[side]);
        code = p->row_of[side] == NULL ? ctx->error.code : TS_OK;
        for (size_t i = 0; code == TS_OK && i < p->pairs.n; i++) {
            if (pairs[i].sides[side] != TS_NO_INDEX) {
                p->row_of[side][pairs[i].sides[side]] = (uint32_t)i;
            }
        }
    }
    p->none = p->pairs.n > 0 && pairs[0].text.p == NULL ? 0 : (uint32_t)p->pairs.n;
    p->sums = code == TS_OK ? ts_zalloc(ctx, p->pairs.n + 1, sizeof *p->sums) : NULL;
    TS_STEP_IF(code, p->sums == NULL, ctx->error.code);
    return code;
}

static ts_code changes_node(void *user, const ts_batch *b, unsigned i)
{
    changes_pass *p = user;
    ts_cell id = ts_cell_of(b, N_ID, i);
    ts_cell size = ts_cell_of(b, N_SIZE, i);
    uint32_t class = ts_heap_class_of(p->sides->classes[p->side], p->sides->files[p->side],
                                      ts_cell_of(b, N_TYPE, i), ts_cell_of(b, N_NAME, i));
    const ts_heap_node node = {
        .id = ts_sorter_key(id.null ? INT64_MIN : id.value),
        .class = class == TS_NO_INDEX ? p->none : p->row_of[p->side][class],
        .size = size.null ? 0 : size.value,
    };
    return ts_heap_match_add(p->match, 1 - p->side, &node);
}

static ts_code changes_sum(changes_pass *p)
{
    const ts_heap_node *pair[2];
    ts_code code;
    while ((code = ts_heap_match_next(pair, p->match)) == TS_OK &&
           (pair[0] != NULL || pair[1] != NULL)) {
        ts_heap_change *row = &p->sums[pair[pair[1] != NULL]->class];
        int64_t before = pair[0] == NULL ? 0 : pair[0]->size;
        int64_t now = pair[1] == NULL ? 0 : pair[1]->size;
        row->added += pair[0] == NULL;
        row->removed += pair[1] == NULL;
        row->kept += pair[0] != NULL && pair[1] != NULL;
        row->added_size += pair[0] == NULL ? now : 0;
        row->removed_size += pair[1] == NULL ? before : 0;
        row->size_delta += (ts_wide)now - before;
    }
    return code;
}

/* --- the result ------------------------------------------------------------------------------- */

static int by_delta(const void *user, uint32_t a, uint32_t b)
{
    const ts_heap_change *rows = user;
    return (rows[a].size_delta < rows[b].size_delta) - (rows[a].size_delta > rows[b].size_delta);
}

static ts_code changes_keep(changes_pass *p, ts_ctx *ctx, uint32_t at)
{
    const ts_heap_pair *pairs = p->pairs.p;
    ts_text text = at < p->pairs.n ? pairs[at].text : TS_TEXT_NULL;
    ts_heap_change *kept = ts_vec_add(ctx, &p->made->rows, sizeof *kept);
    TS_NEED(ctx, kept);
    *kept = p->sums[at];
    kept->text = TS_NO_INDEX;
    return text.p == NULL ? TS_OK : ts_pool_intern(ctx, &kept->text, NULL, &p->made->texts, text);
}

/* Those of which something changed, in their order. */
static ts_code changes_sort(changes_pass *p, ts_ctx *ctx)
{
    const size_t all = p->pairs.n + 1;
    uint32_t n = 0;
    uint32_t *places = ts_alloc(ctx, all, sizeof *places);
    ts_code code = places == NULL ? ctx->error.code : TS_OK;
    for (size_t k = 0; code == TS_OK && k < all; k++) {
        /* what has no class sorts first among equals, as NULL does */
        const uint32_t i = (uint32_t)(k == 0 ? all - 1 : k - 1);
        if (p->sums[i].added > 0 || p->sums[i].removed > 0 || p->sums[i].size_delta != 0) {
            places[n++] = i;
        }
    }
    TS_STEP(code, ts_sort_by(ctx, places, n, by_delta, p->sums));
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        code = changes_keep(p, ctx, places[i]);
    }
    ts_free(ctx, places);
    return code;
}

static void changes_free(ts_ctx *ctx, void *what)
{
    ts_heap_changes *c = what;
    ts_pool_free(ctx, &c->texts);
    ts_vec_free(ctx, &c->rows);
    ts_free(ctx, c);
}

static ts_code changes_build(void **what, ts_model *m, const void *user)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__type,
                                       TS_C_js_heap_nodes__name, TS_C_js_heap_nodes__self_size};
    static const char *const names[] = {"comparing objects", "comparing with objects before"};
    ts_ctx *ctx = ts_model_ctx(m);
    changes_pass p = {.sides = user, .made = ts_zalloc(ctx, 1, sizeof *p.made)};
    bool one = false;
    *what = p.made;
    ts_code code = p.made == NULL ? ctx->error.code : changes_rows(&p, ctx);
    TS_STEP(code, ts_heap_match_new(&p.match, ctx, CHANGES_MEMORY));
    for (p.side = 0; code == TS_OK && p.side < 2; p.side++) {
        const ts_heap_places *at = &p.sides->files[p.side]->at;
        code = ts_heap_each(m, TS_T_js_heap_nodes, at->first_node, at->node_count, columns, 4,
                            names[p.side], changes_node, &p);
    }
    if (code == TS_OK && (code = changes_sum(&p)) == TS_OK &&
        (code = changes_sort(&p, ctx)) == TS_OK) {
        code = ts_heap_one_recording(&one, m, p.sides->files[0], p.sides->files[1]);
        p.made->comparable = one || ts_heap_comparable(ts_heap_match_evidence(p.match));
    }
    ts_heap_match_free(p.match);
    ts_vec_free(ctx, &p.pairs);
    ts_free(ctx, p.row_of[0]);
    ts_free(ctx, p.row_of[1]);
    ts_free(ctx, p.sums);
    return code;
}

ts_code ts_heap_changes_get(const ts_heap_changes **out, ts_model *m, const ts_heap_sides *sides)
{
    char key[64];
    void *what;
    (void)snprintf(key, sizeof key, "%lld %lld", (long long)sides->files[0]->at.file_id,
                   (long long)sides->files[1]->at.file_id);
    ts_code code = ts_model_keep(&what, m, "diff", key, changes_build, changes_free, sides);
    *out = what;
    return code;
}
