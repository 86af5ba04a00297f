/* For the tests of the Flare reader: sample directories made byte by byte, written to a folder of
 * the test's own and imported into memory. */
#ifndef TS_TEST_FLARE_BUILD_H
#define TS_TEST_FLARE_BUILD_H

#include "parsers_run.h"

#include <sys/stat.h>

enum { MAX_MEMBERS = 64 };

#define T0 INT64_C(1567669466207)
#define MS INT64_C(1000000)

typedef struct sample {
    char names[MAX_MEMBERS][48];
    bytes files[MAX_MEMBERS];
    size_t count;
} sample;

/* --- bytes ------------------------------------------------------------------------------------ */

static inline void put_be(bytes *b, uint64_t v, size_t n)
{
    for (size_t i = n; i > 0; i--) {
        uint8_t byte = (uint8_t)(v >> (8 * (i - 1)));
        put(b, &byte, 1);
    }
}

static inline void set_be(bytes *b, size_t at, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        b->p[at + i] = (uint8_t)(v >> (8 * (n - 1 - i)));
    }
}

/* Bytes as in the worked examples: "54 53 00". */
static inline bytes bytes_of_hex(const char *hex)
{
    bytes b = {0};
    for (; *hex != '\0'; hex++) {
        if (*hex != ' ') {
            char digits[3] = {hex[0], hex[1], '\0'};
            put_be(&b, strtoul(digits, NULL, 16), 1);
            hex++;
        }
    }
    return b;
}

/* The file of that name, made when new. */
static inline bytes *file_of(sample *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name) == 0) {
            return &s->files[i];
        }
    }
    assert_true(s->count < MAX_MEMBERS);
    snprintf(s->names[s->count], sizeof s->names[0], "%s", name);
    s->files[s->count] = (bytes){0};
    return &s->files[s->count++];
}

static inline void drop_file(sample *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name) == 0) {
            free(s->files[i].p);
            s->count--;
            memmove(s->names[i], s->names[s->count], sizeof s->names[0]);
            s->files[i] = s->files[s->count];
            return;
        }
    }
    fail_msg("no file %s", name);
}

static inline void sample_free(sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->files[i].p);
    }
    s->count = 0;
}

static inline sample sample_copy(const sample *s)
{
    sample copy = {.count = s->count};
    memcpy(copy.names, s->names, sizeof copy.names);
    for (size_t i = 0; i < s->count; i++) {
        put(&copy.files[i], s->files[i].p, s->files[i].n);
    }
    return copy;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Header of an index or data file; amount NULL: padded to 192 bytes. */
static inline void put_pair_header(bytes *b, bool index, char key_type, const char *amount)
{
    bytes body = {0};
    put_be(&body, amount == NULL ? 3 : 2, 1);
    put(&body, "first_el_type", 14);
    put(&body, &key_type, 1);
    put(&body, "", 1);
    put(&body, "unit_len\0004", 11);
    if (amount == NULL) {
        put(&body, "ver\0000.1.0", 10);
        put_zeros(&body, 192 - body.n);
    } else {
        put(&body, amount, strlen(amount) + 1);
        put(&body, "", 1);
    }
    put_str(b, index ? "TIHS" : "TEHS");
    put_be(b, body.n, 2);
    put(b, body.p, body.n);
    put_str(b, index ? "TIDS" : "TEDS");
    free(body.p);
}

/* A pair of files with headers. */
static inline void begin_pair(sample *s, const char *name, char key_type)
{
    char file[48];
    snprintf(file, sizeof file, "%s.fidx", name);
    put_pair_header(file_of(s, file), true, key_type, NULL);
    snprintf(file, sizeof file, "%s.fdata", name);
    put_pair_header(file_of(s, file), false, key_type, NULL);
}

/* A record with its index entry. */
static inline void put_pair(sample *s, const char *name, uint64_t key, size_t key_size,
                            const void *p, size_t n)
{
    char file[48];
    snprintf(file, sizeof file, "%s.fdata", name);
    size_t at = file_of(s, file)->n;
    put_be(file_of(s, file), n & 0xffff, 2);
    put(file_of(s, file), p, n);
    snprintf(file, sizeof file, "%s.fidx", name);
    put_be(file_of(s, file), key, key_size);
    put_be(file_of(s, file), at, 4);
}

static inline void put_method(sample *s, uint64_t id, const char *name)
{
    put_pair(s, "method_info", id, 8, name, strlen(name));
}

static inline void put_series(sample *s, const char *name, unsigned type, int32_t unit,
                              int64_t begin, const int64_t *values, size_t n)
{
    static const unsigned widths[] = {4, 2, 2, 4, 4, 8};
    bytes *b = file_of(s, name);
    put_str(b, "TSHS");
    put_be(b, 26, 2);
    put_be(b, type, 1);
    put_be(b, 2, 1);
    put_be(b, (uint32_t)unit, 4);
    put_be(b, (uint64_t)begin, 8);
    put_be(b, (uint64_t)(begin + unit * (n == 0 ? 0 : (int64_t)n - 1)), 8);
    put_be(b, n, 4);
    put_str(b, "TSDS");
    for (size_t i = 0; i < n; i++) {
        put_be(b, (uint64_t)values[i], type <= 5 ? widths[type] : 4);
    }
}

#define PAYLOAD                                                                                    \
    "{\"id\":132,\"name\":\"main\",\"priority\":0,\"daemon\":false,\"state\":\"\",\"cpu_time\":%"  \
    "lld,\"cpu_time_delta\":%lld,\"sample_time\":%lld,\"sample_count\":%u,\"stacktrace\":[%s],"    \
    "\"duration\":0,\"self_duration\":0,\"self_cpu_time\":0}"

static inline void put_stack(sample *s, const char *name, int64_t key, int64_t cpu, int64_t delta,
                             int64_t time, unsigned number, const char *stack)
{
    bytes json = {0};
    putf(&json, PAYLOAD, (long long)cpu, (long long)delta, (long long)time, number, stack);
    put_pair(s, name, (uint64_t)key, 4, json.p, json.n);
    free(json.p);
}

#define RUN "547216200"
#define LOOP "547216208"
#define QUERY "547216216"

static inline void put_summary(sample *s, const char *addr, int64_t sample_start, int64_t last,
                               const char *threads)
{
    putf(file_of(s, "summary_info.json"),
         "{\"sample_info\":{\"sample_interval\":20,\"sample_start_time\":%lld,"
         "\"record_start_time\":%lld,\"last_record_time\":%lld,\"agent_addr\":\"%s\","
         "\"sample_data_dir\":\"flare-samples/x\",\"more\":[1,{}]},\"threads\":[%s]}",
         (long long)sample_start, (long long)T0, (long long)last, addr, threads);
}

static inline void put_methods(sample *s)
{
    begin_pair(s, "method_info", '5');
    put_method(s, 547216200, "java.lang.Thread.run()");
    put_method(s, 547216208, "app.Main.loop()");
    put_method(s, 547216216, "app.Db.query()");
}

#define MINI_THREAD                                                                                \
    "{\"id\":132,\"name\":\"main\",\"priority\":0,\"daemon\":false,\"state\":\"\",\"cpu_time\":"   \
    "1200500000,\"cpu_time_delta\":20500000,\"sample_time\":1567669466662,\"sample_count\":6,"     \
    "\"stacktrace\":[547216299," LOOP "," RUN "]}"

/* The worked example: six records of one thread. */
static inline sample mini(void)
{
    static const struct {
        int64_t step, after, cpu, delta;
        const char *stack;
    } all[] = {
        {0, 0, 1000000000, 0, LOOP "," RUN},
        {1, 21, 1000000000, 0, QUERY "," LOOP "," RUN},
        {1, 39, 1000000000, 0, QUERY "," LOOP "," RUN},
        {11, 230, 1180000000, 180000000, QUERY "," LOOP "," RUN},
        {12, 251, 1180000000, 0, LOOP "," RUN},
        {22, 455, 1200500000, 20500000, "547216299," LOOP "," RUN},
    };
    int64_t values[23] = {0};
    sample s = {.count = 0};
    put_summary(&s, "localhost:3333", T0 - 207, T0 + 455, MINI_THREAD);
    put_methods(&s);
    values[11] = 180000;
    values[22] = 20500;
    put_series(&s, "thread_132_cpu_time.fts", 3, 20, T0, values, 23);
    begin_pair(&s, "thread_132_stack", '4');
    for (unsigned i = 0; i < 6; i++) {
        put_stack(&s, "thread_132_stack", all[i].step, all[i].cpu, all[i].delta, T0 + all[i].after,
                  i + 1, all[i].stack);
    }
    return s;
}

/* --- running ---------------------------------------------------------------------------------- */

typedef struct folder {
    char path[64];
} folder;

static inline char *path_in(const folder *f, const char *name)
{
    size_t n = strlen(f->path) + strlen(name) + 2;
    char *path = malloc(n);
    assert_non_null(path);
    snprintf(path, n, "%s/%s", f->path, name);
    return path;
}

static inline folder write_sample(const sample *s)
{
    folder f = {"/dev/shm/ts_flare_XXXXXX"};
    if (mkdtemp(f.path) == NULL) {
        strcpy(f.path, "/tmp/ts_flare_XXXXXX");
        assert_non_null(mkdtemp(f.path));
    }
    for (size_t i = 0; i < s->count; i++) {
        char *path = path_in(&f, s->names[i]);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_true(s->files[i].n == 0 ||
                    fwrite(s->files[i].p, 1, s->files[i].n, file) == s->files[i].n);
        fclose(file);
        free(path);
    }
    return f;
}

static inline void remove_sample(const folder *f, const sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        char *path = path_in(f, s->names[i]);
        unlink(path);
        free(path);
    }
    assert_int_equal(rmdir(f->path), 0);
}

/* Imports folders in one run; what it returns stands in r->code. Begin the run before. */
static inline ts_import_result import_paths(run *r, const char *const *paths, size_t n,
                                            size_t block)
{
    ts_import_request request = {.paths = paths, .path_count = n, .block_size = block};
    ts_import_result result = {0};
    r->code = ts_store_new(&r->store, r->ctx, memsink_sink(r->sink), NULL);
    if (r->code == TS_OK) {
        r->code = ts_import_run(&result, r->ctx, r->store, &request);
    }
    if (r->code == TS_OK) {
        r->code = ts_store_finish(r->store);
    }
    return result;
}

static inline void import_sample_range(run *r, const sample *s, size_t block, ts_wanted_kind kind,
                                       int64_t from, int64_t to)
{
    folder f = write_sample(s);
    const char *path = f.path;
    import_begin(r);
    r->ctx->time_range = (ts_time_range){kind, from, to};
    (void)import_paths(r, &path, 1, block);
    remove_sample(&f, s);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
    assert_int_equal(issues(r, "items_lost"), 0); /* importers name their losses themselves */
}

static inline void import_sample(run *r, const sample *s, size_t block)
{
    import_sample_range(r, s, block, TS_WANTED_ALL, 0, 0);
}

/* Imports and frees the sample. */
static inline void import_made(run *r, sample s)
{
    import_sample(r, &s, 0);
    sample_free(&s);
}

/* The file that the first issue of a code names. */
static inline const char *issue_stream(const run *r, const char *code)
{
    size_t row = memsink_find_text(r->sink, TS_T_import_issue, TS_C_import_issue__code, code);
    assert_int_not_equal(row, SIZE_MAX);
    return MEM_NULL(r->sink, import_issue, row, stream)
               ? "NULL"
               : MEM_TEXT(r->sink, import_issue, row, stream).p;
}

#define COUNTED(r, item, column) count_sum((r), (item), TS_C_import_count__##column)

#endif
