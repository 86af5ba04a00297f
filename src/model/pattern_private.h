/* The steps of expressions. */
#ifndef TS_MODEL_PATTERN_PRIVATE_H
#define TS_MODEL_PATTERN_PRIVATE_H

#include "model/pattern.h"

typedef enum step_kind {
    STEP_CHAR,  /* a: the character in lower case */
    STEP_CLASS, /* a: first range, b: how many; negated */
    STEP_ANY,
    STEP_BEGIN,
    STEP_END,
    STEP_EDGE, /* negated: no edge of a word */
    STEP_JUMP, /* a: steps from here */
    STEP_FORK, /* a, b: both */
    STEP_FOUND
} step_kind;

typedef struct step {
    step_kind kind;
    bool negated;
    int32_t a;
    int32_t b;
} step;

typedef struct range {
    uint32_t from;
    uint32_t to;
} range;

static inline uint32_t pattern_lower(uint32_t c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* The character at *at, which moves past it; U+FFFD for a byte that is none. */
uint32_t pattern_next(size_t *at, ts_text text);

#endif
