/* mkprofile: writes profiles of any size for tests; see usage(). Damage is done to what was made.
 */
#include "mkprofile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
    fputs("usage: mkprofile -o FILE [options]\n"
          "  --form pprof|folded|perf|speedscope|bundle  (pprof)\n"
          "  --samples N     samples (1000)\n"
          "  --functions N   functions; there are twice as many locations (200)\n"
          "  --stacks N      distinct stacks (300)\n"
          "  --depth N       frames of the deepest stack (20)\n"
          "  --labels N      labels of each sample, up to 5 (0)\n"
          "  --types N       kinds of values, up to 4 (2)\n"
          "  --inlined N     inlined functions at each tenth location (0)\n"
          "  --packed auto|always|never|mixed  lists of numbers (auto: as Go writes them)\n"
          "  --order normal|samples-first|strings-first|reversed  of fields\n"
          "  --sparse        ids that are neither dense nor small\n"
          "  --profiles N    profiles in a speedscope file (1)\n"
          "  --evented       speedscope: calls instead of samples\n"
          "  --frames-last   speedscope: shared frames behind the profiles\n"
          "  --shape directory|form|request  of a bundle (form)\n"
          "  --style event|tags|none  metadata of a bundle (event)\n"
          "  --says FORMAT   format that the metadata names (pprof)\n"
          "  --file NAME=PATH  a file of a bundle; may be given again\n"
          "  --seed N        (1)\n"
          "  --cut N         only the first N bytes\n"
          "  --flip N        inverts the lowest bit of byte N\n"
          "  --delete A,N    takes out N bytes from byte A on\n"
          "  --double A,N    writes those twice\n",
          to);
}

static void die(const char *what, const char *which)
{
    fprintf(stderr, "mkprofile: %s: %s\n", what, which);
    exit(2);
}

uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) ^ (b + UINT64_C(0xD1B54A32D192ED03));
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

uint64_t stack_of(const options *o, uint64_t sample)
{
    return o->stacks >= o->samples ? sample : mix(o->seed, sample) % o->stacks;
}

uint64_t depth_of(const options *o, uint64_t s)
{
    return o->depth < 4 ? o->depth : o->depth / 2 + mix(s, 77) % (o->depth - o->depth / 2 + 1);
}

/* A stack is that of a smaller number with other frames at its end. */
uint64_t frame_of(const options *o, uint64_t s, uint64_t d)
{
    while (s > 0) {
        uint64_t own = 1 + mix(s, 78) % 6;
        uint64_t n = depth_of(o, s);
        if (d + own >= n || d >= depth_of(o, s / 4)) {
            break;
        }
        s /= 4;
    }
    return mix(d + (o->seed << 8), s) % (o->functions * 2);
}

const char *function_name(uint64_t f)
{
    static char text[96];
    if (f % 3 == 0) {
        snprintf(text, sizeof text, "example.org/shop/pkg%d.(*Type%d).method%llu", (int)(f % 7),
                 (int)(f % 11), (unsigned long long)f);
    } else if (f % 3 == 1) {
        snprintf(text, sizeof text, "runtime.function%llu", (unsigned long long)f);
    } else {
        snprintf(text, sizeof text, "main.Kind%d.function%llu", (int)(f % 5),
                 (unsigned long long)f);
    }
    return text;
}

const char *function_file(uint64_t f)
{
    static char text[96];
    snprintf(text, sizeof text, "/go/pkg/mod/example.org/shop@v1.%d.0/file%d.go", (int)(f % 9),
             (int)(f % 50));
    return text;
}

/* --- options -------------------------------------------------------------------------------- */

static uint64_t number_of(const char *text)
{
    char *end;
    unsigned long long v;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (errno != 0 || end == text || (*end != '\0' && *end != ',')) {
        die("not a number", text);
    }
    return v;
}

static packing packing_of(const char *text)
{
    static const char *const names[] = {"auto", "always", "never", "mixed"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (packing)i;
        }
    }
    die("unknown packing", text);
    return PACKED_AUTO;
}

typedef struct harm {
    uint64_t cut, flip, from, n;
    bool has_cut, has_flip, deletes, doubles;
} harm;

static void take_range(harm *h, const char *text)
{
    const char *comma = strchr(text, ',');
    if (comma == NULL) {
        die("not A,N", text);
    }
    h->from = number_of(text);
    h->n = number_of(comma + 1);
}

static bool take_number(options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *to;
    } numbers[] = {
        {"--samples", &o->samples}, {"--functions", &o->functions}, {"--stacks", &o->stacks},
        {"--depth", &o->depth},     {"--labels", &o->labels},       {"--types", &o->types},
        {"--inlined", &o->inlined}, {"--profiles", &o->profiles},   {"--seed", &o->seed},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].to = number_of(value);
            return true;
        }
    }
    return false;
}

static bool take_flag(options *o, const char *name)
{
    bool *flag = strcmp(name, "--sparse") == 0        ? &o->sparse
                 : strcmp(name, "--evented") == 0     ? &o->evented
                 : strcmp(name, "--frames-last") == 0 ? &o->frames_last
                                                      : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

static bool take_bundle_option(options *o, const char *name, const char *value)
{
    const char **to = strcmp(name, "--shape") == 0   ? &o->shape
                      : strcmp(name, "--style") == 0 ? &o->style
                      : strcmp(name, "--says") == 0  ? &o->format
                                                     : NULL;
    if (to != NULL) {
        *to = value;
        return true;
    }
    if (strcmp(name, "--file") == 0) {
        char *copy = strdup(value);
        char *equals = copy == NULL ? NULL : strchr(copy, '=');
        if (equals == NULL || o->file_n == BUNDLE_FILES) {
            die("not NAME=PATH, or too many", value);
        }
        *equals = '\0';
        o->files[o->file_n++] = (bundle_file){copy, equals + 1};
        return true;
    }
    return false;
}

static void take_option(options *o, harm *h, const char *name, const char *value)
{
    if (take_number(o, name, value) || take_bundle_option(o, name, value)) {
        return;
    }
    if (strcmp(name, "-o") == 0) {
        o->output = value;
    } else if (strcmp(name, "--form") == 0) {
        o->form = value;
    } else if (strcmp(name, "--order") == 0) {
        o->order = value;
    } else if (strcmp(name, "--packed") == 0) {
        o->packed = packing_of(value);
    } else if (strcmp(name, "--cut") == 0) {
        h->cut = number_of(value);
        h->has_cut = true;
    } else if (strcmp(name, "--flip") == 0) {
        h->flip = number_of(value);
        h->has_flip = true;
    } else if (strcmp(name, "--delete") == 0 || strcmp(name, "--double") == 0) {
        h->deletes = strcmp(name, "--delete") == 0;
        h->doubles = !h->deletes;
        take_range(h, value);
    } else {
        die("unknown option", name);
    }
}

/* --- damage --------------------------------------------------------------------------------- */

static void damage_file(const char *path, const harm *h)
{
    FILE *f = fopen(path, "rb");
    char *p = NULL;
    size_t n = 0;
    size_t from, count;
    if (f == NULL) {
        die("cannot read", path);
    }
    for (size_t got = 1; got > 0; n += got) {
        p = realloc(p, n + (1 << 20));
        if (p == NULL) {
            die("out of memory", path);
        }
        got = fread(p + n, 1, 1 << 20, f);
    }
    fclose(f);
    if (h->has_flip && h->flip < n) {
        p[h->flip] = (char)(p[h->flip] ^ 1);
    }
    from = h->from < n ? (size_t)h->from : n;
    count = h->n < n - from ? (size_t)h->n : n - from;
    f = fopen(path, "wb");
    if (f == NULL) {
        die("cannot write", path);
    }
    if (h->has_cut) {
        n = h->cut < n ? (size_t)h->cut : n;
        from = n;
        count = 0;
    }
    fwrite(p, 1, h->doubles ? from + count : from, f);
    fwrite(p + from + (h->deletes ? count : 0), 1, n - from - (h->deletes ? count : 0), f);
    if (fclose(f) != 0) {
        die("cannot write", path);
    }
    free(p);
}

int main(int argc, char **argv)
{
    options o = {.form = "pprof",
                 .order = "normal",
                 .samples = 1000,
                 .functions = 200,
                 .stacks = 300,
                 .depth = 20,
                 .types = 2,
                 .profiles = 1,
                 .seed = 1,
                 .shape = "form",
                 .style = "event",
                 .format = "pprof"};
    harm h = {0};
    FILE *out = NULL;
    bool bundle;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return 0;
        }
        if (take_flag(&o, argv[i])) {
            continue;
        }
        if (i + 1 == argc) {
            die("needs a value", argv[i]);
        }
        take_option(&o, &h, argv[i], argv[i + 1]);
        i++;
    }
    if (o.output == NULL || o.functions == 0 || o.stacks == 0 || o.labels > 5 || o.types > 4 ||
        o.profiles == 0) {
        usage(stderr);
        return 2;
    }
    bundle = strcmp(o.form, "bundle") == 0;
    if (!bundle && (out = fopen(o.output, "wb")) == NULL) {
        die("cannot write", o.output);
    }
    if (bundle) {
        write_bundle(&o);
    } else if (strcmp(o.form, "pprof") == 0) {
        write_pprof(out, &o);
    } else if (strcmp(o.form, "folded") == 0) {
        write_folded(out, &o);
    } else if (strcmp(o.form, "perf") == 0) {
        write_perf(out, &o);
    } else if (strcmp(o.form, "speedscope") == 0) {
        write_speedscope(out, &o);
    } else {
        die("unknown form", o.form);
    }
    if (out != NULL && fclose(out) != 0) {
        die("cannot write", o.output);
    }
    for (size_t i = 0; i < o.file_n; i++) {
        free(o.files[i].name);
    }
    if (h.has_cut || h.has_flip || h.deletes || h.doubles) {
        damage_file(o.output, &h);
    }
    return 0;
}
