/*
 * The XML form of a TPTP trace (docs/formats.md, "TPTP traces"). The text is cut into tags
 * (xml_lexer.h); those of events go through expat, in runs as long as they can be, and become
 * records.
 *
 * Memory: the text of one block and of the tag that it ends in, 1 MiB in an unknown element; what
 * expat keeps of names, which is released every few MiB. A tag of more than 64 MiB is left out.
 */
#ifndef TS_PARSERS_TPTP_XML_TRACE_H
#define TS_PARSERS_TPTP_XML_TRACE_H

#include "parsers/tptp/trace_import.h"

/* The header declares the limits of entity expansion only so; the library has them. */
#define XML_DTD 1
#include <expat.h>

/* --- names and values (xml_values.c) -------------------------------------------------------- */

/* What an element is. */
typedef enum tptp_element {
    TPTP_EL_UNKNOWN,
    TPTP_EL_ROOT,
    TPTP_EL_EVENT, /* of a kind below TPTP_KINDS */
    TPTP_EL_OTHER, /* an event that only XML has */
    TPTP_EL_ANNOTATION,
    TPTP_EL_VALUE /* of an annotation; elsewhere it is TPTP_EL_OTHER */
} tptp_element;

typedef struct tptp_name {
    const char *name; /* compared without case */
    uint8_t what;     /* tptp_element, or TPTP_ATTR_... */
    uint8_t slot;     /* tptp_kind, tptp_number or tptp_text_slot */
} tptp_name;

/* How an attribute is read. */
enum { TPTP_ATTR_TEXT, TPTP_ATTR_NUMBER, TPTP_ATTR_FLAG, TPTP_ATTR_SECONDS };

enum { TPTP_NAME_HINTS = 256 };

/* Names of elements and attributes. */
typedef struct tptp_names {
    tptp_name events[TPTP_KINDS];
    /* What was found last for names of a length with certain letters: mostly what is looked for. */
    const tptp_name *element_hints[TPTP_NAME_HINTS];
    const tptp_name *attribute_hints[TPTP_NAME_HINTS];
} tptp_names;

void tptp_names_init(tptp_names *names);
/* NULL when the name is not known. */
const tptp_name *tptp_element_of(tptp_names *names, const char *p, size_t n);
const tptp_name *tptp_attribute_of(tptp_names *names, const char *p, size_t n);

/* Sets a slot of the record. */
void tptp_set_attribute(tptp_record *r, const tptp_name *name, const char *value);

/* False when it is no number or does not fit. */
bool tptp_parse_number(int64_t *v, const char *p);
/* Decimal seconds as ns: "1171278546.933593750". */
bool tptp_parse_seconds(int64_t *ns, const char *p);

/* Does `text` contain `word`, which is in lower case? Without case. */
bool tptp_has_word(const char *text, const char *word);

/* --- pieces of the text (xml_lexer.c) ------------------------------------------------------- */

/*
 * Where the pieces of an XML text begin and end. Traces are no well-formed documents: roots are not
 * closed, several documents follow one another, "<" occurs in values, and bytes may be missing. So
 * what is given to the XML parser is cut into pieces here, each of which is whole by itself, and a
 * damaged one costs itself only.
 */
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

/* --- the trace (xml_trace.c) ---------------------------------------------------------------- */

enum { TPTP_MAX_NESTING = 256 };

/* An element that is open. */
typedef struct tptp_open_element {
    uint64_t name;  /* hash */
    uint8_t what;   /* tptp_element; UNKNOWN for all in an unknown one */
    char close[24]; /* "</name>", for those that expat knows */
} tptp_open_element;

typedef enum tptp_decoding {
    TPTP_DECODE_UNKNOWN, /* too few bytes were seen */
    TPTP_DECODE_UTF8,
    TPTP_DECODE_LE16,
    TPTP_DECODE_BE16,
    TPTP_DECODE_OTHER
} tptp_decoding;

typedef struct tptp_xml {
    tptp_import import;
    ts_ctx *ctx;

    /* Bytes to UTF-8: raw is what waits for more bytes. */
    tptp_decoding decoding;
    tptp_encoding encoding;
    ts_buf raw;
    ts_buf declared;
    uint64_t replaced; /* characters that were not valid in another encoding than UTF-8 */

    ts_buf held; /* UTF-8 */
    size_t at;
    uint64_t offset; /* of held.p[0]: in the input, or in what it was converted to */
    tptp_scan scan;
    ts_buf clean;
    size_t run_from; /* held.p[run_from..run_to) is ready for expat */
    size_t run_to;

    tptp_open_element open[TPTP_MAX_NESTING];
    unsigned depth;
    uint64_t deep; /* open elements below the deepest of `open` */
    /*
     * What an unknown element contains is skipped. Its end may be missing: so its text is held
     * until the end comes; when it does not within SKIP_BYTES, or an element around it ends,
     * reading goes back to the end of its tag.
     */
    bool skipping;
    size_t skip_from;           /* after the tag, in held */
    unsigned skip_depth;        /* `depth` before it */
    uint64_t skip_bytes_before; /* import.bytes_skipped before it */
    uint64_t reread;            /* bytes that were read again */
    uint64_t roots;
    uint64_t roots_open;
    bool text_seen;
    bool events;
    int64_t facts_of; /* the session to which facts were added */

    XML_Parser parser;
    uint64_t parsed; /* bytes since it was made or reset */
    size_t lent;     /* bytes that were counted for it */
    ts_code code;    /* of a handler that failed */
    uint64_t run_offset;
    tptp_names names;

    /* The element that expat is in. */
    tptp_record record;
    bool in_monitor;
    bool lines; /* the annotation holds lines, else methods, when `wanted` */
    bool wanted;
    bool in_value;
    ts_buf value;
    ts_buf methods;    /* texts, each with a zero byte */
    ts_vec method_at;  /* size_t: where each begins */
    ts_vec line_list;  /* int64_t */
    ts_vec frame_list; /* tptp_stack_frame */
    ts_vec attributes; /* tptp_attribute */
} tptp_xml;

/* Adds what is known of the text to a session that is new. */
ts_code tptp_xml_facts(tptp_xml *x);

/* --- xml_bytes.c: bytes to UTF-8 --- */

/* Appends what the bytes say to `held`. ended: no more come. */
ts_code tptp_xml_decode(tptp_xml *x, const uint8_t *p, size_t n, bool ended);

/* --- xml_events.c: elements to records --- */

/* Gives a piece of text to expat. A text that it refuses is left out: *refused. */
ts_code tptp_xml_parse(tptp_xml *x, const char *p, size_t n, uint64_t offset, size_t *refused);
/* A new parser, which is in no element. */
ts_code tptp_xml_restart(tptp_xml *x);
void tptp_xml_stop(tptp_xml *x);

#endif
