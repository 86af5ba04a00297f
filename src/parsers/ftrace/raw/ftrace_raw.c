/* Raw traces as a stream: the header, and sections of texts and pages (docs/formats.md, "Raw traces
 * of the kernel"). */
#include "parsers/ftrace/raw/ftrace_raw.h"

#include "base/alloc.h"

enum {
    SECTION_FORMATS = 1,
    SECTION_CMDLINES = 2,
    SECTION_TGIDS = 3,
    SECTION_CPU = 4, /* and those after it: a CPU each */
    SECTION_PAGE = 30,
    SECTION_PRINTK = 31,
    SECTION_SYMBOLS = 32,
    SECTION_HEADER = 8,
    TYPE_LINUX = 0,
    TYPE_HONGMENG = 1
};

typedef enum raw_state {
    RAW_HEADER,         /* of the file */
    RAW_SECTION_HEADER, /* or the end */
    RAW_TEXT,
    RAW_PAGES,
    RAW_PASSED, /* a section that is not read */
    RAW_LOST    /* the rest of the input */
} raw_state;

struct ftrace_raw {
    ts_ctx *ctx;
    ftrace_raw_calls calls;
    ftrace_raw_texts texts;
    ftrace_raw_counts counts;
    raw_state state;
    uint8_t type; /* of the file */
    uint32_t section;
    uint32_t left; /* bytes of the section */
    uint64_t at;   /* offset of what comes next */
    bool no_formats;
    uint64_t empty; /* pages of the CPU without data, up to here */
    ts_buf held;    /* the beginning of a header, a line or a page */
};

/* --- sections --------------------------------------------------------------------------------- */

static ts_code symbol_line(ftrace_raw *r, ts_text line)
{
    uint64_t addr;
    ts_text name;
    return ftrace_raw_symbol(&addr, &name, line) ? r->calls.symbol(r->calls.user, addr, name)
                                                 : TS_OK;
}

static ts_code section_line(ftrace_raw *r, ts_text line)
{
    switch (r->section) {
    case SECTION_FORMATS:
        return ftrace_raw_format_line(&r->texts, line);
    case SECTION_CMDLINES:
        return ftrace_raw_cmdline(&r->texts, line);
    case SECTION_TGIDS:
        return ftrace_raw_tgid(&r->texts, line);
    case SECTION_PAGE:
        return ftrace_raw_page_line(&r->texts, line);
    case SECTION_PRINTK:
        return ftrace_raw_printk(&r->texts, line);
    default:
        return symbol_line(r, line);
    }
}

static size_t page_bytes(const ftrace_raw *r)
{
    return (size_t)r->texts.layout.data_offset + r->texts.layout.data_size;
}

/* Events of the CPU that come next are missing; FTRACE_UNKNOWN_CPU: all of one that is not known.
 */
static ts_code lose(ftrace_raw *r, uint32_t cpu)
{
    const ftrace_event loss = ftrace_loss(FTRACE_LOST_BEFORE, cpu, 0);
    return r->calls.take(r->calls.user, &loss);
}

static ts_code bad_page(ftrace_raw *r, uint64_t at, const char *why)
{
    ts_code code = lose(r, r->section - SECTION_CPU);
    r->counts.bad_pages++;
    TS_STEP(code, r->calls.defect(r->calls.user, FTRACE_RAW_BAD_PAGE, at, why));
    return code;
}

/* A page without data is none that was lost, unless it has some or others follow: the kernel gives
 * pages with events only. */
static ts_code empty_pages(ftrace_raw *r, uint64_t at, size_t n, ftrace_raw_emptiness emptiness)
{
    ts_code code = TS_OK;
    if (emptiness == FTRACE_RAW_EMPTY) {
        r->counts.pages++;
        r->empty++;
        return TS_OK;
    }
    for (; r->empty > 0 && code == TS_OK; r->empty--) {
        code = bad_page(r, at - r->empty * n, "it is empty, and one after it is not");
    }
    if (code == TS_OK && emptiness == FTRACE_RAW_DENIED) {
        r->counts.pages++;
        code = bad_page(r, at, "its length is 0, but it has data");
    }
    return code;
}

static ts_code one_page(ftrace_raw *r, uint64_t at, const char *page, size_t n)
{
    const uint8_t *p = (const uint8_t *)page;
    ftrace_raw_emptiness emptiness = ftrace_raw_page_empty(&r->texts.layout, p, n);
    const char *bad;
    ts_code code = empty_pages(r, at, n, emptiness);
    if (code != TS_OK || emptiness != FTRACE_RAW_FILLED) {
        return code;
    }
    code = ftrace_raw_page(&bad, &r->counts, &r->texts, r->section - SECTION_CPU, p, n,
                           r->calls.take, r->calls.user);
    return code != TS_OK || bad == NULL ? code : bad_page(r, at, bad);
}

/* What is left of a section when its bytes end. */
static ts_code end_section(ftrace_raw *r)
{
    ts_code code = TS_OK;
    if (r->state == RAW_TEXT && r->held.n > 0) {
        code = section_line(r, ts_buf_text(&r->held));
    } else if (r->state == RAW_PAGES && r->held.n > 0) {
        r->counts.pages++;
        r->counts.lost_bytes += r->held.n;
        code = bad_page(r, r->at - r->held.n, "it is cut");
    }
    TS_STEP_IF(code, r->state == RAW_TEXT && r->section == SECTION_FORMATS,
               ftrace_raw_format_end(&r->texts));
    r->held.n = 0;
    r->empty = 0;
    r->state = RAW_SECTION_HEADER;
    return code;
}

/* Is it a kind of section, and what is it read as? */
static ts_code begin_section(ftrace_raw *r)
{
    r->section = ftrace_raw_u32((const uint8_t *)r->held.p);
    r->left = ftrace_raw_u32((const uint8_t *)r->held.p + 4);
    r->held.n = 0;
    if (r->section == 0 || r->section > SECTION_SYMBOLS) {
        ts_code code = lose(r, FTRACE_UNKNOWN_CPU);
        r->state = RAW_LOST;
        TS_STEP(code, r->calls.defect(r->calls.user, FTRACE_RAW_BAD_SECTION, r->at - SECTION_HEADER,
                                      "the type of a section is not known"));
        return code;
    }
    if (r->section < SECTION_CPU || r->section >= SECTION_PAGE) {
        r->state = RAW_TEXT;
    } else if (r->type == TYPE_LINUX && r->texts.plans.n > 0) {
        r->state = RAW_PAGES;
    } else {
        ts_code code = r->left > 0 ? lose(r, r->section - SECTION_CPU) : TS_OK;
        r->state = RAW_PASSED;
        if (code != TS_OK) {
            return code;
        }
        if (r->left > 0 && !r->no_formats) {
            r->no_formats = true;
            return r->calls.defect(
                r->calls.user, r->type == TYPE_LINUX ? FTRACE_RAW_NO_FORMATS : FTRACE_RAW_HONGMENG,
                r->at, "");
        }
    }
    return r->left == 0 ? end_section(r) : TS_OK;
}

static ts_code file_header(ftrace_raw *r)
{
    const uint8_t *p = (const uint8_t *)r->held.p;
    if ((p[0] | p[1] << 8) != FTRACE_RAW_MAGIC) {
        return ts_fail(r->ctx, TS_ERR_FORMAT, "the input does not begin as a raw trace");
    }
    r->type = p[2];
    if (r->type > TYPE_HONGMENG) {
        return ts_fail(r->ctx, TS_ERR_FORMAT, "a raw trace of type %d is not known", r->type);
    }
    r->held.n = 0;
    r->state = RAW_SECTION_HEADER;
    return TS_OK;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Collects a header of `size` bytes; *n: what was used. */
static ts_code collect(bool *complete, size_t *used, ftrace_raw *r, const char *p, size_t n,
                       size_t size)
{
    size_t part = size - r->held.n < n ? size - r->held.n : n;
    ts_code code = ts_buf_put(r->ctx, &r->held, p, part);
    *used = part;
    *complete = r->held.n == size;
    return code;
}

static ts_code feed_text(size_t *used, ftrace_raw *r, const char *p, size_t n)
{
    const char *lf = memchr(p, '\n', n);
    size_t part = lf == NULL ? n : (size_t)(lf - p);
    size_t room = FTRACE_RAW_MAX_LINE - r->held.n;
    ts_code code = TS_OK;
    *used = part + (lf == NULL ? 0 : 1);
    if (lf != NULL && r->held.n == 0 && part <= room) {
        return section_line(r, (ts_text){p, part});
    }
    code = ts_buf_put(r->ctx, &r->held, p, part < room ? part : room);
    if (code == TS_OK && lf != NULL) {
        code = section_line(r, ts_buf_text(&r->held));
        r->held.n = 0;
    }
    return code;
}

static ts_code feed_pages(size_t *used, ftrace_raw *r, const char *p, size_t n)
{
    size_t size = page_bytes(r);
    bool complete;
    ts_code code;
    if (r->held.n == 0 && n >= size) {
        *used = size;
        return one_page(r, r->at, p, size);
    }
    code = collect(&complete, used, r, p, n, size);
    if (code == TS_OK && complete) {
        code = one_page(r, r->at + *used - size, r->held.p, size);
        r->held.n = 0;
    }
    return code;
}

/* Bytes of the section, no more. */
static ts_code feed_section(size_t *used, ftrace_raw *r, const char *p, size_t n)
{
    ts_code code = TS_OK;
    n = n < r->left ? n : r->left;
    *used = n;
    if (r->state == RAW_TEXT) {
        code = feed_text(used, r, p, n);
    } else if (r->state == RAW_PAGES) {
        code = feed_pages(used, r, p, n);
    } else {
        r->counts.lost_bytes += n;
    }
    r->left -= (uint32_t)*used;
    r->at += *used;
    TS_STEP_IF(code, r->left == 0, end_section(r));
    return code;
}

ts_code ftrace_raw_feed(ftrace_raw *r, const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        size_t used = n;
        bool complete = false;
        if (r->state == RAW_LOST) {
            r->counts.lost_bytes += n;
            r->at += n;
        } else if (r->state == RAW_HEADER || r->state == RAW_SECTION_HEADER) {
            bool file = r->state == RAW_HEADER;
            code = collect(&complete, &used, r, p, n, file ? FTRACE_RAW_HEADER : SECTION_HEADER);
            r->at += used;
            TS_STEP_IF(code, complete, file ? file_header(r) : begin_section(r));
        } else {
            code = feed_section(&used, r, p, n);
        }
        p += used;
        n -= used;
    }
    return code;
}

ts_code ftrace_raw_end(ftrace_raw *r)
{
    ts_code code = TS_OK;
    if (r->state == RAW_LOST || (r->state == RAW_SECTION_HEADER && r->held.n == 0)) {
        return TS_OK;
    }
    if (r->state == RAW_HEADER) {
        return ts_fail(r->ctx, TS_ERR_FORMAT, "the input ends in the header of a raw trace");
    }
    if ((code = lose(r, FTRACE_UNKNOWN_CPU)) != TS_OK ||
        (r->state == RAW_PAGES && (code = lose(r, r->section - SECTION_CPU)) != TS_OK)) {
        return code;
    }
    if (r->state == RAW_SECTION_HEADER) {
        r->counts.lost_bytes += r->held.n;
        return r->calls.defect(r->calls.user, FTRACE_RAW_CUT, r->at, "a section's header");
    }
    if (r->state == RAW_TEXT) {
        r->held.n = 0; /* a line that is cut */
    }
    TS_TRY_INTO(code, end_section(r));
    return r->calls.defect(r->calls.user, FTRACE_RAW_CUT, r->at, "a section");
}

const ftrace_raw_counts *ftrace_raw_count(const ftrace_raw *r)
{
    return &r->counts;
}

uint64_t ftrace_raw_bad_lines(const ftrace_raw *r)
{
    return r->texts.bad_lines;
}

ts_code ftrace_raw_open(ftrace_raw **out, ts_ctx *ctx, const ftrace_raw_calls *calls)
{
    ftrace_raw *r = ts_zalloc(ctx, 1, sizeof *r);
    *out = r;
    TS_NEED(ctx, r);
    r->ctx = ctx;
    r->calls = *calls;
    ftrace_raw_texts_init(&r->texts, ctx);
    return TS_OK;
}

void ftrace_raw_close(ftrace_raw *r)
{
    if (r != NULL) {
        ftrace_raw_texts_free(&r->texts);
        ts_buf_free(r->ctx, &r->held);
        ts_free(r->ctx, r);
    }
}
