/* Which nodes came and went between two heap files, by class: what js_snapshot_diff.sql finds by
 * sorting the nodes of both is found by a map of their ids. */
#include "serve/heap_private.h"

#include <stdio.h>

ts_code ts_heap_pairs_make(ts_vec *pairs, ts_ctx *ctx, const ts_heap_classes *const sides[2])
{
    const ts_heap_classes *a = sides[0];
    const ts_heap_classes *b = sides[1];
    size_t i = 0;
    size_t k = 0;
    while (i < a->classes.n || k < b->classes.n) {
        ts_text x = i < a->classes.n ? ts_heap_class_text(a, a->by_text[i]) : TS_TEXT_NULL;
        ts_text y = k < b->classes.n ? ts_heap_class_text(b, b->by_text[k]) : TS_TEXT_NULL;
        int order = i == a->classes.n ? 1 : k == b->classes.n ? -1 : ts_text_order(x, y);
        ts_heap_pair *row = ts_vec_add(ctx, pairs, sizeof *row);
        if (row == NULL) {
            return ctx->error.code;
        }
        *row = (ts_heap_pair){
            {order <= 0 ? a->by_text[i] : TS_NO_INDEX, order >= 0 ? b->by_text[k] : TS_NO_INDEX},
            order <= 0 ? x : y};
        i += order <= 0;
        k += order >= 0;
    }
    return TS_OK;
}

/* --- nodes by their ids ----------------------------------------------------------------------- */

#define NO_KEY INT64_MIN /* of a node without a class */

/* The nodes of one id: more than one of a file only where it is damaged. */
typedef struct same_id {
    uint32_t count[2]; /* in the file and in the one before */
    int64_t key[2];    /* the greatest */
    int64_t size[2];
} same_id;

typedef struct changes_pass {
    ts_view_call *call;
    const ts_heap_file *const *files;
    const ts_heap_classes *const *classes;
    ts_heap_changes *made;
    ts_idmap places;  /* id: place in `ids` */
    ts_vec ids;       /* of same_id */
    ts_vec pairs;     /* of ts_heap_pair: rows of the result while it is made */
    ts_vec sums;      /* of ts_heap_change, of each pair, and of nodes without a class after them */
    ts_idmap rows[2]; /* key: place in `sums` */
    unsigned side;
} changes_pass;

/* A class of nodes as one number: the index of its name, or -1 - type for types that are one class
 * (as in js_snapshot_diff.sql). */
static int64_t class_key(const ts_heap_file *f, ts_cell type, ts_cell name)
{
    const char *text = ts_heap_type(&f->node_types, type);
    if (text == NULL) {
        return NO_KEY;
    }
    if (strcmp(text, TS_HEAP_NODE_OBJECT) == 0 || strcmp(text, TS_HEAP_NODE_NATIVE) == 0) {
        return name.null ? NO_KEY : name.value;
    }
    return -1 - type.value;
}

enum { N_ID, N_TYPE, N_NAME, N_SIZE };

static ts_code changes_node(void *user, const ts_batch *b, unsigned i)
{
    changes_pass *p = user;
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_cell id = ts_cell_of(b, N_ID, i);
    ts_cell size = ts_cell_of(b, N_SIZE, i);
    int64_t key = class_key(p->files[p->side], ts_cell_of(b, N_TYPE, i), ts_cell_of(b, N_NAME, i));
    uint64_t place;
    if (!ts_idmap_find(&place, &p->places, id.null ? INT64_MIN : id.value)) {
        same_id *made = ts_vec_add(ctx, &p->ids, sizeof *made);
        if (made == NULL) {
            return ctx->error.code;
        }
        *made = (same_id){.key = {NO_KEY, NO_KEY}};
        place = p->ids.n - 1;
        if (ts_idmap_put(ctx, &p->places, id.null ? INT64_MIN : id.value, place) != TS_OK) {
            return ctx->error.code;
        }
    }
    same_id *one = (same_id *)p->ids.p + place;
    one->count[p->side]++;
    one->key[p->side] = key > one->key[p->side] ? key : one->key[p->side];
    one->size[p->side] = ts_sat_add(one->size[p->side], size.null ? 0 : size.value);
    return TS_OK;
}

/* --- by class --------------------------------------------------------------------------------- */

/* Rows for the classes of both files, and where the keys of each file lead. */
static ts_code changes_rows(changes_pass *p)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_code code = ts_heap_pairs_make(&p->pairs, ctx, p->classes);
    const ts_heap_pair *pairs = p->pairs.p;
    if (code == TS_OK) { /* with one more: of nodes without a class */
        code = ts_vec_reserve(ctx, &p->sums, p->pairs.n + 1, sizeof(ts_heap_change));
    }
    for (size_t i = 0; code == TS_OK && i <= p->pairs.n; i++) {
        code = ts_vec_add(ctx, &p->sums, sizeof(ts_heap_change)) == NULL ? ctx->error.code : TS_OK;
    }
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        const ts_heap_classes *classes = p->classes[side];
        const ts_heap_key *keys = classes->keys.p;
        uint32_t *row_of = ts_alloc(ctx, classes->classes.n, sizeof *row_of);
        code = row_of == NULL ? ctx->error.code : TS_OK;
        for (size_t i = 0; code == TS_OK && i < p->pairs.n; i++) {
            if (pairs[i].sides[side] != TS_NO_INDEX) {
                row_of[pairs[i].sides[side]] = (uint32_t)i;
            }
        }
        for (size_t i = 0; code == TS_OK && i < classes->keys.n; i++) {
            int64_t key = class_key(p->files[side], keys[i].type, keys[i].name);
            code = ts_idmap_put(ctx, &p->rows[side], key, row_of[keys[i].class]);
        }
        ts_free(ctx, row_of);
    }
    return code;
}

/* A class that is not among those of the file, which is damaged then, has no name. */
static ts_heap_change *row_of_key(changes_pass *p, unsigned side, int64_t key)
{
    const ts_heap_pair *pairs = p->pairs.p;
    uint64_t row;
    if (!ts_idmap_find(&row, &p->rows[side], key)) {
        row = p->pairs.n > 0 && pairs[0].text.p == NULL ? 0 : p->pairs.n;
    }
    return (ts_heap_change *)p->sums.p + row;
}

static void changes_sum(changes_pass *p)
{
    const same_id *ids = p->ids.p;
    for (size_t i = 0; i < p->ids.n; i++) {
        const same_id *one = &ids[i];
        uint32_t now = one->count[0];
        uint32_t before = one->count[1];
        unsigned side = now > 0 ? 0 : 1;
        ts_heap_change *row = row_of_key(p, side, one->key[side]);
        row->added += now > before ? now - before : 0;
        row->removed += before > now ? before - now : 0;
        row->kept += now < before ? now : before;
        row->added_size += before == 0 ? one->size[0] : 0;
        row->removed_size += now == 0 ? one->size[1] : 0;
        row->size_delta += (ts_wide)one->size[0] - one->size[1];
    }
}

static int by_delta(const void *user, uint32_t a, uint32_t b)
{
    const ts_heap_change *rows = user;
    return (rows[a].size_delta < rows[b].size_delta) - (rows[a].size_delta > rows[b].size_delta);
}

static ts_code changes_keep(changes_pass *p, const ts_heap_change *sum, ts_text text)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_heap_change *kept = ts_vec_add(ctx, &p->made->rows, sizeof *kept);
    if (kept == NULL) {
        return ctx->error.code;
    }
    *kept = *sum;
    kept->text = TS_NO_INDEX;
    return text.p == NULL ? TS_OK : ts_pool_intern(ctx, &kept->text, NULL, &p->made->texts, text);
}

/* Those of which something changed, in their order. */
static ts_code changes_sort(changes_pass *p)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_heap_change *sums = p->sums.p;
    const ts_heap_pair *pairs = p->pairs.p;
    uint32_t n = 0;
    uint32_t *places = ts_alloc(ctx, p->sums.n, sizeof *places);
    ts_code code = places == NULL ? ctx->error.code : TS_OK;
    for (size_t k = 0; code == TS_OK && k < p->sums.n; k++) {
        /* what has no class sorts first among equals, as NULL does */
        size_t i = k == 0 ? p->sums.n - 1 : k - 1;
        if (sums[i].added > 0 || sums[i].removed > 0 || sums[i].size_delta != 0) {
            places[n++] = (uint32_t)i;
        }
    }
    if (code == TS_OK) {
        code = ts_sort_by(ctx, places, n, by_delta, sums);
    }
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        uint32_t at = places[i];
        code = changes_keep(p, &sums[at], at < p->pairs.n ? pairs[at].text : TS_TEXT_NULL);
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

static ts_code changes_build(void **what, ts_view_call *call, const void *user)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__type,
                                       TS_C_js_heap_nodes__name, TS_C_js_heap_nodes__self_size};
    static const char *const names[] = {"comparing objects", "comparing with objects before"};
    ts_ctx *ctx = ts_view_ctx(call);
    changes_pass p = *(const changes_pass *)user;
    *what = p.made = ts_zalloc(ctx, 1, sizeof *p.made);
    ts_code code = p.made == NULL ? ctx->error.code : changes_rows(&p);
    for (p.side = 0; code == TS_OK && p.side < 2; p.side++) {
        code =
            ts_heap_nodes_each(call, p.files[p.side], columns, 4, names[p.side], changes_node, &p);
    }
    if (code == TS_OK) {
        changes_sum(&p);
        code = changes_sort(&p);
    }
    ts_idmap_free(ctx, &p.places);
    ts_idmap_free(ctx, &p.rows[0]);
    ts_idmap_free(ctx, &p.rows[1]);
    ts_vec_free(ctx, &p.ids);
    ts_vec_free(ctx, &p.pairs);
    ts_vec_free(ctx, &p.sums);
    return code;
}

ts_code ts_heap_changes_get(const ts_heap_changes **out, ts_view_call *call,
                            const ts_heap_file *const files[2],
                            const ts_heap_classes *const classes[2])
{
    const changes_pass start = {.call = call, .files = files, .classes = classes};
    char key[64];
    void *what;
    (void)snprintf(key, sizeof key, "%lld %lld", (long long)files[0]->file_id,
                   (long long)files[1]->file_id);
    ts_code code = ts_keep(&what, call, "diff", key, changes_build, changes_free, &start);
    *out = what;
    return code;
}
