/* Profiles of servers: pprof, JFR, folded stacks, uploads of Datakit; what docs/formats.md says of
 * bad input, a line of it each. */
#include "catalogue.h"

#include "pprof_build.h"

#define JFR_CORPUS TS_TEST_DATA "/../fuzz/corpus/jfr/"

/* --- pprof -------------------------------------------------------------------------------------
 */

/* Everything but the texts, then those, without the last `n`. */
static void make_pprof_without_texts(making *m)
{
    put_types(&m->b);
    put_samples(&m->b);
    put_places(&m->b);
    for (size_t i = m->n < 0 ? 1 : 0; i + (m->n > 0 ? (size_t)m->n : 0) < T_TEXTS; i++) {
        put_text(&m->b, 6, tiny_texts[i]);
    }
}

/* A whole profile with these bytes before its samples. */
static void make_pprof_with(making *m)
{
    put_types(&m->b);
    put_places(&m->b);
    put_texts(&m->b);
    mark(m, 0);
    put(&m->b, m->arg, (size_t)m->n);
    put_samples(&m->b);
}

/* Samples of one message, then a whole profile: n values and `arg` locations. */
static void make_pprof_sample(making *m)
{
    static const int64_t values[] = {1, 2, 3};
    uint64_t locations[8] = {0};
    bytes sample;
    for (size_t i = 0; m->arg[i] != '\0'; i++) {
        locations[i] = (uint64_t)m->arg[i] - '0';
    }
    put_types(&m->b);
    put_places(&m->b);
    put_texts(&m->b);
    sample = sample_of(locations, values, (size_t)m->n, true);
    put_inner(&m->b, 2, sample);
}

static void make_pprof_without_types(making *m)
{
    put_places(&m->b);
    put_texts(&m->b);
    put_samples(&m->b);
}

/* A function, a location and a mapping once more, with other names, and number n of each. */
static void make_pprof_twice(making *m)
{
    static const line_of other[] = {{3, 99}};
    const uint64_t id = (uint64_t)m->n;
    put_types(&m->b);
    put_places(&m->b);
    put_mapping(&m->b, id, T_FILE);
    put_location(&m->b, id, 1, 0x9000, other, 1);
    put_function(&m->b, id, T_WORKER, T_FILE, 99);
    put_samples(&m->b);
    put_texts(&m->b);
}

/* Location 1 refers to function n and to mapping n. */
static void make_pprof_reference(making *m)
{
    const line_of line[] = {{(uint64_t)m->n, 10}};
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, 2};
    put_types(&m->b);
    put_location(&m->b, 1, (uint64_t)m->n, 0x1000, line, 1);
    put_function(&m->b, 1, T_MAIN, T_FILE, 9);
    put_inner(&m->b, 2, sample_of(stack, values, 2, true));
    put_texts(&m->b);
}

/* A function whose name is the text n. */
static void make_pprof_text(making *m)
{
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, 2};
    static const line_of line[] = {{1, 10}};
    put_types(&m->b);
    put_location(&m->b, 1, 0, 0x1000, line, 1);
    put_function(&m->b, 1, (uint64_t)m->n, T_FILE, 9);
    put_inner(&m->b, 2, sample_of(stack, values, 2, true));
    put_texts(&m->b);
}

/* A location without lines, in mapping n. */
static void make_pprof_mapping(making *m)
{
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, 2};
    put_types(&m->b);
    put_mapping(&m->b, 1, T_IMAGE);
    put_location(&m->b, 1, (uint64_t)m->n, 0x1000, NULL, 0);
    put_inner(&m->b, 2, sample_of(stack, values, 2, true));
    put_texts(&m->b);
}

#define PPROF_ROWS(samples, values)                                                                \
    .rows = {{TS_T_stack_sample, samples}, {TS_T_stack_sample_value, values}}

/* --- JFR ---------------------------------------------------------------------------------------
 */

static void put_jfr(making *m, const char *name)
{
    char path[512];
    size_t n;
    snprintf(path, sizeof path, "%s%s", JFR_CORPUS, name);
    char *p = test_read_file(path, &n);
    put(&m->b, p, n);
    free(p);
}

static void set_be64(bytes *b, size_t at, uint64_t v)
{
    for (size_t i = 0; i < 8; i++) {
        b->p[at + i] = (uint8_t)(v >> (56 - 8 * i));
    }
}

/* The recording used here has 13 events, 11 of them samples, in one chunk. */
enum { JFR_BYTES = 3986 };
#define JFR_ROWS(n) .rows = {{TS_T_stack_sample, n}}

/* A recording of one chunk, then bytes that are none. */
static void make_jfr_tail(making *m)
{
    put_jfr(m, "pool-cycle");
    mark(m, 0);
    put(&m->b, m->arg, (size_t)m->n);
}

/* Fields of the header of the only chunk. */
enum { JFR_MAJOR = 4, JFR_SIZE = 8, JFR_POOLS = 16, JFR_METADATA = 24, JFR_TICKS = 56 };

/* The header's field `arg` is n. */
static void make_jfr_header(making *m)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {
        {"size", JFR_SIZE}, {"pools", JFR_POOLS}, {"metadata", JFR_METADATA}, {"ticks", JFR_TICKS}};
    put_jfr(m, "pool-cycle");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, m->arg) == 0) {
            set_be64(&m->b, fields[i].at, (uint64_t)m->n);
        }
    }
}

static void make_jfr_version(making *m)
{
    put_jfr(m, "pool-cycle");
    m->b.p[JFR_MAJOR + 1] = (uint8_t)m->n;
}

/* The same chunk twice, the second without its last n bytes. */
static void make_jfr_cut(making *m)
{
    put_jfr(m, "pool-cycle");
    mark(m, 0);
    put_jfr(m, "pool-cycle");
    m->b.n -= (size_t)m->n;
}

static void make_jfr_file(making *m)
{
    put_jfr(m, m->arg);
}

/* --- texts -------------------------------------------------------------------------------------
 */

/* The text; DEL stands for a zero byte. */
static void make_text(making *m)
{
    size_t at = m->b.n;
    put_str(&m->b, m->arg);
    for (; at < m->b.n; at++) {
        m->b.p[at] = m->b.p[at] == 0x7f ? 0 : m->b.p[at];
    }
}

/* --- uploads -----------------------------------------------------------------------------------
 */

#define B "----x"
#define PART(name, text)                                                                           \
    "--" B "\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"" name               \
    "\"\r\n\r\n" text "\r\n"
#define EVENT(members) PART("event.json", "{" members "}")
#define TIMES "\"start\":\"2024-02-02T01:10:01Z\",\"end\":\"2024-02-02T01:11:01Z\""
#define FOLDED PART("a.folded", "main;work 3\nmain;rest 1\n")
#define END "--" B "--\r\n"

#define UPLOAD_ROWS(n) .rows = {{TS_T_profile, 1}, {TS_T_stack_sample, n}}

const item servers_items[] = {
    /* pprof */
    {.name = "servers.pprof_no_types",
     .make = make_pprof_without_types,
     .issues = {{"prof_no_types", 1, OFF_ANY}},
     .counts = {{"profile_values", 6, 0, 6, 0}},
     PPROF_ROWS(3, 0)},
    {.name = "servers.pprof_first_text",
     .make = make_pprof_without_texts,
     .n = -1,
     .issues = {{"prof_first_string", 1, OFF_ANY},
                {"prof_bad_string", SOME, OFF_ANY},
                {"prof_bad_label", 4, OFF_ANY}},
     .counts = {{"profile_values", 6, 0, 6, 0}},
     PPROF_ROWS(3, 0)},
    {.name = "servers.pprof_last_text", .make = make_pprof_without_texts, .n = 1, PPROF_ROWS(3, 6)},
    {.name = "servers.pprof_wire_type_3",
     .make = make_pprof_with,
     .arg = "\x13",
     .n = 1,
     .issues = {{"prof_incomplete", 1, MARK(0)}, {"prof_no_samples", 1, OFF_ANY}},
     PPROF_ROWS(0, 0)},
    {.name = "servers.pprof_wire_type_7",
     .make = make_pprof_with,
     .arg = "\x17",
     .n = 1,
     .issues = {{"prof_incomplete", 1, MARK(0)}, {"prof_no_samples", 1, OFF_ANY}},
     PPROF_ROWS(0, 0)},
    {.name = "servers.pprof_field_0",
     .make = make_pprof_with,
     .arg = "\x02\x00",
     .n = 2,
     .issues = {{"prof_incomplete", 1, MARK(0)}, {"prof_no_samples", 1, OFF_ANY}},
     PPROF_ROWS(0, 0)},
    {.name = "servers.pprof_long_varint",
     .make = make_pprof_with,
     .arg = "\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
     .n = 12,
     .issues = {{"prof_incomplete", 1, MARK(0)}, {"prof_no_samples", 1, OFF_ANY}},
     PPROF_ROWS(0, 0)},
    {.name = "servers.pprof_length_past_end",
     .make = make_pprof_with,
     .arg = "\x12\xff\xff\x03",
     .n = 4,
     .issues = {{"prof_incomplete", 1, MARK(0)}},
     .counts = {{"profile_samples", 1, 0, 1, 0}},
     PPROF_ROWS(0, 0)},
    {.name = "servers.pprof_bad_sample",
     .make = make_pprof_with,
     .arg = "\x12\x02\x0a\x07",
     .n = 4,
     .issues = {{"prof_bad_message", 1, MARK(0)}},
     .counts = {{"profile_samples", 4, 3, 1, 0}},
     PPROF_ROWS(3, 6)},
    {.name = "servers.pprof_one_value",
     .make = make_pprof_sample,
     .arg = "21",
     .n = 1,
     .issues = {{"prof_value_count", 1, OFF_ANY}},
     .counts = {{"profile_values", 1, 0, 1, 0}},
     PPROF_ROWS(1, 0)},
    {.name = "servers.pprof_three_values",
     .make = make_pprof_sample,
     .arg = "21",
     .n = 3,
     .issues = {{"prof_value_count", 1, OFF_ANY}},
     .counts = {{"profile_values", 3, 0, 3, 0}},
     PPROF_ROWS(1, 0)},
    {.name = "servers.pprof_unknown_location",
     .make = make_pprof_sample,
     .arg = "291",
     .n = 2,
     .issues = {{"prof_unknown_id", 1, OFF_ANY}},
     PPROF_ROWS(1, 2)},
    {.name = "servers.pprof_unknown_function",
     .make = make_pprof_reference,
     .n = 7,
     .issues = {{"prof_unknown_id", 1, OFF_ANY}},
     PPROF_ROWS(1, 2)},
    {.name = "servers.pprof_function_0",
     .make = make_pprof_reference,
     .n = 0,
     .issues = {{"prof_unknown_id", 1, OFF_ANY}},
     PPROF_ROWS(1, 2)},
    {.name = "servers.pprof_unknown_mapping",
     .make = make_pprof_mapping,
     .n = 7,
     .issues = {{"prof_unknown_mapping", 1, OFF_ANY}},
     PPROF_ROWS(1, 2)},
    {.name = "servers.pprof_no_mapping", .make = make_pprof_mapping, .n = 0, PPROF_ROWS(1, 2)},
    {.name = "servers.pprof_twice",
     .make = make_pprof_twice,
     .n = 1,
     .issues = {{"prof_duplicate_id", 3, OFF_ANY}},
     .counts = {{"profile_frames", 10, 7, 3, 0}},
     PPROF_ROWS(3, 6)},
    {.name = "servers.pprof_number_0",
     .make = make_pprof_twice,
     .n = 0,
     .issues = {{"prof_duplicate_id", 3, OFF_ANY}},
     .counts = {{"profile_frames", 10, 7, 3, 0}},
     PPROF_ROWS(3, 6)},
    /* The list of texts is one too short, and so may lack any of them. */
    {.name = "servers.pprof_text_out_of_range",
     .make = make_pprof_text,
     .n = T_TEXTS,
     .issues = {{"prof_bad_string", SOME, OFF_ANY}},
     .counts = {{"profile_values", 2, 0, 2, 0}},
     PPROF_ROWS(1, 0)},
    {.name = "servers.pprof_text_negative",
     .make = make_pprof_text,
     .n = -1,
     .issues = {{"prof_bad_string", 1, OFF_ANY}},
     PPROF_ROWS(1, 2)},
    /* JFR */
    {.name = "servers.jfr_trailing_bytes",
     .make = make_jfr_tail,
     .arg = "trailing",
     .n = 8,
     .issues = {{"jfr_stray_bytes", 1, MARK(0)}},
     .counts = {{"bytes", JFR_BYTES + 8, JFR_BYTES, 8, 0}, {"jfr_chunks", 1, 1, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_bad_magic_later",
     .make = make_jfr_tail,
     .arg = "FLX\0\0\2\0\1",
     .n = 8,
     .issues = {{"jfr_stray_bytes", 1, MARK(0)}},
     .counts = {{"bytes", JFR_BYTES + 8, JFR_BYTES, 8, 0}, {"jfr_chunks", 1, 1, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_size_67",
     .make = make_jfr_header,
     .arg = "size",
     .n = 67,
     .issues = {{"jfr_chunk_cut", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_size_0",
     .make = make_jfr_header,
     .arg = "size",
     .n = 0,
     .issues = {{"jfr_chunk_cut", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_size_past_end",
     .make = make_jfr_header,
     .arg = "size",
     .n = 1 << 20,
     .issues = {{"jfr_chunk_cut", 1, OFF_ANY}, {"jfr_lost_bytes", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_size_negative",
     .make = make_jfr_header,
     .arg = "size",
     .n = -1,
     .issues = {{"jfr_chunk_cut", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_metadata_0",
     .make = make_jfr_header,
     .arg = "metadata",
     .n = 0,
     .issues = {{"jfr_bad_metadata", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_metadata_past_end",
     .make = make_jfr_header,
     .arg = "metadata",
     .n = 1 << 20,
     .issues = {{"jfr_bad_metadata", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_metadata_elsewhere",
     .make = make_jfr_header,
     .arg = "metadata",
     .n = 70,
     .issues = {{"jfr_bad_metadata", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_pools_0",
     .make = make_jfr_header,
     .arg = "pools",
     .n = 0,
     .issues = {{"jfr_bad_checkpoint", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_pools_past_end",
     .make = make_jfr_header,
     .arg = "pools",
     .n = 1 << 20,
     .issues = {{"jfr_bad_checkpoint", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_ticks_0",
     .make = make_jfr_header,
     .arg = "ticks",
     .n = 0,
     .issues = {{"jfr_bad_chunk", 1, 0},
                {"jfr_lost_bytes", 1, OFF_ANY},
                {"clock_not_related", 1, OFF_ANY}},
     .counts = {{"jfr_chunks", 1, 0, 1, 0}, {"bytes", JFR_BYTES, 0, JFR_BYTES, 0}},
     JFR_ROWS(0)},
    {.name = "servers.jfr_ticks_negative",
     .make = make_jfr_header,
     .arg = "ticks",
     .n = -1,
     .issues = {{"jfr_bad_chunk", 1, 0},
                {"jfr_lost_bytes", 1, OFF_ANY},
                {"clock_not_related", 1, OFF_ANY}},
     .counts = {{"jfr_chunks", 1, 0, 1, 0}, {"bytes", JFR_BYTES, 0, JFR_BYTES, 0}},
     JFR_ROWS(0)},
    {.name = "servers.jfr_version_1", .make = make_jfr_version, .n = 1, .code = TS_ERR_FORMAT},
    {.name = "servers.jfr_cut_in_header",
     .make = make_jfr_cut,
     .n = JFR_BYTES - 20,
     .issues = {{"jfr_stray_bytes", 1, MARK(0)}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_event_size_0",
     .make = make_jfr_file,
     .arg = "size-zero",
     .issues = {{"jfr_bad_event_size", 1, OFF_ANY}, {"jfr_lost_bytes", 1, OFF_ANY}},
     .counts = {{"jfr_chunks", 1, 1, 0, 0}}},
    {.name = "servers.jfr_pool_cycle",
     .make = make_jfr_file,
     .arg = "pool-cycle",
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_pool_loop",
     .make = make_jfr_file,
     .arg = "pool-loop",
     .issues = {{"jfr_bad_checkpoint", 1, OFF_ANY}},
     .counts = {{"jfr_events", 13, 13, 0, 0}},
     JFR_ROWS(11)},
    {.name = "servers.jfr_recursive_types",
     .make = make_jfr_file,
     .arg = "recursive",
     .issues = {{"jfr_bad_event", 1, OFF_ANY}},
     .counts = {{"jfr_events", 14, 13, 1, 0}},
     JFR_ROWS(11)},
    /* Folded stacks */
    {.name = "servers.folded_bad_line",
     .make = make_text,
     .arg = "main;work 3\nno number\nmain;rest 1\n",
     .issues = {{"prof_bad_line", 1, 12}},
     .counts = {{"profile_samples", 3, 2, 1, 0}},
     .rows = {{TS_T_stack_sample, 2}}},
    {.name = "servers.folded_no_good_line",
     .make = make_text,
     .arg = "main;work x\nmain;rest y\n",
     .code = TS_ERR_FORMAT},
    {.name = "servers.folded_number_too_large",
     .make = make_text,
     .arg = "main;work 99999999999999999999\nmain;rest 1\n",
     .issues = {{"prof_bad_number", 1, 0}},
     .counts = {{"profile_samples", 2, 1, 1, 0}},
     .rows = {{TS_T_stack_sample, 1}}},
    /* Uploads: one profile each, with the two samples of its file. */
    {.name = "servers.upload",
     .make = make_text,
     .arg = EVENT(TIMES) FOLDED END,
     .counts = {{"datakit_tags", 2, 2, 0, 0}, {"datakit_attachments", 1, 1, 0, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_without_metadata",
     .make = make_text,
     .arg = FOLDED END,
     .issues = {{"datakit_no_metadata", 1, OFF_ANY}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_bad_event",
     .make = make_text,
     .arg = PART("event.json", "{\"start\":") FOLDED END,
     .issues = {{"datakit_bad_event", 1, 9}},
     .counts = {{"datakit_tags", 1, 0, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_event_no_object",
     .make = make_text,
     .arg = PART("event.json", "[]") FOLDED END,
     .issues = {{"datakit_bad_event", 1, 2}},
     .counts = {{"datakit_tags", 1, 0, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_bad_time",
     .make = make_text,
     .arg = EVENT("\"start\":\"yesterday\",\"end\":\"2024-02-02T01:11:01Z\"") FOLDED END,
     .issues = {{"datakit_bad_time", 1, OFF_ANY}},
     .counts = {{"datakit_tags", 2, 1, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_before_1970",
     .make = make_text,
     .arg = EVENT("\"start\":\"1969-12-31T23:59:59Z\",\"end\":\"2024-02-02T01:11:01Z\"") FOLDED END,
     .issues = {{"datakit_bad_time", 1, OFF_ANY}},
     .counts = {{"datakit_tags", 2, 1, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_beyond_64_bits",
     .make = make_text,
     .arg = EVENT("\"start\":\"2024-02-02T01:10:01Z\",\"end\":\"9999-02-02T01:11:01Z\"") FOLDED END,
     .issues = {{"datakit_bad_time", 1, OFF_ANY}},
     .counts = {{"datakit_tags", 2, 1, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_end_before_start",
     .make = make_text,
     .arg = EVENT("\"end\":\"2024-02-02T01:10:01Z\",\"start\":\"2024-02-02T01:11:01Z\"") FOLDED END,
     .issues = {{"datakit_time_order", 1, OFF_ANY}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_missing_file",
     .make = make_text,
     .arg = EVENT(TIMES ",\"attachments\":[\"a.folded\",\"b.jfr\"]") FOLDED END,
     .issues = {{"datakit_missing", 1, OFF_ANY}},
     .counts = {{"datakit_attachments", 2, 1, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_unreadable_file",
     .make = make_text,
     .arg = EVENT(TIMES) PART("b.jfr", "FLR\x7f\x7f\x01\x7f\x7f") FOLDED END,
     .issues = {{"datakit_failed", 1, OFF_ANY}, {"unknown_format", 1, OFF_ANY}},
     .counts = {{"datakit_attachments", 2, 1, 1, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_unknown_file",
     .make = make_text,
     .arg = EVENT(TIMES) PART("b.txt", "hello") FOLDED END,
     .counts = {{"datakit_attachments", 2, 1, 0, 1}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_without_end",
     .make = make_text,
     .arg = EVENT(TIMES) FOLDED,
     .issues = {{"wire_damage", 2, OFF_ANY}},
     .counts = {{"datakit_attachments", 1, 1, 0, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_path_outside",
     .make = make_text,
     .arg = EVENT(TIMES) PART("../../etc/passwd.folded", "main;work 3\n")
         PART("/etc/b.folded", "main;rest 3\n") END,
     .counts = {{"datakit_attachments", 2, 2, 0, 0}},
     UPLOAD_ROWS(2)},
    {.name = "servers.upload_bad_metrics",
     .make = make_text,
     .arg = EVENT(TIMES) PART("metrics.json", "[[\"a\",1],[\"b\",\"x\"],[\"c\"") FOLDED END,
     .issues = {{"datakit_bad_number", 1, OFF_NONE}, {"datakit_bad_metrics", 1, 23}},
     .counts = {{"datakit_numbers", 3, 1, 2, 0}},
     UPLOAD_ROWS(2)},
    {.name = NULL},
};
