/*
 * mkjfr: makes a recording of the JDK Flight Recorder of any size, the same bytes for the same
 * options, with damage on demand. `mkjfr --help` lists everything.
 */
#include "mkjfr.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 68, START_TICKS = 468136257 };

static const char *const damages[DAMAGE_COUNT] = {
    "none",       "size-zero",    "size-huge",  "metadata-offset", "pool-offset", "pool-loop",
    "pool-cycle", "pool-missing", "huge-count", "recursive",       "nested",      "arrays",
    "ticks",      "chunk-size",   "stray",      "odd-text"};

static void usage(FILE *to)
{
    fputs("usage: mkjfr -o FILE [option...]\n"
          "  --like NAME       jdk (2.1, default), async, datadog (2.0), mixed\n"
          "  --encoding KIND   compressed (default) or fixed integers\n"
          "  --chunks N        default 2\n"
          "  --events N        of each chunk; default 500\n"
          "  --threads N       default 5\n"
          "  --methods N       default 60\n"
          "  --stacks N        of each chunk; default 40\n"
          "  --depth N         of the deepest stack; default 20\n"
          "  --checkpoints N   of each chunk; default 3\n"
          "  --seed N          default 1\n"
          "  --damage NAME     of the last chunk:",
          to);
    for (unsigned i = 0; i < DAMAGE_COUNT; i++) {
        fprintf(to, "%s%s", i % 6 == 0 ? "\n                    " : " ", damages[i]);
    }
    fputc('\n', to);
}

static bool parse_like(options *o, const char *text)
{
    static const char *const names[] = {"jdk", "async", "datadog"};
    o->mixed = strcmp(text, "mixed") == 0;
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            o->like = (producer)i;
            return true;
        }
    }
    return o->mixed;
}

static bool parse_damage(options *o, const char *text)
{
    for (unsigned i = 0; i < DAMAGE_COUNT; i++) {
        if (strcmp(text, damages[i]) == 0) {
            o->damage = (damage)i;
            return true;
        }
    }
    return false;
}

static bool parse_option(options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        unsigned *to;
    } numbers[] = {{"--chunks", &o->chunks},           {"--events", &o->events},
                   {"--threads", &o->threads},         {"--methods", &o->methods},
                   {"--stacks", &o->stacks},           {"--depth", &o->depth},
                   {"--checkpoints", &o->checkpoints}, {"--seed", &o->seed}};
    if (strcmp(name, "-o") == 0) {
        o->output = value;
        return true;
    }
    if (strcmp(name, "--like") == 0) {
        return parse_like(o, value);
    }
    if (strcmp(name, "--damage") == 0) {
        return parse_damage(o, value);
    }
    if (strcmp(name, "--encoding") == 0) {
        o->compressed = strcmp(value, "compressed") == 0;
        return o->compressed || strcmp(value, "fixed") == 0;
    }
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            char *end;
            unsigned long v = strtoul(value, &end, 10);
            *numbers[i].to = (unsigned)v;
            return *value != '\0' && *end == '\0' && v <= 100000000 && (v > 0 || i < 2);
        }
    }
    return false;
}

static void put_header(chunk *c, size_t metadata, damage d)
{
    bytes h = {.compressed = false};
    put_bytes(&h, "FLR", 4);
    put_fixed(&h, 2, 2);
    put_fixed(&h, c->like == LIKE_JDK ? 1 : 0, 2);
    put_fixed(&h, d == DAMAGE_CHUNK_SIZE ? 0 : c->b.n, 8);
    put_fixed(&h, d == DAMAGE_POOL_OFFSET ? c->b.n - 3 : c->last_checkpoint, 8);
    put_fixed(&h, d == DAMAGE_METADATA_OFFSET ? 69 : metadata, 8);
    put_fixed(&h, UINT64_C(1700000000000000000) + c->number * UINT64_C(60000000000), 8);
    put_fixed(&h, UINT64_C(60000000000), 8);
    put_fixed(&h, START_TICKS, 8);
    put_fixed(&h, d == DAMAGE_TICKS ? 0 : c->like == LIKE_JDK ? 2199998000U : 1000000000U, 8);
    put_fixed(&h, d == DAMAGE_CHUNK_SIZE ? 0x0B : 0, 1);
    put_fixed(&h, 0, 2);
    put_fixed(&h, (c->o->compressed ? 1U : 0U) | (c->number + 1 == c->o->chunks ? 2U : 0U), 1);
    memcpy(c->b.p, h.p, HEADER);
    free(h.p);
}

/* Metadata after the events, at the beginning or in the middle; old versions of it may be
 * before. */
static void make_chunk(chunk *c)
{
    static const uint8_t zeros[HEADER];
    unsigned n = c->o->checkpoints;
    size_t metadata = 0;
    bool last = c->number + 1 == c->o->chunks;
    c->b.n = 0;
    c->b.compressed = c->o->compressed;
    c->ticks = START_TICKS;
    put_bytes(&c->b, zeros, HEADER);
    if (c->number % 3 != 0) {
        metadata = c->b.n;
        put_metadata(&c->b, &c->classes);
    }
    for (unsigned i = 0; i < n; i++) {
        put_events(c, (unsigned)((uint64_t)c->o->events * i / n),
                   (unsigned)((uint64_t)c->o->events * (i + 1) / n));
        if (i + 1 == n && c->number % 3 != 1) {
            metadata = c->b.n;
            put_metadata(&c->b, &c->classes);
        }
        put_checkpoints(c, i);
    }
    put_header(c, metadata, last ? c->o->damage : DAMAGE_NONE);
}

int main(int argc, char **argv)
{
    options o = {.compressed = true,
                 .chunks = 2,
                 .events = 500,
                 .threads = 5,
                 .methods = 60,
                 .stacks = 40,
                 .depth = 20,
                 .checkpoints = 3,
                 .seed = 1};
    chunk c = {.o = &o};
    FILE *f;
    int i = 1;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    while (i + 1 < argc && parse_option(&o, argv[i], argv[i + 1])) {
        i += 2;
    }
    if (i != argc || o.output == NULL) {
        usage(stderr);
        return 2;
    }
    f = fopen(o.output, "wb");
    if (f == NULL) {
        perror(o.output);
        return 1;
    }
    c.random = o.seed;
    for (c.number = 0; c.number < o.chunks; c.number++) {
        options plain = o;
        bool last = c.number + 1 == o.chunks;
        plain.damage = last ? o.damage : DAMAGE_NONE;
        c.o = &plain;
        c.like = o.mixed ? (producer)(c.number % 3) : o.like;
        make_classes(&c.classes, &plain, c.like, c.number);
        make_chunk(&c);
        if (last && o.damage == DAMAGE_STRAY) {
            fputs("these bytes belong to no chunk, FL nor FLR", f);
        }
        fwrite(c.b.p, 1, c.b.n, f);
        free(c.classes.p);
    }
    free(c.b.p);
    if (ferror(f) != 0 || fclose(f) != 0) {
        perror(o.output);
        return 1;
    }
    return 0;
}
