/*
 * Call paths of one source for importers of many whole stacks: frames, that is (method, line), get
 * numbers, and each stack's path is found from its root on. Rows are those of ts_stack_node, which
 * does not know them; use one or the other in a source.
 *
 * What is new in a stack is one run: the paths of all frames from there on, which follow each
 * other, in their rows too. On the way along a run nothing is looked up; where a stack leaves one,
 * the run that begins there is found by (caller, frame). So there are as many look-ups as runs on
 * the way, and as many entries as stacks that had something new.
 *
 * Memory: 4 bytes a path; 8 a run and slots of 4 at a load of up to 2/3; up to 42 a frame. That is
 * at most 24 bytes a path, when each is a run of its own (28 while there are few).
 */
#ifndef TS_TABLES_STORE_PATHS_H
#define TS_TABLES_STORE_PATHS_H

#include "base/vec.h"
#include "tables/rows.h"
#include "tables/store_nodes.h"

/* What the row of a path has beside its caller. */
typedef struct ts_path_frame {
    uint32_t method; /* 0: none */
    int64_t line;    /* or TS_NO_LINE */
} ts_path_frame;

enum { TS_PATHS_ROWS = 64 };

/* Zeroed: empty. */
typedef struct ts_path_store {
    ts_vec frames;       /* ts_path_frame */
    ts_node_index index; /* their numbers, by (0, method, line) */
    /* uint32_t: a word that is not used, then runs: the place of the caller (0: none) with the
     * upper bit set, the row of the first path, and the numbers of its frames. The place of a path
     * is that of its last frame. */
    ts_vec words;
    uint32_t run_count;
    uint32_t run_limit; /* of runs before the slots have to grow */
    ts_tag_slots slots; /* places of runs, by (caller, frame); those above its mask do not fit */
    /* Rows that are not written yet. */
    unsigned row_n;
    ts_row_stack_node rows[TS_PATHS_ROWS];
} ts_path_store;

/* A stack on its way to its path: {frames, n} and zeros. */
typedef struct ts_path_walk {
    const uint32_t *frames; /* the root first */
    size_t n;
    size_t level;   /* the path of so many frames is known: */
    uint32_t place; /* where it is, 0: nowhere yet */
    uint32_t run;   /* the run that it is in */
    /* Of ts_paths_ahead: where to look for the run that comes next. */
    uint32_t hash;
    uint32_t slot;
    uint32_t found;
} ts_path_walk;

/* The number, from 1 on, of the frame of this method (0 and below: none) and line (0 and below:
 * none). TS_ERR_NOMEM, TS_ERR_LIMIT. */
ts_code ts_paths_frame(uint32_t *number, ts_ctx *ctx, ts_path_store *paths, int64_t method,
                       int64_t line);

/* The same of a method without lines that no other frame has: 16 bytes. */
ts_code ts_paths_frame_new(uint32_t *number, ts_ctx *ctx, ts_path_store *paths, int64_t method);

/* Walks along paths that are known, all stacks at the same time, so that what they need comes from
 * memory at the same time. Writes nothing; ts_paths_walk does the same for one. The array is used
 * up. */
void ts_paths_ahead(const ts_path_store *paths, ts_path_walk **walks, size_t n);

/* The rest of the way, to the path of all frames; those that are new get rows. These are written
 * when TS_PATHS_ROWS are there: call ts_paths_flush before anyone else writes rows of stack_node.
 * TS_ERR_NOMEM, TS_ERR_LIMIT, or what the sink says. */
ts_code ts_paths_walk(ts_path_walk *walk, ts_path_store *paths, ts_store *store, int64_t source_id);
ts_code ts_paths_flush(ts_path_store *paths, ts_store *store);

/* The row of the path that a walk has reached; 0: none. */
static inline uint32_t ts_paths_row(const ts_path_store *paths, const ts_path_walk *walk)
{
    const uint32_t *words = paths->words.p;
    return walk->place == 0 ? 0 : words[walk->run + 1] + (walk->place - walk->run - 2);
}

void ts_paths_free(ts_ctx *ctx, ts_path_store *paths);

#endif
