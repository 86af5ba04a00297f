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

#include "parsers/tptp/texts_in.h"
#include "parsers/tptp/trace_import.h"
#include "parsers/tptp/xml_lexer.h"
#include "parsers/tptp/xml_values.h"

/* The header declares the limits of entity expansion only so; the library has them. */
#define XML_DTD 1
#include <expat.h>

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

ts_code tptp_xml_open(tptp_xml **out, ts_job *job);
void tptp_xml_close(tptp_xml *x);
ts_code tptp_xml_feed(tptp_xml *x, const uint8_t *p, size_t n);
ts_code tptp_xml_finish(tptp_xml *x);

/* Does the beginning of a text hold an element of a trace? */
bool tptp_xml_sniff(const uint8_t *p, size_t n);

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
