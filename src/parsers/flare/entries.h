/*
 * Files of a sample directory by their names. No state; names are borrowed. Format:
 * docs/formats.md, "Flare".
 */
#ifndef TS_PARSERS_FLARE_ENTRIES_H
#define TS_PARSERS_FLARE_ENTRIES_H

#include "base/context.h"

#define FLARE_SUMMARY_FILE "summary_info.json"

/* One file that was recognised by its name. */
enum flare_kind {
    FLARE_SUMMARY,
    FLARE_METHOD_INDEX,
    FLARE_METHOD_DATA,
    FLARE_SERIES,
    FLARE_STACK_INDEX,
    FLARE_STACK_DATA,
    FLARE_OTHER
};

typedef struct flare_entry {
    const char *name;
    size_t dir; /* bytes of the name that are its directory */
    enum flare_kind kind;
    int64_t id;      /* of the thread */
    uint64_t volume; /* 0 for the first file of a series */
    uint32_t member;
} flare_entry;

void flare_entry_parse(flare_entry *e, const char *name);

#endif
