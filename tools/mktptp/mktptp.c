/*
 * mktptp: makes a trace of the TPTP Java profiler of any size, in its binary or its XML form, the
 * same bytes for the same options, with damage on demand. `mktptp --help` lists everything.
 */
#include "tptp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { HEADING, FLAG, NUMBER, TEXT, EDIT, BREAK, HELP } option_kind;

typedef struct option {
    const char *name;
    const char *argument; /* as the help shows it */
    option_kind kind;
    size_t offset; /* into tp_config; EDIT: the tp_edit_kind */
    const char *help;
} option;

#define AT(field) offsetof(tp_config, field)
#define FAULT(id, name, help) {"--" name, "N", NUMBER, AT(id), help},

static const option options[] = {
    {NULL, NULL, HEADING, 0, "General"},
    {"-o", "PATH", TEXT, AT(output), "the file to write; - is standard output"},
    {"--form", "KIND", TEXT, AT(form), "binary (default) or xml"},
    {"--expect", "FILE", TEXT, AT(expect),
     "write what a reader must find, as lines \"name value\""},
    {"--help", NULL, HELP, 0, "print this"},
    {NULL, NULL, HEADING, 0, "Size and shape; both forms of equal ones have equal rows"},
    {"--worked", NULL, FLAG, AT(worked), "the events whose bytes the tests know"},
    {"--seed", "N", NUMBER, AT(seed), "default 1"},
    {"--calls", "N", NUMBER, AT(calls), "method entries of each session; default 1000"},
    {"--threads", "N", NUMBER, AT(threads), "default 4"},
    {"--depth", "N", NUMBER, AT(depth), "levels of calls; default 12"},
    {"--methods", "N", NUMBER, AT(methods), "default 60"},
    {"--classes", "N", NUMBER, AT(classes), "default 17"},
    {"--sessions", "N", NUMBER, AT(sessions), "headers, documents or members; default 1"},
    {"--step", "NS", NUMBER, AT(step), "mean time between events; default 10000"},
    {"--start", "NS", NUMBER, AT(start), "since 1970; default 1185890426304424450"},
    {"--open", "N", NUMBER, AT(open), "threads that end inside a call; default 0"},
    {"--dumps", "N", NUMBER, AT(dumps), "heap dumps; 0: no aggregates either; default 2"},
    {"--objects", "N", NUMBER, AT(objects), "0: nothing but calls; default 1"},
    {"--stop", "N", NUMBER, AT(stop), "the file ends behind so many events"},
    {"--names", "KIND", TEXT, AT(names), "ascii, latin or all (default) characters"},
    {"--cpu", "KIND", TEXT, AT(cpu),
     "CPU times: none, exit (a clock; default), both, own (of each call)"},
    {"--ids", "KIND", TEXT, AT(ids), "static (default) or relocatable"},
    {"--no-tickets", NULL, FLAG, AT(no_tickets), "calls without a ticket"},
    {"--frequency", "N", NUMBER, AT(frequency),
     "ticks per second, also of the XML form; default 2400000000"},
    {"--unit", "KIND", TEXT, AT(unit),
     "ticks (default), MHz (the frequency is in it), ns, us, ms (without a frequency)"},
    {"--extras", NULL, FLAG, AT(extras),
     "elements that only XML has; in the binary form the numbers without a description"},
    {NULL, NULL, HEADING, 0, "The binary form"},
    {"--endian", "KIND", TEXT, AT(endian), "little (default) or big"},
    {"--endian-byte", "N", NUMBER, AT(endian_byte), "what the header claims"},
    {"--size", "KIND", TEXT, AT(size), "inclusive (default) or exclusive"},
    {"--system", "KIND", TEXT, AT(system), "sized (default) or unsized"},
    {"--arrays", "KIND", TEXT, AT(arrays), "plain (default) or counted"},
    {"--entry", "KIND", TEXT, AT(entry), "layout of 1015: A (default) or B"},
    {"--exit", "KIND", TEXT, AT(exit), "layout of 1016: A (default) or B"},
    {"--encoding", "NAME", TEXT, AT(encoding), "in message 1; empty: none; default UTF-8"},
    {"--frequency-double", NULL, FLAG, AT(frequency_double), "written as a double"},
    {"--major", "N", NUMBER, AT(major), "default 1"},
    {"--minor", "N", NUMBER, AT(minor), "default 0"},
    {"--platform", "N", NUMBER, AT(platform), "default 1"},
    {"--data-offset", "N", NUMBER, AT(data_offset), "default 12; a gap is written"},
    {NULL, NULL, HEADING, 0, "The XML form"},
    {"--zip", NULL, FLAG, AT(zip), "a ZIP archive, a session in each member (binary, too)"},
    {"--xml-encoding", "NAME", TEXT, AT(xml_encoding),
     "UTF-8 (default), UTF-16LE, UTF-16BE or ISO-8859-1"},
    {"--declared", "NAME", TEXT, AT(declared),
     "encoding in the declaration; empty (default): no name; none: no declaration"},
    {"--bom", NULL, FLAG, AT(bom), "with a byte order mark"},
    {"--root", "NAME", TEXT, AT(root), "TRACE (default), traceRoot, trace or none"},
    {"--close", "yes|no", TEXT, AT(close), "whether the root is closed; default no"},
    {"--entities", NULL, FLAG, AT(entities), "characters as references"},
    {"--words", NULL, FLAG, AT(words), "true and false"},
    {"--lines", NULL, FLAG, AT(lines), "a line for each element"},
    {"--all", NULL, FLAG, AT(all), "attributes that are absent by default, and overhead"},
    {"--shuffle", NULL, FLAG, AT(shuffle), "attributes in any order"},
    {"--comments", NULL, FLAG, AT(comments), "comments and a DOCTYPE"},
    {"--slashes", NULL, FLAG, AT(slashes), "names of classes with slashes"},
    {NULL, NULL, HEADING, 0, "Damage to bytes, before compression; places rise"},
    {"--cut", "OFFSET", EDIT, TP_CUT, "nothing comes behind it"},
    {"--patch", "OFFSET:HEX", EDIT, TP_PATCH, "other bytes there"},
    {"--insert", "OFFSET:HEX", EDIT, TP_INSERT, "more bytes there"},
    {"--remove", "OFFSET:COUNT", EDIT, TP_REMOVE, "missing bytes"},
    {"--break", "EVENT:KIND", BREAK, 0, "damage to one event, counted from 0; kinds are below"},
    {NULL, NULL, HEADING, 0, "Damage to what is written, every Nth time"},
    TP_FAULTS(FAULT)};

enum { OPTIONS = sizeof options / sizeof options[0] };

static const struct {
    const char *name;
    const char *help;
} breaks[] = {
#define BREAK_NAME(id, name, help) {name, help},
    TP_BREAKS(BREAK_NAME)
#undef BREAK_NAME
};

_Noreturn static void print_help(void)
{
    puts("usage: mktptp -o PATH [option]...\n"
         "Makes a trace of the TPTP Java profiler. Equal options give equal bytes.");
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        char left[64];

        if (o->kind == HEADING) {
            printf("\n%s:\n", o->help);
            continue;
        }
        snprintf(left, sizeof left, "%s %s", o->name, o->argument != NULL ? o->argument : "");
        printf("  %-24s %s\n", left, o->help);
    }
    puts("\nKinds of --break:");
    for (size_t i = 0; i < TP_BREAK_KINDS; i++)
        printf("  %-24s %s\n", breaks[i].name, breaks[i].help);
    puts("\nNumbers may be hexadecimal (0x...) and end in k, m or g.");
    exit(0);
}

/* "OFFSET[:HEX or number]" */
static void add_edit(tp_config *c, tp_edit_kind what, const char *value)
{
    char *copy = strdup(value);
    char *colon = strchr(copy, ':');
    tp_edit *e = &c->edits[c->edit_count];

    if (c->edit_count++ == TP_MAX_EDITS)
        mk_die("more than %d edits", TP_MAX_EDITS);
    if ((colon == NULL) != (what == TP_CUT))
        mk_die("not a place of damage: %s", value);
    *e = (tp_edit){.what = what};
    if (colon != NULL)
        *colon++ = '\0';
    e->offset = (uint64_t)mk_number(copy, value);
    if (what == TP_REMOVE)
        e->count = (uint64_t)mk_number(colon, value);
    else if (colon != NULL)
        mk_hex(&e->bytes, colon);
    if (c->edit_count > 1 && e->offset < e[-1].offset)
        mk_die("places of damage must rise: %s", value);
    free(copy);
}

/* "EVENT:KIND" */
static void add_break(tp_config *c, const char *value)
{
    char *copy = strdup(value);
    char *colon = strchr(copy, ':');
    size_t what = 0;

    if (colon == NULL || c->break_count == TP_MAX_BREAKS)
        mk_die("not a break, or too many: %s", value);
    *colon++ = '\0';
    while (what < TP_BREAK_KINDS && strcmp(colon, breaks[what].name) != 0)
        what++;
    if (what == TP_BREAK_KINDS)
        mk_die("there is no kind of break %s", colon);
    c->breaks[c->break_count++] = (tp_break){mk_number(copy, value), (tp_break_kind)what};
    free(copy);
}

static const option *find_option(const char *word, size_t n)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *name = options[i].name;

        if (name != NULL && strlen(name) == n && memcmp(name, word, n) == 0)
            return &options[i];
    }
    mk_die("unknown option %.*s; see mktptp --help", (int)n, word);
}

static void store(tp_config *c, const option *o, const char *value)
{
    char *at = (char *)c + (o->kind == EDIT ? 0 : o->offset);
    bool on = true;
    int64_t v;

    switch (o->kind) {
    case FLAG:
        memcpy(at, &on, sizeof on);
        break;
    case TEXT:
        memcpy(at, &value, sizeof value);
        break;
    case EDIT:
        add_edit(c, (tp_edit_kind)o->offset, value);
        break;
    case BREAK:
        add_break(c, value);
        break;
    default:
        v = mk_number(value, o->name);
        memcpy(at, &v, sizeof v);
        break;
    }
}

static void parse(tp_config *c, int argc, char **argv)
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

/* Dies unless the value is one of the words. */
static void one_of(const char *what, const char *value, const char *words)
{
    size_t n = strlen(value);

    for (const char *p = words; p != NULL; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, value, n) == 0 && (p[n] == ' ' || p[n] == '\0') && n > 0)
            return;
    }
    mk_die("%s is one of %s, not %s", what, words, value);
}

static void check(const tp_config *c)
{
    if (c->output == NULL)
        mk_die("-o PATH is missing; see mktptp --help");
    one_of("--form", c->form, "binary xml");
    one_of("--names", c->names, "ascii latin all");
    one_of("--cpu", c->cpu, "none exit both own");
    one_of("--ids", c->ids, "static relocatable");
    one_of("--unit", c->unit, "ticks MHz ns us ms");
    one_of("--endian", c->endian, "little big");
    one_of("--size", c->size, "inclusive exclusive");
    one_of("--system", c->system, "sized unsized");
    one_of("--arrays", c->arrays, "plain counted");
    one_of("--entry", c->entry, "A B");
    one_of("--exit", c->exit, "A B");
    one_of("--xml-encoding", c->xml_encoding, "UTF-8 UTF-16LE UTF-16BE ISO-8859-1");
    one_of("--root", c->root, "TRACE traceRoot trace none");
    one_of("--close", c->close, "yes no");
    if (c->calls < 0 || c->threads < 1 || c->threads > 1000000 || c->depth < 1 ||
        c->depth > 100000000 || c->methods < 1 || c->methods > 100000000 || c->classes < 1 ||
        c->classes > 10000000 || c->sessions < 1 || c->step < 1 || c->frequency < 1 || c->start < 0)
        mk_die("a number is too small or too large");
}

static void write_expected(const tp_config *c, const tp_figures *f)
{
    FILE *out = strcmp(c->expect, "-") == 0 ? stdout : fopen(c->expect, "w");

    if (out == NULL)
        mk_die("cannot create %s: %s", c->expect, strerror(errno));
#define FIGURE_PRINT(name) fprintf(out, #name " %" PRId64 "\n", f->name);
    TP_FIGURES(FIGURE_PRINT)
#undef FIGURE_PRINT
    if (fflush(out) != 0 || ferror(out) != 0)
        mk_die("cannot write %s: %s", c->expect, strerror(errno));
    if (out != stdout)
        fclose(out);
}

int main(int argc, char **argv)
{
    static tp_config c = {
        .form = "binary",
        .names = "all",
        .seed = 1,
        .calls = 1000,
        .threads = 4,
        .depth = 12,
        .methods = 60,
        .classes = 17,
        .sessions = 1,
        .step = 10000,
        .start = 1185890426304424450,
        .dumps = 2,
        .objects = 1,
        .cpu = "exit",
        .ids = "static",
        .frequency = 2400000000,
        .unit = "ticks",
        .endian = "little",
        .endian_byte = -1,
        .size = "inclusive",
        .system = "sized",
        .arrays = "plain",
        .entry = "A",
        .exit = "A",
        .encoding = "UTF-8",
        .major = 1,
        .platform = 1,
        .data_offset = 12,
        .xml_encoding = "UTF-8",
        .declared = "",
        .root = "TRACE",
        .close = "no",
    };
    tp_figures figures = {0};
    tp_encoder e = {.c = &c, .figures = &figures};
    char name[64];

    parse(&c, argc, argv);
    check(&c);
    e.xml = strcmp(c.form, "xml") == 0;
    e.rand.state = mk_mix((uint64_t)c.seed);
    e.out = tp_output_new(&c);
    for (int64_t i = 0; i < c.sessions && !tp_output_stopped(e.out); i++) {
        snprintf(name, sizeof name, "TraceContents-2007.05.%02d.%s", (int)(i % 28 + 1),
                 e.xml ? "xml" : "trcbin");
        tp_output_begin(e.out, name);
        (e.xml ? tp_xml_begin : tp_binary_begin)(&e);
        if (c.worked)
            tp_worked_write(&e);
        else
            tp_trace_write(&e, i);
        if (e.xml)
            tp_xml_end(&e);
        tp_output_end(e.out);
    }
    figures.bytes = tp_output_free(e.out);
    mk_buf_free(&e.b);
    mk_buf_free(&e.wide);
    if (c.expect != NULL)
        write_expected(&c, &figures);
    for (size_t i = 0; i < c.edit_count; i++)
        mk_buf_free(&c.edits[i].bytes);
    return 0;
}
