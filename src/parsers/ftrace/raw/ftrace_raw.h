/*
 * Raw traces of the kernel (.sys): the pages of its ring buffers as they were read, with the texts
 * that describe them (docs/formats.md, "Raw traces of the kernel"). This is the reader: sections to
 * events.
 *
 * Memory: one page, a line of text, what is known of each event (some 200 bytes), and the names of
 * threads and of printk formats.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_RAW_H
#define TS_PARSERS_FTRACE_FTRACE_RAW_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/order/ftrace_feed.h"

enum {
    FTRACE_RAW_MAGIC = 0xDF49,
    FTRACE_RAW_HEADER = 12,
    FTRACE_RAW_MAX_PAGE = 64 << 10,
    FTRACE_RAW_MAX_LINE = 64 << 10, /* of a text; the rest is left out */
};

static inline uint32_t ftrace_raw_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* --- what the texts say (ftrace_raw_formats.c) ------------------------------------------------ */

/* Where a field of an event is in its record. */
typedef struct ftrace_raw_field {
    uint32_t offset;
    uint32_t size; /* 0: up to the end of the record */
    uint8_t slot;
    uint8_t form; /* ftrace_raw_form */
} ftrace_raw_field;

typedef enum ftrace_raw_form {
    FTRACE_RAW_SIGNED,
    FTRACE_RAW_UNSIGNED,
    FTRACE_RAW_CHARS,    /* a text in the record */
    FTRACE_RAW_DATA_LOC, /* 16 bits offset in the record, 16 bits length */
    FTRACE_RAW_REL_LOC,  /* likewise, from the end of the field on */
    FTRACE_RAW_POINTER   /* the address of a text in the kernel */
} ftrace_raw_form;

enum { FTRACE_RAW_FIELDS = FTRACE_NUMBERS + FTRACE_TEXTS };

typedef struct ftrace_raw_plan {
    uint16_t kind; /* FTRACE_KINDS: it is not handled */
    bool has_pid;
    uint32_t pid_offset; /* of common_pid, 4 bytes */
    uint32_t count;
    ftrace_raw_field field[FTRACE_RAW_FIELDS];
} ftrace_raw_plan;

/* Layout of a page. */
typedef struct ftrace_raw_layout {
    uint32_t commit_offset;
    uint32_t data_offset;
    uint32_t data_size;
} ftrace_raw_layout;

typedef struct ftrace_raw_texts {
    ts_ctx *ctx;
    ftrace_raw_layout layout;
    ts_vec plans;   /* ftrace_raw_plan */
    ts_idmap ids;   /* of events: their place in plans */
    bool in_format; /* `name` and what follows belong to one format */
    bool has_id;
    int64_t id;
    ftrace_raw_plan plan; /* which is being read */
    ts_idmap tgids;
    ts_idmap comms;   /* by pid: place in names */
    ts_idmap formats; /* by address: place in names */
    ts_pool names;
    uint64_t bad_lines;
} ftrace_raw_texts;

void ftrace_raw_texts_init(ftrace_raw_texts *t, ts_ctx *ctx);
void ftrace_raw_texts_free(ftrace_raw_texts *t);

/* One line, without its end, of each text. Errors: memory. */
ts_code ftrace_raw_format_line(ftrace_raw_texts *t, ts_text line);
ts_code ftrace_raw_format_end(ftrace_raw_texts *t); /* the section has ended */
ts_code ftrace_raw_cmdline(ftrace_raw_texts *t, ts_text line);
ts_code ftrace_raw_tgid(ftrace_raw_texts *t, ts_text line);
ts_code ftrace_raw_printk(ftrace_raw_texts *t, ts_text line);
ts_code ftrace_raw_page_line(ftrace_raw_texts *t, ts_text line);

/* "ffffffc008 t name [module]"; false: it is no name of a function. */
bool ftrace_raw_symbol(uint64_t *addr, ts_text *name, ts_text line);

/* NULL: the event's format is not known. */
const ftrace_raw_plan *ftrace_raw_plan_of(const ftrace_raw_texts *t, uint16_t id);
ts_text ftrace_raw_comm(const ftrace_raw_texts *t, int32_t pid);      /* "": not known */
int32_t ftrace_raw_tgid_of(const ftrace_raw_texts *t, int32_t pid);   /* 0: not known */
ts_text ftrace_raw_text_at(const ftrace_raw_texts *t, uint64_t addr); /* NULL: not known */

/* --- pages (ftrace_raw_page.c) ---------------------------------------------------------------- */

typedef struct ftrace_raw_counts {
    uint64_t pages;
    uint64_t bad_pages;     /* of which all or the rest is lost */
    uint64_t events;        /* handed on */
    uint64_t not_supported; /* of other kinds */
    uint64_t no_format;     /* events without a format */
    uint64_t bad_events;    /* whose record does not fit their format */
    uint64_t missed_pages;  /* before which the kernel dropped events */
    uint64_t missed_events; /* so many, where that is recorded */
    uint64_t lost_bytes;    /* that were not read */
} ftrace_raw_counts;

/* A page whose length is 0: its data are all 0 too, or not. */
typedef enum ftrace_raw_emptiness {
    FTRACE_RAW_FILLED,
    FTRACE_RAW_EMPTY,
    FTRACE_RAW_DENIED
} ftrace_raw_emptiness;
ftrace_raw_emptiness ftrace_raw_page_empty(const ftrace_raw_layout *l, const uint8_t *p, size_t n);

/* One page of a CPU. *bad: why its rest cannot be read, or NULL. Errors: those of `take`. */
ts_code ftrace_raw_page(const char **bad, ftrace_raw_counts *counts, const ftrace_raw_texts *t,
                        uint32_t cpu, const uint8_t *p, size_t n, ftrace_queue_take *take,
                        void *user);

/* --- the stream (ftrace_raw.c) ---------------------------------------------------------------- */

typedef enum ftrace_raw_defect {
    FTRACE_RAW_BAD_PAGE,
    FTRACE_RAW_BAD_SECTION, /* the rest of the input is lost */
    FTRACE_RAW_CUT,         /* the input ends in a section */
    FTRACE_RAW_NO_FORMATS,  /* pages are in front of the formats of their events */
    FTRACE_RAW_HONGMENG     /* pages of HongMeng */
} ftrace_raw_defect;

typedef struct ftrace_raw_calls {
    void *user;
    ftrace_queue_take *take; /* events, and what was lost (FTRACE_LOST_BEFORE, ...) */
    ts_code (*symbol)(void *user, uint64_t addr, ts_text name);
    ts_code (*defect)(void *user, ftrace_raw_defect defect, uint64_t at, const char *what);
} ftrace_raw_calls;

typedef struct ftrace_raw ftrace_raw;

/* The caller frees with ftrace_raw_close. */
ts_code ftrace_raw_open(ftrace_raw **out, ts_ctx *ctx, const ftrace_raw_calls *calls);

/* Blocks of any size. Errors: memory, and those of the calls. */
ts_code ftrace_raw_feed(ftrace_raw *r, const uint8_t *p, size_t n);
ts_code ftrace_raw_end(ftrace_raw *r);

const ftrace_raw_counts *ftrace_raw_count(const ftrace_raw *r);
uint64_t ftrace_raw_bad_lines(const ftrace_raw *r);

/* NULL is allowed. */
void ftrace_raw_close(ftrace_raw *r);

#endif
