/*
 * Names of methods, by the ids of one run of a JVM. Format: docs/formats.md, "Flare".
 *
 * flare_methods belongs to the directory, zeroed, until flare_methods_close; only methods.c touches
 * its fields. A family belongs to what the directories of one run of this program share.
 */
#ifndef TS_PARSERS_FLARE_METHODS_H
#define TS_PARSERS_FLARE_METHODS_H

#include "base/idmap.h"

typedef struct flare_dir flare_dir;
typedef struct flare_family flare_family;

typedef struct flare_methods {
    ts_idmap rows;        /* id to row of stack_method */
    flare_family *family; /* directories of the same run of the JVM; NULL: not known */
} flare_methods;

void flare_methods_close(flare_dir *dir);

ts_code flare_methods_read(flare_dir *dir, uint32_t index, uint32_t data);

/* The row of stack_method, made with the number as its name when there is no name. */
ts_code flare_method_row(int64_t *row, flare_dir *dir, int64_t id);

#endif
