/*
 * The bytes are a database file: two tables of it are scanned from fixed root pages, with every
 * column and with single ones, and rows are looked for. What comes out is rows or an error; each
 * forward scan gives rising rowids, and ends.
 */
#include "fuzz.h"

#include "tables_pages.h"

#include <sys/mman.h>

enum { TABLES = 2 };
static const char *const specs[TABLES] = {"kirtit", "iiiiiii"};

static void scan(ts_ctx *ctx, ts_reader *r, unsigned id, const unsigned *columns, unsigned n)
{
    const ts_batch *b;
    ts_scan *s = NULL;
    int64_t last = INT64_MIN;
    uint64_t sum = 0;
    bool any = false;
    ts_code code = ts_scan_open(&s, r, id, columns, n);
    while (code == TS_OK && (code = ts_scan_next(&b, s)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            check(!any || b->rowids[i] > last);
            last = b->rowids[i];
            any = true;
            for (unsigned k = 0; k < n; k++) {
                const ts_batch_column *c = &b->columns[k];
                if (c->texts != NULL && c->texts[i].n > 0) {
                    char piece[64];
                    size_t got;
                    check(c->texts[i].n <= c->texts[i].size);
                    sum += (unsigned char)c->texts[i].p[c->texts[i].n - 1];
                    (void)ts_scan_text_part(&got, s, i, k, c->texts[i].size / 2, piece, 64);
                }
                sum += c->ints != NULL ? (uint64_t)c->ints[i] : c->null[i];
            }
        }
    }
    check(code == TS_OK || code == TS_ERR_INPUT);
    for (int64_t at = -2; at < 50 && s != NULL; at += 3) {
        code = ts_scan_row(&b, s, at);
        check(code != TS_OK || b->rows == 0 || b->rowids[0] == at);
    }
    (void)sum;
    ts_scan_close(s);
    ctx->error = (ts_error){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = test_ctx_new();
    ts_reader *r = NULL;
    int fd = memfd_create("scan", MFD_CLOEXEC);
    const ts_reader_config config = {.fd = fd, .path = "scan"};
    if (fd >= 0 && size > 0 && write(fd, data, size) == (ssize_t)size &&
        ts_reader_new(&r, ctx, &config) == TS_OK) {
        for (unsigned id = 0; id < TABLES; id++) {
            static const unsigned all[] = {0, 1, 2, 3, 4, 5, 6};
            ts_table table;
            table_make(&table, id, specs[id]);
            ts_reader_table(r, id, &table, 2 + id, false);
            scan(ctx, r, id, all, table.column_count);
            for (unsigned c = 0; c < table.column_count; c += 2) {
                scan(ctx, r, id, &c, 1);
            }
            ts_reader_table(r, id, NULL, 0, false);
            table_free(&table);
        }
    }
    ts_reader_free(r);
    close(fd);
    test_ctx_free(ctx);
    return 0;
}
