#include "synth.h"

#include <stdlib.h>
#include <string.h>

typedef struct profile {
    mk_text *t;
    uint64_t nodes;
    uint64_t samples;
    uint64_t depth;
    uint64_t seed;
    int64_t start;
    bool negative; /* some time deltas are below 0 */
    bool wide;     /* all nodes are children of the root */
    bool reverse;  /* children are before their parents */
    bool arkts;    /* as ArkTS writes it */
    uint32_t *parent;
    uint32_t *first_child;
    uint32_t *next_child;
    uint32_t *level;
    uint32_t *hits;
} profile;

/* GAP_US: an interval that makes the sample before it one of (program). */
enum { NONE = UINT32_MAX, START_US = 1000000, PROGRAM = 2, OWN = 3, GAP_US = 10000 };

/* One sample after the other; run twice, for the hit counts and for the text. */
typedef struct sampler {
    const profile *p;
    mk_rand r;
    uint32_t node;
} sampler;

static sampler sampler_start(const profile *p)
{
    return (sampler){.p = p, .r = {mk_mix(p->seed ^ 0x53414D50U)}, .node = 0};
}

static uint32_t sampler_next(sampler *s)
{
    uint64_t v = mk_next(&s->r);

    /* Half of the samples stay where the one before was. */
    if ((v & 1) != 0)
        s->node = (uint32_t)((v >> 8) % s->p->nodes);
    if (s->p->arkts && s->node == 0) /* no stack was seen */
        s->node = PROGRAM - 1;
    return s->node;
}

static uint32_t *numbers(uint64_t n, uint32_t fill)
{
    uint32_t *p = mk_realloc(NULL, n * sizeof *p);

    for (uint64_t i = 0; i < n; i++)
        p[i] = fill;
    return p;
}

static uint32_t choose_parent(const profile *p, mk_rand *r, uint32_t node)
{
    uint32_t up;

    if (p->wide || node == 1 || (p->arkts && node <= OWN))
        return 0;
    if (node < p->depth)
        return node - 1;
    up = (uint32_t)mk_below(r, node);
    while (p->level[up] + 1 >= p->depth)
        up = p->parent[up];
    return p->arkts && up < OWN ? 0 : up;
}

static void build_tree(profile *p)
{
    mk_rand r = {mk_mix(p->seed ^ 0x54524545U)};

    p->parent = numbers(p->nodes, NONE);
    p->first_child = numbers(p->nodes, NONE);
    p->next_child = numbers(p->nodes, NONE);
    p->level = numbers(p->nodes, 0);
    p->hits = numbers(p->nodes, 0);
    for (uint32_t i = 1; i < p->nodes; i++) {
        uint32_t up = choose_parent(p, &r, i);

        p->parent[i] = up;
        p->level[i] = p->level[up] + 1;
    }
    for (uint32_t i = (uint32_t)p->nodes; i-- > 1;) {
        p->next_child[i] = p->first_child[p->parent[i]];
        p->first_child[p->parent[i]] = i;
    }
}

static void count_hits(profile *p)
{
    sampler s = sampler_start(p);

    for (uint64_t i = 0; i < p->samples; i++)
        p->hits[sampler_next(&s)]++;
}

static void call_frame(profile *p, uint32_t i)
{
    static const char *const special[] = {"\"(root)\"", "\"(program)\"", "\"(idle)\""};
    uint64_t v = mk_mix(p->seed ^ i);
    mk_text *t = p->t;
    bool none = i < OWN;
    int64_t place = p->arkts ? 0 : -1; /* of nodes without a script */

    mk_text_str(t, "{\"functionName\":");
    if (none)
        mk_text_str(t, special[i]);
    else if (v % 32 == 0)
        mk_text_str(t, "\"\"");
    else if (p->arkts) { /* names end with what the thread did */
        mk_text_str(t, "\"callee");
        mk_text_num(t, (int64_t)(v % 1000));
        mk_text_str(t, v % 3 == 0 ? "(AINT)\"" : v % 3 == 1 ? "(NAPI)\"" : "\"");
    } else
        mk_synth_string(t, p->seed, 4 + v % (1000 + p->nodes / 4), true);
    if (p->arkts)
        mk_text_str(t, none ? ",\"moduleName\":\"\"" : ",\"moduleName\":\"entry\"");
    mk_text_str(t, ",\"scriptId\":\"");
    mk_text_num(t, none ? 0 : (int64_t)(v >> 8 & 63) + 1);
    mk_text_str(t, "\",\"url\":\"");
    if (!none) {
        mk_text_str(t, "https://app.example.org/static/chunk-vendors.");
        mk_text_num(t, (int64_t)(v >> 8 & 63));
        mk_text_str(t, ".js");
    }
    mk_text_str(t, "\",\"lineNumber\":");
    mk_text_num(t, none ? place : (int64_t)(v >> 16 & 4095));
    mk_text_str(t, ",\"columnNumber\":");
    mk_text_num(t, none ? place : (int64_t)(v >> 28 & 127));
    mk_text_str(t, "}");
}

static void write_node(profile *p, uint32_t i)
{
    mk_text *t = p->t;

    mk_text_str(t, "{\"id\":");
    mk_text_num(t, (int64_t)i + 1);
    mk_text_str(t, ",\"callFrame\":");
    call_frame(p, i);
    mk_text_str(t, ",\"hitCount\":");
    mk_text_num(t, p->hits[i]);
    /* V8 leaves the list out where it is empty, ArkTS does not. */
    if (p->arkts || p->first_child[i] != NONE)
        mk_text_str(t, ",\"children\":[");
    for (uint32_t c = p->first_child[i]; c != NONE; c = p->next_child[c]) {
        mk_text_num(t, (int64_t)c + 1);
        if (p->next_child[c] != NONE)
            mk_text_str(t, ",");
    }
    mk_text_str(t, p->arkts || p->first_child[i] != NONE ? "]}" : "}");
}

static void write_nodes(profile *p)
{
    mk_text_str(p->t, "\"nodes\":[");
    for (uint64_t i = 0; i < p->nodes; i++) {
        if (i > 0)
            mk_text_str(p->t, ",");
        write_node(p, (uint32_t)(p->reverse ? p->nodes - 1 - i : i));
    }
    mk_text_str(p->t, "]");
}

static mk_rand delta_rand(const profile *p)
{
    return (mk_rand){mk_mix(p->seed ^ 0x44454C54U)};
}

static int64_t next_delta(const profile *p, mk_rand *r)
{
    uint64_t v = mk_next(r);

    if (p->arkts && v % 128 == 0)
        return GAP_US + (int64_t)(v >> 8 & 4095) + 1;
    if (p->negative && v % 64 == 0)
        return -(int64_t)(v >> 8 & 511) - 1;
    return 50 + (int64_t)((v >> 8) % 1900);
}

static void write_samples(profile *p)
{
    sampler s = sampler_start(p);
    mk_rand r = delta_rand(p);

    next_delta(p, &r);
    mk_text_str(p->t, "\"samples\":[");
    for (uint64_t i = 0; i < p->samples; i++) {
        int64_t id = (int64_t)sampler_next(&s) + 1;

        if (i > 0)
            mk_text_str(p->t, ",");
        if (next_delta(p, &r) > GAP_US && i + 1 < p->samples)
            id = PROGRAM;
        mk_text_num(p->t, id);
    }
    mk_text_str(p->t, "]");
}

static int64_t write_deltas(profile *p, bool write)
{
    mk_rand r = delta_rand(p);
    int64_t sum = 0;

    for (uint64_t i = 0; i < p->samples; i++) {
        int64_t d = next_delta(p, &r);

        sum += d;
        if (!write)
            continue;
        if (i > 0)
            mk_text_str(p->t, ",");
        mk_text_num(p->t, d);
    }
    return sum;
}

static void write_times(profile *p)
{
    mk_text_str(p->t, "\"startTime\":");
    mk_text_num(p->t, p->start);
    mk_text_str(p->t, ",\"endTime\":");
    mk_text_num(p->t, p->start + write_deltas(p, false) + 600);
}

static void write_profile(profile *p)
{
    mk_text_str(p->t, "{");
    if (p->arkts) {
        mk_text_str(p->t, "\"tid\":1734,");
        write_times(p);
        mk_text_str(p->t, ",\"gcTime\":1200,\"cInterpreterTime\":0,\"asmInterpreterTime\":800,"
                          "\"aotTime\":0,\"asmInterpreterDeoptTime\":70,\"builtinTime\":300,"
                          "\"napiTime\":40,\"arkuiEngineTime\":10,\"runtimeTime\":20,"
                          "\"jitTime\":30,\"otherTime\":5,");
    }
    write_nodes(p);
    mk_text_str(p->t, ",");
    if (!p->arkts) {
        write_times(p);
        mk_text_str(p->t, ",");
    }
    write_samples(p);
    mk_text_str(p->t, ",\"timeDeltas\":[");
    write_deltas(p, true);
    mk_text_str(p->t, "]}");
    mk_text_flush(p->t);
}

static void set_key(profile *p, const char *key, const char *value)
{
    bool on = strcmp(value, "0") != 0;

    if (strcmp(key, "nodes") == 0)
        p->nodes = (uint64_t)mk_number(value, key);
    else if (strcmp(key, "samples") == 0)
        p->samples = (uint64_t)mk_number(value, key);
    else if (strcmp(key, "depth") == 0)
        p->depth = (uint64_t)mk_number(value, key);
    else if (strcmp(key, "seed") == 0)
        p->seed = (uint64_t)mk_number(value, key);
    else if (strcmp(key, "start") == 0)
        p->start = mk_number(value, key);
    else if (strcmp(key, "negative") == 0)
        p->negative = on;
    else if (strcmp(key, "wide") == 0)
        p->wide = on;
    else if (strcmp(key, "reverse") == 0)
        p->reverse = on;
    else if (strcmp(key, "arkts") == 0)
        p->arkts = on;
    else
        mk_die("a synthetic profile has no %s", key);
}

static void release(profile *p)
{
    free(p->parent);
    free(p->first_child);
    free(p->next_child);
    free(p->level);
    free(p->hits);
    free(p->t);
}

void mk_synth_profile(const char *spec, mk_sink to)
{
    profile p = {.nodes = 100, .samples = 1000, .depth = 16, .seed = 1};
    char *copy = strdup(spec);
    char *rest = copy;
    char *key;
    char *value;

    p.start = (int64_t)8000 * 1000000 + START_US;
    while (mk_pair(&rest, &key, &value))
        set_key(&p, key, value);
    if (p.nodes == 0 || p.nodes > UINT32_MAX - 1 || p.depth < 2)
        mk_die("a synthetic profile needs at least one node and a depth of 2");
    p.t = mk_realloc(NULL, sizeof *p.t);
    p.t->to = to;
    p.t->n = 0;
    build_tree(&p);
    count_hits(&p);
    write_profile(&p);
    release(&p);
    free(copy);
}
