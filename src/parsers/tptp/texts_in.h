/* Texts of an input in its encoding, as UTF-8. */
#ifndef TS_PARSERS_TPTP_TEXTS_IN_H
#define TS_PARSERS_TPTP_TEXTS_IN_H

#include "base/buf.h"

#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
