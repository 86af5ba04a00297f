/* The life of a page writer: from a file with the schema to the finished one. */
#include "tables/page_private.h"

#include "base/alloc.h"

enum {
    COUNTER_AT = 24,  /* fields of the database header: file change counter, number of pages, */
    VALID_FOR_AT = 92 /* and the change counter that the number of pages belongs to */
};

ts_code ts_pages_new(ts_pages **out, ts_ctx *ctx, const ts_pages_config *config)
{
    ts_pages *p = ts_zalloc(ctx, 1, sizeof *p);
    *out = NULL;
    TS_NEED(ctx, p);
    p->ctx = ctx;
    p->types = page_types_best();
    p->fd = config->fd;
    p->path = config->path;
    p->page_size = config->page_size;
    p->max_local = config->page_size - 35;
    p->min_local = (config->page_size - 12) * 32 / 255 - 23;
    p->lock_page = config->lock_page != 0 ? config->lock_page
                                          : (uint32_t)(TS_LOCK_BYTE / config->page_size) + 1;
    p->next = config->page_count + 1;
    p->out_cap = config->queue != 0 ? config->queue : OUT_BYTES / config->page_size;
    /* Zeroed, because pages that are still open may be written early. */
    p->out = ts_zalloc(ctx, p->out_cap, config->page_size);
    p->scratch = ts_alloc(ctx, config->page_size, 1);
    if (p->out == NULL || p->scratch == NULL) {
        ts_code code = ctx->error.code;
        ts_pages_free(p);
        return code;
    }
    *out = p;
    return TS_OK;
}

void ts_pages_free(ts_pages *p)
{
    if (p == NULL) {
        return;
    }
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        page_table *t = &p->tables[id];
        ts_free(p->ctx, t->own);
        for (unsigned at = 0; at < t->levels; at++) {
            ts_free(p->ctx, t->level[at].page.bytes);
        }
        page_forget_all(p, t);
        page_held_free(p, t);
    }
    ts_free(p->ctx, p->out);
    ts_free(p->ctx, p->scratch);
    ts_free(p->ctx, p);
}

void ts_pages_use(ts_pages *p, ts_ctx *ctx)
{
    p->ctx = ctx;
}

ts_code ts_pages_table(ts_pages *p, unsigned id, const ts_table *table, uint32_t root)
{
    p->tables[id].root = root;
    return page_prepare(p, &p->tables[id], table);
}

ts_code ts_pages_form(ts_pages *p, unsigned id, const ts_table *table)
{
    return page_prepare(p, &p->tables[id], table);
}

/* Page count, and a new change counter: connections that were open must read the file again. */
static ts_code update_header(ts_pages *p)
{
    uint8_t header[8];
    uint32_t counter;
    TS_TRY(page_read_at(p, COUNTER_AT, header, 4));
    counter = (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 | (uint32_t)header[2] << 8 |
              header[3];
    page_put32(header, counter + 1);
    page_put32(header + 4, p->next - 1);
    TS_TRY(page_write_at(p, COUNTER_AT, header, 8));
    return page_write_at(p, VALID_FOR_AT, header, 4);
}

ts_code ts_pages_finish(ts_pages *p, uint32_t *page_count)
{
    ts_code code = TS_OK;
    for (unsigned id = 0; id < TS_TABLE_COUNT && code == TS_OK; id++) {
        code = page_close_table(p, &p->tables[id]);
    }
    if (code != TS_OK || (code = page_flush(p)) != TS_OK) {
        return code;
    }
    *page_count = p->next - 1;
    return update_header(p);
}
