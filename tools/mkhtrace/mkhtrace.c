/*
 * mkhtrace: builds an .htrace recording out of pieces given on the command line, in their order.
 * Options that describe pieces apply to the pieces after them. `mkhtrace --help` lists everything.
 */
#include "piece.h"
#include "synth.h"
#include "synth_ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct state {
    mk_writer w;
    mk_damage damage;
    const char *output;
    const char *emit;
    const char *synthetic;
    const char *synthetic_profile;
    const char *synthetic_ftrace;
} state;

typedef enum option_kind {
    HEADING, /* only a line of the help */
    FLAG,    /* bool */
    NUM64,   /* 8 bytes */
    NUM32,   /* 4 bytes */
    TEXT,    /* const char * */
    CALL,    /* a function with an argument */
    DO,      /* a function without */
} option_kind;

typedef struct option {
    const char *name;
    const char *argument; /* as the help shows it */
    option_kind kind;
    size_t offset; /* into state */
    void (*call)(state *s, const char *value);
    const char *help;
} option;

/* The text without "@digits" at its end; that is the time of the piece's first message. */
static char *take_time_suffix(state *s, const char *value)
{
    char *copy = strdup(value);
    char *at = strrchr(copy, '@');

    if (at != NULL && at[1] != '\0' && at[1 + strspn(at + 1, "0123456789")] == '\0') {
        s->w.next_ts = mk_number(at + 1, value);
        *at = '\0';
    }
    return copy;
}

static void parse_clocks(uint64_t clocks[MK_CLOCKS], const char *value)
{
    static const char *const names[MK_CLOCKS] = {"boot", "real",       "realcoarse",
                                                 "mono", "monocoarse", "monoraw"};
    char *copy = strdup(value);
    char *rest = copy;
    char *key;
    char *text;

    memset(clocks, 0, MK_CLOCKS * sizeof clocks[0]);
    while (mk_pair(&rest, &key, &text)) {
        size_t i = 0;

        while (i < MK_CLOCKS && strcmp(names[i], key) != 0)
            i++;
        if (i == MK_CLOCKS)
            mk_die("there is no clock %s", key);
        clocks[i] = (uint64_t)mk_number(text, key);
    }
    free(copy);
}

static void do_clocks(state *s, const char *value)
{
    parse_clocks(s->w.head.clocks, value);
}

static void do_no_clocks(state *s, const char *value)
{
    (void)value;
    memset(s->w.head.clocks, 0, sizeof s->w.head.clocks);
}

static void do_ftrace_clocks(state *s, const char *value)
{
    uint64_t clocks[MK_CLOCKS];
    mk_buf data = {0};

    parse_clocks(clocks, value);
    mk_clocks_encode(&data, clocks);
    mk_writer_ready(&s->w);
    mk_plugin_whole(&s->w.out, &s->w.env, "ftrace-plugin", &data, s->w.next_ts);
    s->w.next_ts += s->w.step;
    mk_buf_free(&data);
}

static void do_ftrace(state *s, const char *value)
{
    mk_ftrace_segments(&s->w, value);
}

static void do_length(state *s, const char *value)
{
    mk_header *h = &s->w.head;

    h->length_mode = MK_LENGTH_AUTO;
    h->length_value = 0;
    if (strcmp(value, "old") == 0) {
        h->length_mode = MK_LENGTH_OLD;
    } else if (strncmp(value, "auto", 4) == 0) {
        if (value[4] != '\0')
            h->length_value = mk_number(value[4] == '+' ? value + 5 : value + 4, "--length");
    } else {
        h->length_mode = MK_LENGTH_FIXED;
        h->length_value = mk_number(value, "--length");
    }
}

static void do_order(state *s, const char *value)
{
    uint8_t *order = s->w.env.order;
    size_t n = 0;

    memset(order, 0, MK_FIELDS);
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == ',')
            continue;
        if (*p < '1' || *p > '8' || n == MK_FIELDS)
            mk_die("--order: not a list of up to 8 field numbers: %s", value);
        order[n++] = (uint8_t)(*p - '0');
    }
}

static void do_extra(state *s, const char *value)
{
    s->w.env.extra.n = 0;
    mk_hex(&s->w.env.extra, value);
}

static void do_time(state *s, const char *value)
{
    char *copy = strdup(value);
    char *comma = strchr(copy, ',');

    if (comma != NULL) {
        *comma = '\0';
        s->w.step = mk_number(comma + 1, "--time");
    }
    s->w.next_ts = mk_number(copy, "--time");
    free(copy);
}

static void do_chunk_size(state *s, const char *value)
{
    char *copy = strdup(value);
    char *dash = strchr(copy, '-');

    if (dash != NULL)
        *dash++ = '\0';
    s->w.chunk_min = (uint64_t)mk_number(copy, "--chunk-size");
    s->w.chunk_max = dash != NULL ? (uint64_t)mk_number(dash, "--chunk-size") : s->w.chunk_min;
    if (s->w.chunk_min == 0 || s->w.chunk_max < s->w.chunk_min)
        mk_die("--chunk-size: %s", value);
    free(copy);
}

static void do_keep_nodes(state *s, const char *value)
{
    char *copy = strdup(value);
    char *comma = strchr(copy, ',');

    if (comma == NULL)
        mk_die("--keep-nodes FIRST,COUNT: %s", value);
    *comma = '\0';
    s->w.keep =
        (mk_keep){true, (uint64_t)mk_number(copy, value), (uint64_t)mk_number(comma + 1, value), 7};
    free(copy);
}

static void do_profile_envelope(state *s, const char *value)
{
    if (strcmp(value, "viewer") == 0)
        s->w.profile_shape = MK_PROFILE_VIEWER;
    else if (strcmp(value, "normal") == 0)
        s->w.profile_shape = MK_PROFILE_NORMAL;
    else
        mk_die("--profile-envelope is normal or viewer, not %s", value);
}

static int32_t heap_type(const char *value)
{
    if (strcmp(value, "snapshot") == 0)
        return 0;
    if (strcmp(value, "timeline") == 0)
        return 1;
    if (strcmp(value, "none") == 0)
        return -1;
    return (int32_t)mk_number(value, "type");
}

static void set_config(mk_config *c, const char *key, const char *value)
{
    bool on = strcmp(value, "0") != 0;

    if (strcmp(key, "pid") == 0)
        c->pid = (int32_t)mk_number(value, key);
    else if (strcmp(key, "type") == 0)
        c->type = heap_type(value);
    else if (strcmp(key, "interval") == 0)
        c->interval = (uint32_t)mk_number(value, key);
    else if (strcmp(key, "capture") == 0)
        c->capture_numeric_value = on;
    else if (strcmp(key, "track") == 0)
        c->track_allocations = on;
    else if (strcmp(key, "cpu") == 0)
        c->enable_cpu_profiler = on;
    else if (strcmp(key, "cpu-interval") == 0)
        c->cpu_profiler_interval = (uint32_t)mk_number(value, key);
    else if (strcmp(key, "split") == 0)
        c->split_outfile_name = value;
    else
        mk_die("--config has no %s", key);
}

static void do_config(state *s, const char *value)
{
    mk_config c = {0};
    char *copy = strdup(value);
    char *rest = copy;
    char *key;
    char *text;

    while (mk_pair(&rest, &key, &text))
        set_config(&c, key, text);
    mk_piece_config(&s->w, &c);
    free(copy);
}

static void do_snapshot(state *s, const char *value)
{
    char *spec = take_time_suffix(s, value);

    mk_piece_heap(&s->w, spec, false);
    free(spec);
}

static void do_timeline(state *s, const char *value)
{
    char *spec = take_time_suffix(s, value);

    mk_piece_heap(&s->w, spec, true);
    free(spec);
}

static void do_profile(state *s, const char *value)
{
    char *spec = take_time_suffix(s, value);

    mk_piece_profile(&s->w, spec);
    free(spec);
}

static void do_message(state *s, const char *value)
{
    char *text = take_time_suffix(s, value);

    mk_piece_message(&s->w, text, strlen(text));
    free(text);
}

static void do_message_hex(state *s, const char *value)
{
    mk_buf bytes = {0};

    mk_hex(&bytes, value);
    mk_piece_message(&s->w, bytes.p, bytes.n);
    mk_buf_free(&bytes);
}

static void do_message_file(state *s, const char *value)
{
    char *path = take_time_suffix(s, value);
    mk_buf text = {0};

    mk_source_run(path, false, false, mk_sink_buf(&text));
    mk_piece_message(&s->w, text.p, text.n);
    mk_buf_free(&text);
    free(path);
}

static void do_messages(state *s, const char *value)
{
    mk_piece_messages(&s->w, value);
}

static void do_plugin(state *s, const char *value)
{
    mk_piece_plugin(&s->w, value);
}

static void do_section(state *s, const char *value)
{
    if (strcmp(value, "segments") == 0)
        mk_section_begin(&s->w.out, &s->w.head);
    else
        mk_piece_section(&s->w, value);
}

static void do_segment(state *s, const char *value)
{
    mk_buf bytes = {0};

    mk_hex(&bytes, value);
    mk_writer_ready(&s->w);
    mk_segment_begin(&s->w.out, (uint32_t)bytes.n);
    mk_segment_put(&s->w.out, bytes.p, bytes.n);
    mk_segment_end(&s->w.out);
    mk_buf_free(&bytes);
}

static void do_raw(state *s, const char *value)
{
    mk_buf bytes = {0};

    mk_hex(&bytes, value);
    mk_writer_ready(&s->w);
    mk_output_raw(&s->w.out, bytes.p, bytes.n);
    mk_buf_free(&bytes);
}

static void do_zero_run(state *s, const char *value)
{
    static const uint8_t zero[4096];
    uint64_t left = (uint64_t)mk_number(value, "--zero-run");

    mk_writer_ready(&s->w);
    while (left > 0) {
        size_t n = left < sizeof zero ? (size_t)left : sizeof zero;

        mk_output_raw(&s->w.out, zero, n);
        left -= n;
    }
}

static void do_flip(state *s, const char *value)
{
    if (s->damage.flip_count == MK_MAX_FLIPS)
        mk_die("more than %d flips", MK_MAX_FLIPS);
    s->damage.flips[s->damage.flip_count++] = mk_number(value, "--flip");
}

static void do_truncate(state *s, const char *value)
{
    s->damage.cut = true;
    s->damage.size = mk_number(value, "--truncate");
}

static void do_damage(state *s, const char *value)
{
    char *end = NULL;
    const char *p = value;

    s->damage.random = true;
    s->damage.seed = strtoull(p, &end, 0);
    if (*end != ',')
        mk_die("--damage SEED,PERCENT[,FROM]: %s", value);
    s->damage.percent = strtod(end + 1, &end);
    if (*end == ',')
        s->damage.from = (uint64_t)mk_number(end + 1, "--damage");
    else if (*end != '\0')
        mk_die("--damage SEED,PERCENT[,FROM]: %s", value);
}

static void do_help(state *s, const char *value);

#define AT(field) offsetof(state, field)
#define W(field) offsetof(state, w.field)

static const option options[] = {
    {NULL, NULL, HEADING, 0, NULL, "General"},
    {"-o", "FILE", TEXT, AT(output), NULL, "the file to write; - is standard output"},
    {"--help", NULL, DO, 0, do_help, "print this"},
    {"--list", NULL, FLAG, W(out.list), NULL, "print index, offset, bytes of every segment"},
    {"--seed", "N", NUM64, W(rand.state), NULL, "of random blobs and random chunk sizes"},
    {NULL, NULL, HEADING, 0, NULL, "Bare files instead of an .htrace"},
    {"--emit", "KIND", TEXT, AT(emit), NULL, "heapsnapshot, timeline, cpuprofile or ftrace"},
    {"--synthetic", "HEAP", TEXT, AT(synthetic), NULL, "the heap to emit, see below"},
    {"--synthetic-profile", "PROFILE", TEXT, AT(synthetic_profile), NULL,
     "the CPU profile to emit, see below"},
    {"--synthetic-ftrace", "EVENTS", TEXT, AT(synthetic_ftrace), NULL,
     "the events to emit as text, see below"},
    {NULL, NULL, HEADING, 0, NULL, "Header of the sections that begin behind"},
    {"--clocks", "boot=N,real=N,...", CALL, 0, do_clocks,
     "ns; also realcoarse, mono, monocoarse, monoraw; others become 0"},
    {"--no-clocks", NULL, DO, 0, do_no_clocks, "all clocks 0"},
    {"--version", "N", NUM32, W(head.version), NULL, "default 0x10000"},
    {"--data-type", "N", NUM32, W(head.data_type), NULL, "default 0"},
    {"--length", "L", CALL, 0, do_length,
     "auto, auto+N, auto-N, old (8 bytes for each 4-byte prefix), or a number; default auto"},
    {"--plugin-version", "TEXT", TEXT, W(head.plugin_version), NULL, "header field"},
    {"--duration", "NS", NUM64, W(head.duration), NULL, "header field"},
    {"--old-header", NULL, FLAG, W(head.old), NULL, "zero from offset 56 on"},
    {"--sha256", NULL, FLAG, W(head.sha256), NULL, "fill the checksum"},
    {"--no-header", NULL, FLAG, W(head.absent), NULL, "no header"},
    {NULL, NULL, HEADING, 0, NULL, "Envelope of the segments behind"},
    {"--plugin-name", "NAME", TEXT, W(plugin), NULL, "default arkts-plugin; config adds _config"},
    {"--order", "1,2,3,...", CALL, 0, do_order, "fields in this order; others are left out"},
    {"--padded-varints", NULL, FLAG, W(env.padded_varints), NULL, "lengths take 4 bytes"},
    {"--explicit-zeros", NULL, FLAG, W(env.explicit_zeros), NULL, "write fields that are zero"},
    {"--missing-time", NULL, FLAG, W(env.missing_time), NULL, "no tv_sec, no tv_nsec"},
    {"--missing-nsec", NULL, FLAG, W(env.missing_nsec), NULL, "no tv_nsec"},
    {"--segment-version", "TEXT", TEXT, W(env.version), NULL, "field 7"},
    {"--clock-id", "N", NUM32, W(env.clock_id), NULL, "field 4"},
    {"--status", "N", NUM32, W(env.status), NULL, "field 2"},
    {"--sample-interval", "N", NUM32, W(env.sample_interval), NULL, "field 8"},
    {"--extra", "HEX", CALL, 0, do_extra, "unknown fields behind the others"},
    {"--time", "START[,STEP]", CALL, 0, do_time,
     "realtime ns of the next message, and between messages; default 1 s after the clocks, 1 ms"},
    {NULL, NULL, HEADING, 0, NULL, "Pieces behind"},
    {"--chunk-size", "N|MIN-MAX", CALL, 0, do_chunk_size,
     "bytes of unescaped text in a chunk message; default 102400"},
    {"--escape-unicode", NULL, FLAG, W(escape_unicode), NULL, "characters outside ASCII as \\u"},
    {"--no-progress", NULL, FLAG, W(no_progress), NULL, "no progress message before chunks"},
    {"--no-start", NULL, FLAG, W(no_start), NULL, "no start mark before a timeline"},
    {"--no-end", NULL, FLAG, W(no_end), NULL, "no end mark behind snapshots and timelines"},
    {"--noise", "N", NUM64, W(noise), NULL, "another notification after every N chunks"},
    {"--data-in-object", NULL, FLAG, W(data_in_object), NULL,
     "one message with the heap as an object, keys sorted, as the viewer writes it"},
    {"--keep-nodes", "FIRST,COUNT", CALL, 0, do_keep_nodes,
     "with --data-in-object: only these nodes, all edges"},
    {"--profile-envelope", "normal|viewer", CALL, 0, do_profile_envelope,
     "viewer: a brace missing and a stray quote"},
    {"--profile-marks", "N", NUM64, W(profile_marks), NULL, "start marks; default 2"},
    {"--profile-key", "NAME", TEXT, W(profile_key), NULL, "instead of profile"},
    {NULL, NULL, HEADING, 0, NULL, "Pieces; FILE may be synth:HEAP, @TS sets the time"},
    {"--config", "pid=N,...", CALL, 0, do_config,
     "pid, type=snapshot|timeline|none, interval, capture, track, cpu, cpu-interval, split"},
    {"--snapshot", "FILE[@TS]", CALL, 0, do_snapshot, "progress, chunks, end mark"},
    {"--timeline", "FILE[@TS]", CALL, 0, do_timeline, "start mark, progress, chunks, end mark"},
    {"--profile", "FILE[@TS]", CALL, 0, do_profile, "start marks, profile (synth:PROFILE)"},
    {"--message", "JSON[@TS]", CALL, 0, do_message, "one message"},
    {"--message-hex", "HEX", CALL, 0, do_message_hex, "one message of any bytes"},
    {"--message-file", "FILE[@TS]", CALL, 0, do_message_file, "one message"},
    {"--messages", "FILE", CALL, 0, do_messages, "lines of \"<realtime ns> <message>\""},
    {"--plugin", "NAME:SIZE|NAME:@FILE|NAME:=HEX", CALL, 0, do_plugin, "another plugin's segment"},
    {"--ftrace-clocks", "boot=N,...", CALL, 0, do_ftrace_clocks, "an ftrace segment with clocks"},
    {"--ftrace", "EVENTS", CALL, 0, do_ftrace, "segments of ftrace-plugin, see below"},
    {"--section", "NAME:SIZE|NAME:@FILE", CALL, 0, do_section,
     "a section with one blob: hiperf, ebpf, or another standalone plugin; `segments`: a section "
     "for the segments behind"},
    {"--segment", "HEX", CALL, 0, do_segment, "a segment with this body"},
    {"--raw", "HEX", CALL, 0, do_raw, "payload bytes outside segments"},
    {"--zero-run", "N", CALL, 0, do_zero_run, "N zero bytes outside segments"},
    {NULL, NULL, HEADING, 0, NULL, "Damage; segments are numbered from 0 over the file"},
    {"--drop-segment", "I", NUM64, W(out.drop), NULL, "leave a segment out (give it first)"},
    {"--repeat-segment", "I", NUM64, W(out.repeat), NULL, "write a segment twice (give it first)"},
    {"--swap", "I", NUM64, W(out.swap), NULL, "exchange segments I and I+1 (give it first)"},
    {"--flip", "BIT", CALL, 0, do_flip, "invert a bit of the finished file; up to 64 times"},
    {"--damage", "SEED,PERCENT[,FROM]", CALL, 0, do_damage, "replace random bytes from FROM on"},
    {"--truncate", "N", CALL, 0, do_truncate, "cut to N bytes; below 0: from the end"},
};

enum { OPTIONS = sizeof options / sizeof options[0] };

static const char footer[] =
    "\nHEAP: nodes=1000,edges=4000,strings=N,seed=1,order=v8|sorted|name:name:...,trace=FUNCTIONS,"
    "\n      tree=NODES,stacks=DEPTH,samples=N,locations=N,arkts=1,compact=1,utf8=1 (arkts: in"
    "\n      the shape of its own recorder instead of V8's)"
    "\nPROFILE: nodes=100,samples=1000,depth=16,seed=1,start=MICROSECONDS,negative=1,wide=1,"
    "\n         reverse=1,arkts=1"
    "\nEVENTS: events=10000,cpus=4,processes=8,threads=4,depth=8,names=64,rate=NS,batch=N,start=NS,"
    "\n        seed=1,equal=N (events of one time),late=N (one of N),lost=N (of 1000)"
    "\nNumbers may be hexadecimal (0x...) and end in k, m or g.\n";

static void do_help(state *s, const char *value)
{
    (void)s;
    (void)value;
    puts("usage: mkhtrace -o FILE [option or piece]...\n"
         "Builds an .htrace recording out of pieces, in their order.");
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        char left[64];

        if (o->kind == HEADING) {
            printf("\n%s:\n", o->help);
            continue;
        }
        snprintf(left, sizeof left, "%s %s", o->name, o->argument != NULL ? o->argument : "");
        printf("  %-34s %s\n", left, o->help);
    }
    fputs(footer, stdout);
    exit(0);
}

static const option *find_option(const char *word, size_t n)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *name = options[i].name;

        if (name != NULL && strlen(name) == n && memcmp(name, word, n) == 0)
            return &options[i];
    }
    mk_die("unknown option %.*s; see mkhtrace --help", (int)n, word);
}

static void store(state *s, const option *o, const char *value)
{
    char *at = (char *)s + o->offset;
    bool on = true;
    int64_t v = 0;

    if (o->kind == NUM64 || o->kind == NUM32)
        v = mk_number(value, o->name);
    if (o->kind == FLAG)
        memcpy(at, &on, sizeof on);
    else if (o->kind == NUM64)
        memcpy(at, &v, sizeof v);
    else if (o->kind == NUM32)
        memcpy(at, &(uint32_t){(uint32_t)v}, sizeof(uint32_t));
    else if (o->kind == TEXT)
        memcpy(at, &value, sizeof value);
    else
        o->call(s, value);
}

/* Applies the arguments in order. With `early` only those that say where the output goes. */
static void apply(state *s, int argc, char **argv, bool early)
{
    for (int i = 1; i < argc; i++) {
        const char *eq = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        size_t n = eq != NULL ? (size_t)(eq - argv[i]) : strlen(argv[i]);
        const option *o = find_option(argv[i], n);
        bool where =
            o->kind == DO ? o->call == do_help : o->offset == AT(output) && o->kind == TEXT;
        const char *value = NULL;

        if (o->kind != FLAG && o->kind != DO) {
            value = eq != NULL ? eq + 1 : argv[++i];
            if (value == NULL)
                mk_die("%s needs %s", o->name, o->argument);
        } else if (eq != NULL) {
            mk_die("%s takes no value", o->name);
        }
        if (where == early)
            store(s, o, value);
    }
}

static void copy_out(int from)
{
    char block[1 << 16];
    ssize_t n;

    if (lseek(from, 0, SEEK_SET) != 0)
        mk_die("cannot read the spool: %s", strerror(errno));
    while ((n = read(from, block, sizeof block)) > 0) {
        if (fwrite(block, 1, (size_t)n, stdout) != (size_t)n)
            mk_die("cannot write: %s", strerror(errno));
    }
    if (fflush(stdout) != 0)
        mk_die("cannot write: %s", strerror(errno));
}

/* Standard output is spooled, because headers are completed at the end. */
static int open_output(const char *path)
{
    int fd;

    if (path == NULL)
        mk_die("-o FILE is missing; see mkhtrace --help");
    if (strcmp(path, "-") == 0) {
        FILE *f = tmpfile();

        fd = f != NULL ? fileno(f) : -1;
    } else {
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        mk_die("cannot create %s: %s", path, strerror(errno));
    return fd;
}

static void raw_sink(void *user, const void *p, size_t n)
{
    mk_output_raw(user, p, n);
}

static void emit_bare(state *s)
{
    static const mk_header none = {.absent = true};
    mk_sink to = {raw_sink, &s->w.out};

    mk_section_begin(&s->w.out, &none);
    if (strcmp(s->emit, "cpuprofile") == 0) {
        if (s->synthetic_profile == NULL)
            mk_die("--emit cpuprofile needs --synthetic-profile");
        mk_synth_profile(s->synthetic_profile, to);
        return;
    }
    if (strcmp(s->emit, "ftrace") == 0) {
        if (s->synthetic_ftrace == NULL)
            mk_die("--emit ftrace needs --synthetic-ftrace");
        mk_ftrace_text(s->synthetic_ftrace, to);
        return;
    }
    if (strcmp(s->emit, "heapsnapshot") != 0 && strcmp(s->emit, "timeline") != 0)
        mk_die("--emit heapsnapshot, timeline or cpuprofile, not %s", s->emit);
    if (s->synthetic == NULL)
        mk_die("--emit %s needs --synthetic", s->emit);
    mk_synth_heap(s->synthetic, strcmp(s->emit, "timeline") == 0, to);
}

int main(int argc, char **argv)
{
    state *s = mk_realloc(NULL, sizeof *s);
    int fd;

    *s = (state){0};
    apply(s, argc, argv, true);
    fd = open_output(s->output);
    mk_writer_init(&s->w, fd);
    apply(s, argc, argv, false);
    if (s->synthetic_profile != NULL && s->emit == NULL)
        s->emit = "cpuprofile";
    if (s->synthetic != NULL && s->emit == NULL)
        s->emit = "heapsnapshot";
    if (s->synthetic_ftrace != NULL && s->emit == NULL)
        s->emit = "ftrace";
    if (s->emit != NULL)
        emit_bare(s);
    else
        mk_writer_ready(&s->w);
    mk_output_finish(&s->w.out);
    mk_damage_file(fd, &s->damage);
    if (strcmp(s->output, "-") == 0)
        copy_out(fd);
    if (close(fd) != 0)
        mk_die("cannot close %s: %s", s->output, strerror(errno));
    mk_buf_free(&s->w.env.extra);
    free(s);
    return 0;
}
