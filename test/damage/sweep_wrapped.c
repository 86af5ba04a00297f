/*
 * Damage of wrappers and of larger recordings: a bare snapshot in gzip, zlib, zip and tar cut at
 * every byte and with every bit flipped; the recordings of test/data with one byte in a hundred, or
 * a few bytes, changed at random; files that grow and shrink while they are read. After each: an
 * answer that is allowed, and every byte and item accounted for. TS_SLOW=1: all of it, and more.
 */
#include "parsers_run.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

static bool slow(void)
{
    const char *s = getenv("TS_SLOW");
    return s != NULL && strcmp(s, "1") == 0;
}

/* Rows that nobody looks at cost most of the time. */
static void drop_rows(memsink *m)
{
    for (int t = 0; t < TS_TABLE_COUNT; t++) {
        if (t != TS_T_import_issue && t != TS_T_import_count && t != TS_T_source &&
            t != TS_T_js_heap_nodes) {
            memsink_drop(m, (enum ts_table_id)t);
        }
    }
}

/* Imports damaged bytes. A limit may be hit where a damaged length asks for too much. */
static void import_damaged(run *r, const bytes *file)
{
    import_begin(r);
    drop_rows(r->sink);
    (void)import_files(r, file, 1, 64 * 1024);
    if (r->code != TS_OK) {
        assert_true(r->code == TS_ERR_INPUT || r->code == TS_ERR_FORMAT || r->code == TS_ERR_LIMIT);
        return;
    }
    assert_int_equal(issues(r, "conservation"), 0);
}

/* --- wrappers --------------------------------------------------------------------------------- */

enum wrapper { GZIP, ZLIB, ZIP, ZIP_STORED, TAR, BZIP2, XZ, ZSTD, LZ4, WRAPPERS };

static bytes deflated(const bytes *in, int window)
{
    z_stream z = {0};
    bytes out = {malloc(in->n + 200), 0, in->n + 200};
    assert_non_null(out.p);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = in->p;
    z.avail_in = (uInt)in->n;
    z.next_out = out.p;
    z.avail_out = (uInt)out.cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.n = z.total_out;
    deflateEnd(&z);
    return out;
}

static bytes archived(const bytes *in, enum wrapper kind)
{
    bytes out = {malloc(in->n + 65536), 0, in->n + 65536};
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    assert_non_null(out.p);
    int compressed = kind == BZIP2  ? archive_write_add_filter_bzip2(a)
                     : kind == XZ   ? archive_write_add_filter_xz(a)
                     : kind == ZSTD ? archive_write_add_filter_zstd(a)
                     : kind == LZ4  ? archive_write_add_filter_lz4(a)
                                    : ARCHIVE_OK;
    assert_int_equal(compressed, ARCHIVE_OK);
    if (kind >= BZIP2) {
        archive_write_set_format_raw(a);
    } else if (kind == TAR) {
        archive_write_set_format_ustar(a);
    } else {
        archive_write_set_format_zip(a);
        assert_int_equal(kind == ZIP ? archive_write_zip_set_compression_deflate(a)
                                     : archive_write_zip_set_compression_store(a),
                         ARCHIVE_OK);
    }
    archive_write_set_bytes_in_last_block(a, 1);
    assert_int_equal(archive_write_open_memory(a, out.p, out.cap, &out.n), ARCHIVE_OK);
    archive_entry_set_pathname(e, "a.heapsnapshot");
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)in->n);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, in->p, in->n), in->n);
    archive_entry_free(e);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
    return out;
}

static bytes wrapped(enum wrapper kind)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes out = kind == GZIP   ? deflated(&text, 31)
                : kind == ZLIB ? deflated(&text, 15)
                               : archived(&text, kind);
    free(text.p);
    return out;
}

static void test_wrappers_cut_at_every_byte(void **state)
{
    UNUSED(state);
    for (int k = 0; k < WRAPPERS; k++) {
        bytes file = wrapped((enum wrapper)k);
        unsigned bad = 0;
        run whole;
        import_damaged(&whole, &file);
        assert_int_equal(whole.code, TS_OK);
        assert_int_equal(complaints(&whole), 0);
        assert_rows(&whole, js_heap_nodes, 3);
        for (size_t cut = 0; cut < file.n; cut++) {
            bytes part = {file.p, cut, 0};
            size_t row;
            run r;
            import_damaged(&r, &part);
            if (r.code == TS_OK) {
                assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_js_heap_nodes));
                /* One of the two blocks of zeros that end a tar is enough. */
                if (complaints(&r) == 0 && (k != TAR || cut + 512 < file.n)) {
                    print_error("wrapper %d cut at %zu of %zu is not told\n", k, cut, file.n);
                    bad++;
                }
            }
            run_free(&r);
        }
        assert_int_equal(bad, 0);
        run_free(&whole);
        free(file.p);
    }
}

/* All bits of gzip; of each byte of the others one, unless there is time. */
static void test_wrappers_every_bit_flipped(void **state)
{
    UNUSED(state);
    for (int k = 0; k < WRAPPERS; k++) {
        bytes file = wrapped((enum wrapper)k);
        for (size_t at = 0; at < file.n; at++) {
            for (size_t bit = 0; bit < 8; bit++) {
                run r;
                if (!slow() && k != GZIP && bit != at % 8) {
                    continue;
                }
                file.p[at] ^= (uint8_t)(1U << bit);
                import_damaged(&r, &file);
                file.p[at] ^= (uint8_t)(1U << bit);
                run_free(&r);
            }
        }
        free(file.p);
    }
}

/* --- recordings ------------------------------------------------------------------------------- */

static bytes read_recording(const char *name)
{
    char path[512];
    bytes b = {0};
    uint8_t block[65536];
    int n;
    snprintf(path, sizeof path, "%s/%s", TS_TEST_DATA, name);
    gzFile f = gzopen(path, "rb");
    assert_non_null(f);
    while ((n = gzread(f, block, sizeof block)) > 0) {
        put(&b, block, (size_t)n);
    }
    assert_int_equal(n, 0);
    gzclose(f);
    return b;
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* n bytes of the copy become random ones. */
static void damage(bytes *copy, uint64_t n, uint64_t *seed)
{
    for (uint64_t i = 0; i < n; i++) {
        copy->p[next_random(seed) % copy->n] = (uint8_t)(next_random(seed) >> 32);
    }
}

static void damage_recording(const char *name, int times, uint64_t seed)
{
    bytes file = read_recording(name);
    bytes copy = {malloc(file.n), file.n, file.n};
    assert_non_null(copy.p);
    for (int i = 0; i < times; i++) {
        run r;
        memcpy(copy.p, file.p, file.n);
        /* By turns one in a hundred, and so few that most of it can be read. */
        damage(&copy, i % 2 == 0 ? file.n / 100 : 1 + (uint64_t)i % 20, &seed);
        if (i % 4 == 3) { /* and cut somewhere */
            copy.n = 1 + next_random(&seed) % file.n;
        }
        import_damaged(&r, &copy);
        if (r.code == TS_OK) {
            assert_int_equal(SEEN(&r, "bytes"), copy.n);
        }
        run_free(&r);
        copy.n = file.n;
    }
    free(copy.p);
    free(file.p);
}

static void test_random_damage(void **state)
{
    UNUSED(state);
    damage_recording("recording-cpuprofile.htrace.gz", slow() ? 20000 : 400, 1);
    damage_recording("recording-timeline.htrace.gz", slow() ? 1000 : 20, 2);
    damage_recording("recording-snapshots.htrace.gz", slow() ? 1000 : 6, 3);
}

/* --- files that change while they are read ---------------------------------------------------- */

typedef struct changing {
    ts_sys real;
    int reads;
    int at;      /* the read before which the file changes */
    off_t size;  /* it gets this one */
    int changed; /* times */
} changing;

static ssize_t changing_read(void *user, int fd, void *buf, size_t n)
{
    changing *c = user;
    if (++c->reads == c->at) {
        assert_int_equal(ftruncate(FIRST_FD, c->size), 0);
        c->changed++;
    }
    return c->real.read(c->real.user, fd, buf, n);
}

static ssize_t changing_pread(void *user, int fd, void *buf, size_t n, off_t off)
{
    changing *c = user;
    if (++c->reads == c->at) {
        assert_int_equal(ftruncate(FIRST_FD, c->size), 0);
        c->changed++;
    }
    return c->real.pread(c->real.user, fd, buf, n, off);
}

static void check_changing(const bytes *file, int at, off_t size)
{
    changing c = {.at = at, .size = size};
    run r;
    import_begin(&r);
    c.real = r.ctx->sys;
    r.ctx->sys.read = changing_read;
    r.ctx->sys.pread = changing_pread;
    r.ctx->sys.user = &c;
    (void)import_files(&r, file, 1, 4096);
    if (r.code == TS_OK) {
        assert_int_equal(issues(&r, "conservation"), 0);
        /* A hole of zeros at the end, or an end that is missing, is reported. */
        assert_true(complaints(&r) > 0 || c.changed == 0 ||
                    IMPORTED(&r, "bytes") == (int64_t)file->n);
    } else {
        assert_true(r.code == TS_ERR_INPUT || r.code == TS_ERR_FORMAT);
    }
    run_free(&r);
}

static void test_files_that_change_while_read(void **state)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes b = {0};
    UNUSED(state);
    size_t at = begin_recording(&b);
    for (int i = 0; i < 50; i++) {
        put_snapshot(&b, &text, 300, AT(11000));
    }
    close_header(&b, at);
    for (int read = 1; read < 40; read++) {
        check_changing(&b, read, 0);
        check_changing(&b, read, (off_t)(b.n / 2));
        check_changing(&b, read, (off_t)b.n - 1);
        check_changing(&b, read, (off_t)(b.n * 2));
    }
    free(text.p);
    free(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrappers_cut_at_every_byte),
        cmocka_unit_test(test_wrappers_every_bit_flipped),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_files_that_change_while_read),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
