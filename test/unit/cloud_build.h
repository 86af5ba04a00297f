/* For the tests of the Cloud Profiler's streams: the format's worked bytes put together by hand, as
 * a conversation, as stream files or as the agent's own directory. */
#ifndef TS_TEST_CLOUD_BUILD_H
#define TS_TEST_CLOUD_BUILD_H

#include "parsers_run.h"

#include <libgen.h>
#include <sys/stat.h>

#define AGENT_START INT64_C(1691167326615)
#define CALL_START INT64_C(1691167327716)
#define MS(ms) ((ms)*INT64_C(1000000))
#define HEX(b, ...) put(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

enum { WORDS = 149, AMOUNT_WORDS = 20 };

/* --- bytes ---------------------------------------------------------------------------------- */

static inline void put_be(bytes *b, uint64_t v, unsigned n)
{
    for (unsigned i = n; i > 0; i--) {
        HEX(b, (uint8_t)(v >> (8 * (i - 1))));
    }
}

static inline void put_string(bytes *b, const char *s)
{
    put_varint(b, strlen(s));
    for (; *s != '\0'; s++) {
        HEX(b, 0, (uint8_t)*s);
    }
}

static inline void put_field_of(bytes *b, const void *p, size_t n)
{
    put_be(b, n, 4);
    put(b, p, n);
}

static inline void put_phrase(bytes *b, const bytes *phrase)
{
    put_field_of(b, phrase->p, phrase->n);
}

/* --- a conversation -------------------------------------------------------------------------- */

typedef enum which { DICTIONARY, PARAMS, SUSPEND, SQL, XML, TRACE, CALLS, STREAMS } which;

static const char *const stream_names[STREAMS] = {"dictionary", "params", "suspend", "sql",
                                                  "xml",        "trace",  "calls"};

typedef struct pod {
    bytes stream[STREAMS];
} pod;

static inline void put_handle(bytes *b, which w)
{
    put_be(b, 0x1234, 8);
    put_be(b, (uint64_t)w + 1, 8);
}

static inline void put_version(bytes *b, const char *name)
{
    HEX(b, 0x14);
    put_be(b, 100605, 8);
    put_field_of(b, name, strlen(name));
    put_field_of(b, "shop", 4);
    put_field_of(b, "prod", 4);
    put_be(b, 100605, 8);
}

/* In data commands of 7 bytes, as an agent that flushes often. */
static inline void put_pod(bytes *b, const char *name, const pod *p)
{
    put_version(b, name);
    for (int w = 0; w < STREAMS; w++) {
        if (w == PARAMS && p->stream[w].p == NULL) {
            continue;
        }
        HEX(b, 0x15);
        put_field_of(b, stream_names[w], strlen(stream_names[w]));
        put_be(b, 0, 4);
        put_be(b, 1, 4);
        put_handle(b, (which)w);
        put_be(b, 3600000, 8);
        put_be(b, 2097152, 8);
        put_be(b, 0, 4);
        for (size_t at = 0; at < p->stream[w].n; at += 7) {
            size_t n = p->stream[w].n - at < 7 ? p->stream[w].n - at : 7;
            HEX(b, 0x02);
            put_handle(b, (which)w);
            put_field_of(b, p->stream[w].p + at, n);
            HEX(b, 0x00);
        }
    }
    HEX(b, 0x11, 0x00, 0x04);
}

static inline void pod_free(pod *p)
{
    for (int w = 0; w < STREAMS; w++) {
        free(p->stream[w].p);
    }
}

static inline bytes dictionary(void)
{
    static const char *const amounts[] = {"memory.allocated", "io.disk.read", "io.disk.written",
                                          "io.net.read", "io.net.written"};
    bytes phrase = {0};
    bytes b = {0};
    put_string(&phrase, "call.info");
    for (int i = 1; i < WORDS; i++) {
        char word[96];
        snprintf(word, sizeof word, "word.%d", i);
        if (i == 9) {
            snprintf(word, sizeof word, "%s",
                     "void a.b.Cls.run(int,java.lang.String[]) (Cls.java:42) [lib/x.jar!/BOOT]");
        } else if (i == 33) {
            snprintf(word, sizeof word, "a.Obj a.B.<init>() (B.java)");
        } else if (i >= AMOUNT_WORDS && i < AMOUNT_WORDS + 5) {
            snprintf(word, sizeof word, "%s", amounts[i - AMOUNT_WORDS]);
        }
        put_string(&phrase, word);
    }
    put_phrase(&b, &phrase);
    free(phrase.p);
    return b;
}

/* The description's own bytes, and an end of the call and of the block. */
static inline bytes trace(uint64_t timer, uint64_t real)
{
    bytes b = {0};
    put_be(&b, timer, 8);
    put_be(&b, 1, 8);
    put_be(&b, real, 8);
    HEX(&b, 0xb4, 0x22, 0x09, 0xb4, 0x02, 0x23, 0x00, 0x21, 0x0d, 0x01, 0x88, 0x03, 0x94, 0x01,
        0x35, 0x82, 0x07, 0x00, 0x00, 0x00);
    HEX(&b, 0x01, 0x03);
    return b;
}

static inline bytes calls(void)
{
    bytes b = {0};
    HEX(&b, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, 4, 0, 0, 0x01, 0x89, 0xc1, 0x6d, 0x88, 0x8b);
    HEX(&b, 0xcd, 0x0a, 0x09, 0x9f, 0x03, 0x04, 0x00, 0x04, 0, 'm', 0, 'a', 0, 'i', 0, 'n', 0x00,
        0x00, 0x01, 0x08, 0x00);
    HEX(&b, 0x05, 0x06, 0x07); /* cpu, wait, memory */
    HEX(&b, 1, 2, 3, 4, 1, 2); /* files, network, transactions, queue */
    put_varint(&b, 1);
    put_varint(&b, 3);
    put_varint(&b, 2);
    put_string(&b, "x");
    put_string(&b, "");
    return b;
}

/* [6755, 6763) and [7900, 8000) ms after ...320000; the first is the description's. */
static inline bytes suspend(void)
{
    bytes phrase = {0};
    bytes b = {0};
    HEX(&phrase, 0, 0, 0x01, 0x89, 0xc1, 0x6d, 0x81, 0x97, 0x94, 0x01, 0x08);
    put_phrase(&b, &phrase);
    phrase.n = 0;
    put_varint(&phrase, 1237);
    put_varint(&phrase, 100);
    put_phrase(&b, &phrase);
    free(phrase.p);
    return b;
}

static inline pod worked(void)
{
    return (pod){{
        [DICTIONARY] = dictionary(),
        [SUSPEND] = suspend(),
        [TRACE] = trace(AGENT_START, CALL_START),
        [CALLS] = calls(),
    }};
}

/* What was lost is an issue of data loss, and such an issue says that something was lost. */
static inline void assert_honest(const run *r)
{
    bool lost = false;
    bool said = false;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_count); i++) {
        lost = lost || MEM_INT(r->sink, import_count, i, lost) > 0;
    }
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_issue); i++) {
        ts_text severity = MEM_TEXT(r->sink, import_issue, i, severity);
        said = said || ts_text_is(severity, "data_loss") || ts_text_is(severity, "error");
    }
    assert_int_equal(lost, said);
    /* Importers name their losses themselves. */
    assert_int_equal(issues(r, "items_lost"), 0);
    assert_int_equal(count_sum(r, "missing_parts", TS_C_import_count__lost), 0);
}

/* Takes the pod over. */
static inline void import_pod(run *r, pod p)
{
    bytes b = {0};
    put_pod(&b, "shop-1_1691167326000", &p);
    pod_free(&p);
    import_bytes(r, b);
    assert_honest(r);
}

/* --- files ------------------------------------------------------------------------------------ */

enum { MAX_SET = 24 };

/* Files of a folder by their names in it; the bytes are borrowed. */
typedef struct set {
    char names[MAX_SET][64];
    bytes files[MAX_SET];
    size_t count;
} set;

static inline void set_put(set *s, bytes file, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static inline void set_put(set *s, bytes file, const char *fmt, ...)
{
    va_list ap;
    assert_true(s->count < MAX_SET);
    va_start(ap, fmt);
    vsnprintf(s->names[s->count], sizeof s->names[0], fmt, ap);
    va_end(ap);
    s->files[s->count++] = file;
}

/* The stream files of a pod, as a collector's tools write them. */
static inline set flat_files(const pod *p, const char *name)
{
    set s = {.count = 0};
    for (int w = 0; w < STREAMS; w++) {
        if (p->stream[w].p != NULL) {
            set_put(&s, p->stream[w], "%s.%s.protocol", name, stream_names[w]);
        }
    }
    return s;
}

/* What is in the phrases; the caller frees. */
static inline bytes without_phrases(const bytes *b)
{
    bytes plain = {0};
    for (size_t at = 0; at + 4 <= b->n;) {
        size_t n = (size_t)b->p[at + 2] << 8 | b->p[at + 3];
        put(&plain, b->p + at + 4, n);
        at += 4 + n;
    }
    return plain;
}

/* Turns the streams into those of the agent's own files. */
static inline void unframe(pod *p)
{
    for (int w = DICTIONARY; w <= SUSPEND; w++) {
        bytes plain = without_phrases(&p->stream[w]);
        free(p->stream[w].p);
        p->stream[w] = plain;
    }
}

/* The files of a pod that was unframed, below `dir`. */
static inline void put_agent(set *s, const pod *p, const char *dir)
{
    for (int w = 0; w < STREAMS; w++) {
        if (p->stream[w].p != NULL) {
            set_put(s, p->stream[w], "%s/%s/000001", dir, stream_names[w]);
        }
    }
}

static inline void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
}

typedef struct folder {
    char path[64];
} folder;

static inline folder write_set(const set *s)
{
    folder f = {"/dev/shm/ts_cloud_XXXXXX"};
    if (mkdtemp(f.path) == NULL) {
        strcpy(f.path, "/tmp/ts_cloud_XXXXXX");
        assert_non_null(mkdtemp(f.path));
    }
    for (size_t i = 0; i < s->count; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/%s", f.path, s->names[i]);
        make_parents(path);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_true(s->files[i].n == 0 ||
                    fwrite(s->files[i].p, 1, s->files[i].n, file) == s->files[i].n);
        fclose(file);
    }
    return f;
}

/* Files, and the directories that become empty. */
static inline void remove_set(const folder *f, const set *s)
{
    for (size_t i = 0; i < s->count; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/%s", f->path, s->names[i]);
        (void)unlink(path);
        while (strlen(dirname(path)) > strlen(f->path) && rmdir(path) == 0) {
        }
    }
    assert_int_equal(rmdir(f->path), 0);
}

/* Imports the folder in one run, begun before; what it returns stands in r->code. */
static inline void import_set(run *r, const set *s, size_t block)
{
    folder f = write_set(s);
    const char *path = f.path;
    ts_import_request request = {.paths = &path, .path_count = 1, .block_size = block};
    ts_import_result result = {0};
    r->code = ts_store_new(&r->store, r->ctx, memsink_sink(r->sink), NULL);
    if (r->code == TS_OK) {
        r->code = ts_import_run(&result, r->ctx, r->store, &request);
    }
    if (r->code == TS_OK) {
        r->code = ts_store_finish(r->store);
    }
    remove_set(&f, s);
}

static inline void import_files_of(run *r, const set *s)
{
    import_begin(r);
    import_set(r, s, 0);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
    assert_honest(r);
}

#define COUNTED(r, item, column) count_sum((r), (item), TS_C_import_count__##column)

/* --- looking at rows -------------------------------------------------------------------------- */

static inline void assert_slice(const run *r, size_t i, int64_t parent, int64_t at, int64_t dur,
                                int64_t self, int64_t depth, int64_t state)
{
    if (parent == 0) {
        assert_null_cell(r, stack_slice, i, parent_id);
    } else {
        assert_cell(r, stack_slice, i, parent_id, parent);
    }
    assert_cell(r, stack_slice, i, ts, MS(CALL_START + at));
    assert_cell(r, stack_slice, i, dur, MS(dur));
    assert_cell(r, stack_slice, i, self_dur, MS(self));
    assert_cell(r, stack_slice, i, depth, depth);
    assert_cell(r, stack_slice, i, state, state);
}

static inline void assert_worked_slices(const run *r)
{
    assert_rows(r, stack_slice, 4);
    assert_slice(r, 0, 0, 0, 415, 399, 0, 0);
    assert_slice(r, 1, 1, 77, 3, 0, 1, 0);
    assert_slice(r, 2, 2, 77, 3, 3, 2, 0);
    assert_slice(r, 3, 1, 178, 13, 13, 1, 0);
}

#endif
