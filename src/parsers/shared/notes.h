/* Defects that an importer counts while it reads and records at the end. */
#ifndef TS_PARSERS_SHARED_NOTES_H
#define TS_PARSERS_SHARED_NOTES_H

#include "tables/store.h"

typedef struct ts_note {
    ts_issue_code issue;
    uint64_t count; /* 0: nothing is recorded */
    const char *text;
} ts_note;

/* Issues of the source in the order of the notes, at this place. detail may be NULL. */
ts_code ts_notes_put(ts_store *store, int64_t source_id, const char *detail, int64_t at,
                     const ts_note *notes, size_t n);

#endif
