/*
 * The answers to what the page asks, without a server: databases that are added one by one, and
 * requests that are answered one after the other by the caller's thread, with the bytes that
 * `serve` sends. What only a server can do (sampling, copies with more rows, progress by 202) is
 * not there; /api/info says so. No function here knows HTTP's wire form, a socket, process or
 * thread.
 */
#ifndef TS_SERVE_PAGE_H
#define TS_SERVE_PAGE_H

#include "base/context.h"

typedef struct ts_page ts_page;

typedef struct ts_page_options {
    int64_t query_ns;    /* time of a statement; 0: that of a server */
    uint64_t max_rows;   /* of a reply; 0: that of a server */
    uint64_t max_memory; /* bytes that views keep, together; 0: no limit */
    void *user;
    /* Called now and then while a view is made; NULL: not wanted. total 0: not known. */
    void (*report)(void *user, const char *what, uint64_t done, uint64_t total);
} ts_page_options;

/* With the shipped questions of base->share_dir, if they are there. base is copied. The caller ends
 * it with ts_page_close. */
ts_code ts_page_open(ts_page **out, const ts_ctx *base, const ts_page_options *options);
/* NULL is allowed. */
void ts_page_close(ts_page *page);

/* One more database; the last part of `named` is its name. TS_ERR_USAGE when there are too many. */
ts_code ts_page_add(ts_page *page, const char *path, const char *named);

/* The context whose error chain says why ts_page_add failed. */
ts_ctx *ts_page_ctx(ts_page *page);

typedef struct ts_page_request {
    ts_text method; /* GET or POST */
    ts_text target; /* "/api/flame?db=a.db": path and parameters, encoded */
    ts_text body;   /* JSON, of POST */
} ts_page_request;

typedef struct ts_page_answer {
    int status;       /* as HTTP has it */
    const char *type; /* of the bytes; static */
    char file[120];   /* the name that they are kept by; "": they are not to be kept */
    ts_text bytes;    /* borrowed until the next request */
} ts_page_answer;

/* Answers a request. What goes wrong becomes an answer: {"error":{"code","message"}}. */
void ts_page_ask(ts_page_answer *out, ts_page *page, const ts_page_request *request);

#endif
