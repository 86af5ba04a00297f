/* One input: its sessions one after the other, and what both forms report in the same way. */
#ifndef TS_PARSERS_TPTP_TRACE_IMPORT_H
#define TS_PARSERS_TPTP_TRACE_IMPORT_H

#include "parsers/tptp/trace_session.h"

#include <iconv.h>

/* --- texts of an input in its encoding, as UTF-8 -------------------------------------------- */

typedef struct tptp_encoding {
    bool other; /* not UTF-8: converter is open */
    iconv_t converter;
} tptp_encoding;

/* What a name of an encoding stands for. WIDE: its texts contain zero bytes. */
typedef enum tptp_encoding_kind {
    TPTP_ENC_UTF8,
    TPTP_ENC_OTHER,
    TPTP_ENC_WIDE,
    TPTP_ENC_UNKNOWN
} tptp_encoding_kind;

/* Takes the encoding of this name (any case, - and _ do not count); an unknown one or one with zero
 * bytes leaves UTF-8. Nothing but UTF-8 needs tptp_encoding_close. */
tptp_encoding_kind tptp_encoding_open(tptp_encoding *e, ts_text name);
void tptp_encoding_close(tptp_encoding *e);

/*
 * Appends the text as UTF-8; adds the ill-formed parts that became U+FFFD to *replaced. *used:
 * bytes that were taken; fewer than all only when `more` follow and a character is cut.
 */
ts_code tptp_encoding_put(ts_ctx *ctx, tptp_encoding *e, ts_buf *out, uint64_t *replaced,
                          size_t *used, ts_text text, bool more);

/* --- the input ------------------------------------------------------------------------------ */

/* Kinds that are not known and have a count of their own; further ones share one. */
enum { TPTP_OWN_COUNTS = 64 };

typedef struct tptp_import {
    ts_job *job;
    const char *format;    /* its name */
    tptp_session *session; /* NULL: none was begun */
    uint64_t bytes;        /* that were fed */
    uint64_t bytes_lost;
    uint64_t bytes_skipped;
    ts_pool unknown; /* names that have counts of their own: a letter for the kind, and the name */
} tptp_import;

void tptp_import_close(tptp_import *import);

/* The session, begun when there is none. */
ts_code tptp_import_session(tptp_session **out, tptp_import *import);

/* An issue of the session, at a byte of the input; the sentence has at most 159 bytes. */
ts_code tptp_import_issue(tptp_import *import, ts_issue_code issue, uint64_t offset,
                          const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Ends the session; the next one begins with the next record. */
ts_code tptp_import_end_session(tptp_import *import);

/* Gives a record to the session that it belongs to. *begun: it is a new one. */
ts_code tptp_import_take(bool *begun, tptp_import *import, const tptp_record *r);

/* Counts something of an unknown kind, which was skipped, and says so the first time. */
ts_code tptp_import_unknown(tptp_import *import, ts_item item, ts_issue_code issue, ts_text name,
                            uint64_t offset, bool message);

/* Everything was read: ends the session and accounts for the bytes. */
ts_code tptp_import_finish(tptp_import *import);

#endif
