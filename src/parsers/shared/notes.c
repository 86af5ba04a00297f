#include "parsers/shared/notes.h"

ts_code ts_notes_put(ts_store *store, int64_t source_id, const char *detail, int64_t at,
                     const ts_note *notes, size_t n)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        if (notes[i].count > 0) {
            code = ts_issue_n(store, source_id, notes[i].issue, detail, at, notes[i].count, "%s",
                              notes[i].text);
        }
    }
    return code;
}
