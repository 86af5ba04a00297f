/*
 * mkcloud: makes a Cloud Profiler recording of any size in one of its three containers, the same
 * bytes for the same options, with damage on demand. `mkcloud --help` lists everything.
 */
#include "pod.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { HEADING, FLAG, NUMBER, TEXT, EDIT, HELP } option_kind;

typedef struct option {
    const char *name;
    const char *argument; /* as the help shows it */
    option_kind kind;
    size_t offset; /* into mc_config; EDIT: the mc_edit_kind */
    int64_t low;   /* NUMBER: the smallest */
    const char *help;
} option;

#define AT(field) offsetof(mc_config, field)
#define FAULT(id, name, help)                                                                      \
    {"--" name, "N", NUMBER, AT(fault) + MC_##id * sizeof(int64_t), 0, help},

static const option options[] = {
    {NULL, NULL, HEADING, 0, 0, "General"},
    {"-o", "PATH", TEXT, AT(output), 0, "the directory (agent, flat) or file (tcp) to write"},
    {"--container", "KIND", TEXT, AT(container_name), 0, "agent (default), flat or tcp"},
    {"--expect", "FILE", TEXT, AT(expect), 0,
     "write what a reader must find, as lines \"name value\"; - is standard output"},
    {"--help", NULL, HELP, 0, 0, "print this"},
    {NULL, NULL, HEADING, 0, 0, "Size and shape"},
    {"--seed", "N", NUMBER, AT(seed), 0, "default 1"},
    {"--pods", "N", NUMBER, AT(pods), 1, "default 1"},
    {"--calls", "N", NUMBER, AT(calls), 0, "roots of each pod; default 100"},
    {"--depth", "N", NUMBER, AT(depth), 1, "levels; the first root goes there; default 8"},
    {"--threads", "N", NUMBER, AT(threads), 1, "default 4"},
    {"--frames", "N", NUMBER, AT(frames), 0, "mean number of invocations below a root; default 10"},
    {"--methods", "N", NUMBER, AT(methods), 1, "default 300"},
    {"--callees", "N", NUMBER, AT(callees), 0,
     "different methods that a method calls; default 0: any"},
    {"--small", "PERCENT", NUMBER, AT(small), 0, "roots without a call record; default 10"},
    {"--pause", "MS", NUMBER, AT(pause), 0, "mean time between pauses, 0: none; default 1000"},
    {"--block", "EVENTS", NUMBER, AT(block), 1, "of a trace block; default 500"},
    {"--phrase", "BYTES", NUMBER, AT(phrase), 1, "of a phrase; default 10239"},
    {"--rotate-trace", "BYTES", NUMBER, AT(rotate_trace), 1, "default 100m"},
    {"--rotate-calls", "BYTES", NUMBER, AT(rotate_calls), 1, "default 10m"},
    {"--rotate-texts", "BYTES", NUMBER, AT(rotate_texts), 1, "sql and xml; default 100m"},
    {"--start", "MS", NUMBER, AT(start), 0, "start of the agent; default 1700000000000"},
    {"--uptime", "MS", NUMBER, AT(uptime), 0, "of the agent at the first root; default 0"},
    {"--pod-name", "NAME", TEXT, AT(pod_name), 0, "of the server; default orders"},
    {"--service", "NAME", TEXT, AT(service), 0, "default orders-service"},
    {"--namespace", "NAME", TEXT, AT(space), 0, "default profiler"},
    {NULL, NULL, HEADING, 0, 0, "Variants of the format"},
    {"--format", "N", NUMBER, AT(format), 0, "of the calls stream, 0 to 4; default 4"},
    {"--params-version", "N", NUMBER, AT(params_version), 0, "default 1"},
    {"--first-index", "N", NUMBER, AT(first_index), 1,
     "of the trace files: older ones are rotated away; default 1"},
    {"--positions", NULL, FLAG, AT(positions), 0, "posDictionary (flat, tcp)"},
    {"--copies", NULL, FLAG, AT(copies), 0, "agent: copies of the calls, grouped by duration"},
    {"--plain", NULL, FLAG, AT(plain), 0, "agent: files that are not compressed"},
    {"--trailers", NULL, FLAG, AT(trailers), 0, "agent: all gzip files have their trailer"},
    {"--members", NULL, FLAG, AT(members), 0, "agent: many gzip members in a file"},
    {"--no-params", NULL, FLAG, AT(no_params), 0, "the first pod has no params stream"},
    {"--others", NULL, FLAG, AT(others), 0, "streams td, top, heap beside gc"},
    {"--short-longs", NULL, FLAG, AT(short_longs), 0,
     "long numbers that the agent writes too short; the tags of the root have them in full"},
    {"--reactive", NULL, FLAG, AT(reactive), 0, "records that last longer than their root"},
    {"--suffix", "NAME", TEXT, AT(suffix), 0, "flat: of the files; default protocol"},
    {"--commands", NULL, FLAG, AT(commands), 0, "tcp: commands that carry no stream data"},
    {"--field", "BYTES", NUMBER, AT(field), 1, "tcp: of a data command; default 1024"},
    {"--open", "N", NUMBER, AT(open), 0, "threads that end inside a root; default 0"},
    {NULL, NULL, HEADING, 0, 0,
     "Damage to bytes of a file of the first pod: STREAM[.INDEX]@OFFSET, before compression"},
    {"--cut", "PLACE", EDIT, MC_CUT, 0, "the file ends there"},
    {"--patch", "PLACE:HEX", EDIT, MC_PATCH, 0, "other bytes there"},
    {"--insert", "PLACE:HEX", EDIT, MC_INSERT, 0, "more bytes there"},
    {"--remove", "PLACE:COUNT", EDIT, MC_REMOVE, 0, "missing bytes"},
    {"--drop", "STREAM[.INDEX]", EDIT, MC_DROP, 0, "the file is missing"},
    {"--phrase-length", "STREAM@N:LENGTH", EDIT, MC_PHRASE, 0, "phrase N claims this length"},
    {"--gzip-cut", "PLACE", EDIT, MC_GZIP_CUT, 0, "the compressed file ends there"},
    {"--gzip-patch", "PLACE:HEX", EDIT, MC_GZIP_PATCH, 0, "other bytes of the compressed file"},
    {"--gzip-crc", "STREAM[.INDEX]", EDIT, MC_GZIP_CRC, 0, "wrong checksum"},
    {NULL, NULL, HEADING, 0, 0, "Damage to what is written; N counts from 0 in the first pod"},
    MC_FAULTS(FAULT)};

enum { OPTIONS = sizeof options / sizeof options[0] };

_Noreturn static void print_help(void)
{
    puts("usage: mkcloud -o PATH [option]...\n"
         "Makes a Cloud Profiler recording. Equal options give equal bytes.");
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        char left[64];

        if (o->kind == HEADING) {
            printf("\n%s:\n", o->help);
            continue;
        }
        snprintf(left, sizeof left, "%s %s", o->name, o->argument != NULL ? o->argument : "");
        printf("  %-30s %s\n", left, o->help);
    }
    puts("\nNumbers may be hexadecimal (0x...) and end in k, m or g. Figures of --expect are\n"
         "those before damage to bytes; damage to what is written is counted as far as the\n"
         "streams stay readable behind it.");
    exit(0);
}

static uint32_t edit_index(const char *text)
{
    int64_t v = mk_number(text, "index of a file");

    if (v < 1 || v > 1000000)
        mk_die("index of a file: %s", text);
    return (uint32_t)v;
}

/* "STREAM[.INDEX][@OFFSET[:HEX or number]]" */
static void add_edit(mc_config *c, mc_edit_kind what, const char *value)
{
    char *copy = strdup(value);
    char *at = strchr(copy, '@');
    char *colon = at != NULL ? strchr(at, ':') : NULL;
    char *dot;
    mc_edit *e = &c->edits[c->edit_count];
    bool bytes = what == MC_PATCH || what == MC_INSERT || what == MC_GZIP_PATCH;
    bool number = what == MC_REMOVE || what == MC_PHRASE;

    if (c->edit_count++ == MC_MAX_EDITS)
        mk_die("more than %d edits", MC_MAX_EDITS);
    if ((at == NULL) != (what == MC_DROP || what == MC_GZIP_CRC) ||
        (colon != NULL) != (bytes || number))
        mk_die("not a place of damage: %s", value);
    *e = (mc_edit){.what = what, .index = 1};
    if (colon != NULL) {
        *colon++ = '\0';
        if (bytes)
            mk_hex(&e->bytes, colon);
        else
            e->number = mk_number(colon, value);
    }
    if (at != NULL) {
        *at++ = '\0';
        e->offset = (uint64_t)mk_number(at, value);
    }
    dot = strrchr(copy, '.');
    if (dot != NULL) {
        *dot++ = '\0';
        e->index = edit_index(dot);
    }
    e->stream = mc_kind_named(copy, strlen(copy));
    free(copy);
}

static const option *find_option(const char *word, size_t n)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *name = options[i].name;

        if (name != NULL && strlen(name) == n && memcmp(name, word, n) == 0)
            return &options[i];
    }
    mk_die("unknown option %.*s; see mkcloud --help", (int)n, word);
}

static void store(mc_config *c, const option *o, const char *value)
{
    char *at = (char *)c + (o->kind == EDIT ? 0 : o->offset);
    bool on = true;
    int64_t v;

    if (o->kind == FLAG) {
        memcpy(at, &on, sizeof on);
    } else if (o->kind == TEXT) {
        memcpy(at, &value, sizeof value);
    } else if (o->kind == EDIT) {
        add_edit(c, (mc_edit_kind)o->offset, value);
    } else {
        v = mk_number(value, o->name);
        if (v < o->low)
            mk_die("%s: at least %" PRId64 ", not %s", o->name, o->low, value);
        memcpy(at, &v, sizeof v);
    }
}

static void parse(mc_config *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *eq = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        size_t n = eq != NULL ? (size_t)(eq - argv[i]) : strlen(argv[i]);
        const option *o = find_option(argv[i], n);
        const char *value = NULL;

        if (o->kind == HELP)
            print_help();
        if (o->kind != FLAG) {
            value = eq != NULL ? eq + 1 : argv[++i];
            if (value == NULL)
                mk_die("%s needs %s", o->name, o->argument);
        } else if (eq != NULL) {
            mk_die("%s takes no value", o->name);
        }
        store(c, o, value);
    }
}

static void check(mc_config *c)
{
    static const char *const names[] = {"agent", "flat", "tcp"};
    size_t kind = 0;

    if (c->output == NULL)
        mk_die("-o PATH is missing; see mkcloud --help");
    while (kind < 3 && strcmp(c->container_name, names[kind]) != 0)
        kind++;
    if (kind == 3)
        mk_die("--container is agent, flat or tcp, not %s", c->container_name);
    c->container = (mc_container)kind;
    if (c->positions && c->container == MC_AGENT)
        mk_die("--positions is for flat and tcp");
    if (c->copies && c->container != MC_AGENT)
        mk_die("--copies is for agent");
    if (c->threads > 1000000 || c->methods > 10000000 || c->depth > 10000000 || c->small > 100 ||
        c->block > 4096 || c->open > c->threads || c->field > 1024 || c->frames > 100000000)
        mk_die("a number is too large: at most 10^6 threads, 10^7 methods and levels, 100 %%, "
               "4096 events, 1024 bytes of a field, and --open at most --threads");
}

static void write_expected(const mc_config *c, const mc_figures *f)
{
    FILE *out = strcmp(c->expect, "-") == 0 ? stdout : fopen(c->expect, "w");

    if (out == NULL)
        mk_die("cannot create %s: %s", c->expect, strerror(errno));
#define MC_FIGURE_PRINT(id, name) fprintf(out, name " %" PRId64 "\n", f->id);
    MC_FIGURES(MC_FIGURE_PRINT)
#undef MC_FIGURE_PRINT
    if (fflush(out) != 0 || ferror(out) != 0)
        mk_die("cannot write %s: %s", c->expect, strerror(errno));
    if (out != stdout)
        fclose(out);
}

int main(int argc, char **argv)
{
    static mc_config c = {
        .container_name = "agent",
        .pod_name = "orders",
        .service = "orders-service",
        .space = "profiler",
        .suffix = "protocol",
        .pods = 1,
        .calls = 100,
        .depth = 8,
        .threads = 4,
        .frames = 10,
        .methods = 300,
        .seed = 1,
        .start = 1700000000000,
        .small = 10,
        .pause = 1000,
        .block = 500,
        .phrase = 10239,
        .rotate_trace = 100 << 20,
        .rotate_calls = 10 << 20,
        .rotate_texts = 100 << 20,
        .format = 4,
        .params_version = 1,
        .first_index = 1,
        .field = 1024,
    };
    mc_figures figures = {0};
    mc_output out;

    for (size_t i = 0; i < MC_FAULT_COUNT; i++)
        c.fault[i] = -1;
    parse(&c, argc, argv);
    check(&c);
    mc_output_begin(&out, &c);
    for (int64_t i = 0; i < c.pods; i++)
        mc_pod_write(&out, i, &figures);
    mc_output_end(&out);
    if (c.expect != NULL)
        write_expected(&c, &figures);
    for (size_t i = 0; i < c.edit_count; i++)
        mk_buf_free(&c.edits[i].bytes);
    return 0;
}
