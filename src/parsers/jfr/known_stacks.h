/*
 * The distinct stacks of a recording, of all its chunks. A stack is known by a hash of 128 bits of
 * its frames (that two of a billion stacks agree by chance has the probability 10^-21), which costs
 * one look-up a stack and not one a frame: chunks repeat the stacks of those before them. Only new
 * ones are looked up frame by frame, in the call paths.
 *
 * Memory: a stack 24 bytes and its place in a ts_index, a path what tables/store_nodes.h says.
 */
#ifndef TS_PARSERS_JFR_KNOWN_STACKS_H
#define TS_PARSERS_JFR_KNOWN_STACKS_H

#include "base/buf.h"
#include "base/index.h"
#include "base/vec.h"
#include "tables/store_nodes.h"

/* A frame as rows have it. */
typedef struct jfr_frame {
    uint32_t method;  /* row of stack_method */
    int32_t bytecode; /* index; -1: not recorded */
    int64_t line;     /* above 0, or TS_NO_LINE */
    char type;        /* a letter of jfr_stack.frame_types */
} jfr_frame;

enum { JFR_NO_TYPE = '-', JFR_OTHER_TYPE = '?' };

typedef struct jfr_stack {
    uint64_t a, b; /* its hash */
    uint32_t node; /* row of stack_node; 0: it has no frame */
    bool truncated;
} jfr_stack;

/* A call path of the stack that was added last. */
typedef struct jfr_last_path {
    uint32_t method;
    uint32_t node;
    int64_t line;
} jfr_last_path;

/* Zeroed: empty. */
typedef struct jfr_stacks {
    ts_vec known;     /* jfr_stack, by number */
    ts_index index;   /* by hash; its numbers are those of stacks, from 1 on */
    int64_t row_base; /* + a number: its row in jfr_stack */
    ts_node_index nodes;
    ts_vec last;         /* jfr_last_path, the outermost first */
    ts_buf types, codes; /* scratch: texts of a row */
} jfr_stacks;

/*
 * The number, from 1 on, of the stack with these n frames, the innermost first; writes the rows of
 * a new one. TS_ERR_NOMEM, TS_ERR_LIMIT, those of writing.
 */
ts_code jfr_stack_number(uint32_t *number, jfr_stacks *stacks, ts_ctx *ctx, ts_store *store,
                         int64_t source_id, const jfr_frame *frames, size_t n, bool truncated);

static inline const jfr_stack *jfr_stack_at(const jfr_stacks *stacks, uint32_t number)
{
    return (const jfr_stack *)stacks->known.p + number - 1;
}

void jfr_stacks_free(ts_ctx *ctx, jfr_stacks *stacks);

#endif
