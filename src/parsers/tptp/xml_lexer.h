/*
 * Where the pieces of an XML text begin and end. Traces are no well-formed documents: roots are not
 * closed, several documents follow one another, "<" occurs in values, and bytes may be missing. So
 * what is given to the XML parser is cut into pieces here, each of which stands alone, and a
 * damaged one costs itself only.
 */
#ifndef TS_PARSERS_TPTP_XML_LEXER_H
#define TS_PARSERS_TPTP_XML_LEXER_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum tptp_piece {
    TPTP_PIECE_TEXT,  /* between the tags */
    TPTP_PIECE_START, /* <name a="b"> */
    TPTP_PIECE_EMPTY, /* <name a="b"/> */
    TPTP_PIECE_END,   /* </name> */
    TPTP_PIECE_CDATA, /* <![CDATA[text]]> */
    TPTP_PIECE_OTHER, /* comments, processing instructions, DOCTYPE */
    TPTP_PIECE_BAD,   /* a tag that another one begins in */
    TPTP_PIECE_MORE   /* it is not complete */
} tptp_piece;

/* Where scanning a piece goes on when more bytes have come. Zeroed: at its beginning. */
typedef struct tptp_scan {
    size_t at; /* in the piece */
    char quote;
    bool special;
    size_t first_open; /* of "<" in it: where reading goes on when it is bad; 0: none */
    unsigned brackets;
} tptp_scan;

/*
 * The piece that p[0..n) begins with. *size: its bytes (of BAD, those before the next tag).
 * *special: it holds bytes that need tptp_xml_clean. ended: no more bytes come. Each byte is
 * looked at once, however the text is cut into blocks.
 */
tptp_piece tptp_xml_piece(size_t *size, bool *special, tptp_scan *scan, const char *p, size_t n,
                          bool ended);

/* The name of a tag. */
size_t tptp_xml_name(const char **name, const char *p, size_t n);

typedef struct tptp_cleaned {
    uint64_t replaced; /* ill-formed parts */
    uint64_t entities; /* that are not known */
} tptp_cleaned;

/*
 * Appends a tag (tag true: "<" in it is escaped in values only) or text so that the XML parser
 * takes it: escapes what must be, and replaces what cannot be in XML by U+FFFD.
 */
ts_code tptp_xml_clean(ts_ctx *ctx, ts_buf *out, tptp_cleaned *found, const char *p, size_t n,
                       bool tag);

#endif
