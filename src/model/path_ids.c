#include "model/path_ids.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/idmap.h"

static const ts_hash_key no_key = {{0, 0}};

uint64_t ts_method_key(const ts_method_parts *m)
{
    const ts_text texts[] = {m->library, m->package, m->class, m->name, m->signature, m->file};
    ts_hash h = ts_hash_begin(&no_key);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ts_hash_word(&h, texts[i].n); /* where a text ends is part of it */
        ts_hash_bytes(&h, texts[i].p, texts[i].n);
    }
    ts_hash_word(&h, (uint64_t)(m->name.n == 0 ? m->line : TS_METHOD_NO_LINE));
    uint64_t key = ts_hash_end(&h);
    return key == 0 ? 1 : key;
}

uint64_t ts_path_id(uint64_t above, uint64_t method_key, int32_t line)
{
    ts_hash h = ts_hash_begin(&no_key);
    ts_hash_word(&h, above);
    ts_hash_word(&h, method_key);
    if (line != TS_PATH_NO_LINE) {
        ts_hash_word(&h, (uint64_t)line);
    }
    return ts_hash_end(&h);
}

/* --- keys ------------------------------------------------------------------------------------- */

static void keys_free(ts_ctx *ctx, void *what)
{
    ts_free(ctx, what);
}

static ts_code keys_build(void **what, ts_model *m, const void *user)
{
    static const unsigned columns[] = {TS_C_stack_method__library,   TS_C_stack_method__package,
                                       TS_C_stack_method__class,     TS_C_stack_method__name,
                                       TS_C_stack_method__signature, TS_C_stack_method__file,
                                       TS_C_stack_method__line};
    const ts_paths *paths = user;
    ts_ctx *ctx = ts_model_ctx(m);
    uint64_t *keys = ts_zalloc(ctx, (size_t)paths->methods.count + 1, sizeof *keys);
    ts_code code = keys == NULL ? ctx->error.code : TS_OK;
    ts_walk at = ts_walk_of(*ts_model_rows(m), TS_T_stack_method, columns, 7);
    *what = keys;
    for (uint32_t i = 0; ts_walk_next(&code, &at);) {
        const ts_method_parts method = {
            .library = ts_walk_text(&at, 0),
            .package = ts_walk_text(&at, 1),
            .class = ts_walk_text(&at, 2),
            .name = ts_walk_text(&at, 3),
            .signature = ts_walk_text(&at, 4),
            .file = ts_walk_text(&at, 5),
            .line = ts_walk_int_or(&at, 6, TS_METHOD_NO_LINE),
        };
        if (i < paths->methods.count) {
            keys[i++] = ts_method_key(&method);
        }
    }
    return code;
}

ts_code ts_method_keys(const uint64_t **out, ts_model *m, const ts_paths *paths)
{
    void *what;
    *out = paths->keys;
    if (paths->keys != NULL) {
        return TS_OK;
    }
    ts_code code = ts_model_keep(&what, m, "method keys", "", keys_build, keys_free, paths);
    *out = what;
    return code;
}

void ts_frame_keys(uint64_t *out, const ts_calls *p)
{
    for (uint32_t i = 1; i <= p->methods; i++) {
        uint64_t *key = &out[p->frame[i]];
        *key = *key == 0 ? p->key[i] : *key;
    }
}

/* --- ids -------------------------------------------------------------------------------------- */

void ts_tree_path_ids(uint64_t *out, const ts_tree *t, const uint64_t *keys, uint64_t above)
{
    for (uint32_t i = 0; i < t->n; i++) {
        out[i] = ts_path_id(t->parent[i] == TS_NO_INDEX ? above : out[t->parent[i]],
                            t->method[i] == TS_NO_INDEX ? 0 : keys[t->method[i]],
                            t->line == NULL ? TS_PATH_NO_LINE : t->line[i]);
    }
}

ts_code ts_path_ids_part(uint64_t *ids, bool *moved, ts_ctx *ctx, uint32_t n)
{
    ts_idmap taken = {0}; /* id -> the next number that may be free */
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        uint64_t id = ids[i];
        uint64_t next = id;
        while (ts_idmap_find(&next, &taken, (int64_t)next)) {
        }
        moved[i] = next != id;
        ids[i] = next;
        code = ts_idmap_put(ctx, &taken, (int64_t)next, next + 1);
        TS_STEP_IF(code, moved[i], ts_idmap_put(ctx, &taken, (int64_t)id, next + 1));
    }
    ts_idmap_free(ctx, &taken);
    return code;
}

void ts_path_id_put(ts_jout *out, const char *key, uint64_t id)
{
    char digits[TS_PATH_DIGITS];
    for (unsigned i = 0; i < TS_PATH_DIGITS; i++) {
        digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    }
    ts_jout_text(out, key, (ts_text){digits, TS_PATH_DIGITS});
}

bool ts_path_id_parse(uint64_t *out, ts_text text)
{
    uint64_t id = 0;
    for (size_t i = 0; i < text.n && text.n == TS_PATH_DIGITS; i++) {
        char c = text.p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
        if (digit == 16) {
            return false;
        }
        id = id << 4 | digit;
    }
    *out = id;
    return text.n == TS_PATH_DIGITS;
}
