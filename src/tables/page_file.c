/* Pages on their way to the file: numbered in order, written in large pieces. */
#include "tables/page_private.h"

#include "base/alloc.h"

#include <errno.h>

ts_code page_write_at(ts_pages *p, uint64_t offset, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    while (n > 0) {
        ssize_t done = p->ctx->sys.pwrite(p->ctx->sys.user, p->fd, from, n, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return ts_fail(p->ctx, TS_ERR_OUTPUT, "cannot write the database: path=\"%s\": %s",
                           p->path, done < 0 ? strerror(errno) : "nothing was written");
        }
        from += done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return TS_OK;
}

ts_code page_flush(ts_pages *p)
{
    ts_code code = TS_OK;
    if (p->out_count > 0) {
        code = page_write_at(p, (uint64_t)(p->out_first - 1) * p->page_size, p->out,
                             (size_t)p->out_count * p->page_size);
    }
    p->out_count = 0;
    return code;
}

uint32_t page_peek(const ts_pages *p)
{
    return p->next == p->lock_page ? p->next + 1 : p->next;
}

ts_code page_emit(ts_pages *p, uint32_t *number, const uint8_t *bytes)
{
    ts_code code;
    if (p->next == p->lock_page) { /* a hole, which the next piece is written behind */
        p->next++;
        if ((code = page_flush(p)) != TS_OK) {
            return code;
        }
    }
    if (p->next >= UINT32_MAX - 1) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "the database has more than %u pages", p->next);
    }
    if (p->out_count == p->out_cap && (code = page_flush(p)) != TS_OK) {
        return code;
    }
    if (p->out_count == 0) {
        p->out_first = p->next;
    }
    memcpy(p->out + (size_t)p->out_count * p->page_size, bytes, p->page_size);
    p->out_count++;
    *number = p->next++;
    return TS_OK;
}

ts_code page_patch(ts_pages *p, uint32_t number, uint32_t at, const void *bytes, size_t n)
{
    if (p->out_count > 0 && number >= p->out_first && number - p->out_first < p->out_count) {
        memcpy(p->out + (size_t)(number - p->out_first) * p->page_size + at, bytes, n);
        return TS_OK;
    }
    return page_write_at(p, (uint64_t)(number - 1) * p->page_size + at, bytes, n);
}
