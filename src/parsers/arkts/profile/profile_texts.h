/*
 * Names, URLs and script ids of nodes: each text once, in a pool; long ones wait in a spool. Owned
 * by profile_texts.c. Docs: docs/formats.md, "CPU profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_TEXTS_H
#define TS_PARSERS_ARKTS_PROFILE_TEXTS_H

#include "base/buf.h"
#include "base/intvec.h"
#include "base/pool.h"
#include "base/spool.h"
#include "parsers/arkts/profile/profile.h"

typedef struct profile_texts {
    ts_pool pool;    /* texts, or the keys of long ones */
    ts_intvec at;    /* by id: where a long one is in the spool */
    ts_spool *spool; /* of the long ones, or NULL; owned */
    ts_buf text;     /* the text that is being read; of a node that is written: its children */
    ts_buf clean;
    ts_buf name, module, url; /* long ones on their way into rows */
    bool text_cut;
    uint64_t cut;
    uint64_t replaced; /* ill-formed parts that became U+FFFD */
} profile_texts;

void profile_texts_free(ts_ctx *ctx, profile_texts *texts);

/* Collects a piece of a text; *whole when it was the last one, *out is the text then, as valid
 * UTF-8 and borrowed until the next piece. flags: TS_JSON_FIRST, TS_JSON_LAST. */
ts_code profile_text_piece(ts_profile *p, ts_text *out, bool *whole, const char *s, size_t n,
                           unsigned flags);

/* Keeps a text and gives it an id; an equal one has the same. */
ts_code profile_text_keep(ts_profile *p, uint32_t *id, ts_text text);

/* The text of an id; a long one is read into `buf`. Borrowed. */
ts_code profile_text(ts_profile *p, ts_text *out, ts_buf *buf, uint32_t id);

#endif
