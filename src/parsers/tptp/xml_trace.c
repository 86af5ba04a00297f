/*
 * The XML form: damaged text is read as far as each of its elements is right.
 *
 * The text is cut into tags (xml_lexer.h). Tags of known elements are collected into a run,
 * held.p[run_from..run_to), and given to expat together; a tag that has to be cleaned, and an end
 * tag that is missing, goes alone after the run, so events stay in order. When expat refuses a run,
 * the piece with the refused byte is lost and the rest is given again.
 *
 * Open elements are a stack of TPTP_MAX_NESTING names; deeper ones are only counted. Events hold no
 * events: one that begins inside another closes it. An unknown element is skipped with its
 * contents; when its end does not come within SKIP_BYTES, or an element around it ends first,
 * reading goes back to the end of its tag. What is read again is limited (FREE_REREAD, and
 * REREAD_PER_BYTE for each byte of the input), so the time stays linear.
 */
#include "parsers/tptp/xml_trace.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_PIECE = 64 << 20, MAX_TEXT = 1 << 20, SHOWN_NAME = 60, SKIP_BYTES = 1 << 20 };

/* Bytes that may be read again: 16 MiB, and 4 for each of the input. */
enum { FREE_REREAD = 16 << 20, REREAD_PER_BYTE = 4 };

static uint64_t place_of(const tptp_xml *x, size_t at)
{
    return x->offset + at;
}

/* An element that cannot be read, or a part of one. */
static ts_code lose(tptp_xml *x, ts_issue_code issue, size_t at, size_t bytes, const char *what)
{
    tptp_session *s;
    TS_TRY(tptp_import_session(&s, &x->import));
    tptp_count_lost(s, TPTP_C_MESSAGES);
    tptp_session_gap(s);
    x->import.bytes_lost += bytes;
    return tptp_import_issue(&x->import, issue, place_of(x, at), "%s", what);
}

/* --- to expat -------------------------------------------------------------------------------- */

/* expat refuses the piece of p[0..n) in which the byte `bad` is: *size bytes up to its end. */
static void refused_piece(size_t *from, size_t *size, const char *p, size_t n, size_t bad)
{
    *from = 0;
    for (;;) {
        tptp_scan scan = {0};
        bool special;
        if (tptp_xml_piece(size, &special, &scan, p + *from, n - *from, true) == TPTP_PIECE_MORE) {
            *size = n - *from;
        }
        if (bad < *from + *size || *from + *size >= n) {
            return;
        }
        *from += *size;
    }
}

/* Gives what is ready to expat, but for tags that it refuses. */
static ts_code flush_run(tptp_xml *x)
{
    ts_code code = TS_OK;
    while (code == TS_OK && x->run_from < x->run_to) {
        const char *p = x->held.p + x->run_from;
        size_t n = x->run_to - x->run_from;
        size_t refused;
        size_t from;
        size_t size;
        code = tptp_xml_parse(x, p, n, place_of(x, x->run_from), &refused);
        if (code != TS_OK || refused == SIZE_MAX) {
            x->run_from = x->run_to;
            continue;
        }
        refused_piece(&from, &size, p, n, refused);
        code = lose(x, TS_ISSUE_tptp_xml_bad, x->run_from + from, size,
                    "an element is not well-formed");
        x->run_from += from + size;
    }
    return code;
}

/* A piece of its own, after what is ready. */
static ts_code parse_alone(tptp_xml *x, const char *p, size_t n, size_t at)
{
    size_t refused;
    ts_code code = flush_run(x);
    TS_STEP(code, tptp_xml_parse(x, p, n, place_of(x, at), &refused));
    TS_STEP_IF(code, refused != SIZE_MAX,
               lose(x, TS_ISSUE_tptp_xml_bad, at, n, "an element is not well-formed"));
    return code;
}

/* The same where the tags before it may not have reached expat yet: events stay in order. */
static ts_code lose_here(tptp_xml *x, ts_issue_code issue, size_t at, size_t bytes,
                         const char *what)
{
    ts_code code = flush_run(x);
    return code != TS_OK ? code : lose(x, issue, at, bytes, what);
}

/* Text or a tag that has to be cleaned. */
static ts_code parse_cleaned(tptp_xml *x, size_t at, size_t from, size_t n, bool tag)
{
    tptp_cleaned found = {0, 0};
    ts_code code;
    x->clean.n = 0;
    TS_TRY_INTO(code, flush_run(x));
    code = tptp_xml_clean(x->ctx, &x->clean, &found, x->held.p + from, n, tag);
    TS_STEP_IF(code, found.replaced > 0,
               tptp_import_issue(&x->import, TS_ISSUE_tptp_bad_text, place_of(x, at),
                                 "bytes that cannot be in XML were replaced"));
    TS_STEP_IF(code, found.entities > 0,
               tptp_import_issue(&x->import, TS_ISSUE_tptp_entity, place_of(x, at),
                                 "an entity is not known and was kept as written"));
    return code != TS_OK ? code : parse_alone(x, x->clean.p, x->clean.n, at);
}

/* The tag at x->at goes to expat. */
static ts_code pass_tag(tptp_xml *x, size_t size, bool special)
{
    if (special) {
        TS_TRY(parse_cleaned(x, x->at, x->at, size, true));
        x->run_from = x->run_to = x->at + size;
        return TS_OK;
    }
    if (x->run_to != x->at) {
        TS_TRY(flush_run(x));
        x->run_from = x->at;
    }
    x->run_to = x->at + size;
    return TS_OK;
}

/* --- elements -------------------------------------------------------------------------------- */

static uint8_t innermost(const tptp_xml *x)
{
    return x->depth == 0 ? TPTP_EL_ROOT : x->open[x->depth - 1].what;
}

static uint64_t hash_of(const tptp_xml *x, const char *name, size_t n)
{
    ts_hash h = ts_hash_begin(&x->ctx->hash_key);
    ts_hash_bytes(&h, name, n);
    return ts_hash_end(&h);
}

static ts_code push(tptp_xml *x, const char *name, size_t n, uint8_t what)
{
    if (x->depth == TPTP_MAX_NESTING) {
        x->deep++;
        return x->deep > 1 ? TS_OK
                           : lose_here(x, TS_ISSUE_tptp_nesting, x->at, 0,
                                       "elements are nested too deeply");
    }
    tptp_open_element *e = &x->open[x->depth++];
    *e = (tptp_open_element){.name = hash_of(x, name, n), .what = what};
    if (what != TPTP_EL_UNKNOWN) {
        snprintf(e->close, sizeof e->close, "</%.*s>", (int)n, name);
    }
    return TS_OK;
}

/* Closes elements that lack their end, down to this depth. */
static ts_code close_to(tptp_xml *x, unsigned depth)
{
    ts_code code = TS_OK;
    while (x->depth > depth && code == TS_OK) {
        tptp_open_element e = x->open[--x->depth];
        TS_STEP_IF(code, e.what != TPTP_EL_UNKNOWN,
                   parse_alone(x, e.close, strlen(e.close), x->at));
    }
    return code;
}

/* After the tag of an unknown element, `size` bytes long. */
static void begin_skip(tptp_xml *x, size_t size)
{
    if (x->reread > FREE_REREAD + REREAD_PER_BYTE * place_of(x, x->at)) {
        return;
    }
    x->skipping = true;
    x->skip_from = x->at + size;
    x->skip_depth = x->depth;
    x->skip_bytes_before = x->import.bytes_skipped;
}

/* The end of the unknown element is missing: what it seemed to contain is read. */
static ts_code end_skip(tptp_xml *x)
{
    x->reread += x->at - x->skip_from;
    x->at = x->run_from = x->run_to = x->skip_from;
    x->depth = x->skip_depth;
    x->deep = 0;
    x->scan = (tptp_scan){0};
    x->import.bytes_skipped = x->skip_bytes_before;
    x->skipping = false;
    return lose(x, TS_ISSUE_tptp_xml_bad, x->at, 0, "the end of an unknown element is missing");
}

static ts_code unknown_element(tptp_xml *x, const char *name, size_t n)
{
    char shown[SHOWN_NAME];
    ts_buf printable = {0};
    ts_code code = flush_run(x);
    TS_STEP(code, ts_buf_reserve(x->ctx, &printable, SHOWN_NAME));
    if (code == TS_OK) {
        uint64_t replaced = 0;
        code = ts_utf8_clean(x->ctx, &printable, &replaced, name, n < 40 ? n : 40);
    }
    if (code == TS_OK) {
        size_t k = printable.n < sizeof shown ? printable.n : sizeof shown;
        memcpy(shown, printable.p, k);
        code = tptp_import_unknown(&x->import, TS_ITEM_tptp_unknown, TS_ISSUE_tptp_unknown_element,
                                   (ts_text){shown, k}, place_of(x, x->at), true);
    }
    ts_buf_free(x->ctx, &printable);
    return code;
}

/* What an element is in its place. */
static uint8_t element_here(const tptp_xml *x, const tptp_name *element)
{
    uint8_t what = element == NULL ? TPTP_EL_UNKNOWN : element->what;
    uint8_t in = innermost(x);
    if (what == TPTP_EL_VALUE) {
        return in == TPTP_EL_ANNOTATION ? TPTP_EL_VALUE : TPTP_EL_OTHER;
    }
    if (what == TPTP_EL_ANNOTATION) {
        return in == TPTP_EL_EVENT ? TPTP_EL_ANNOTATION : TPTP_EL_UNKNOWN;
    }
    return what;
}

static ts_code start_tag(tptp_xml *x, size_t size, bool *taken, bool special, bool empty)
{
    const char *name;
    size_t n = tptp_xml_name(&name, x->held.p + x->at, size);
    uint8_t in = innermost(x);
    ts_code code = TS_OK;
    const tptp_name *element = tptp_element_of(&x->names, name, n);
    if (x->skipping && element != NULL && element->what == TPTP_EL_ROOT) {
        *taken = false; /* a trace in something else */
        return end_skip(x);
    }
    if (x->deep > 0 || (x->depth > 0 && in == TPTP_EL_UNKNOWN)) {
        return empty ? TS_OK : push(x, name, n, TPTP_EL_UNKNOWN);
    }
    uint8_t what = element_here(x, element);
    if (what == TPTP_EL_ROOT) {
        x->roots++;
        x->roots_open += !empty;
        return TS_OK;
    }
    /* Events hold no events: the end of one is missing. */
    if ((what == TPTP_EL_EVENT || what == TPTP_EL_OTHER) && x->depth > 0 && in != TPTP_EL_OTHER) {
        code = lose_here(x, TS_ISSUE_tptp_xml_bad, x->at, 0, "the end of an element is missing");
        TS_STEP(code, close_to(x, 0));
    }
    if (code == TS_OK && what == TPTP_EL_UNKNOWN) {
        code = unknown_element(x, name, n);
        if (!empty && x->depth < TPTP_MAX_NESTING) {
            begin_skip(x, size);
        }
    }
    TS_STEP_IF(code, !empty, push(x, name, n, what));
    return code != TS_OK || what == TPTP_EL_UNKNOWN || x->deep > 0 ? code
                                                                   : pass_tag(x, size, special);
}

/* The end of something inside an unknown element, or of it, or of what it is in: *taken is false
 * then, and reading goes on after its tag. */
static ts_code skipped_end(tptp_xml *x, bool *taken, unsigned open, bool root)
{
    *taken = open > x->skip_depth || (open == 0 && !root);
    if (!*taken) {
        return end_skip(x);
    }
    x->depth = open == 0 ? x->depth : open - 1;
    x->skipping = x->depth > x->skip_depth;
    return TS_OK;
}

static ts_code end_tag(tptp_xml *x, size_t size, bool *taken)
{
    const char *name;
    size_t n = tptp_xml_name(&name, x->held.p + x->at, size);
    const tptp_name *element = tptp_element_of(&x->names, name, n);
    bool root = element != NULL && element->what == TPTP_EL_ROOT;
    uint64_t hash = hash_of(x, name, n);
    unsigned i = x->depth;
    ts_code code = TS_OK;
    if (x->deep > 0) {
        x->deep--;
        return TS_OK;
    }
    while (i > 0 && x->open[i - 1].name != hash) {
        i--;
    }
    if (x->skipping) {
        return skipped_end(x, taken, i, root);
    }
    if (i == 0) {
        if (root) {
            x->roots_open -= x->roots_open > 0;
            return TS_OK;
        }
        return lose_here(x, TS_ISSUE_tptp_xml_bad, x->at, size,
                         "an element ends that did not begin");
    }
    if (i < x->depth) {
        code = lose_here(x, TS_ISSUE_tptp_xml_bad, x->at, 0, "the end of an element is missing");
        TS_STEP(code, close_to(x, i));
    }
    if (code != TS_OK || x->depth == 0) {
        return code;
    }
    x->depth--;
    return x->open[i - 1].what == TPTP_EL_UNKNOWN ? TS_OK : pass_tag(x, size, false);
}

static bool is_blank_text(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != ' ' && p[i] != '\n' && p[i] != '\r' && p[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* n bytes of text, `from` bytes after the beginning of the piece. */
static ts_code text(tptp_xml *x, size_t from, size_t n, bool cdata)
{
    const char *p = x->held.p + x->at + from;
    ts_code code = TS_OK;
    if (x->depth > 0 && innermost(x) == TPTP_EL_VALUE) {
        if (!cdata) {
            code = parse_cleaned(x, x->at, x->at + from, n, false);
        } else if (x->in_value) { /* not touched by expat, which would need it escaped */
            tptp_cleaned found = {0, 0};
            code = flush_run(x);
            x->clean.n = 0;
            code = code != TS_OK ? code : ts_utf8_clean(x->ctx, &x->value, &found.replaced, p, n);
        }
        return code;
    }
    if (is_blank_text(p, n)) {
        if (x->run_to == x->at && x->run_from < x->run_to && !cdata) {
            x->run_to += n; /* so that runs are long */
        }
        return TS_OK;
    }
    x->import.bytes_skipped += n;
    if (x->text_seen || (x->depth > 0 && innermost(x) == TPTP_EL_UNKNOWN)) {
        return TS_OK;
    }
    x->text_seen = true;
    TS_TRY_INTO(code, flush_run(x));
    return tptp_import_issue(&x->import, TS_ISSUE_tptp_text, place_of(x, x->at),
                             "there is text between the elements");
}

/* --- the text -------------------------------------------------------------------------------- */

/* A damaged name is no name of an unknown element. */
static bool has_good_name(const char *p, size_t n)
{
    const char *name;
    size_t length = tptp_xml_name(&name, p, n);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == ':' || c == '-' || c == '.' || (unsigned char)c >= 0x80)) {
            return false;
        }
    }
    return length > 0 && ts_utf8_valid(name, length);
}

/* *taken: the piece is done with. */
static ts_code take_piece(tptp_xml *x, bool *taken, tptp_piece piece, size_t size, bool special)
{
    enum { CDATA_HEAD = 9, CDATA_TAIL = 3 };
    switch (piece) {
    case TPTP_PIECE_TEXT:
        return text(x, 0, size, false);
    case TPTP_PIECE_CDATA:
        return text(x, CDATA_HEAD, size - CDATA_HEAD - CDATA_TAIL, true);
    case TPTP_PIECE_START:
    case TPTP_PIECE_EMPTY:
        if (!has_good_name(x->held.p + x->at, size)) {
            return x->skipping ? TS_OK
                               : lose_here(x, TS_ISSUE_tptp_xml_bad, x->at, size,
                                           "a tag has an invalid name");
        }
        return start_tag(x, size, taken, special, piece == TPTP_PIECE_EMPTY);
    case TPTP_PIECE_END:
        return end_tag(x, size, taken);
    case TPTP_PIECE_BAD: /* what is skipped is read again when there is no end */
        return x->skipping
                   ? TS_OK
                   : lose_here(x, TS_ISSUE_tptp_xml_bad, x->at, size, "a tag is not well-formed");
    default:
        return TS_OK;
    }
}

/* The piece is not complete. True: it is taken as it is. */
static bool give_up(tptp_xml *x, tptp_piece *piece, size_t *size, bool ended)
{
    size_t n = x->held.n - x->at;
    const char *p = x->held.p + x->at;
    bool is_text = p[0] != '<';
    if (ended && x->scan.first_open != 0) {
        *piece = TPTP_PIECE_BAD; /* a quote is missing; what follows is not lost with it */
        *size = x->scan.first_open;
    } else if (is_text && n > MAX_TEXT) {
        *piece = TPTP_PIECE_TEXT;
        *size = n;
    } else if (n > MAX_PIECE) {
        *piece = TPTP_PIECE_BAD;
        *size = x->scan.first_open != 0 ? x->scan.first_open : n;
    } else {
        return false;
    }
    x->scan = (tptp_scan){0};
    return true;
}

static ts_code process_pieces(tptp_xml *x, bool ended)
{
    ts_code code = TS_OK;
    while (x->at < x->held.n && code == TS_OK) {
        size_t size = 0;
        bool special = false;
        bool taken = true;
        tptp_piece piece =
            tptp_xml_piece(&size, &special, &x->scan, x->held.p + x->at, x->held.n - x->at, ended);
        if (piece == TPTP_PIECE_MORE && !give_up(x, &piece, &size, ended)) {
            break;
        }
        code = take_piece(x, &taken, piece, size, special);
        x->at += taken ? size : 0;
        TS_STEP_IF(code, x->skipping && x->at - x->skip_from > SKIP_BYTES, end_skip(x));
    }
    return code != TS_OK ? code : flush_run(x);
}

static ts_code process(tptp_xml *x, bool ended)
{
    ts_code code = process_pieces(x, ended);
    while (ended && x->skipping && code == TS_OK) {
        code = end_skip(x);
        TS_STEP(code, process_pieces(x, true));
    }
    return code;
}

ts_code tptp_xml_facts(tptp_xml *x)
{
    static const char *const names[] = {"", "UTF-8", "UTF-16LE", "UTF-16BE", ""};
    tptp_session *s = x->import.session;
    ts_text name = x->decoding == TPTP_DECODE_OTHER ? ts_buf_text(&x->declared)
                                                    : ts_text_of(names[x->decoding]);
    if (s->source_id == x->facts_of) {
        return TS_OK;
    }
    x->facts_of = s->source_id;
    return tptp_fact(s, "encoding", name);
}

static ts_code take_bytes(tptp_xml *x, const uint8_t *p, size_t n, bool ended)
{
    TS_TRY(tptp_xml_decode(x, p, n, ended));
    TS_TRY(process(x, ended));
    size_t done = x->skipping ? x->skip_from : x->at;
    if (done > 0) {
        memmove(x->held.p, x->held.p + done, x->held.n - done);
    }
    x->offset += done;
    x->held.n -= done;
    x->at -= done;
    x->skip_from = 0;
    x->run_from = x->run_to = x->at;
    return TS_OK;
}

static ts_code feed_xml(void *self, const uint8_t *p, size_t n)
{
    tptp_xml *x = self;
    x->import.bytes += n;
    return take_bytes(x, p, n, false);
}

static ts_code end_root(tptp_xml *x)
{
    tptp_session *s;
    ts_code code = tptp_import_session(&s, &x->import);
    TS_STEP_IF(
        code, x->roots_open > 0,
        tptp_import_issue(&x->import, TS_ISSUE_tptp_root_open, x->offset, "the root has no end"));
    return code != TS_OK ? code
                         : tptp_fact(s, "xml_root",
                                     x->roots == 0       ? TS_TEXT_LIT("none")
                                     : x->roots_open > 0 ? TS_TEXT_LIT("open")
                                                         : TS_TEXT_LIT("closed"));
}

static ts_code finish_xml(void *self, const ts_stream_end *end)
{
    tptp_xml *x = self;
    ts_code code = take_bytes(x, (const uint8_t *)"", 0, true);
    (void)end;
    if (code == TS_OK && !x->events && !x->in_monitor) {
        return ts_fail(x->ctx, TS_ERR_FORMAT, "%s is not a TPTP trace: it has none of its elements",
                       x->import.job->name);
    }
    /* At the end: where it comes between others would depend on the blocks of the input. */
    TS_STEP_IF(code, x->replaced > 0,
               tptp_import_issue(&x->import, TS_ISSUE_tptp_bad_text, (uint64_t)TS_NO_OFFSET,
                                 "%" PRIu64 " characters are not valid in their encoding",
                                 x->replaced));
    TS_STEP_IF(
        code, (x->held.n > 0 || x->depth > 0),
        lose_here(x, TS_ISSUE_tptp_element_cut, 0, x->held.n, "the input ends inside an element"));
    TS_STEP(code, end_root(x));
    return code != TS_OK ? code : tptp_import_finish(&x->import);
}

static void close_xml(void *self)
{
    tptp_xml *x = self;
    tptp_xml_stop(x);
    tptp_import_close(&x->import);
    tptp_encoding_close(&x->encoding);
    ts_buf_free(x->ctx, &x->raw);
    ts_buf_free(x->ctx, &x->declared);
    ts_buf_free(x->ctx, &x->held);
    ts_buf_free(x->ctx, &x->clean);
    ts_buf_free(x->ctx, &x->value);
    ts_buf_free(x->ctx, &x->methods);
    ts_vec_free(x->ctx, &x->method_at);
    ts_vec_free(x->ctx, &x->line_list);
    ts_vec_free(x->ctx, &x->frame_list);
    ts_vec_free(x->ctx, &x->attributes);
    ts_free(x->ctx, x);
}

static ts_code open_xml(void **self, ts_job *job)
{
    tptp_xml *x = ts_zalloc(job->ctx, 1, sizeof *x);
    *self = NULL;
    TS_NEED(job->ctx, x);
    x->ctx = job->ctx;
    x->import.job = job;
    x->import.format = "trcxml";
    tptp_names_init(&x->names);
    ts_code code = tptp_xml_restart(x);
    if (code != TS_OK) {
        close_xml(x);
        return code;
    }
    *self = x;
    return TS_OK;
}

/* Names that other kinds of XML have as well. */
static bool is_general(const char *name, size_t n, const char *p, size_t left)
{
    return n == 4 && memcmp(name, "node", 4) == 0 ? memmem(p, left, "nodeId=", 7) == NULL : n <= 6;
}

/* Does a tag of a trace begin here? */
static bool begins_trace(tptp_names *names, const char *p, size_t n)
{
    const char *name;
    size_t length = tptp_xml_name(&name, p, n);
    const tptp_name *element = tptp_element_of(names, name, length);
    return element != NULL && (element->what == TPTP_EL_ROOT ||
                               (element->what == TPTP_EL_EVENT && !is_general(name, length, p, n)));
}

/* Does the beginning of a text hold an element of a trace? */
static bool is_trace(const uint8_t *p, size_t n)
{
    char head[TS_PEEK] = {0};
    tptp_names names;
    size_t k = 0;
    size_t i = 0;
    /* UTF-16 of what matters here is ASCII with zero bytes between. */
    for (; i < n && k < sizeof head; i++) {
        if (p[i] != 0) {
            head[k++] = (char)p[i];
        }
    }
    i = 0;
    while (i < k && i < 3 && (unsigned char)head[i] >= 0x80) {
        i++; /* a byte order mark */
    }
    while (i < k && is_blank_text(head + i, 1)) {
        i++;
    }
    if (i == k || head[i] != '<') {
        return false;
    }
    tptp_names_init(&names);
    while (i < k && (head[i] != '<' || !begins_trace(&names, head + i, k - i))) {
        i++;
    }
    return i < k;
}

static int sniff_xml(const ts_sniff *s)
{
    return s->head != NULL && is_trace(s->head, s->n) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

TS_SOURCE_FORMAT(tptp_xml) = {
    .name = "trcxml",
    .title = "XML trace of the Eclipse TPTP Java profiler (.trcxml)",
    .source_type = "tptp",
    .sniff = sniff_xml,
    .open = open_xml,
    .feed = feed_xml,
    .finish = finish_xml,
    .close = close_xml,
};
