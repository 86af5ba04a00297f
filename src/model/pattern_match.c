/* The automaton of an expression. */
#include "model/pattern_private.h"

#include <string.h>

enum { NO_CHAR = UINT32_MAX };

uint32_t pattern_next(size_t *at, ts_text text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text.p[(*at)++];
    unsigned more = first < 0x80 ? 0 : first < 0xc0 ? 4 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t c = more == 0 ? first : first & (0x3fu >> more);
    if (more == 4 || first >= 0xf8 || text.n - *at < more) {
        return 0xfffd;
    }
    for (unsigned i = 0; i < more; i++) {
        unsigned char byte = (unsigned char)text.p[*at + i];
        if ((byte & 0xc0) != 0x80) {
            return 0xfffd;
        }
        c = c << 6 | (byte & 0x3f);
    }
    if (c < least[more]) {
        return 0xfffd;
    }
    *at += more;
    return c;
}

static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_ranges(const range *r, int32_t n, uint32_t c)
{
    for (int32_t i = 0; i < n; i++) {
        if (c >= r[i].from && c <= r[i].to) {
            return true;
        }
    }
    return false;
}

static bool class_has(const ts_pattern *p, const step *s, uint32_t c)
{
    const range *r = (const range *)p->ranges.p + s->a;
    uint32_t other = c >= 'a' && c <= 'z' ? c - ('a' - 'A') : pattern_lower(c);
    return (in_ranges(r, s->b, c) || in_ranges(r, s->b, other)) != s->negated;
}

static bool step_takes(const ts_pattern *p, const step *s, uint32_t c)
{
    return s->kind == STEP_CHAR    ? (uint32_t)s->a == pattern_lower(c)
           : s->kind == STEP_CLASS ? class_has(p, s, c)
                                   : s->kind == STEP_ANY && c != '\n';
}

/* Whether the place between two characters, NO_CHAR for the ends, is one that the step lets
 * through. */
static bool step_passes(const step *s, uint32_t before, uint32_t after)
{
    switch (s->kind) {
    case STEP_BEGIN:
        return before == NO_CHAR;
    case STEP_END:
        return after == NO_CHAR;
    case STEP_EDGE:
        return (is_word(before) != is_word(after)) != s->negated;
    default:
        return true;
    }
}

/* States of one place in the text. */
typedef struct place {
    uint32_t *list;
    uint32_t n;
    uint32_t mark; /* of the states that were seen here */
    uint32_t before;
    uint32_t after;
} place;

/* Adds a state, and those that it leads to without a character; true: the pattern is found. */
static bool place_add(ts_pattern *p, place *at, uint32_t state)
{
    const step *steps = p->steps.p;
    uint32_t *open = p->lists[2];
    uint32_t n = 0;
    open[n++] = state;
    while (n > 0) {
        uint32_t i = open[--n];
        const step *s = &steps[i];
        if (p->marks[i] == at->mark) {
            continue;
        }
        p->marks[i] = at->mark;
        if (s->kind == STEP_FOUND) {
            return true;
        }
        if (s->kind == STEP_JUMP || s->kind == STEP_FORK) {
            open[n++] = (uint32_t)((int32_t)i + s->a);
            if (s->kind == STEP_FORK) {
                open[n++] = (uint32_t)((int32_t)i + s->b);
            }
        } else if (s->kind <= STEP_ANY) {
            at->list[at->n++] = i;
        } else if (step_passes(s, at->before, at->after)) {
            open[n++] = i + 1;
        }
    }
    return false;
}

static bool expression_in(ts_pattern *p, ts_text text)
{
    const step *steps = p->steps.p;
    size_t at = 0;
    place now = {.list = p->lists[0], .mark = 1, .before = NO_CHAR, .after = NO_CHAR};
    memset(p->marks, 0, p->steps.n * sizeof *p->marks);
    now.after = at < text.n ? pattern_next(&at, text) : NO_CHAR;
    while (!place_add(p, &now, 0)) {
        uint32_t c = now.after;
        if (c == NO_CHAR) {
            return false;
        }
        place next = {.list = now.list == p->lists[0] ? p->lists[1] : p->lists[0],
                      .mark = now.mark + 1,
                      .before = c,
                      .after = at < text.n ? pattern_next(&at, text) : NO_CHAR};
        for (uint32_t i = 0; i < now.n; i++) {
            if (step_takes(p, &steps[now.list[i]], c) && place_add(p, &next, now.list[i] + 1)) {
                return true;
            }
        }
        now = next;
    }
    return true;
}

static bool part_in(const ts_pattern *p, ts_text text)
{
    for (size_t i = 0; i + p->part_n <= text.n; i++) {
        size_t k = 0;
        while (k < p->part_n &&
               pattern_lower((unsigned char)text.p[i + k]) == (unsigned char)p->part[k]) {
            k++;
        }
        if (k == p->part_n) {
            return true;
        }
    }
    return false;
}

bool ts_pattern_in(ts_pattern *p, ts_text text)
{
    return p->part != NULL ? part_in(p, text) : expression_in(p, text);
}
