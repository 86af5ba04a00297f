/* Names of the files of a sample directory. */
#include "parsers/flare/entries.h"

#include "base/ckd.h"

#include <string.h>

/* A decimal number without leading zeros. */
static bool take_number(int64_t *out, const char **p)
{
    const char *at = *p;
    bool negative = *at == '-';
    const char *first = at + negative;
    int64_t v = 0;
    for (at = first; *at >= '0' && *at <= '9'; at++) {
        int64_t digit = *at - '0';
        if (ts_ckd_mul(&v, v, INT64_C(10)) || ts_ckd_add(&v, v, negative ? -digit : digit)) {
            return false;
        }
    }
    if (at == first || (*first == '0' && (at - first > 1 || negative))) {
        return false;
    }
    *p = at;
    *out = v;
    return true;
}

/* thread_<id>_cpu_time.fts, thread_<id>_cpu_time.<volume>.fts, thread_<id>_stack.fidx, .fdata */
static void parse_thread_file(flare_entry *e, const char *p)
{
    static const char series[] = "_cpu_time.";
    int64_t volume = 0;
    p += strlen("thread_");
    if (!take_number(&e->id, &p)) {
        return;
    }
    if (strcmp(p, "_stack.fidx") == 0) {
        e->kind = FLARE_STACK_INDEX;
    } else if (strcmp(p, "_stack.fdata") == 0) {
        e->kind = FLARE_STACK_DATA;
    } else if (strncmp(p, series, sizeof series - 1) == 0) {
        p += sizeof series - 1;
        if (strcmp(p, "fts") == 0 ||
            (take_number(&volume, &p) && volume >= 0 && strcmp(p, ".fts") == 0)) {
            e->kind = FLARE_SERIES;
            e->volume = (uint64_t)volume;
        }
    }
}

void flare_entry_parse(flare_entry *e, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    *e = (flare_entry){.name = name, .dir = (size_t)(base - name), .kind = FLARE_OTHER};
    if (strcmp(base, FLARE_SUMMARY_FILE) == 0) {
        e->kind = FLARE_SUMMARY;
    } else if (strcmp(base, "method_info.fidx") == 0) {
        e->kind = FLARE_METHOD_INDEX;
    } else if (strcmp(base, "method_info.fdata") == 0) {
        e->kind = FLARE_METHOD_DATA;
    } else if (strncmp(base, "thread_", 7) == 0) {
        parse_thread_file(e, base);
    }
}
