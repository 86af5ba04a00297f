/* Uploads to Datakit (docs/formats.md, "Datakit uploads"): forms, requests, both styles of
 * metadata, files, damage. Directories are in test/check/profiles.py and test/tools/bundles.py. */
#include "parsers_sweep.h"

#include <zlib.h>

#define B "xxBOUNDARYxx"
#define FIELD(name, text)                                                                          \
    "--" B "\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" text "\r\n"
#define FILE_PART(field, name, text)                                                               \
    "--" B "\r\nContent-Disposition: form-data; name=\"" field "\"; filename=\"" name              \
    "\"\r\nContent-Type: application/octet-stream\r\n\r\n" text "\r\n"
#define END "--" B "--\r\n"
#define STACKS FILE_PART("auto", "auto.folded", "main;f 3\nmain;g 4\n")
#define EVENT(json) FILE_PART("event", "event.json", json)

static void assert_text(const run *r, size_t row, unsigned column, const char *expected, int line)
{
    memsink_assert_text(r->sink, TS_T_profile, row, column, expected, __FILE__, line);
}
#define assert_profile(r, column, text) assert_text(r, 0, TS_C_profile__##column, text, __LINE__)

static int64_t lost(const run *r, const char *item)
{
    return count_sum(r, item, TS_C_import_count__lost);
}

/* --- metadata --------------------------------------------------------------------------------- */

#define TAGS                                                                                       \
    "service:shop,env:prod,version:1.2,host:h1,runtime-id:r-1,language:JVM,runtime:jvm,"           \
    "runtime_version:17.0.2,runtime_os:linux,runtime_arch:amd64,profiler_version:v1.4,"            \
    "process_id:77,team:a:b,flag,:odd,zone:z,zone:y,"
#define TIMES "\"start\":\"2022-06-17T09:20:07.002305+08:00\",\"end\":\"2022-06-17T01:21:07.5Z\""

static void assert_metadata(const run *r)
{
    assert_rows(r, profile, 1);
    assert_profile(r, service, "shop");
    assert_profile(r, env, "prod");
    assert_profile(r, version, "1.2");
    assert_profile(r, host, "h1");
    assert_profile(r, runtime_id, "r-1");
    assert_profile(r, language, "java");
    assert_profile(r, language_ver, "17.0.2");
    assert_profile(r, runtime, "jvm");
    assert_profile(r, runtime_os, "linux");
    assert_profile(r, runtime_arch, "amd64");
    assert_profile(r, agent_ver, "v1.4");
    assert_profile(r, pid, "77");
    assert_profile(r, format, "collapse");
    /* 01:20:07.002305 UTC of that day */
    assert_cell(r, profile, 0, start_ts, INT64_C(1655428807002305000));
    assert_cell(r, profile, 0, end_ts, INT64_C(1655428867500000000));
    assert_cell(r, profile, 0, dur, INT64_C(60497695000));
    assert_rows(r, profile_tag, 4);
    assert_mem_row(r->sink, profile_tag, 0, "1|team|a:b");
    assert_mem_row(r->sink, profile_tag, 1, "1|flag|");
    assert_mem_row(r->sink, profile_tag, 2, "1|:odd|");
    assert_mem_row(r->sink, profile_tag, 3, "1|zone|y");
}

/* The event file; nested members and lists become properties, and the version is not the app's. */
static void test_event(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, STACKS EVENT("{\"attachments\":[\"auto.folded\"],\"tags_profiler\":\"" TAGS "\"," TIMES
                         ",\"family\":\"java\",\"format\":\"rawflamegraph\",\"version\":\"4\","
                         "\"info\":{\"n\":1.5,\"on\":true},\"list\":[\"a\",2]}") END);
    assert_rows(&r, import_issue, 0);
    assert_metadata(&r);
    assert_mem_text(r.sink, source_property, 0, key, "family");
    assert_mem_text(r.sink, source_property, 1, key, "version");
    assert_mem_text(r.sink, source_property, 2, key, "info.n");
    assert_mem_text(r.sink, source_property, 2, value, "1.5");
    assert_mem_text(r.sink, source_property, 3, value, "true");
    assert_mem_text(r.sink, source_property, 4, key, "list");
    assert_mem_text(r.sink, source_property, 4, value, "a,2");
    assert_mem_row(r.sink, profile_attachment, 0,
                   "1|1|auto.folded|auto.folded|2|folded|imported|1|18|NULL|NULL");
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, profile_value_type, 0, profile_id, 1);
    assert_mem_text(r.sink, source, 0, kind, "upload");
    assert_mem_text(r.sink, source, 1, kind, "attachment");
    assert_cell(&r, source, 1, parent_id, 1);
    assert_cell(&r, source, 0, complete, 1);
    assert_cell(&r, profile, 0, source_id, 1);
    run_free(&r);
}

/* Values of the form: tags one by one, others once or several times. */
static void test_form_values(void **state)
{
    static const char *const tags[] = {
        "service:shop", "env:prod",    "version:1.2",      "host:h1",
        "language:JVM", "runtime:jvm", "runtime-id:r-1",   "runtime_version:17.0.2",
        "team:a:b",     "flag",        "runtime_os:linux", "runtime_arch:amd64",
        ":odd",         "zone:z",      "zone:y",           "profiler_version:v1.4",
    };
    bytes b = {0};
    run r;
    UNUSED(state);
    put_str(&b, FIELD("recording-start", "2022-06-17T09:20:07.002305+08:00"));
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        putf(&b, FIELD("tags[]", "%s"), tags[i]);
    }
    put_str(&b, FIELD("recording-end", "2022-06-17T01:21:07.5Z") FIELD("pid", "77")
                    FIELD("version", "3") FIELD("format", "collapse") FIELD("note", "x,y")
                        FIELD("note", "z") STACKS END);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_metadata(&r);
    assert_mem_text(r.sink, source_property, 0, key, "version");
    assert_mem_text(r.sink, source_property, 1, key, "note");
    assert_mem_text(r.sink, source_property, 1, value, "x,y,z");
    run_free(&r);
}

/* What metadata does not say, files do; without language the runtime, then the family says it. */
static void test_fallbacks(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, EVENT("{\"tags_profiler\":\"service:,runtime:CPython\",\"service\":\"s\","
                          "\"family\":\"python\",\"format\":\"unknown\"}")
                        FILE_PART("prof", "x", "process 12:\"java\";main;f 3\n") END);
    assert_rows(&r, import_issue, 0);
    assert_profile(&r, service, "s");
    assert_profile(&r, language, "python");
    assert_profile(&r, runtime, "CPython");
    assert_profile(&r, format, "collapse");
    assert_profile(&r, pid, "12");
    assert_null_cell(&r, profile, 0, start_ts);
    assert_null_cell(&r, profile, 0, dur);
    assert_rows(&r, profile_tag, 0);
    run_free(&r);
}

static void test_times(void **state)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: none */
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:00.123456789Z", 123456789},
        {"1970-01-01T00:00:00.1234567899Z", 123456789},
        {"1970-01-01t01:00:00.5+01:00", 500000000},
        {"1969-12-31T23:00:00-01:00", -1},
        {"1970-01-01T00:30:00+01:00", -1},
        {"2000-02-29T00:00:00Z", INT64_C(951782400000000000)},
        {"2100-02-29T00:00:00Z", -1},
        {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
        {"2262-04-11T23:47:16.854775808Z", -1},
        {"2024-13-01T00:00:00Z", -1},
        {"2024-01-01T24:00:00Z", -1},
        {"2024-01-01T00:00:00", -1},
        {"2024-01-01T00:00:00.Z", -1},
        {"2024-01-01", -1},
        {"1655428807", -1},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        run r;
        putf(&b, EVENT("{\"start\":\"%s\"}") STACKS END, cases[i].text);
        import_bytes(&r, b);
        if (cases[i].ns < 0) {
            assert_null_cell(&r, profile, 0, start_ts);
            assert_int_equal(issue_sum(&r, "datakit_bad_time"), 1);
            assert_int_equal(lost(&r, "datakit_tags"), 1);
        } else {
            assert_cell(&r, profile, 0, start_ts, cases[i].ns);
            assert_rows(&r, import_issue, 0);
        }
        run_free(&r);
    }
}

static void test_time_order(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, EVENT("{\"start\":\"2024-01-01T00:00:09Z\",\"end\":\"2024-01-01T00:00:01Z\"}")
                        STACKS END);
    assert_int_equal(issue_sum(&r, "datakit_time_order"), 1);
    assert_cell(&r, profile, 0, dur, 0);
    run_free(&r);
}

/* --- files ------------------------------------------------------------------------------------ */

/* In the order of the list, those that it does not have behind; each is named, whatever it is. */
static void test_attachments(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        EVENT("{\"attachments\":[\"b\",\"gone\",\"auto.folded\",\"metrics.json\"],\"start\":"
              "\"2024-01-01T00:00:00Z\"}") STACKS FILE_PART("b", "../../etc/b.folded", "main;f 1\n")
            FILE_PART("c", "code-provenance.json", "{}") FILE_PART("d", "readme", "hello")
                FILE_PART("metrics.json", "metrics.json", "[[\"go_num_goroutine\", 12]]") END);
    assert_rows(&r, profile, 1);
    assert_rows(&r, profile_attachment, 6);
    assert_mem_row(r.sink, profile_attachment, 0,
                   "1|1|b.folded|b.folded|2|folded|imported|1|9|NULL|NULL");
    assert_mem_row(r.sink, profile_attachment, 1,
                   "2|1|gone|NULL|NULL|NULL|missing|1|NULL|NULL|NULL");
    assert_mem_row(r.sink, profile_attachment, 2,
                   "3|1|auto.folded|auto.folded|4|folded|imported|1|18|NULL|NULL");
    assert_mem_row(r.sink, profile_attachment, 3,
                   "4|1|metrics.json|metrics.json|NULL|NULL|metrics|1|26|NULL|NULL");
    assert_mem_row(r.sink, profile_attachment, 4,
                   "5|1|code-provenance.json|code-provenance.json|NULL|NULL|ignored|0|2|NULL|NULL");
    assert_mem_row(r.sink, profile_attachment, 5,
                   "6|1|readme|readme|NULL|NULL|unknown|0|5|NULL|NULL");
    assert_mem_row(r.sink, profile_number, 0, "1|go_num_goroutine|12|12");
    assert_int_equal(issue_sum(&r, "datakit_missing"), 1);
    assert_int_equal(issue_sum(&r, "datakit_unknown"), 1);
    assert_rows(&r, import_issue, 2);
    assert_int_equal(count_sum(&r, "datakit_attachments", TS_C_import_count__seen), 6);
    assert_int_equal(count_sum(&r, "datakit_attachments", TS_C_import_count__skipped), 2);
    assert_int_equal(lost(&r, "datakit_attachments"), 1);
    run_free(&r);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        size_t rows;
        const char *issue;
    } cases[] = {
        {"[]", 0, NULL},
        {"[[\"a\",1],[\"b\",-0.5],[\"c\",null]]", 3, NULL},
        {"[[\"a\",1],[\"b\"],[1,2],[\"c\",\"d\"],[\"e\",[1]],[\"f\",1,2],7,{\"g\":1}]", 1,
         "datakit_bad_number"},
        {"[[\"a\",1],[\"b\"", 1, "datakit_bad_metrics"},
        {"{\"a\":1}", 0, "datakit_bad_metrics"},
        {"7", 0, "datakit_bad_metrics"},
        {"", 0, "datakit_bad_metrics"},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        run r;
        putf(&b, EVENT("{\"a\":1}") FILE_PART("metrics.json", "metrics.json", "%s") END,
             cases[i].text);
        import_bytes(&r, b);
        assert_rows(&r, profile_number, cases[i].rows);
        assert_rows(&r, import_issue, cases[i].issue == NULL ? 0 : 1);
        assert_int_equal(lost(&r, "datakit_numbers") > 0, cases[i].issue != NULL);
        if (cases[i].issue != NULL) {
            assert_int_equal(issues(&r, cases[i].issue), 1);
        }
        run_free(&r);
    }
}

/* A file that is compressed is read as it was before; ids depend on names and contents only. */
static void test_compressed(void **state)
{
    unsigned char packed[200];
    z_stream z = {0};
    bytes b = {0};
    run r;
    run plain;
    UNUSED(state);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)"main;f 3\nmain;g 4\n";
    z.avail_in = 18;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    put_str(&b, "--" B "\r\nContent-Disposition: form-data; name=\"auto\"; "
                "filename=\"auto.folded\"\r\n\r\n");
    put(&b, packed, z.total_out);
    deflateEnd(&z);
    put_str(&b, "\r\n" END);
    import_bytes(&r, b);
    import_text(&plain, STACKS END);
    assert_int_equal(issue_sum(&r, "datakit_no_metadata"), 1);
    assert_rows(&r, import_issue, 1);
    assert_mem_text(r.sink, profile_attachment, 0, format, "folded");
    assert_cell(&r, profile_attachment, 0, size, 18);
    assert_int_equal(memcmp(MEM_TEXT(r.sink, profile, 0, profile_id).p,
                            MEM_TEXT(plain.sink, profile, 0, profile_id).p, 36),
                     0);
    run_free(&plain);
    run_free(&r);
}

/* The same upload twice in one run. */
static void test_repeated(void **state)
{
    bytes files[2] = {bytes_of(EVENT("{}") STACKS END), bytes_of(EVENT("{}") STACKS END)};
    run r;
    UNUSED(state);
    import_all(&r, files, 2);
    assert_rows(&r, profile, 2);
    assert_int_equal(issue_sum(&r, "datakit_repeated"), 1);
    free(files[0].p);
    free(files[1].p);
    run_free(&r);
}

/* --- the form --------------------------------------------------------------------------------- */

static void test_request(void **state)
{
    bytes body = bytes_of(EVENT("{\"tags_profiler\":\"service:s\"}") STACKS END);
    bytes b = {0};
    run r;
    UNUSED(state);
    putf(&b,
         "POST http://agent:9529/profiling/v1/input?a=b HTTP/1.1\r\nHost: agent\r\nX-Odd:\r\n"
         "content-type: multipart/form-data; charset=x; boundary=" B "\r\n"
         "Content-Length: %zu\r\n\r\n",
         body.n);
    put(&b, body.p, body.n);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_profile(&r, endpoint, "/profiling/v1/input");
    assert_profile(&r, service, "s");
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
    /* Headers alone, a quoted boundary, a preamble, an epilogue. */
    import_text(&r, "Content-Type: multipart/form-data; boundary=\"" B
                    "\"\r\n\r\npreamble\r\n" STACKS "--" B "--  \r\nepilogue");
    assert_rows(&r, stack_sample, 2);
    assert_int_equal(issue_sum(&r, "archive_stray_bytes"), 1);
    assert_null_cell(&r, profile, 0, endpoint);
    run_free(&r);
    free(body.p);
}

/* What looks like a boundary in a file; lines that end with LF. */
static void test_boundaries(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, EVENT("{\"a\":1}")
                        FILE_PART("auto", "auto.folded",
                                  "main;--" B " 3\n--" B "x;f 4\r\n--" B "- 5\nmain;g 1\n") END);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 4);
    run_free(&r);
    import_text(&r,
                "--b\nContent-Disposition: form-data; filename=\"a\"; name=x\n\nm;f 1\n\n--b--\n");
    assert_rows(&r, stack_sample, 1);
    assert_int_equal(MEM_INT(r.sink, profile_attachment, 0, size), 6);
    run_free(&r);
}

/* --- damage ----------------------------------------------------------------------------------- */

#define WHOLE                                                                                      \
    EVENT("{\"attachments\":[\"a.folded\",\"b.folded\"],\"tags_profiler\":\"service:s,env:e\"}")   \
    FILE_PART("a", "a.folded", "main;f 3\nmain;g 4\n")                                             \
    FILE_PART("b", "b.folded", "main;f 5\nmain;g 6\n")                                             \
    FILE_PART("metrics.json", "metrics.json", "[[\"x\",1],[\"y\",2]]") END

#define REQUEST_HEAD                                                                               \
    "POST /x HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=" B                           \
    "\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"

/* WHOLE in chunks of `size` bytes, their lines of different forms. */
static bytes in_chunks(size_t size, const char *trailers)
{
    bytes body = bytes_of(WHOLE);
    bytes b = bytes_of(REQUEST_HEAD);
    for (size_t at = 0, i = 0; at < body.n; at += size, i++) {
        size_t n = body.n - at < size ? body.n - at : size;
        if (i % 3 == 0) {
            putf(&b, "%zx\r\n", n);
        } else if (i % 3 == 1) {
            putf(&b, "%zX;a=b\r\n", n);
        } else {
            putf(&b, "000%zx \t;x=\"y\"\r\n", n);
        }
        put(&b, body.p + at, n);
        put(&b, "\r\n", 2);
    }
    put(&b, "0\r\n", 3);
    put(&b, trailers, strlen(trailers));
    free(body.p);
    return b;
}

static void assert_whole(const run *r)
{
    assert_int_equal(r->code, TS_OK);
    assert_rows(r, stack_sample, 4);
    assert_rows(r, profile_number, 2);
    assert_profile(r, service, "s");
    assert_profile(r, endpoint, "/x");
    for (int64_t i = 0; i < 4; i++) {
        assert_cell(r, stack_sample_value, (size_t)i, value, 3 + i);
    }
}

/* A body that was sent in chunks, of any size, with extensions and trailers. Content-Length does
 * not count then. */
static void test_chunks(void **state)
{
    static const size_t sizes[] = {1, 2, 7, 16, 255, 4096};
    static const char *const trailers[] = {"\r\n", "Expires: never\r\nX: y\r\n\r\n", "\n"};
    run r;
    UNUSED(state);
    for (size_t i = 0; i < 6; i++) {
        import_bytes(&r, in_chunks(sizes[i], trailers[i % 3]));
        assert_whole(&r);
        assert_rows(&r, import_issue, 0);
        run_free(&r);
    }
    import_bytes(&r, in_chunks(100, "\r\nmore"));
    assert_whole(&r);
    assert_int_equal(issue_sum(&r, "archive_stray_bytes"), 1);
    run_free(&r);
}

/* Another encoding is not read. */
static void test_encoded(void **state)
{
    run r;
    bytes b = bytes_of("POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                       "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\n--b\r\n\r\n");
    UNUSED(state);
    import_begin(&r);
    (void)import_files(&r, &b, 1, 0);
    assert_int_not_equal(r.code, TS_OK);
    free(b.p);
    run_free(&r);
}

/* Whatever is missing: an issue, and nothing that was not sent. */
static void check_damaged_chunks(const bytes *b)
{
    run r;
    import_damaged(&r, b, 0);
    assert_true(r.code != TS_OK || issues(&r, "wire_damage") > 0);
    for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_sample_value); i++) {
        assert_cell(&r, stack_sample_value, i, value, 3 + (int64_t)i);
    }
    run_free(&r);
}

static void test_chunks_damaged(void **state)
{
    static const char *const wrong[] = {
        "5\r\n12345\r\n",     "zz\r\n", "\r\n", "-5\r\n", "fffffffffffffffffff\r\n--", "5 5\r\n",
        "7\r\n--b\r\nX-Y\r\n"};
    bytes b = in_chunks(50, "A: b\r\n\r\n");
    UNUSED(state);
    for (size_t cut = strlen(REQUEST_HEAD); cut < b.n; cut += test_slow() ? 1 : 5) {
        bytes part = {b.p, cut, 0};
        check_damaged_chunks(&part);
    }
    for (size_t at = strlen(REQUEST_HEAD); at + 20 < b.n; at += test_slow() ? 1 : 11) {
        bytes part = {0}; /* a byte less: its chunk ends elsewhere */
        put(&part, b.p, at);
        put(&part, b.p + at + 1, b.n - at - 1);
        if (b.p[at] != '\r' && b.p[at] != ' ' && b.p[at] != ';' && b.p[at] != '0') {
            run r;
            import_damaged(&r, &part, 0);
            for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_sample_value); i++) {
                assert_cell(&r, stack_sample_value, i, value, 3 + (int64_t)i);
            }
            run_free(&r);
        }
        free(part.p);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bytes part = bytes_of(REQUEST_HEAD);
        put(&part, wrong[i], strlen(wrong[i]));
        check_damaged_chunks(&part);
        free(part.p);
    }
    free(b.p);
}

/* Lines are not kept, whatever their length. */
static void test_chunk_limits(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = i == 0 ? bytes_of(REQUEST_HEAD "5;") : in_chunks(300, "");
        for (size_t n = 0; n < 12000; n++) {
            put(&b, i == 0 ? "xxxxxxxx" : "a: b\r\n", i == 0 ? 8 : 6);
        }
        put(&b, "\r\n", 2);
        check_damaged_chunks(&b);
        free(b.p);
    }
}

/* Only files that nobody knows: an issue, and the upload is no recording. One that is known is
 * enough. */
static void test_nothing_known(void **state)
{
    run r;
    bytes b[2] = {bytes_of(EVENT("{\"tags_profiler\":\"service:s\"}") FILE_PART(
                      "a", "a.bin", "\001\002\003") FILE_PART("b", "readme", "hello") END),
                  bytes_of("main;f 3\nmain;g 4\n")};
    UNUSED(state);
    import_begin(&r);
    (void)import_files(&r, b, 1, 0);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    run_free(&r);
    import_begin(&r);
    (void)import_files(&r, b, 2, 0);
    assert_int_equal(r.code, TS_OK);
    assert_int_equal(issue_sum(&r, "datakit_unknown"), 2);
    assert_int_equal(issue_sum(&r, "datakit_no_profile"), 1);
    assert_int_equal(issue_sum(&r, "unknown_format"), 1);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
    free(b[0].p);
    free(b[1].p);
    import_text(&r, EVENT("{\"tags_profiler\":\"service:s\"}") FILE_PART("b", "readme", "hello")
                        STACKS END);
    assert_int_equal(issue_sum(&r, "datakit_no_profile"), 0);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
}

/* Elements that are wrong and the end that is missing are issues of their own. */
static void test_metrics_cut(void **state)
{
    run r;
    bytes b = bytes_of(EVENT("{}") STACKS FILE_PART("metrics.json", "metrics.json",
                                                    "[[\"a\",1],5,[\"b\"],[\"c\",2],[\"d\",") END);
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, profile_number, 2);
    assert_int_equal(issue_sum(&r, "datakit_bad_number"), 2);
    assert_int_equal(issue_sum(&r, "datakit_bad_metrics"), 1);
    assert_int_equal(lost(&r, "datakit_numbers"), 3);
    free(b.p);
    run_free(&r);
}

static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(WHOLE);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    assert_rows(&whole, import_issue, 0);
    for (size_t cut = 60; cut + 2 < b.n; cut++) { /* the end mark may lack its line's end */
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        if (r.code == TS_OK && issues(&r, "wire_damage") == 0) {
            print_error("cut at %zu: no issue\n", cut);
            fail();
        }
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_sample_value); i++) {
            assert_cell(&r, stack_sample_value, i, value,
                        MEM_INT(whole.sink, stack_sample_value, i, value));
        }
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, profile_number); i++) {
            assert_cell(&r, profile_number, i, profile_id, 1);
        }
        assert_int_equal(r.code == TS_OK, MEM_ROWS(r.sink, profile) == 1);
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_blocks(void **state)
{
    bytes b = bytes_of(WHOLE);
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* A request that says how long its body is: bytes that are missing somewhere make all doubtful. */
static void test_length(void **state)
{
    bytes body = bytes_of(WHOLE);
    UNUSED(state);
    for (size_t at = 100; at < body.n - 40; at += 17) {
        bytes b = {0};
        run r;
        putf(&b,
             "POST /x HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=" B
             "\r\nContent-Length: %zu\r\n\r\n",
             body.n);
        put(&b, body.p, at);
        put(&b, body.p + at + 1, body.n - at - 1);
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(issues(&r, "wire_damage") > 0 && issues(&r, "values_doubted") > 0);
        assert_null_cell(&r, profile, 0, service);
        for (size_t i = 0; i < MEM_ROWS(r.sink, stack_sample_value); i++) {
            assert_null_cell(&r, stack_sample_value, i, value);
        }
        free(b.p);
        run_free(&r);
    }
    free(body.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = bytes_of(WHOLE);
    size_t step = getenv("TS_SLOW") != NULL ? 1 : 3;
    UNUSED(state);
    for (size_t i = 0; i < b.n; i += step) {
        run r;
        b.p[i] ^= (uint8_t)(1 << i % 8);
        import_damaged(&r, &b, 0);
        b.p[i] ^= (uint8_t)(1 << i % 8);
        run_free(&r);
    }
    free(b.p);
}

/* Event files that are none, or end early: what was read before stays. */
static void test_bad_events(void **state)
{
    static const char *const events[] = {"", "7", "[]", "{\"tags_profiler\":\"service:s\",",
                                         "{\"tags_profiler\":\"service:s\"}x"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        bytes b = {0};
        run r;
        putf(&b, EVENT("%s") STACKS END, events[i]);
        import_bytes(&r, b);
        assert_int_equal(issue_sum(&r, "datakit_bad_event"), 1);
        assert_rows(&r, import_issue, 1);
        assert_int_equal(lost(&r, "datakit_tags"), 1);
        assert_rows(&r, stack_sample, 2);
        if (i >= 3) {
            assert_profile(&r, service, "s");
        }
        run_free(&r);
    }
}

/* Texts and lists beyond all bounds. */
static void test_limits(void **state)
{
    enum { LONG = (1 << 20) + 5, MANY = 70000 };
    bytes b = {0};
    run r;
    UNUSED(state);
    put_str(&b, "--" B "\r\nContent-Disposition: form-data; name=\"event\"\r\n\r\n{\"service\":\"");
    for (int i = 0; i < LONG; i++) {
        put_str(&b, "s");
    }
    put_str(&b, "\",\"tags_profiler\":\"");
    for (int i = 0; i < MANY; i++) {
        putf(&b, "k%d:v,", i);
    }
    put_str(&b, "\"}\r\n" STACKS END);
    import_bytes(&r, b);
    assert_int_equal(MEM_TEXT(r.sink, profile, 0, service).n, 1 << 20);
    assert_int_equal(issue_sum(&r, "datakit_text_cut"), 1);
    assert_int_equal(issue_sum(&r, "datakit_too_much"),
                     MANY - (int64_t)MEM_ROWS(r.sink, profile_tag));
    assert_in_range(MEM_ROWS(r.sink, profile_tag), 65000, 65536);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_form_values),
        cmocka_unit_test(test_fallbacks),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_time_order),
        cmocka_unit_test(test_attachments),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_encoded),
        cmocka_unit_test(test_chunks_damaged),
        cmocka_unit_test(test_chunk_limits),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_metrics_cut),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_bad_events),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
