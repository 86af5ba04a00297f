/* A fleet without a server: addresses, credentials, labels, ids, and the statements of both
 * dialects. */
#include "tables_files.h"

#include "base/alloc.h"
#include "fleet/address.h"
#include "fleet/fleet_question.h"
#include "fleet/cluster.h"
#include "fleet/dialect.h"
#include "fleet/fleet.h"
#include "tables/rows.h"

#include <stdio.h>
#include <time.h>

static ts_ctx new_ctx(void)
{
    ts_ctx ctx;
    ts_ctx_init(&ctx);
    return ctx;
}

static bool says(const ts_ctx *ctx, const char *text)
{
    for (unsigned i = 0; i < ctx->error.count; i++) {
        if (strstr(ctx->error.causes[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

/* --- addresses -------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    static const struct {
        const char *text, *base, *database;
        bool open;
    } good[] = {
        {"http://127.0.0.1:8123/prof", "http://127.0.0.1:8123/", "prof", false},
        {"http://localhost/_a1", "http://localhost/", "_a1", false},
        {"http://[::1]:8123/p/", "http://[::1]:8123/", "p", false},
        {"https://ch.example.org:8443/prof", "https://ch.example.org:8443/", "prof", false},
        {"http://ch.example.org:8123/prof", "http://ch.example.org:8123/", "prof", true},
        {"http://[2001:db8::1]/p", "http://[2001:db8::1]/", "p", true},
    };
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "does not begin"},
        {"ftp://h/p", "does not begin"},
        {"//h:1/p", "does not begin"},
        {"http:///p", "no host"},
        {"http://[::1/p", "no host"},
        {"http://a b/p", "no host"},
        {"http://h\nX: y/p", "no host"},
        {"http://h:0/p", "port"},
        {"http://h:65536/p", "port"},
        {"http://h:/p", "port"},
        {"http://h:80x/p", "port"},
        {"http://h", "name of a database"},
        {"http://h/", "name of a database"},
        {"http://h/a/b", "name of a database"},
        {"http://h/1a", "name of a database"},
        {"http://h/a'b", "name of a database"},
        {"http://h/a?user=x", "name of a database"},
        {"http://h?password=x", "name of a database"},
        {"http://h/p#x", "name of a database"},
    };
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_address a;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(ts_address_parse(&a, &ctx, good[i].text), TS_OK);
        assert_string_equal(a.base, good[i].base);
        assert_string_equal(a.database, good[i].database);
        assert_int_equal(a.open, good[i].open);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ts_address_parse(&a, &ctx, bad[i].text), TS_ERR_USAGE);
        assert_true(says(&ctx, bad[i].why));
    }
    /* A password is not repeated in the message. */
    assert_int_equal(ts_address_parse(&a, &ctx, "http://me:secret@h:8123/p"), TS_ERR_USAGE);
    assert_false(says(&ctx, "secret"));
    assert_true(says(&ctx, TS_FLEET_PASSWORD_VARIABLE));
}

/* Shards have the scheme and the port of the address. */
static void test_addresses_of_shards(void **state)
{
    static const struct {
        const char *like, *host, *base;
        bool open;
    } good[] = {
        {"http://127.0.0.1:8123/p", "127.0.0.2", "http://127.0.0.2:8123/", false},
        {"http://localhost/p", "ch2.example.org", "http://ch2.example.org/", true},
        {"https://[::1]:8443/p", "2001:db8::2", "https://[2001:db8::2]:8443/", false},
        {"http://[2001:db8::1]:1/p", "::1", "http://[::1]:1/", false},
        {"https://a/p", "[::2]", "https://[::2]/", false},
    };
    static const char *const bad[] = {"", "a b", "a/b", "me:x@h", "h:1", "[::1", "h\n", "h?x"};
    char longest[TS_FLEET_BASE + 1];
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_address like;
    ts_address a;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(ts_address_parse(&like, &ctx, good[i].like), TS_OK);
        assert_int_equal(ts_address_of_host(&a, &ctx, &like, good[i].host), TS_OK);
        assert_string_equal(a.base, good[i].base);
        assert_string_equal(a.database, like.database);
        assert_int_equal(a.open, good[i].open);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ts_address_of_host(&a, &ctx, &like, bad[i]), TS_ERR_OUTPUT);
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(ts_address_of_host(&a, &ctx, &like, longest), TS_ERR_OUTPUT);
    longest[sizeof longest - 5] = '\0';
    assert_int_equal(ts_address_of_host(&a, &ctx, &like, longest), TS_ERR_OUTPUT);
}

/* --- clusters --------------------------------------------------------------------------------- */

static void test_clusters(void **state)
{
    static const struct {
        const char *engine, *name; /* NULL: none */
    } all[] = {
        {"Distributed(ours, prof, shard_recording)", "ours"},
        {"Distributed('our-2.x', 'prof', 'shard_recording')", "our-2.x"},
        {"Distributed(`ours`, prof, shard_recording, rand())", "ours"},
        {"Distributed(", NULL},
        {"Distributed('", NULL},
        {"Distributed()", NULL},
        {"View", NULL},
        {"", NULL},
    };
    char name[TS_FLEET_NAME];
    char longest[100] = "Distributed(";
    uint8_t id[32] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_int_equal(ts_cluster_name(name, ts_text_of(all[i].engine)), all[i].name != NULL);
        if (all[i].name != NULL) {
            assert_string_equal(name, all[i].name);
        }
    }
    memset(longest + 12, 'a', TS_FLEET_NAME);
    assert_false(ts_cluster_name(name, ts_text_of(longest)));
    longest[12 + TS_FLEET_NAME - 1] = '\0';
    assert_true(ts_cluster_name(name, ts_text_of(longest)));
    assert_int_equal(ts_cluster_shard_of(id, 3), 0);
    id[7] = 5;
    id[8] = 1; /* no longer a part of it */
    assert_int_equal(ts_cluster_shard_of(id, 3), 2);
    memset(id, 0xff, 8);
    assert_int_equal(ts_cluster_shard_of(id, 10), 5); /* 18446744073709551615 */
    assert_int_equal(ts_cluster_shard_of(id, 1), 0);
}

static void test_credentials(void **state)
{
    static const char file[] = "# of the team\n user = me \r\n\npassword=a b=c#\n";
    static const char *const bad[] = {"users = x\n", "user\n", "password : x\n", "user = a\001b\n"};
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_credentials c;
    assert_int_equal(ts_credentials_parse(&c, &ctx, ts_text_of(file), "f"), TS_OK);
    assert_string_equal(c.user, "me");
    assert_string_equal(c.password, "a b=c#");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ts_credentials_parse(&c, &ctx, ts_text_of(bad[i]), "f"), TS_ERR_USAGE);
    }
    /* The environment first, and then the file is not looked at. */
    assert_int_equal(setenv(TS_FLEET_PASSWORD_VARIABLE, "p w", 1), 0);
    assert_int_equal(unsetenv(TS_FLEET_USER_VARIABLE), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/dev/null", 1), 0);
    assert_int_equal(ts_credentials_find(&c, &ctx), TS_OK);
    assert_string_equal(c.user, "");
    assert_string_equal(c.password, "p w");
    assert_int_equal(unsetenv(TS_FLEET_PASSWORD_VARIABLE), 0);
    assert_int_equal(ts_credentials_find(&c, &ctx), TS_OK); /* there is no such file */
    assert_string_equal(c.password, "");
}

/* --- labels ----------------------------------------------------------------------------------- */

static ts_code read_labels(ts_fleet_labels *l, ts_ctx *ctx, const char *text)
{
    char path[] = "/tmp/ts_labels_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    ts_code code = ts_fleet_labels_read(l, ctx, path);
    assert_int_equal(unlink(path), 0);
    return code;
}

static void test_labels(void **state)
{
    static const char *const bad[] = {"build", "=1", "a b=1", "\xc3\xa4=1", "build=again"};
    static const char *const bad_files[] = {
        "[]", "{\"a\": {}}",         "{\"a\": [1]}", "{\"a\": null}", "{\"a\": 1", "1",
        "",   "{\"a\": 1, \"a\": 2}"};
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_fleet_labels l = {0};
    assert_int_equal(ts_fleet_labels_add(&l, &ctx, "build=4711"), TS_OK);
    assert_int_equal(ts_fleet_labels_add(&l, &ctx, "a.b-c_D="), TS_OK);
    assert_int_equal(ts_fleet_labels_add(&l, &ctx, "x=y=z"), TS_OK);
    assert_string_equal(l.all[0].value, "4711");
    assert_string_equal(l.all[1].value, "");
    assert_string_equal(l.all[2].value, "y=z");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(ts_fleet_labels_add(&l, &ctx, bad[i]), TS_ERR_USAGE);
    }
    assert_int_equal(l.count, 3);
    assert_int_equal(
        read_labels(&l, &ctx, "{\"t\": \"a\\u00e4\", \"n\": 1.50, \"y\": true, \"no\": false}"),
        TS_OK);
    assert_int_equal(l.count, 7);
    assert_string_equal(l.all[3].value, "a\xc3\xa4");
    assert_string_equal(l.all[4].value, "1.50");
    assert_string_equal(l.all[5].value, "true");
    assert_string_equal(l.all[6].value, "false");
    assert_int_equal(read_labels(&l, &ctx, "{\"build\": 1}"), TS_ERR_USAGE); /* given already */
    ts_fleet_labels_free(&l, &ctx);
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        assert_int_equal(read_labels(&l, &ctx, bad_files[i]), TS_ERR_USAGE);
        ts_fleet_labels_free(&l, &ctx);
    }
    assert_int_equal(ctx.memory_used, 0);
}

/* --- ids -------------------------------------------------------------------------------------- */

static void test_ids(void **state)
{
    /* sha256sum of "abc" */
    static const uint8_t abc[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                    0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                    0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    char path[] = "/tmp/ts_id_XXXXXX";
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_recording_id id;
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(close(fd), 0);
    assert_int_equal(ts_recording_identity(&id, &ctx, path), TS_OK);
    assert_int_equal(id.bytes, 3);
    assert_memory_equal(id.id, abc, sizeof abc);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ts_recording_identity(&id, &ctx, path), TS_ERR_INPUT);
    assert_int_equal(ts_recording_identity(&id, &ctx, "-"), TS_ERR_INPUT);
    assert_int_equal(ts_recording_identity(&id, &ctx, "/dev/null"), TS_ERR_INPUT);
    assert_int_equal(ctx.memory_used, 0);
}

static void put_file(const char *dir, const char *name, const char *text)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Where one file ends and the next begins is a part of the id, and so are names. */
static void test_ids_of_directories(void **state)
{
    char dir[] = "/tmp/ts_ids_XXXXXX";
    char command[100];
    uint8_t first[32];
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_recording_id id;
    assert_non_null(mkdtemp(dir));
    put_file(dir, "a", "12");
    put_file(dir, "b", "3");
    assert_int_equal(ts_recording_identity(&id, &ctx, dir), TS_OK);
    memcpy(first, id.id, sizeof first);
    assert_int_equal(id.bytes, 3);
    put_file(dir, "a", "1");
    put_file(dir, "b", "23");
    assert_int_equal(ts_recording_identity(&id, &ctx, dir), TS_OK);
    assert_memory_not_equal(id.id, first, sizeof first);
    put_file(dir, "a", "12");
    put_file(dir, "b", "3");
    assert_int_equal(ts_recording_identity(&id, &ctx, dir), TS_OK);
    assert_memory_equal(id.id, first, sizeof first);
    (void)snprintf(command, sizeof command, "mv %s/b %s/c", dir, dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(ts_recording_identity(&id, &ctx, dir), TS_OK);
    assert_memory_not_equal(id.id, first, sizeof first);
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void test_load_numbers(void **state)
{
    uint64_t numbers[100];
    (void)state;
    const uint64_t now = (uint64_t)time(NULL) * 1000;
    for (int i = 0; i < 100; i++) {
        numbers[i] = ts_load_number();
        assert_true(ts_load_ms(numbers[i]) + 2000 > now && ts_load_ms(numbers[i]) < now + 60000);
        for (int k = 0; k < i; k++) {
            assert_true(numbers[i] != numbers[k]);
        }
    }
}

/* --- amounts ---------------------------------------------------------------------------------- */

static void test_amounts(void **state)
{
    (void)state;
    ts_ctx ctx = new_ctx();
    ts_amount a;
    assert_int_equal(ts_amount_choose(&a, &ctx, NULL, NULL), TS_OK);
    assert_string_equal(a.name, "facts");
    assert_true(a.tables[TS_T_source] && !a.tables[TS_T_js_heap_edges]);
    assert_int_equal(ts_amount_choose(&a, &ctx, "all", NULL), TS_OK);
    assert_string_equal(a.name, "all");
    assert_true(a.tables[TS_T_source] && a.tables[TS_T_js_heap_edges]);
    /* What is chosen has one name, however it was typed. */
    assert_int_equal(ts_amount_choose(&a, &ctx, NULL, "source_property,source"), TS_OK);
    assert_string_equal(a.name, "tables:source,source_property");
    assert_true(a.tables[TS_T_source] && !a.tables[TS_T_import_issue]);
    assert_int_equal(ts_amount_choose(&a, &ctx, NULL, "source,nothing"), TS_ERR_USAGE);
    assert_true(says(&ctx, "\"nothing\""));
    assert_int_equal(ts_amount_choose(&a, &ctx, NULL, "source,"), TS_OK);
}

/* --- statements ------------------------------------------------------------------------------- */

/* A script for today's servers as one for servers before 2020: without CODEC and LowCardinality. */
static void to_plain(ts_buf *out, ts_ctx *ctx, ts_text script)
{
    static const char low[] = "LowCardinality(";
    for (size_t at = 0; at < script.n;) {
        const char *line = script.p + at;
        const char *newline = memchr(line, '\n', script.n - at);
        const size_t n = newline == NULL ? script.n - at : (size_t)(newline - line);
        const char *end = line + n;
        const bool comma = n > 0 && end[-1] == ',';
        const char *codec = memmem(line, n, " CODEC(", 7);
        const char *wrapped = memmem(line, n, low, sizeof low - 1);
        end = codec != NULL ? codec : end - (comma ? 1 : 0);
        if (wrapped != NULL) {
            assert_int_equal(end[-1], ')');
            assert_int_equal(ts_buf_put(ctx, out, line, (size_t)(wrapped - line)), TS_OK);
            line = wrapped + sizeof low - 1;
            end--;
        }
        assert_int_equal(ts_buf_put(ctx, out, line, (size_t)(end - line)), TS_OK);
        assert_int_equal(ts_buf_put(ctx, out, ",", comma ? 1 : 0), TS_OK);
        assert_int_equal(ts_buf_put(ctx, out, "\n", newline != NULL ? 1 : 0), TS_OK);
        at += n + 1;
    }
}

/* TS_REBASELINE=1 writes the file anew; an engine of each dialect reads its statements in the tests
 * of test/fleet. */
static void test_statements(void **state)
{
    static const char path[] = TS_TEST_DATA "/../fleet/codecs.sql";
    ts_ctx ctx = new_ctx();
    ts_buf made = {0};
    ts_buf plain = {0};
    ts_buf kept = {0};
    char block[4096];
    size_t n = 1;
    (void)state;
    assert_int_equal(ts_fleet_statements(&ctx, &made, false), TS_OK);
    if (getenv("TS_REBASELINE") != NULL) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        assert_int_equal(fwrite(made.p, 1, made.n, out), made.n);
        assert_int_equal(fclose(out), 0);
    }
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (n > 0) {
        n = fread(block, 1, sizeof block, in);
        assert_int_equal(ts_buf_put(&ctx, &kept, block, n), TS_OK);
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(made.n, kept.n);
    assert_memory_equal(made.p, kept.p, kept.n);
    kept.n = 0;
    to_plain(&kept, &ctx, ts_buf_text(&made));
    assert_int_equal(ts_fleet_statements(&ctx, &plain, true), TS_OK);
    assert_int_equal(plain.n, kept.n);
    assert_memory_equal(plain.p, kept.p, kept.n);
    ts_buf_free(&ctx, &made);
    ts_buf_free(&ctx, &plain);
    ts_buf_free(&ctx, &kept);
}

/* --- questions -------------------------------------------------------------------------------- */

static void expect_chosen(const char *by, const char *only, const char *sql)
{
    ts_ctx ctx = new_ctx();
    ts_buf out = {0};
    const ts_fleet_chosen chosen = {.by = by, .only = &only, .only_count = only == NULL ? 0 : 1};
    assert_int_equal(ts_fleet_chosen_sql(&out, &ctx, &chosen), TS_OK);
    assert_int_equal(ts_buf_putc(&ctx, &out, '\0'), TS_OK);
    assert_string_equal(out.p, sql);
    ts_buf_free(&ctx, &out);
}

static void test_chosen(void **state)
{
    static const char *const bad[] = {"build", "=1", "build=1,device"};
    (void)state;
    expect_chosen("day", NULL, "(SELECT load, toString(day) AS part FROM v_recording) AS chosen");
    expect_chosen("build", NULL,
                  "(SELECT load, label.value[indexOf(label.key, 'build')] AS part FROM "
                  "v_recording) AS chosen");
    expect_chosen(
        "host,build", NULL,
        "(SELECT load, concat(host, ', ', label.value[indexOf(label.key, 'build')]) AS part "
        "FROM v_recording) AS chosen");
    expect_chosen("host", "build=47'1,host=a_*?%",
                  "(SELECT load, host AS part FROM v_recording WHERE "
                  "arrayExists((k, v) -> k = 'build' AND v = '47\\x271', label.key, label.value) "
                  "AND host LIKE 'a\\x5c_%_\\x5c%') AS chosen");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ts_ctx ctx = new_ctx();
        ts_buf out = {0};
        const ts_fleet_chosen chosen = {.only = &bad[i], .only_count = 1};
        assert_int_equal(ts_fleet_chosen_sql(&out, &ctx, &chosen), TS_ERR_USAGE);
        ts_buf_free(&ctx, &out);
    }
}

static ts_code question_sql(char out[1024], const ts_param *params, size_t n)
{
    static const char sql[] =
        "-- Question:   Which?\n"
        "-- Parameters: limit  number of rows (default 20)\n"
        "--             class  glob of it's classes (default: all)\n"
        "--             kind   one of wait, contended or park (default: all)\n"
        "SELECT ':limit' FROM :recordings -- :nothing\n"
        "WHERE class :class AND kind = :kind LIMIT :limit;\n";
    ts_ctx ctx = new_ctx();
    ts_buf buf = {0};
    const ts_fleet_chosen chosen = {.by = "host"};
    const ts_fleet_question q = {.name = "q",
                                 .sql = TS_TEXT_LIT(sql),
                                 .chosen = &chosen,
                                 .params = params,
                                 .param_count = n};
    const ts_code code = ts_fleet_question_sql(&buf, &ctx, &q);
    assert_true(buf.n < 1024);
    memcpy(out, buf.n == 0 ? "" : buf.p, buf.n);
    out[buf.n] = '\0';
    ts_buf_free(&ctx, &buf);
    return code;
}

static void test_questions(void **state)
{
    static const ts_param all[] = {{"limit", "5"}, {"class", "*Session"}, {"kind", "park"}};
    static const ts_param bad[] = {{"limit", "5; DROP TABLE x"}, {"limit", ""},
                                   {"limit", "1.2.3"},           {"kind", "wai"},
                                   {"kind", "or parks"},         {"other", "1"}};
    char sql[1024];
    (void)state;
    assert_int_equal(question_sql(sql, NULL, 0), TS_OK);
    assert_string_equal(
        sql,
        "\n\n\n\nSELECT ':limit' FROM (SELECT load, host AS part FROM v_recording) AS chosen \n"
        "WHERE class LIKE '%' AND kind = '' LIMIT 20");
    assert_int_equal(question_sql(sql, all, 3), TS_OK);
    assert_non_null(strstr(sql, "WHERE class LIKE '%Session' AND kind = 'park' LIMIT 5"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(question_sql(sql, &bad[i], 1), TS_ERR_USAGE);
    }
}

/* Each view of one of several servers, and the one over all servers. */
static void test_views_of_shards(void **state)
{
    ts_ctx ctx = new_ctx();
    ts_buf b = {0};
    (void)state;
    assert_string_equal(ts_dialect_view_name(TS_DIALECT_VIEW_RECORDING), "recording");
    assert_string_equal(ts_dialect_view_name(TS_T_source), "source");
    assert_int_equal(ts_dialect_view(&ctx, &b, TS_DIALECT_SHARD_PREFIX, TS_T_source), TS_OK);
    assert_true(ts_text_begins(ts_buf_text(&b), "CREATE VIEW IF NOT EXISTS `shard_source` AS\n"
                                                "SELECT * FROM `source` WHERE load IN ("));
    for (size_t v = TS_TABLE_COUNT; v < ts_dialect_view_count(); v++) {
        b.n = 0;
        assert_int_equal(ts_dialect_view(&ctx, &b, TS_DIALECT_SHARD_PREFIX, v), TS_OK);
        assert_true(ts_text_begins(ts_buf_text(&b), "CREATE VIEW IF NOT EXISTS shard_"));
        assert_null(memchr(b.p, '@', b.n));
        assert_null(memmem(b.p, b.n, "v_", 2)); /* each asks those of its own server */
    }
    b.n = 0;
    assert_int_equal(ts_dialect_over(&ctx, &b, "ours", "prof", TS_T_source), TS_OK);
    assert_true(ts_text_is(ts_buf_text(&b),
                           "CREATE TABLE IF NOT EXISTS `v_source` AS `shard_source` ENGINE = "
                           "Distributed('ours', 'prof', 'shard_source')"));
    ts_buf_free(&ctx, &b);
}

/* Nothing of the declaration takes a name that the fleet needs. */
static void test_names(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        assert_true(strcmp(ts_schema[t].name, "recording") != 0);
        assert_true(strncmp(ts_schema[t].name, TS_DIALECT_PREFIX, 2) != 0);
        assert_true(strncmp(ts_schema[t].name, TS_DIALECT_SHARD_PREFIX, 6) != 0);
        assert_true(ts_schema[t].column_count < 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_addresses_of_shards),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_credentials),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_ids_of_directories),
        cmocka_unit_test(test_load_numbers),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_views_of_shards),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
