/*
 * The worked examples: six records of one thread (`mini`), a series in the layout of the document
 * with an index of the first days (`early`), and an index that was damaged when it was closed
 * (`grown`).
 */
#include "mkflare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN INT64_C(1567669466207)
#define LOOP "547216200"
#define RUN "547216208"
#define QUERY "547216216"
#define UNKNOWN "547216299"

static void summary(const char *directory, const char *addr, int64_t last)
{
    fl_buf b = {0};
    fl_printf(&b,
              "{\n  \"sample_info\": {\n    \"sample_interval\": 20,\n    \"sample_start_time\": "
              "%" PRId64 ",\n    \"record_start_time\": %" PRId64 ",\n    \"last_record_time\": "
              "%" PRId64 ",\n    \"agent_addr\": \"%s\",\n    \"sample_data_dir\": "
              "\"flare-samples/mini\"\n  },\n  \"threads\": [",
              BEGIN, BEGIN, last, addr);
    fl_printf(&b,
              "\n    {\n      \"id\": 132,\n      \"name\": \"main\",\n      \"priority\": 0,\n"
              "      \"daemon\": false,\n      \"state\": \"\",\n      \"cpu_time\": 1200500000,\n"
              "      \"cpu_time_delta\": 20500000,\n      \"sample_time\": %" PRId64
              ",\n      \"sample_count\": 6,\n      \"stacktrace\": [" UNKNOWN ", " LOOP ", " RUN
              "],\n      \"duration\": 0,\n      \"self_duration\": 0,\n      \"self_cpu_time\": "
              "0\n    }\n  ]\n}",
              last);
    fl_write(directory, "summary_info.json", &b);
}

static void methods(const char *directory)
{
    static const struct {
        const char *id, *name;
    } all[] = {
        {LOOP, "java.lang.Thread.run()"}, {RUN, "app.Main.loop()"}, {QUERY, "app.Db.query()"}};
    fl_buf index = {0};
    fl_buf data = {0};
    fl_pair_header(&index, true, 5, "3", false);
    fl_pair_header(&data, false, 5, "0", false);
    for (size_t i = 0; i < 3; i++) {
        fl_be(&index, strtoull(all[i].id, NULL, 10), 8);
        fl_be(&index, data.n, 4);
        fl_record(&data, all[i].name, strlen(all[i].name));
    }
    fl_write(directory, "method_info.fidx", &index);
    fl_write(directory, "method_info.fdata", &data);
}

static void mini_series(const char *directory)
{
    fl_buf b = {0};
    fl_series_header(&b, false, 3, 20, BEGIN, BEGIN + 22 * 20, 5);
    for (unsigned i = 0; i < 23; i++) {
        fl_be(&b, i == 11 ? 180000 : i == 22 ? 20500 : 0, 4);
    }
    fl_write(directory, "thread_132_cpu_time.fts", &b);
}

static void mini_stacks(const char *directory)
{
    static const struct {
        unsigned step, after;
        int64_t cpu, delta;
        const char *stack;
    } all[] = {
        {0, 0, 1000000000, 0, RUN "," LOOP},
        {1, 21, 1000000000, 0, QUERY "," RUN "," LOOP},
        {1, 39, 1000000000, 0, QUERY "," RUN "," LOOP},
        {11, 230, 1180000000, 180000000, QUERY "," RUN "," LOOP},
        {12, 251, 1180000000, 0, RUN "," LOOP},
        {22, 455, 1200500000, 20500000, UNKNOWN "," RUN "," LOOP},
    };
    fl_buf index = {0};
    fl_buf data = {0};
    fl_pair_header(&index, true, 4, "6", false);
    fl_pair_header(&data, false, 4, "0", false);
    for (unsigned i = 0; i < 6; i++) {
        fl_buf json = {0};
        fl_be(&index, all[i].step, 4);
        fl_be(&index, data.n, 4);
        fl_printf(&json,
                  "{\"id\":132,\"name\":\"main\",\"priority\":0,\"daemon\":false,\"state\":\"\","
                  "\"cpu_time\":%" PRId64 ",\"cpu_time_delta\":%" PRId64 ",\"sample_time\":%" PRId64
                  ",\"sample_count\":%u,\"stacktrace\":[%s],\"duration\":0,\"self_duration\":0,"
                  "\"self_cpu_time\":0}",
                  all[i].cpu, all[i].delta, BEGIN + all[i].after, i + 1, all[i].stack);
        fl_record(&data, json.p, json.n);
        free(json.p);
    }
    fl_write(directory, "thread_132_stack.fidx", &index);
    fl_write(directory, "thread_132_stack.fdata", &data);
}

static void document_series(const char *directory)
{
    static const unsigned values[] = {0, 1500, 0, 20000, 65535};
    fl_buf b = {0};
    fl_series_header(&b, true, 2, 0, BEGIN, BEGIN + 80, 4);
    for (unsigned i = 0; i < 5; i++) {
        fl_be(&b, values[i], 2);
    }
    fl_write(directory, "thread_132_cpu_time.fts", &b);
}

static void resp(fl_buf *data, bool empty)
{
    static const char full[] = "*2\r\n:" RUN "\r\n:" LOOP "\r\n";
    fl_record(data, empty ? "*0\r\n" : full, empty ? 4 : sizeof full - 1);
}

static void early_stacks(const char *directory)
{
    fl_buf index = {0};
    fl_buf data = {0};
    fl_pair_header(&index, true, 4, "2", true);
    fl_pair_header(&data, false, 4, "0", true);
    for (unsigned i = 0; i < 2; i++) {
        fl_be(&index, i * 2, 4);
        fl_be(&index, data.n, 4);
        resp(&data, i == 1);
    }
    fl_write(directory, "thread_132_stack.fidx", &index);
    fl_write(directory, "thread_132_stack.fdata", &data);
}

/* The number in the header became longer: TIDS moved over the first key. */
static void grown_stacks(const char *directory)
{
    static const unsigned steps[] = {5, 6, 7};
    fl_buf before = {0};
    fl_buf index = {0};
    fl_buf data = {0};
    fl_pair_header(&before, true, 4, "0", true);
    fl_pair_header(&data, false, 4, "0", true);
    for (unsigned i = 0; i < 3; i++) {
        fl_be(&before, steps[i], 4);
        fl_be(&before, data.n, 4);
        resp(&data, false);
    }
    fl_pair_header(&index, true, 4, "12345", true);
    fl_put(&index, before.p + index.n, before.n - index.n);
    free(before.p);
    fl_write(directory, "thread_132_stack.fidx", &index);
    fl_write(directory, "thread_132_stack.fdata", &data);
}

void fl_fixture(const fl_options *o)
{
    if (strcmp(o->fixture, "mini") == 0) {
        summary(o->directory, "localhost:3333", BEGIN + 455);
        mini_series(o->directory);
        mini_stacks(o->directory);
    } else if (strcmp(o->fixture, "early") == 0) {
        document_series(o->directory);
        early_stacks(o->directory);
    } else if (strcmp(o->fixture, "grown") == 0) {
        grown_stacks(o->directory);
    } else {
        fl_die("--fixture is mini, early or grown");
    }
    methods(o->directory);
}
