/* A request of the Flare protocol: {"cmd": "...", "options": {...}} (docs/flare.md). */
#ifndef TS_SERVE_FLARE_REQUEST_H
#define TS_SERVE_FLARE_REQUEST_H

#include "base/buf.h"
#include "base/vec.h"

typedef enum fp_kind { FP_OTHER, FP_INT, FP_TEXT, FP_ARRAY, FP_TRUE } fp_kind;

typedef struct fp_option {
    fp_kind kind;
    ts_buf name;
    int64_t number;
    ts_buf text;  /* of FP_TEXT */
    ts_vec items; /* of int64_t, of FP_ARRAY */
    ts_buf bad;   /* the first item of the array that is no integer, as written; empty: none */
} fp_option;

typedef struct fp_request {
    ts_ctx *ctx;
    bool has_cmd;
    ts_buf cmd;
    ts_vec options;   /* of fp_option; of two with one name the last counts */
    ts_buf malformed; /* why the text is not JSON; empty: it is */
} fp_request;

/* Reads a request. Text that is not JSON is no failure here. Caller frees with fp_request_free,
 * also after a failure (TS_ERR_NOMEM, TS_ERR_LIMIT). */
ts_code fp_request_read(fp_request *r, ts_ctx *ctx, const char *p, size_t n);
void fp_request_free(fp_request *r);

/* The option; NULL: not there. */
const fp_option *fp_request_option(const fp_request *r, const char *name);

/* An integer, or the default when it is missing or of another type. */
int64_t fp_request_int(const fp_request *r, const char *name, int64_t otherwise);
bool fp_request_bool(const fp_request *r, const char *name);

/* A text without the blanks around it; `otherwise` when it is missing or of another type. */
ts_text fp_request_text(const fp_request *r, const char *name, const char *otherwise);

/* The same of an option that must be there, with its blanks. TS_ERR_USAGE with the protocol's
 * words. */
ts_code fp_request_need_text(ts_text *out, ts_ctx *ctx, const fp_request *r, const char *name);

/* An array of integers that must be there; borrowed. TS_ERR_USAGE with the protocol's words. */
ts_code fp_request_need_ints(const int64_t **out, size_t *n, ts_ctx *ctx, const fp_request *r,
                             const char *name);

#endif
