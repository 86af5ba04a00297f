#include "synth.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, DEFAULT_DEPTH = 32, MAX_SECTIONS = 8 };

typedef struct heap {
    mk_text *t;
    uint64_t nodes;
    uint64_t edges;
    uint64_t strings;
    uint64_t seed;
    uint64_t functions; /* trace_function_infos */
    uint64_t tree;      /* nodes of trace_tree */
    uint64_t depth;     /* of the deepest allocation stack */
    uint64_t samples;
    uint64_t locations;
    bool arkts;   /* as ArkTS's recorder writes heaps, not as V8 */
    bool compact; /* no line ends */
    bool utf8;
    const char *order; /* NULL: as V8 */
} heap;

typedef struct section {
    const char *name;
    void (*write)(heap *h);
} section;

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void num(heap *h, int64_t v)
{
    mk_text_num(h->t, v);
}

static void comma_num(heap *h, uint64_t v)
{
    mk_text_put(h->t, ",", 1);
    mk_text_num(h->t, (int64_t)v);
}

/* The end of a row: V8 writes "1,2,3\n,4,5,6\n". */
static void row_end(heap *h, bool last)
{
    if (!h->compact)
        mk_text_put(h->t, "\n", 1);
    if (!last)
        mk_text_put(h->t, ",", 1);
}

/* A whole row at once: the nodes and edges are nearly all of a heap's text. */
static void row(heap *h, const uint64_t *columns, size_t n, bool last)
{
    char *p = mk_text_room(h->t, n * (MK_DIGITS + 1) + 2);

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            *p++ = ',';
        p = mk_digits(p, columns[i]);
    }
    if (!h->compact)
        *p++ = '\n';
    if (!last)
        *p++ = ',';
    mk_text_wrote(h->t, p);
}

/* floor(share * total / whole) without overflow. */
static uint64_t portion(uint64_t share, uint64_t total, uint64_t whole)
{
    uint64_t product;

    if (whole == 0)
        return 0;
    if (!__builtin_mul_overflow(share, total, &product))
        return product / whole;
    return (uint64_t)((unsigned __int128)share * total / whole);
}

/* Edge counts of the nodes of one block. They depend on the block only, so that the nodes and the
 * edges can be written apart, and add up to exactly `edges` over all blocks: many nodes have a few
 * edges, some have hundreds. */
static uint64_t block_counts(const heap *h, uint64_t block, uint64_t counts[BLOCK])
{
    uint64_t first = block * BLOCK;
    uint64_t n = min_u64(BLOCK, h->nodes - first);
    uint64_t total = portion(first + n, h->edges, h->nodes) - portion(first, h->edges, h->nodes);
    uint64_t weights[BLOCK + 1] = {0};
    mk_rand r = {mk_mix(h->seed ^ 0x45444745U) + block};

    for (uint64_t i = 0; i < n; i++) {
        uint64_t v = mk_next(&r);
        uint64_t weight = (v & 127) == 0 ? 300 : v >> 8 & 7;

        weights[i + 1] = weights[i] + weight;
    }
    for (uint64_t i = 1; h->arkts && block == 0 && i <= n; i++)
        weights[i] += 300; /* the root holds the further ones */
    if (weights[n] == 0)
        weights[n] = 1;
    for (uint64_t i = 0; i < n; i++)
        counts[i] =
            portion(weights[i + 1], total, weights[n]) - portion(weights[i], total, weights[n]);
    return n;
}

static uint64_t stride(const heap *h)
{
    return h->arkts ? 8 : 7;
}

/* Unique and growing; odd for objects of the JavaScript heap, even for native ones. */
static uint64_t node_id(const heap *h, uint64_t index, unsigned type)
{
    uint64_t odd;

    if (index < 16)
        return index * 2 + 1;
    odd = 2 * (3 * index + mk_mix(h->seed + index) % 3) + 1;
    return type == 8 ? odd + 1 : odd;
}

static unsigned node_type(uint64_t v)
{
    /* hidden, array, string, object, code, closure, regexp, number, native, synthetic, concatenated
     * string, sliced string, symbol, bigint, object shape: parts of 256. */
    static const uint8_t shares[15] = {20, 26, 52, 56, 36, 30, 2, 6, 4, 0, 6, 2, 2, 1, 13};
    unsigned part = (unsigned)(v & 255);
    unsigned type = 0;

    while (part >= shares[type]) {
        part -= shares[type];
        type++;
    }
    return type;
}

/* Low string numbers are taken far more often, as class names are. */
static uint64_t pick_name(const heap *h, uint64_t v)
{
    uint64_t few = min_u64(h->strings, 64 + h->strings / 256);

    return (v & 3) != 0 ? (v >> 2) % few : (v >> 2) % h->strings;
}

/*
 * ArkTS numbers strings as it makes nodes and edges, the roots last, and writes those of nodes that
 * are gone too: here every seventh. FROM_END: places of names at the end of the list.
 */
enum { ARKTS_ROOTS = 4, FROM_END_ROOT = 1, FROM_END_ROOTS = 5, FROM_END_SUBROOT = 6, FROM_END = 8 };
enum { SYNTHETIC = 9, STRING = 2, NATIVE = 8, HANDLE = 16, SHORTCUT = 5 };

static uint64_t arkts_name(const heap *h, uint64_t v)
{
    uint64_t name = 3 + (v >> 8) % (h->strings - FROM_END - 3);

    return (v & 63) == 0 || name % 7 == 0 ? 1 : name; /* 1: a name that was not found */
}

static void arkts_node(const heap *h, uint64_t columns[8], uint64_t index, uint64_t v, uint64_t w)
{
    bool native = index + 1 + h->nodes / 16 >= h->nodes;
    unsigned type = node_type(v);

    if (index <= ARKTS_ROOTS) {
        columns[0] = index == 0 ? SYNTHETIC : HANDLE;
        columns[1] = h->strings - (index == 0 ? FROM_END_ROOT : FROM_END_ROOTS + 1 - index);
        columns[2] = index == 0;
        columns[3] = index != 0;
        columns[7] = 0;
        return;
    }
    /* bigint and what follows it, and no native node among the others */
    type = native ? NATIVE : type == NATIVE ? 3 : type >= 13 ? 13 + (unsigned)(w >> 28) % 3 : type;
    columns[0] = type;
    columns[1] = arkts_name(h, v >> 8);
    columns[2] = 2 * (index - ARKTS_ROOTS) + 1;
    columns[3] = type == STRING ? 16 + (w >> 8 & 1023) : type == NATIVE ? 0 : columns[3];
    columns[7] = type == NATIVE || (w >> 22 & 15) == 0 ? w >> 36 & 0xFFFFF : 0;
}

static void write_node(heap *h, uint64_t index, uint64_t edge_count)
{
    mk_rand r = {mk_mix(h->seed ^ 0x4E4F4445U) + index};
    uint64_t v = mk_next(&r);
    uint64_t w = mk_next(&r);
    unsigned type = index < 16 ? 9 : node_type(v);
    uint64_t size = index < 16 ? 0 : 8 * (2 + (w & 7));
    uint64_t trace = 0;
    uint64_t columns[8];

    if ((w & 1023) == 0)
        size = (w >> 10 & 0xFFFFF) + 16;
    if (h->tree > 0 && index >= 16)
        trace = (w >> 32) % (h->tree + 1);
    columns[0] = type;
    columns[1] = index < 16 ? min_u64(index + 1, h->strings - 1) : pick_name(h, v >> 8);
    columns[2] = node_id(h, index, type);
    columns[3] = size;
    columns[4] = edge_count;
    columns[5] = trace;
    columns[6] = type == 8 ? 1 + (w >> 20 & 1) : 0;
    if (h->arkts) {
        columns[5] = index <= ARKTS_ROOTS ? 0 : trace;
        columns[6] = 0;
        arkts_node(h, columns, index, v, w);
    }
    row(h, columns, stride(h), index + 1 == h->nodes);
}

static void write_nodes(heap *h)
{
    uint64_t counts[BLOCK];

    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->nodes; i++) {
        if (i % BLOCK == 0)
            block_counts(h, i / BLOCK, counts);
        write_node(h, i, counts[i % BLOCK]);
    }
    mk_text_str(h->t, "]");
}

static void write_edge(heap *h, uint64_t from, uint64_t index, uint64_t v, bool last)
{
    /* context, element, property, internal, hidden, weak: parts of 32. */
    static const uint8_t types[32] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                      3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 4, 4, 6, 5};
    unsigned type = types[v & 31];
    uint64_t far = v >> 32;
    uint64_t to = (v & 32) != 0 ? (from + far % 4096) % h->nodes : far % h->nodes;
    uint64_t columns[3];

    columns[0] = type;
    columns[1] = type == 1 || type == 4 ? index
                 : h->arkts             ? arkts_name(h, v >> 6)
                                        : pick_name(h, v >> 6 & 0x3FFFFFF);
    if (h->arkts && from == 0 && index < ARKTS_ROOTS) {
        columns[0] = SHORTCUT;
        columns[1] = h->strings - FROM_END_SUBROOT;
        to = 1 + index;
    } else if (h->arkts && type == 2 && (far & 15) == 0) {
        columns[0] = 7 + far / 16 % 3; /* native, native_string, xref */
    }
    columns[2] = to * stride(h);
    row(h, columns, 3, last);
}

static void write_edges(heap *h)
{
    mk_rand r = {mk_mix(h->seed ^ 0x544F4E4FU)};
    uint64_t blocks = (h->nodes + BLOCK - 1) / BLOCK;
    uint64_t written = 0;

    mk_text_str(h->t, "[");
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t counts[BLOCK];
        uint64_t n = block_counts(h, b, counts);

        for (uint64_t k = 0; k < n; k++) {
            for (uint64_t i = 0; i < counts[k]; i++) {
                written++;
                write_edge(h, b * BLOCK + k, i, mk_next(&r), written == h->edges);
            }
        }
    }
    mk_text_str(h->t, "]");
}

static void write_functions(heap *h)
{
    mk_rand r = {mk_mix(h->seed ^ 0x46554E43U)};

    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->functions; i++) {
        uint64_t v = mk_next(&r);

        num(h, (int64_t)(i == 0 ? 0 : 2 * i + 1));
        comma_num(h, h->arkts ? arkts_name(h, v) : pick_name(h, v));
        comma_num(h, h->arkts ? arkts_name(h, v >> 20) : pick_name(h, v >> 20));
        comma_num(h, v >> 40 & 63);
        mk_text_str(h->t, ",");
        num(h, i == 0 ? -1 : (int64_t)(v >> 46 & 4095));
        mk_text_str(h->t, ",");
        num(h, i == 0 ? -1 : (int64_t)(v >> 58));
        row_end(h, i + 1 == h->functions);
    }
    mk_text_str(h->t, "]");
}

/* Pre-order walk of a random tree: a chain of `depth` nodes first, then nodes at any depth. */
static void write_tree(heap *h)
{
    mk_rand r = {mk_mix(h->seed ^ 0x54524545U)};
    uint64_t open = 0;

    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->tree; i++) {
        uint64_t v = mk_next(&r);
        uint64_t close = 0;

        if (i >= h->depth && open > 1)
            close = (v & 1) == 0 ? 0 : 1 + (v >> 1) % min_u64(open - 1, 4);
        if (open >= h->depth && close == 0 && open > 1)
            close = 1;
        for (uint64_t k = 0; k < close; k++)
            mk_text_put(h->t, "]", 1);
        open -= close;
        if (close > 0)
            mk_text_put(h->t, ",", 1);
        num(h, (int64_t)i + 1);
        comma_num(h, i == 0 || h->functions == 0 ? 0 : (v >> 8 & 0xFFFFF) % h->functions);
        comma_num(h, v >> 28 & 1023);
        comma_num(h, v >> 38 & 0xFFFFF);
        mk_text_put(h->t, ",[", 2);
        open++;
    }
    for (; open > 0; open--)
        mk_text_put(h->t, "]", 1);
    mk_text_str(h->t, "]");
}

static void write_samples(heap *h)
{
    mk_rand r = {mk_mix(h->seed ^ 0x53414D50U)};
    uint64_t time = 0;

    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->samples; i++) {
        num(h, (int64_t)time);
        if (h->arkts)
            mk_text_str(h->t, ", ");
        else
            mk_text_str(h->t, ",");
        num(h, (int64_t)(portion(i + 1, (h->arkts ? 2 : 6) * h->nodes, h->samples) | 1));
        row_end(h, i + 1 == h->samples);
        time += 200000 + mk_below(&r, 1500);
    }
    mk_text_str(h->t, "]");
}

static void write_locations(heap *h)
{
    mk_rand r = {mk_mix(h->seed ^ 0x4C4F4341U)};

    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->locations; i++) {
        uint64_t v = mk_next(&r);

        num(h, (int64_t)(portion(i, h->nodes, h->locations) * stride(h)));
        comma_num(h, v & 63);
        comma_num(h, v >> 6 & 4095);
        comma_num(h, v >> 18 & 127);
        row_end(h, i + 1 == h->locations);
    }
    mk_text_str(h->t, "]");
}

/* The names that only ArkTS has; false: string i is one as in V8's. */
static bool arkts_string(heap *h, uint64_t i)
{
    static const char *const roots[] = {"LocalHandleRoot[", "GlobalHandleRoot[", "VMRoot[",
                                        "FrameRoot["};
    uint64_t from_end = h->strings - i;
    uint64_t counts[BLOCK];

    if (!h->arkts || (i != 2 && from_end > FROM_END))
        return false;
    if (from_end > FROM_END_ROOT && from_end <= FROM_END_ROOTS) {
        block_counts(h, 0, counts);
        mk_text_str(h->t, "\"");
        mk_text_str(h->t, roots[FROM_END_ROOTS - from_end]);
        num(h, (int64_t)counts[FROM_END_ROOTS - from_end + 1]);
        mk_text_str(h->t, "]\"");
        return true;
    }
    mk_text_str(h->t, i == 2                             ? "\"GC roots\""
                      : from_end == FROM_END_ROOT        ? "\"SyntheticRoot\""
                      : from_end == FROM_END_SUBROOT     ? "\"-subroot-\""
                      : from_end == FROM_END_SUBROOT + 1 ? "\"HeapVerify:0\""
                                                         : "\"ArkInternalHash\"");
    return true;
}

static void write_strings(heap *h)
{
    mk_text_str(h->t, "[");
    for (uint64_t i = 0; i < h->strings; i++) {
        if (!arkts_string(h, i))
            mk_synth_string(h->t, h->seed, i, h->arkts ? MK_ARKTS : h->utf8 ? MK_UTF8 : MK_V8);
        if (i + 1 < h->strings)
            mk_text_str(h->t, h->compact ? "," : ",\n");
    }
    mk_text_str(h->t, "]");
}

static void write_snapshot(heap *h)
{
    mk_text_str(h->t,
                "{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
                "\"trace_node_id\",\"detachedness\"");
    mk_text_str(h->t, h->arkts ? ",\"native_size\"]" : "]");
    mk_text_str(h->t,
                ",\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\","
                "\"regexp\",\"number\",\"native\",\"synthetic\",\"concatenated string\","
                "\"sliced string\",\"symbol\",\"bigint\",");
    mk_text_str(h->t, h->arkts ? "\"class\",\"framework\",\"handle\"" : "\"object shape\"");
    mk_text_str(h->t, "],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],");
    mk_text_str(h->t, "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
                      "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\","
                      "\"hidden\",\"shortcut\",\"weak\"");
    mk_text_str(h->t, h->arkts ? ",\"native\",\"native_string\",\"xref\"" : "");
    mk_text_str(h->t, "],\"string_or_number\",\"node\"],");
    mk_text_str(h->t, "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\","
                      "\"script_id\",\"line\",\"column\"],\"trace_node_fields\":[\"id\","
                      "\"function_info_index\",\"count\",\"size\",\"children\"],");
    mk_text_str(h->t, "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
                      "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},");
    mk_text_str(h->t, "\"node_count\":");
    num(h, (int64_t)h->nodes);
    mk_text_str(h->t, ",\"edge_count\":");
    num(h, (int64_t)h->edges);
    mk_text_str(h->t, ",\"trace_function_count\":");
    num(h, (int64_t)h->functions);
    mk_text_str(h->t, "}");
}

static const section sections[MAX_SECTIONS] = {
    {"snapshot", write_snapshot},   {"nodes", write_nodes},
    {"edges", write_edges},         {"trace_function_infos", write_functions},
    {"trace_tree", write_tree},     {"samples", write_samples},
    {"locations", write_locations}, {"strings", write_strings},
};

static const char v8_order[] =
    "snapshot:nodes:edges:trace_function_infos:trace_tree:samples:locations:strings";
static const char sorted_order[] =
    "edges:locations:nodes:samples:snapshot:strings:trace_function_infos:trace_tree";

static const section *find_section(const char *name, size_t n)
{
    for (size_t i = 0; i < MAX_SECTIONS; i++) {
        if (strlen(sections[i].name) == n && memcmp(sections[i].name, name, n) == 0)
            return &sections[i];
    }
    mk_die("order: there is no %.*s in a heap snapshot", (int)n, name);
}

static void write_heap(heap *h)
{
    const char *p = h->order != NULL ? h->order : v8_order;

    mk_text_str(h->t, "{");
    while (*p != '\0') {
        size_t n = strcspn(p, ":");
        const section *s = find_section(p, n);

        mk_text_str(h->t, "\"");
        mk_text_str(h->t, s->name);
        mk_text_str(h->t, "\":");
        s->write(h);
        p += n;
        if (*p == ':') {
            mk_text_str(h->t, h->compact ? "," : ",\n");
            p++;
        }
    }
    mk_text_str(h->t, "}");
    mk_text_flush(h->t);
}

/* Keys whose value is a number. Returns NULL for others. */
static uint64_t *number_key(heap *h, const char *key)
{
    const struct {
        const char *name;
        uint64_t *to;
    } keys[] = {
        {"nodes", &h->nodes},  {"edges", &h->edges},     {"strings", &h->strings},
        {"seed", &h->seed},    {"trace", &h->functions}, {"tree", &h->tree},
        {"stacks", &h->depth}, {"samples", &h->samples}, {"locations", &h->locations},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, key) == 0)
            return keys[i].to;
    }
    return NULL;
}

static void set_key(heap *h, const char *key, const char *value)
{
    uint64_t *number = number_key(h, key);
    bool on = strcmp(value, "0") != 0;

    if (number != NULL)
        *number = (uint64_t)mk_number(value, key);
    else if (strcmp(key, "arkts") == 0)
        h->arkts = on;
    else if (strcmp(key, "compact") == 0)
        h->compact = on;
    else if (strcmp(key, "utf8") == 0)
        h->utf8 = on;
    else if (strcmp(key, "order") == 0)
        h->order = strcmp(value, "sorted") == 0 ? sorted_order
                   : strcmp(value, "v8") == 0   ? v8_order
                                                : value;
    else
        mk_die("a synthetic heap has no %s", key);
}

static void parse_heap(heap *h, char *spec, bool timeline)
{
    char *key;
    char *value;

    *h = (heap){.nodes = 1000, .edges = 4000, .seed = 1};
    h->tree = h->functions = h->samples = h->strings = UINT64_MAX;
    while (mk_pair(&spec, &key, &value))
        set_key(h, key, value);
    if (h->strings == UINT64_MAX)
        h->strings = h->nodes / 8 + 32;
    if (h->functions == UINT64_MAX)
        h->functions = timeline ? h->nodes / 100 + 2 : 0;
    if (h->samples == UINT64_MAX)
        h->samples = timeline ? 100 : 0;
    if (h->depth == 0)
        h->depth = DEFAULT_DEPTH;
    if (h->tree == UINT64_MAX)
        h->tree = h->functions > 0 ? h->functions * 4 : 0;
    if (h->tree > 0 && h->tree < h->depth)
        h->tree = h->depth;
    if (h->strings < (h->arkts ? 32 : 2))
        mk_die("a synthetic heap needs at least %d strings", h->arkts ? 32 : 2);
    if (h->nodes == 0 && h->edges > 0)
        mk_die("a heap without nodes has no edges");
}

void mk_synth_heap(const char *spec, bool timeline, mk_sink to)
{
    char *copy = strdup(spec);
    mk_text *t = mk_realloc(NULL, sizeof *t);
    heap h;

    parse_heap(&h, copy, timeline);
    t->to = to;
    t->n = 0;
    h.t = t;
    write_heap(&h);
    free(t);
    free(copy);
}
