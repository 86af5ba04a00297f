/*
 * libtracestreamer while everything below it fails in turn: allocations, system calls. Whatever
 * fails, the code is a documented one with a reason, a later call says that the session has failed
 * or works, and closing leaves no memory, descriptor or file. What succeeds all the same has the
 * same numbers.
 */
#include "faults.h"

#include "lib/arrow.h"
#include "lib/library.h"

#include <errno.h>
#include <unistd.h>

/* One fed as it comes, one that waits in a spool, and one that is a path. */
static const char *const inputs[] = {"sessions.heapprofile", "snapshot.htrace.gz", "calls.ftrace"};
enum { PIECE = 1000 };

typedef struct outcome {
    int code;      /* the first that is not TST_OK */
    bool reason;   /* it came with a message */
    int64_t rows;  /* of source, by Arrow */
    int64_t sum;   /* of the ids of threads, row by row */
    uint64_t size; /* bytes of the database */
    bool less;     /* an input could not be imported, and the session says so */
} outcome;

static int note(outcome *o, const tst_session *s, int code)
{
    if (o->code == TST_OK && code != TST_OK && code != TST_ROW) {
        o->code = code;
        o->reason = tst_message(s)[0] != '\0';
    }
    return code;
}

static int feed(outcome *o, tst_session *s, const char *name)
{
    size_t n;
    char *path = fault_path(TS_FAULT_INPUTS, name);
    char *bytes = test_read_file(path, &n);
    int code = note(o, s, tst_name(s, path));
    for (size_t at = 0; code == TST_OK; at += PIECE) {
        const bool last = n - at <= PIECE;
        code = note(o, s, tst_feed(s, bytes + at, last ? n - at : PIECE, last));
        if (last) {
            break;
        }
    }
    free(bytes);
    free(path);
    return code;
}

static int count(void *user, const void *bytes, size_t n)
{
    uint64_t *size = user;
    (void)bytes;
    *size += n;
    return 0;
}

static void read_rows(outcome *o, tst_session *s)
{
    tst_rows *rows;
    if (note(o, s, tst_query(&rows, s, "SELECT id, tid FROM thread ORDER BY id", NULL, 0)) !=
        TST_OK) {
        assert_null(rows);
        return;
    }
    while (note(o, s, tst_rows_next(rows)) == TST_ROW) {
        o->sum += tst_rows_int64(rows, 0);
    }
    tst_rows_free(rows);
}

static void read_arrow(outcome *o, tst_session *s)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    tst_rows *rows;
    if (note(o, s, tst_query(&rows, s, "SELECT * FROM source", NULL, 0)) != TST_OK ||
        note(o, s, tst_rows_arrow(&stream, rows)) != TST_OK) {
        return;
    }
    int code = stream.get_schema(&stream, &schema);
    if (code == 0) {
        schema.release(&schema);
    }
    while (code == 0 && (code = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
        o->rows += batch.length;
        batch.release(&batch);
    }
    if (code != 0) {
        (void)note(o, s, TST_MEMORY);
    }
    stream.release(&stream);
}

static outcome run_library(faults *f, const char *tmp)
{
    const tst_options options = {.size = sizeof options, .temp_dir = tmp, .flags = TST_ONE_THREAD};
    const int before = fault_names("/proc/self/fd");
    outcome o = {.code = TST_OK};
    tst_session *s;
    assert_int_equal(tst_open(&s, &options), TST_OK);
    faults_install(f, &s->ctx);
    char *path = fault_path(TS_FAULT_INPUTS, inputs[2]);
    (void)(feed(&o, s, inputs[0]) == TST_OK && feed(&o, s, inputs[1]) == TST_OK &&
           note(&o, s, tst_add_path(s, path)) == TST_OK);
    free(path);
    const int code = tst_finish(s);
    (void)note(&o, s, code);
    if (code == TST_OK) {
        read_rows(&o, s);
        read_arrow(&o, s);
        (void)note(&o, s, tst_export(s, count, &o.size));
    } else if (o.code != TST_OK && code == TST_USAGE) {
        assert_true(strstr(tst_message(s), "has failed") != NULL ||
                    strstr(tst_message(s), "not ended") != NULL ||
                    strstr(tst_message(s), "there is no input") != NULL ||
                    tst_message(s)[0] == '\0');
    }
    o.less = tst_failure(s, 0) != NULL || (code == TST_OK && tst_losses(s) > 0);
    tst_close(s);
    assert_int_equal(f->open_files, 0);
    assert_int_equal(fault_names("/proc/self/fd"), before);
    assert_int_equal(fault_names(tmp), 0);
    return o;
}

static void sweep(const char *tmp, const outcome *right, int64_t blocks, const char *what,
                  int number, uint64_t points)
{
    faults seen = {.what = what};
    const outcome whole = run_library(&seen, tmp);
    assert_int_equal(whole.code, TST_OK);
    for (uint64_t k = 1; k <= seen.calls; k += fault_step(seen.calls, points)) {
        faults f = {.what = what, .fail_at = k, .number = number};
        const outcome o = run_library(&f, tmp);
        const bool memory = strcmp(what, "realloc") == 0;
        assert_int_equal(f.blocks, blocks);
        if (o.code == TST_OK && !o.less) {
            assert_true(o.rows == right->rows && o.sum == right->sum && o.size == right->size);
        } else if (o.code == TST_OK) {
            assert_true(o.size > 0);
        } else if (memory ? o.code != TST_MEMORY
                          : !o.reason || (o.code != TST_OUTPUT && o.code != TST_INPUT &&
                                          o.code != TST_FORMAT)) {
            fail_msg("%s %llu: code %d", what, (unsigned long long)k, o.code);
        }
    }
}

static void test_every_failure(void **state)
{
    static const struct {
        const char *what;
        int number;
        uint64_t points;
    } calls[] = {
        {"realloc", ENOMEM, 60}, {"open", EIO, 10},      {"pread", EIO, 10},
        {"pwrite", ENOSPC, 10},  {"ftruncate", EIO, 10}, {"fstat", EIO, 10},
    };
    char *tmp = fault_folder();
    faults none = {0};
    (void)state;
    const outcome right = run_library(&none, tmp);
    assert_int_equal(right.code, TST_OK);
    assert_true(!right.less && right.rows >= 3 && right.sum > 0 && right.size > 4096);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        /* Those of the session itself were there before the faults were. */
        sweep(tmp, &right, none.blocks, calls[i].what, calls[i].number, calls[i].points);
    }
    faults least = {.most = 7, .interrupt = true};
    const outcome o = run_library(&least, tmp);
    assert_true(o.code == TST_OK && o.rows == right.rows && o.size == right.size);
    fault_remove(tmp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
