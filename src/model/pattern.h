/*
 * What the page's filters look for in texts: a part of them, or between slashes a regular
 * expression, both without regard to the case of ASCII letters. Expressions run as an automaton
 * whose states are followed side by side: the time is that of the text times that of the
 * expression, whatever is in both, and nothing is tried again. In them:
 *
 *     . [a-z] [^a-z] \d \D \w \W \s \S     a character
 *     \t \n \r \. \/                       the character itself
 *     ^ $ \b \B                            places: the ends, (not) between word and other
 *     (ab|cd) (?:ab|cd)                    one of these
 *     * + ? {2} {2,} {2,5}, each also with ?   repeated
 *
 * Look-ahead, look-behind and references to groups cannot be had in that time and are refused.
 */
#ifndef TS_MODEL_PATTERN_H
#define TS_MODEL_PATTERN_H

#include "base/vec.h"
#include "base/text.h"

enum { TS_PATTERN_STEPS = 2000, TS_PATTERN_DEPTH = 32, TS_PATTERN_REPEAT = 200 };

typedef struct ts_pattern {
    ts_ctx *ctx;
    char *part; /* lower case; NULL: an expression */
    size_t part_n;
    ts_vec steps;  /* of the automaton */
    ts_vec ranges; /* of its classes */
    uint32_t *marks;
    uint32_t *lists[3]; /* states before and after a character, and those to look at */
} ts_pattern;

/* False: the text is empty, and so is the pattern. */
bool ts_pattern_wanted(ts_text text);

/* TS_ERR_USAGE with a sentence for what is no such expression, TS_ERR_LIMIT for one that is too
 * long. Caller frees with ts_pattern_free, also after an error. */
ts_code ts_pattern_make(ts_pattern *p, ts_ctx *ctx, ts_text text);
void ts_pattern_free(ts_pattern *p);

/* Whether it is somewhere in the text. Changes what the pattern holds: one thread at a time. */
bool ts_pattern_in(ts_pattern *p, ts_text text);

#endif
