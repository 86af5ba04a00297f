#include "fleet/class_names.h"

#include "tables/rows.h"

#include <stdlib.h>

enum {
    FILE_OF_CLASS = TS_C_js_heap_class__file_id,
    NAME_OF_CLASS = TS_C_js_heap_class__name,
    FILE_OF_STRING = TS_C_js_heap_string__file_id,
    INDEX_OF_STRING = TS_C_js_heap_string__file_index
};

static bool key_of(uint64_t *key, const ts_columns *c, unsigned file, unsigned index, unsigned row)
{
    const ts_column_values *f = &c->columns[file];
    const ts_column_values *i = &c->columns[index];
    *key = (uint64_t)f->ints[row] << 32 | ((uint64_t)i->ints[row] & UINT32_MAX);
    return !f->null[row] && !i->null[row];
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

ts_code ts_class_names_find(ts_class_names *out, ts_ctx *ctx, ts_reader *reader)
{
    ts_columns c = {0};
    if (!ts_reader_has_table(reader, TS_T_js_heap_class)) {
        return TS_OK;
    }
    ts_code code = ts_columns_open(&c, ctx, reader, TS_T_js_heap_class);
    TS_STEP(code, ts_columns_next(&c));
    while (code == TS_OK && c.rows > 0) {
        code = ts_vec_reserve(ctx, &out->keys, c.rows, sizeof(uint64_t));
        for (unsigned i = 0; code == TS_OK && i < c.rows; i++) {
            uint64_t *keys = out->keys.p;
            out->keys.n += key_of(&keys[out->keys.n], &c, FILE_OF_CLASS, NAME_OF_CLASS, i) ? 1 : 0;
        }
        TS_STEP(code, ts_columns_next(&c));
    }
    ts_columns_close(&c);
    if (code == TS_OK && out->keys.n > 1) {
        qsort(out->keys.p, out->keys.n, sizeof(uint64_t), compare_keys);
    }
    return code;
}

void ts_class_names_free(ts_class_names *names, ts_ctx *ctx)
{
    ts_vec_free(ctx, &names->keys);
}

void ts_class_names_keep(const ts_class_names *names, ts_columns *c)
{
    bool keep[TS_COLUMNS_ROWS];
    for (unsigned i = 0; i < c->rows; i++) {
        uint64_t key;
        keep[i] = key_of(&key, c, FILE_OF_STRING, INDEX_OF_STRING, i) && names->keys.n > 0 &&
                  bsearch(&key, names->keys.p, names->keys.n, sizeof key, compare_keys) != NULL;
    }
    ts_columns_keep(c, keep);
}
