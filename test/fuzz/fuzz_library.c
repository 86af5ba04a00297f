/*
 * The bytes are calls of libtracestreamer in any order: a byte says which, one more its arguments;
 * a piece that is fed comes from the bytes themselves. What must hold: a call gives one of the
 * documented codes, a failure has a message and a success none, only a finished session is asked,
 * and when everything was released nothing is left in the folder.
 *
 * Options: -max_len=2048 -len_control=0
 */
#include "fuzz.h"
#include "fuzz_dir.h"

#include "lib/arrow.h"
#include "tracestreamer.h"

enum { CALLS_MAX = 24, ROWS_MAX = 4, ROWS_READ = 50 };

typedef struct calls {
    const uint8_t *p;
    size_t n;
    tst_session *s;
    tst_rows *rows[ROWS_MAX];
    bool finished;
    bool taking;
    bool cancelled;
} calls;

static const char PROFILE[] =
    "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"url\":\"\"},\"hitCount\":1}],"
    "\"startTime\":1,\"endTime\":4,\"samples\":[1],\"timeDeltas\":[1]}";

static uint8_t take(calls *c)
{
    if (c->n == 0) {
        return 0;
    }
    c->n--;
    return *c->p++;
}

static int result(calls *c, int code)
{
    const char *message = tst_message(c->s);
    check(message != NULL);
    check((code == TST_OK || code == TST_ROW) == (message[0] == '\0'));
    check(code == TST_OK || code == TST_ROW || code == TST_INPUT || code == TST_USAGE ||
          code == TST_OUTPUT || code == TST_FORMAT || code == TST_LIMIT ||
          (code == TST_CANCELLED && c->cancelled));
    c->cancelled = c->cancelled && code != TST_CANCELLED;
    return code;
}

static void feed(calls *c, bool last)
{
    const size_t n = c->n < 256 ? c->n : 256;
    size_t wanted = take(c);
    wanted = wanted < n ? wanted : n > 0 ? n - 1 : 0;
    (void)result(c, tst_feed(c->s, c->p, wanted, last));
    c->p += wanted;
    c->n -= wanted;
}

static int count_bytes(void *user, const void *bytes, size_t n)
{
    size_t *sum = user;
    check(bytes != NULL && n > 0);
    *sum += n;
    return *sum > (64 << 20);
}

static void export_all(calls *c)
{
    size_t sum = 0;
    const int code = result(c, tst_export(c->s, count_bytes, &sum));
    check(code != TST_OK || (sum > 0 && sum % 4096 == 0));
    check(code != TST_OK || c->finished);
}

static void make_rows(calls *c, uint8_t which)
{
    static const char *const sql[] = {"SELECT * FROM source",
                                      "SELECT id, name FROM thread",
                                      "SELECT 1 UNION ALL SELECT 'a' UNION ALL SELECT x'00'",
                                      "SELECT",
                                      "DELETE FROM source",
                                      ""};
    tst_rows **place = &c->rows[which % ROWS_MAX];
    tst_rows_free(*place);
    const size_t i = which / ROWS_MAX % (sizeof sql / sizeof sql[0]);
    const int code = result(c, tst_query(place, c->s, sql[i], NULL, 0));
    check((code == TST_OK) == (*place != NULL));
    check(code != TST_OK || c->finished);
}

static void read_rows(calls *c, uint8_t which)
{
    tst_rows *rows = c->rows[which % ROWS_MAX];
    for (int row = 0; rows != NULL && row < ROWS_READ; row++) {
        if (result(c, tst_rows_next(rows)) != TST_ROW) {
            break;
        }
        for (int i = -1; i <= tst_rows_columns(rows); i++) {
            size_t n;
            const char *text = tst_rows_text(rows, i, &n);
            check((text == NULL) == (tst_rows_type(rows, i) == TST_NULL));
            check(text == NULL || text[n] == '\0' || tst_rows_type(rows, i) == TST_BLOB);
            (void)tst_rows_int64(rows, i);
            (void)tst_rows_double(rows, i);
        }
    }
}

static void read_arrow(calls *c, uint8_t which)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    tst_rows *rows = c->rows[which % ROWS_MAX];
    if (rows == NULL) {
        return;
    }
    const int columns = tst_rows_columns(rows);
    c->rows[which % ROWS_MAX] = NULL;
    if (result(c, tst_rows_arrow(&stream, rows)) != TST_OK) {
        check(stream.release == NULL);
        return;
    }
    check(stream.get_schema(&stream, &schema) == 0 && schema.n_children == columns);
    if (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        check(batch.n_children == columns && batch.length > 0);
        batch.release(&batch);
    }
    schema.release(&schema);
    stream.release(&stream);
}

static void call(calls *c)
{
    const uint8_t which = take(c) % 13;
    const uint8_t argument = take(c);
    char path[100];
    switch (which) {
    case 0:
        feed(c, false);
        break;
    case 1:
        feed(c, true);
        break;
    case 2:
        (void)result(c, tst_name(c->s, argument % 2 == 0 ? "a.heapprofile" : "b/\xff"));
        break;
    case 3:
        (void)result(c, tst_feed(c->s, PROFILE, sizeof PROFILE - 1, argument % 2));
        break;
    case 4:
        (void)snprintf(path, sizeof path, "%s/%s", fuzz_dir, argument % 2 == 0 ? "there" : "not");
        (void)result(c, tst_add_path(c->s, path));
        break;
    case 5:
        c->finished = result(c, tst_finish(c->s)) == TST_OK || c->finished;
        break;
    case 6:
    case 7:
        make_rows(c, argument);
        break;
    case 8:
        read_rows(c, argument);
        break;
    case 9:
        read_arrow(c, argument);
        break;
    case 10:
        export_all(c);
        break;
    case 11:
        check((tst_path(c->s) != NULL) == c->finished);
        (void)tst_failure(c->s, argument);
        (void)tst_losses(c->s);
        break;
    default:
        tst_cancel(c->s);
        c->cancelled = true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    calls c = {.p = data, .n = size};
    char path[100];
    fuzz_dir_make();
    (void)snprintf(path, sizeof path, "%s/there", fuzz_dir);
    FILE *there = fopen(path, "wb");
    check(there != NULL && fwrite(PROFILE, 1, sizeof PROFILE - 1, there) > 0 && fclose(there) == 0);
    const tst_options options = {.size = sizeof options,
                                 .flags = take(&c) & 0x7f,
                                 .max_memory = 256 << 20,
                                 .temp_dir = fuzz_dir};
    check(tst_open(&c.s, &options) == TST_OK);
    for (int i = 0; i < CALLS_MAX && c.n > 0; i++) {
        call(&c);
    }
    for (int i = 0; i < ROWS_MAX; i++) {
        tst_rows_free(c.rows[i]);
    }
    tst_close(c.s);
    check(fuzz_dir_clear() == 1);
    return 0;
}
