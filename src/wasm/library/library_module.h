/* What trace_streamer.wasm exports beside the functions of tracestreamer.h, for JavaScript alone.
 */
#ifndef TS_WASM_LIBRARY_MODULE_H
#define TS_WASM_LIBRARY_MODULE_H

#include "serve/page/page.h"
#include "tracestreamer.h"

/* Of library_module.js: progress of a session, or of the page (NULL). total below 0, or 0 of the
 * page: not known. */
void module_progress(const void *of, const char *what, double done, double total);

/* tst_open, or tst_open_database with `database`. texts: the options that are texts. */
tst_session *module_open(int *code, uint32_t flags, double max_memory, double max_inflate,
                         const char *texts, const char *database);

/* Lets the session tell module_progress. */
void module_tell(tst_session *session);

double module_losses(const tst_session *session);

/* tst_query, or tst_ask. */
tst_rows *module_query(int *code, tst_session *session, const char *text, const char *values,
                       int is_question);

/*
 * Some rows as bytes, which the caller frees: of each value a byte with its tst_type, then 8 bytes
 * of a number, or the length in 4 bytes and the bytes of a text or blob. *code: TST_ROW when there
 * may be more.
 */
uint8_t *module_rows(int *code, uint32_t *size, uint32_t *count, tst_rows *rows);

/* NULL: there is no memory, or the questions cannot be read. Texts are kept by the caller. */
ts_page *page_open(const char *share_dir, const char *temp_dir, double max_memory);

/* Why it is not added, or NULL. */
const char *page_add(ts_page *page, const char *path, const char *named);

typedef struct module_answer {
    int32_t status;
    const char *bytes; /* until the next request */
    uint32_t n;
    const char *type;
    char file[120];
} module_answer;

void page_ask(module_answer *out, ts_page *page, const char *method, const char *target,
              const char *body, uint32_t body_n);

#endif
