#include "mkflare.h"

#include <stdlib.h>
#include <string.h>

enum file_kind { SERIES = 1, STACK_INDEX = 2, STACK_DATA = 4, METHODS = 8, SUMMARY = 16 };

static unsigned kind_of(const char *name)
{
    bool index = strstr(name, ".fidx") != NULL;
    return strstr(name, ".fts") != NULL           ? SERIES
           : strstr(name, "method_info") != NULL  ? METHODS
           : strstr(name, "summary_info") != NULL ? SUMMARY
           : index                                ? STACK_INDEX
                                                  : STACK_DATA;
}

/* A quarter, and a byte more so that it falls into an item, is taken off the end. */
static void cut(fl_buf *b)
{
    b->n -= b->n / 4 + 1;
}

static void no_magic(fl_buf *b)
{
    b->p[0] ^= 0xff;
}

/* One bit in the middle. */
static void flip(fl_buf *b)
{
    b->p[b->n / 2] ^= 0x10;
}

static void zeros(fl_buf *b)
{
    memset(b->p + b->n / 2, 0, b->n / 8);
}

static void empty(fl_buf *b)
{
    b->n = 0;
}

static void twice(fl_buf *b)
{
    fl_put(b, b->p, b->n);
}

static const struct {
    const char *name;
    unsigned files;
    void (*apply)(fl_buf *b);
} kinds[] = {
    {"cut-series", SERIES, cut},
    {"cut-index", STACK_INDEX, cut},
    {"cut-data", STACK_DATA, cut},
    {"cut-methods", METHODS, cut},
    {"cut-summary", SUMMARY, cut},
    {"magic-series", SERIES, no_magic},
    {"magic-index", STACK_INDEX, no_magic},
    {"magic-data", STACK_DATA, no_magic},
    {"magic-methods", METHODS, no_magic},
    {"flip-series", SERIES, flip},
    {"flip-index", STACK_INDEX, flip},
    {"flip-data", STACK_DATA, flip},
    {"flip-methods", METHODS, flip},
    {"flip-summary", SUMMARY, flip},
    {"zeros-data", STACK_DATA, zeros},
    {"zeros-index", STACK_INDEX, zeros},
    {"empty-series", SERIES, empty},
    {"empty-index", STACK_INDEX, empty},
    {"empty-data", STACK_DATA, empty},
    {"empty-summary", SUMMARY, empty},
    {"twice-summary", SUMMARY, twice},
};

bool fl_damage_known(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, kind) == 0) {
            return true;
        }
    }
    return false;
}

void fl_damage(const fl_options *o, const char *name, fl_buf *b)
{
    unsigned kind = kind_of(name);
    for (unsigned d = 0; d < o->damages; d++) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (strcmp(kinds[i].name, o->damage[d]) == 0 && (kinds[i].files & kind) != 0 &&
                b->n > 0) {
                kinds[i].apply(b);
            }
        }
    }
}
