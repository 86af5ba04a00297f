/*
 * The catalogue of hostile inputs: one entry for each, made by a function, with what has to come
 * out of it. What is expected is decided from the format and from the promises in docs/, never
 * copied from what the program printed.
 *
 * catalogue.c imports every entry in memory and compares; with --write DIR it writes the inputs and
 * a list of exit codes instead, for hostile.sh, which runs the program itself on them.
 */
#ifndef TS_TEST_DAMAGE_CATALOGUE_H
#define TS_TEST_DAMAGE_CATALOGUE_H

#include "parsers_run.h"

/* A count of issues that says nothing beyond that there are some. */
enum { SOME = -1 };

enum { ITEM_ISSUES = 6, ITEM_COUNTS = 5, ITEM_ROWS = 5, ITEM_MARKS = 4 };

/* Offsets of issues that are no plain numbers. */
enum {
    OFF_NONE = -1, /* the issue has none */
    OFF_ANY = -2,
    OFF_MARK = -10 /* OFF_MARK - k: what make() put into marks[k] */
};
#define MARK(k) (OFF_MARK - (k))

/* An input under construction. */
typedef struct making {
    bytes b;
    size_t header;             /* of the section that is open */
    int64_t marks[ITEM_MARKS]; /* offsets that issues are to have */
    const char *arg;           /* of the entry */
    int64_t n;
} making;

typedef struct item_issue {
    const char *code;
    int64_t count;  /* all together, or SOME */
    int64_t offset; /* of the first */
} item_issue;

typedef struct item_count {
    const char *item;
    int64_t seen, imported, lost, skipped;
} item_count;

typedef struct item_rows {
    enum ts_table_id table;
    int64_t n;
} item_rows;

typedef struct item {
    const char *name;
    void (*make)(making *m);
    const char *arg;
    int64_t n;
    ts_code code;
    /* Every issue of severity warning or worse has to stand here; infos may. */
    item_issue issues[ITEM_ISSUES];
    item_count counts[ITEM_COUNTS];
    item_rows rows[ITEM_ROWS];
    void (*check)(const run *r);
    bool large; /* above 1 MB: not written for hostile.sh */
} item;

/* One table for each section of the catalogue, ended by an entry without a name. */
extern const item framing_items[];
extern const item wire_items[];
extern const item envelope_items[];
extern const item heap_items[];
extern const item profile_items[];
extern const item tptp_items[];
extern const item servers_items[];

/* --- what the tables share -------------------------------------------------------------------- */

static inline void begin_making(making *m)
{
    m->header = begin_recording(&m->b);
}

static inline void end_making(making *m)
{
    close_header(&m->b, m->header);
    set_le(&m->b, m->header + 8, m->b.n - m->header, 8);
}

/* Notes that an issue is to be at the next byte. */
static inline void mark(making *m, int k)
{
    m->marks[k] = (int64_t)m->b.n;
}

static inline void put_tiny_snapshot(making *m, uint64_t ts)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    put_snapshot(&m->b, &text, 0, AT(ts));
    free(text.p);
}

#endif
