/*
 * A little of the file at any place. An object's own memory is read in its order, by the window;
 * what it refers to lies elsewhere and is read by pages, each at one place of a table: classes and
 * layouts, which most objects share, stay there.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include "base/alloc.h"

enum { PAGE = 4096, PAGES = 4096, LEAST_PAGES = 16, LIMIT_PART = 16 };

ts_code rawheap_pages_begin(rawheap *r)
{
    const uint64_t limit = r->ctx->limits.max_memory;
    rawheap_pages *pages = &r->pages;
    if (ts_window_held(r->in)) {
        return TS_OK;
    }
    pages->count = PAGES;
    while (pages->count > LEAST_PAGES &&
           ((limit != 0 && pages->count > limit / LIMIT_PART / PAGE) ||
            pages->count / 2 > r->size / PAGE)) {
        pages->count /= 2;
    }
    TS_NEED(r->ctx, pages->held = ts_zalloc(r->ctx, pages->count, sizeof *pages->held));
    TS_NEED(r->ctx, pages->bytes = ts_alloc(r->ctx, pages->count, PAGE));
    return TS_OK;
}

void rawheap_pages_free(rawheap *r)
{
    ts_free(r->ctx, r->pages.held);
    ts_free(r->ctx, r->pages.bytes);
}

static ts_code page_of(const uint8_t **out, rawheap *r, uint64_t page)
{
    rawheap_pages *pages = &r->pages;
    const size_t place = (size_t)(page & (pages->count - 1));
    uint8_t *bytes = pages->bytes + place * PAGE;
    *out = bytes;
    if (pages->held[place] != page + 1) {
        size_t got;
        pages->held[place] = 0;
        TS_TRY(ts_window_read(&got, r->in, page * PAGE, bytes, PAGE));
        memset(bytes + got, 0, PAGE - got);
        pages->held[place] = page + 1;
    }
    return TS_OK;
}

ts_code rawheap_read(rawheap *r, void *to, uint64_t at, size_t n)
{
    uint8_t *out = to;
    if (ts_window_held(r->in)) {
        const uint8_t *p;
        size_t have;
        TS_TRY(ts_window_get(&p, &have, r->in, at, n));
        memset(out, 0, n);
        if (have > 0) {
            memcpy(out, p, have < n ? have : n);
        }
        return TS_OK;
    }
    while (n > 0) {
        const size_t in = (size_t)(at % PAGE);
        const size_t part = n < PAGE - in ? n : PAGE - in;
        const uint8_t *page;
        TS_TRY(page_of(&page, r, at / PAGE));
        memcpy(out, page + in, part);
        out += part;
        at += part;
        n -= part;
    }
    return TS_OK;
}
