#include "piece.h"
#include "synth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char chunk_head[] =
    "{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\"";
static const char chunk_tail[] = "\"}}";

/* Cuts text into chunk messages. `message` holds the escaped text of the current one. */
typedef struct chunker {
    mk_writer *w;
    mk_buf message;
    uint64_t room; /* unescaped bytes that still fit */
    uint64_t chunks;
    uint8_t held[4]; /* a UTF-8 sequence that is not complete (escape_unicode) */
    size_t held_n;
    size_t held_need;
} chunker;

void mk_writer_init(mk_writer *w, int fd)
{
    static const uint64_t clocks[MK_CLOCKS] = {8100000000000,       1700000000000000000,
                                               1699999999997000000, 8000000000000,
                                               7999997000000,       7999900000000};
    static const uint8_t order[MK_FIELDS] = {1, 2, 3, 4, 5, 6, 7, 8};

    *w = (mk_writer){.plugin = "arkts-plugin", .profile_key = "profile", .profile_marks = 2};
    mk_output_init(&w->out, fd);
    w->head.version = 0x00010000;
    memcpy(w->head.clocks, clocks, sizeof clocks);
    memcpy(w->env.order, order, sizeof order);
    w->next_ts = 1700000001000000000;
    w->step = 1000000;
    w->chunk_min = 102400;
    w->chunk_max = 102400;
}

void mk_writer_ready(mk_writer *w)
{
    if (!w->out.open)
        mk_section_begin(&w->out, &w->head);
}

static int64_t take_time(mk_writer *w)
{
    int64_t ts = w->next_ts;

    w->next_ts += w->step;
    return ts;
}

/* Opens a segment for a message of `size` bytes: field 1 of ArkTSResult. */
static void message_begin(mk_writer *w, mk_plugin_segment *s, uint64_t size)
{
    mk_buf inner = {0};

    mk_writer_ready(w);
    mk_field_bytes(&inner, 1, size, w->env.padded_varints);
    mk_plugin_begin(s, &w->out, &w->env, w->plugin, inner.n + size, take_time(w));
    mk_segment_put(&w->out, inner.p, inner.n);
    mk_buf_free(&inner);
}

void mk_piece_message(mk_writer *w, const void *text, size_t n)
{
    mk_plugin_segment s;

    message_begin(w, &s, n);
    mk_segment_put(&w->out, text, n);
    mk_plugin_end(&s);
}

static void message_text(mk_writer *w, const char *text)
{
    mk_piece_message(w, text, strlen(text));
}

static void chunk_open(chunker *c)
{
    uint64_t span = c->w->chunk_max - c->w->chunk_min + 1;

    c->message.n = 0;
    mk_buf_str(&c->message, chunk_head);
    c->room = c->w->chunk_min + (span > 1 ? mk_below(&c->w->rand, span) : 0);
}

static void chunk_close(chunker *c)
{
    mk_buf_str(&c->message, chunk_tail);
    mk_piece_message(c->w, c->message.p, c->message.n);
    c->message.n = 0;
    c->chunks++;
    if (c->w->noise > 0 && c->chunks % c->w->noise == 0)
        message_text(c->w, "{\"method\":\"HeapProfiler.lastSeenObjectId\",\"params\":"
                           "{\"lastSeenObjectId\":4711,\"timestamp\":1700000000000.5}}");
}

/* Takes `n` unescaped bytes off the room of the chunk and closes it when it is full. */
static void chunk_took(chunker *c, uint64_t n)
{
    c->room -= n < c->room ? n : c->room;
    if (c->room == 0)
        chunk_close(c);
}

static void escape_byte(mk_buf *b, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};

    switch (c) {
    case '"':
    case '\\':
        text[1] = (char)c;
        break;
    case '\b':
        text[1] = 'b';
        break;
    case '\f':
        text[1] = 'f';
        break;
    case '\n':
        text[1] = 'n';
        break;
    case '\r':
        text[1] = 'r';
        break;
    case '\t':
        text[1] = 't';
        break;
    default:
        mk_buf_put(b, text, 6);
        return;
    }
    mk_buf_put(b, text, 2);
}

static void escape_unit(mk_buf *b, uint32_t unit)
{
    char text[8];

    snprintf(text, sizeof text, "\\u%04x", unit & 0xFFFFU);
    mk_buf_put(b, text, 6);
}

/* The bytes from `p` on that need no escape. */
static size_t plain_run(const chunker *c, const uint8_t *p, size_t n)
{
    size_t i = 0;

    if (n > c->room)
        n = (size_t)c->room;
    while (i < n && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\' &&
           (p[i] < 0x80 || !c->w->escape_unicode))
        i++;
    return i;
}

/* A complete UTF-8 sequence as \u escapes. A chunk may end between the halves of a pair. */
static void put_escaped_unicode(chunker *c)
{
    static const uint8_t masks[5] = {0, 0, 0x1F, 0x0F, 0x07};
    uint32_t cp = c->held[0] & masks[c->held_n];

    for (size_t i = 1; i < c->held_n; i++)
        cp = cp << 6 | (c->held[i] & 0x3FU);
    if (cp < 0x10000) {
        escape_unit(&c->message, cp);
        chunk_took(c, c->held_n);
    } else {
        cp -= 0x10000;
        escape_unit(&c->message, 0xD800 + (cp >> 10));
        chunk_took(c, 2);
        if (c->message.n == 0)
            chunk_open(c);
        escape_unit(&c->message, 0xDC00 + (cp & 0x3FF));
        chunk_took(c, 2);
    }
    c->held_n = 0;
}

/* Bytes that are no UTF-8 pass as they are. */
static void give_up_sequence(chunker *c)
{
    mk_buf_put(&c->message, c->held, c->held_n);
    chunk_took(c, c->held_n);
    c->held_n = 0;
}

static void hold_byte(chunker *c, uint8_t byte)
{
    if (c->held_n == 0)
        c->held_need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    c->held[c->held_n++] = byte;
    if (c->held_need == 1)
        give_up_sequence(c);
    else if (c->held_n == c->held_need)
        put_escaped_unicode(c);
}

static void chunker_put(void *user, const void *bytes, size_t n)
{
    chunker *c = user;
    const uint8_t *p = bytes;

    while (n > 0) {
        size_t run;

        if (c->message.n == 0)
            chunk_open(c);
        if (c->held_n > 0 && (*p & 0xC0) != 0x80) {
            give_up_sequence(c);
            continue;
        }
        run = plain_run(c, p, n);
        if (run > 0) {
            mk_buf_put(&c->message, p, run);
            chunk_took(c, run);
        } else {
            run = 1;
            if (*p >= 0x80) {
                hold_byte(c, *p);
            } else {
                escape_byte(&c->message, *p);
                chunk_took(c, 1);
            }
        }
        p += run;
        n -= run;
    }
}

static void chunker_end(chunker *c)
{
    if (c->held_n > 0)
        give_up_sequence(c);
    if (c->message.n > 0)
        chunk_close(c);
    mk_buf_free(&c->message);
}

static void run_file(const char *path, mk_sink to)
{
    static uint8_t block[1 << 16];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (f == NULL)
        mk_die("cannot open %s: %s", path, strerror(errno));
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        to.put(to.user, block, n);
    if (ferror(f))
        mk_die("cannot read %s: %s", path, strerror(errno));
    fclose(f);
}

void mk_source_run(const char *spec, bool profile, bool timeline, mk_sink to)
{
    if (strncmp(spec, "synth:", 6) != 0)
        run_file(spec, to);
    else if (profile)
        mk_synth_profile(spec + 6, to);
    else
        mk_synth_heap(spec + 6, timeline, to);
}

/* The viewer's form: one message whose chunk is an object. */
static void send_object(mk_writer *w, const char *spec, bool timeline)
{
    mk_buf text = {0};
    mk_buf message = {0};

    mk_source_run(spec, false, timeline, mk_sink_buf(&text));
    mk_buf_str(&message, "{\"params\":{\"chunk\":");
    mk_viewer_dump(&message, &text, &w->keep);
    mk_buf_str(&message, "}}");
    mk_piece_message(w, message.p, message.n);
    mk_buf_free(&text);
    mk_buf_free(&message);
}

static void send_chunks(mk_writer *w, const char *spec, bool timeline)
{
    chunker c = {.w = w};

    if (!w->no_progress)
        message_text(w, "{\"method\":\"HeapProfiler.reportHeapSnapshotProgress\",\"params\":"
                        "{\"done\":1000,\"total\":1000,\"finished\":true}}");
    mk_source_run(spec, false, timeline, (mk_sink){chunker_put, &c});
    chunker_end(&c);
}

void mk_piece_heap(mk_writer *w, const char *spec, bool timeline)
{
    if (timeline && !w->no_start)
        message_text(w, "{\"id\":1,\"result\":{}}");
    if (w->data_in_object)
        send_object(w, spec, timeline);
    else
        send_chunks(w, spec, timeline);
    if (!w->no_end)
        message_text(w, timeline ? "{\"id\":2,\"result\":{}}" : "{\"id\":1,\"result\":{}}");
}

static void segment_sink(void *user, const void *p, size_t n)
{
    mk_segment_put(user, p, n);
}

void mk_piece_profile(mk_writer *w, const char *spec)
{
    bool viewer = w->profile_shape == MK_PROFILE_VIEWER;
    const char *tail = viewer ? "}\"" : "}}";
    mk_plugin_segment s;
    mk_buf head = {0};
    uint64_t size = 0;

    for (int64_t i = 0; i < w->profile_marks; i++)
        message_text(w, "{\"id\":3,\"result\":{}}");
    mk_buf_str(&head, viewer ? "{\"id\":3, \"result\":{\"" : "{\"id\":3,\"result\":{\"");
    mk_buf_str(&head, w->profile_key);
    mk_buf_str(&head, "\":");
    /* The length is in front of the text: a first run counts it. */
    mk_source_run(spec, true, false, mk_sink_count(&size));
    message_begin(w, &s, head.n + size + strlen(tail));
    mk_segment_put(&w->out, head.p, head.n);
    mk_source_run(spec, true, false, (mk_sink){segment_sink, &w->out});
    mk_segment_put(&w->out, tail, strlen(tail));
    mk_plugin_end(&s);
    mk_buf_free(&head);
}

void mk_piece_config(mk_writer *w, const mk_config *c)
{
    char name[160];
    mk_buf data = {0};

    mk_writer_ready(w);
    snprintf(name, sizeof name, "%s_config", w->plugin);
    mk_config_encode(&data, c);
    mk_plugin_whole(&w->out, &w->env, name, &data, -1);
    mk_buf_free(&data);
}

void mk_piece_messages(mk_writer *w, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    if (f == NULL)
        mk_die("cannot open %s: %s", path, strerror(errno));
    while ((n = getline(&line, &cap, f)) > 0) {
        char *text = strchr(line, ' ');

        if (line[n - 1] == '\n')
            line[--n] = '\0';
        if (text == NULL)
            mk_die("%s: a line is not \"<time> <message>\"", path);
        *text++ = '\0';
        w->next_ts = mk_number(line, path);
        mk_piece_message(w, text, (size_t)(line + n - text));
    }
    free(line);
    fclose(f);
}

/* "NAME:SIZE" or "NAME:@FILE". `*name` is allocated. */
static uint64_t parse_blob(const char *spec, char **name, const char **path)
{
    const char *colon = strrchr(spec, ':');
    uint64_t size = 0;

    if (colon == NULL)
        mk_die("not NAME:SIZE or NAME:@FILE: %s", spec);
    *name = strndup(spec, (size_t)(colon - spec));
    *path = colon[1] == '@' ? colon + 2 : NULL;
    if (*path != NULL)
        run_file(*path, mk_sink_count(&size));
    else
        size = (uint64_t)mk_number(colon + 1, spec);
    return size;
}

static void run_blob(mk_writer *w, const char *path, uint64_t size, mk_sink to)
{
    uint8_t block[4096];

    if (path != NULL) {
        run_file(path, to);
        return;
    }
    while (size > 0) {
        size_t n = size < sizeof block ? (size_t)size : sizeof block;

        for (size_t i = 0; i < sizeof block; i += 8) {
            uint64_t v = mk_next(&w->rand);

            memcpy(block + i, &v, 8);
        }
        to.put(to.user, block, n);
        size -= n;
    }
}

/* A segment whose data is given in hexadecimal digits. */
static void plugin_hex(mk_writer *w, const char *spec, const char *digits)
{
    char *name = strndup(spec, (size_t)(digits - spec));
    mk_buf data = {0};

    mk_hex(&data, digits + 2);
    mk_writer_ready(w);
    mk_plugin_whole(&w->out, &w->env, name, &data, take_time(w));
    mk_buf_free(&data);
    free(name);
}

void mk_piece_plugin(mk_writer *w, const char *spec)
{
    const char *digits = strstr(spec, ":=");
    char *name = NULL;
    const char *path = NULL;
    uint64_t size;
    mk_plugin_segment s;

    if (digits != NULL) {
        plugin_hex(w, spec, digits);
        return;
    }
    size = parse_blob(spec, &name, &path);
    mk_writer_ready(w);
    mk_plugin_begin(&s, &w->out, &w->env, name, size, take_time(w));
    run_blob(w, path, size, (mk_sink){segment_sink, &w->out});
    mk_plugin_end(&s);
    free(name);
}

static void raw_sink(void *user, const void *p, size_t n)
{
    mk_output_raw(user, p, n);
}

void mk_piece_section(mk_writer *w, const char *spec)
{
    mk_header head = {.version = 0x00010000,
                      .length_mode = w->head.length_mode,
                      .length_value = w->head.length_value,
                      .sha256 = w->head.sha256};
    char *name = NULL;
    const char *path = NULL;
    uint64_t size = parse_blob(spec, &name, &path);
    bool hiperf = strcmp(name, "hiperf") == 0;

    head.data_type = hiperf ? 1 : 1000;
    if (!hiperf)
        head.standalone_name = strcmp(name, "ebpf") == 0 ? "hiebpf-plugin" : name;
    mk_section_begin(&w->out, &head);
    run_blob(w, path, size, (mk_sink){raw_sink, &w->out});
    mk_section_end(&w->out);
    free(name);
}
