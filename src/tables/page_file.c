/* Pages on their way to the file: numbered in order, written in large pieces. */
#include "tables/page_private.h"

#include <errno.h>

ts_code page_write_at(ts_pages *p, uint64_t offset, const void *bytes, size_t n)
{
    if (ts_sys_pwrite_all(p->ctx, p->fd, bytes, n, (off_t)offset) == 0) {
        return TS_OK;
    }
    return errno == EINTR
               ? ts_check_cancel(p->ctx)
               : ts_fail(p->ctx, TS_ERR_OUTPUT, "cannot write the database: path=\"%s\": %s",
                         p->path, strerror(errno));
}

ts_code page_read_at(ts_pages *p, uint64_t offset, void *bytes, size_t n)
{
    ssize_t got = ts_sys_pread_all(p->ctx, p->fd, bytes, n, (off_t)offset);
    if (got == (ssize_t)n) {
        return TS_OK;
    }
    return got < 0 && errno == EINTR
               ? ts_check_cancel(p->ctx)
               : ts_fail(p->ctx, TS_ERR_OUTPUT, "cannot read the database back: path=\"%s\": %s",
                         p->path, got < 0 ? strerror(errno) : "it has become shorter");
}

/* Open leaves leave the queue before it is written. Their unfinished bytes go to the file too, and
 * are written again when they are full. */
static void move_open_leaves(ts_pages *p)
{
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        page_table *t = &p->tables[id];
        if (t->queued) {
            memcpy(t->own, t->leaf.bytes, p->page_size);
            t->leaf.bytes = t->own;
            t->queued = false;
        }
    }
}

ts_code page_flush(ts_pages *p)
{
    size_t n = (size_t)p->out_count * p->page_size;
    if (p->out_count == 0) {
        return TS_OK;
    }
    move_open_leaves(p);
    p->out_count = 0;
    return page_write_at(p, page_offset(p, p->out_first), p->out, n);
}

uint32_t page_peek(const ts_pages *p)
{
    return p->next == p->lock_page ? p->next + 1 : p->next;
}

uint32_t page_after(const ts_pages *p, uint32_t first, uint64_t n)
{
    uint32_t number = (uint32_t)(first + n);
    return first < p->lock_page && number >= p->lock_page ? number + 1 : number;
}

ts_code page_claim(ts_pages *p, uint32_t *number, uint8_t **bytes)
{
    if (p->out_count == p->out_cap || p->next == p->lock_page) {
        TS_TRY(page_flush(p));
    }
    p->next = page_peek(p);
    if (p->next > PAGE_MAX_NUMBER) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "the database has more than %u pages: path=\"%s\"",
                       PAGE_MAX_NUMBER, p->path);
    }
    if (p->out_count == 0) {
        p->out_first = p->next;
    }
    *bytes = p->out + (size_t)p->out_count * p->page_size;
    p->out_count++;
    *number = p->next++;
    return TS_OK;
}

ts_code page_emit(ts_pages *p, uint32_t *number, const uint8_t *bytes)
{
    uint8_t *place = p->out;
    ts_code code = page_claim(p, number, &place);
    if (code == TS_OK) {
        memcpy(place, bytes, p->page_size);
    }
    return code;
}

uint8_t *page_queued(const ts_pages *p, uint32_t number)
{
    bool queued = number >= p->out_first && number - p->out_first < p->out_count;
    return queued ? p->out + (size_t)(number - p->out_first) * p->page_size : NULL;
}

ts_code page_patch(ts_pages *p, uint32_t number, uint32_t at, const void *bytes, size_t n)
{
    uint8_t *page = page_queued(p, number);
    if (page != NULL) {
        memcpy(page + at, bytes, n);
        return TS_OK;
    }
    return page_write_at(p, page_offset(p, number) + at, bytes, n);
}
