/*
 * What can be trusted in a snapshot whose parts contradict each other. Owned by heap_damage.c,
 * which explains the method; heap_guard.c, heap_chunks.c and the parts that make rows note what
 * they see through the functions here. Docs: docs/trust.md, docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_DAMAGE_H
#define TS_PARSERS_ARKTS_HEAP_DAMAGE_H

#include "parsers/arkts/heap/heap_part.h"

enum {
    SOME_USES = 16
}; /* first uses in order, or regular rows, that distinguish V8's from others */

/*
 * How far an array can be trusted when something is missing. use[1] is after the last row whose
 * string is used for the first time and has the number that V8 gives it then, use[0] after the one
 * before it; seam[i] is the first end of a chunk after use[i].
 */
typedef struct heap_trust {
    heap_place use[2];
    heap_place seam[2];
    heap_place first_seam;
    heap_place limit; /* what follows is not in its order, or there twice */
    uint64_t bad;     /* first row that may show damage, or UINT64_MAX */
    bool impossible;  /* a row cannot be right: not only V8's order of strings speaks against it */
    heap_place guard; /* HEAP_GUARD before that row, or before the first odd one */
    bool irregular;   /* the first rows are not like those of V8 */
    bool odd; /* another row is unlike those of V8: where damage is that is shown by others */
    bool spooled;
    bool damaged;     /* set at the end */
    bool keeps_cells; /* cells that do not depend on the place are right */
    uint64_t known;   /* rows that are right, when damaged */
} heap_trust;

typedef struct heap_damage {
    bool broken;           /* the text around the snapshot is damaged where it ends */
    int64_t next_name;     /* number of the next string that V8 uses for the first time */
    uint64_t first_uses;   /* strings that had that number */
    bool names_disordered; /* one had not */
    uint64_t early_known;  /* nodes that were taken for right when the edges came */
    bool contradicted;     /* its parts do not fit each other */
    uint64_t lost;         /* not 0: rows are declared and not there, or cut */
    uint64_t unknown;      /* cells that were made NULL */
    uint64_t duplicates;   /* nodes with an id that a node before them has */
    uint64_t issues_before;
} heap_damage;

void heap_trust_begin(ts_heap *h);

/* A string of this number, which no row before had as its largest, is used in the row under way. */
void heap_first_use(ts_heap *h, enum heap_part part, int64_t name);

/* The row under way cannot be right: it contradicts the description or refers to nothing. */
void heap_bad_row(ts_heap *h, enum heap_part part);

/* The nodes are complete: which of them can be referred to. */
ts_code heap_judge_nodes(ts_heap *h);

/* An array has more rows than the snapshot announces, and nothing else speaks against them. */
bool heap_exceeds(const ts_heap *h, enum heap_part part);

/* All is there: makes NULL what is not certain. */
ts_code heap_judge(ts_heap *h);

#endif
