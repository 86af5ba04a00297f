/* Expressions as steps: every piece is a block whose jumps count from where they are, so that it
 * can be moved and repeated. */
#include "base/alloc.h"
#include "model/pattern_private.h"

#include <string.h>

enum { NO_BLOCK = -1 };

/* A bracket that is open. */
typedef struct group {
    size_t begin;  /* its first step */
    size_t choice; /* the first one of the alternative that is being read */
    size_t jumps;  /* alternatives before it, whose last steps wait for the end */
} group;

typedef struct reader {
    ts_pattern *p;
    ts_text text;
    size_t at;
    group groups[TS_PATTERN_DEPTH];
    unsigned depth;
    int64_t last; /* step at which the piece begins that can be repeated */
} reader;

static ts_code pattern_bad(const reader *r, const char *what)
{
    return ts_fail(r->p->ctx, TS_ERR_USAGE, "bad regular expression at character %zu: %s", r->at,
                   what);
}

static step *steps_of(const reader *r)
{
    return r->p->steps.p;
}

static ts_code put_step(reader *r, step s)
{
    if (r->p->steps.n >= TS_PATTERN_STEPS) {
        return ts_fail(r->p->ctx, TS_ERR_USAGE, "the regular expression is too long");
    }
    step *to = ts_vec_add(r->p->ctx, &r->p->steps, sizeof *to);
    TS_NEED(r->p->ctx, to);
    *to = s;
    return TS_OK;
}

/* A step in front of the block that reaches from `at` to the end. */
static ts_code put_before(reader *r, size_t at, step s)
{
    ts_code code = put_step(r, s);
    if (code == TS_OK) {
        step *all = steps_of(r);
        memmove(all + at + 1, all + at, (r->p->steps.n - 1 - at) * sizeof *all);
        all[at] = s;
    }
    return code;
}

static ts_code put_piece(reader *r, step s)
{
    r->last = (int64_t)r->p->steps.n;
    return put_step(r, s);
}

/* --- characters and classes ------------------------------------------------------------------- */

static ts_code put_range(reader *r, step *s, uint32_t from, uint32_t to)
{
    if (from > to) {
        return pattern_bad(r, "a range goes backwards");
    }
    range *one = ts_vec_add(r->p->ctx, &r->p->ranges, sizeof *one);
    TS_NEED(r->p->ctx, one);
    *one = (range){from, to};
    s->b++;
    return TS_OK;
}

/* \d and the like into a class; the others are the gaps between their ranges. */
static ts_code put_named(reader *r, step *s, uint32_t name)
{
    static const range digits[] = {{'0', '9'}};
    static const range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const range blanks[] = {{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x2028, 0x2029}};
    uint32_t lower = pattern_lower(name);
    const range *all = lower == 'd' ? digits : lower == 'w' ? words : blanks;
    size_t n = lower == 'd' ? 1 : 4;
    uint32_t next = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        if (lower == name) {
            code = put_range(r, s, all[i].from, all[i].to);
        } else if (all[i].from > next) {
            code = put_range(r, s, next, all[i].from - 1);
        }
        next = all[i].to + 1;
    }
    TS_STEP_IF(code, lower != name, put_range(r, s, next, UINT32_MAX - 1));
    return code;
}

static bool is_named(uint32_t c)
{
    return c != 0 && c < 0x80 && strchr("dDwWsS", (int)c) != NULL;
}

/* The character that an escape stands for. */
static ts_code escaped(uint32_t *c, const reader *r)
{
    switch (*c) {
    case 't':
        *c = '\t';
        return TS_OK;
    case 'n':
        *c = '\n';
        return TS_OK;
    case 'r':
        *c = '\r';
        return TS_OK;
    default:
        if ((*c >= '0' && *c <= '9') || (pattern_lower(*c) >= 'a' && pattern_lower(*c) <= 'z')) {
            return pattern_bad(r, "this escape is not known");
        }
        return TS_OK;
    }
}

/* One end of a range of a class. *named: it was a \d. */
static ts_code class_end(uint32_t *c, bool *named, reader *r, step *s)
{
    *named = false;
    *c = pattern_next(&r->at, r->text);
    if (*c != '\\') {
        return TS_OK;
    }
    if (r->at == r->text.n) {
        return pattern_bad(r, "it ends with a backslash");
    }
    *c = pattern_next(&r->at, r->text);
    *named = is_named(*c);
    return *named ? put_named(r, s, *c) : escaped(c, r);
}

/* After "[". */
static ts_code read_class(reader *r)
{
    step s = {.kind = STEP_CLASS, .a = (int32_t)r->p->ranges.n};
    ts_code code = TS_OK;
    if (r->at < r->text.n && r->text.p[r->at] == '^') {
        s.negated = true;
        r->at++;
    }
    while (code == TS_OK && r->at < r->text.n && r->text.p[r->at] != ']') {
        uint32_t from;
        bool named;
        if ((code = class_end(&from, &named, r, &s)) != TS_OK || named) {
            continue;
        }
        uint32_t to = from;
        if (r->text.n - r->at > 1 && r->text.p[r->at] == '-' && r->text.p[r->at + 1] != ']') {
            r->at++;
            code = class_end(&to, &named, r, &s);
            TS_STEP_IF(code, named, pattern_bad(r, "a range has no end"));
        }
        TS_STEP(code, put_range(r, &s, from, to));
    }
    if (code == TS_OK && r->at == r->text.n) {
        return pattern_bad(r, "a bracket is not closed");
    }
    r->at++;
    TS_STEP(code, put_piece(r, s));
    return code;
}

static ts_code read_escape(reader *r)
{
    if (r->at == r->text.n) {
        return pattern_bad(r, "it ends with a backslash");
    }
    uint32_t c = pattern_next(&r->at, r->text);
    if (c == 'b' || c == 'B') {
        r->last = NO_BLOCK;
        return put_step(r, (step){.kind = STEP_EDGE, .negated = c == 'B'});
    }
    if (is_named(c)) {
        step s = {.kind = STEP_CLASS, .a = (int32_t)r->p->ranges.n};
        ts_code code = put_named(r, &s, c);
        TS_STEP(code, put_piece(r, s));
        return code;
    }
    ts_code code = escaped(&c, r);
    TS_STEP(code, put_piece(r, (step){.kind = STEP_CHAR, .a = (int32_t)pattern_lower(c)}));
    return code;
}

/* --- groups ----------------------------------------------------------------------------------- */

static ts_code group_open(reader *r)
{
    if (r->depth == TS_PATTERN_DEPTH) {
        return pattern_bad(r, "too many brackets in each other");
    }
    r->groups[r->depth++] = (group){.begin = r->p->steps.n, .choice = r->p->steps.n};
    r->last = NO_BLOCK;
    return TS_OK;
}

/* After "(". */
static ts_code read_open(reader *r)
{
    if (r->at < r->text.n && r->text.p[r->at] == '?') {
        if (r->text.n - r->at < 2 || r->text.p[r->at + 1] != ':') {
            return pattern_bad(r, "looking ahead or behind and names are not supported");
        }
        r->at += 2;
    }
    return group_open(r);
}

/* After "|": either what was read of this group since the one before, or what follows. */
static ts_code read_choice(reader *r)
{
    group *g = &r->groups[r->depth - 1];
    size_t n = r->p->steps.n - g->choice;
    ts_code code = put_before(r, g->choice, (step){.kind = STEP_FORK, .a = 1, .b = (int32_t)n + 2});
    if (code == TS_OK) {
        /* The jump to the end, which is not known yet: it says how far the one before is. */
        size_t here = r->p->steps.n;
        code = put_step(r, (step){.kind = STEP_JUMP,
                                  .a = g->jumps == 0 ? 0 : (int32_t)(here - (g->jumps - 1))});
        g->jumps = here + 1;
        g->choice = here + 1;
    }
    r->last = NO_BLOCK;
    return code;
}

static void group_close(reader *r)
{
    const group *g = &r->groups[--r->depth];
    step *all = steps_of(r);
    size_t end = r->p->steps.n;
    for (size_t at = g->jumps; at > 0;) {
        int32_t back = all[at - 1].a;
        all[at - 1].a = (int32_t)(end - (at - 1));
        at = back == 0 ? 0 : at - (size_t)back;
    }
    r->last = (int64_t)g->begin;
}

/* --- repetitions ------------------------------------------------------------------------------ */

/* The number at *at, at most one more than may be. */
static unsigned read_number(reader *r)
{
    unsigned n = 0;
    while (r->at < r->text.n && r->text.p[r->at] >= '0' && r->text.p[r->at] <= '9') {
        n = n * 10 + (unsigned)(r->text.p[r->at++] - '0');
        n = n > TS_PATTERN_REPEAT ? TS_PATTERN_REPEAT + 1 : n;
    }
    return n;
}

/* How often, by the character that was read; most 0: without an end. False: "{" is only that. */
static bool read_times(unsigned *least, unsigned *most, reader *r, uint32_t c)
{
    size_t begin = r->at;
    *least = c == '+' ? 1 : 0;
    *most = c == '?' ? 1 : 0;
    if (c != '{') {
        return true;
    }
    *least = *most = read_number(r);
    bool good = r->at > begin;
    if (good && r->at < r->text.n && r->text.p[r->at] == ',') {
        size_t second = ++r->at;
        *most = read_number(r);
        *most = r->at == second ? 0 : *most == 0 ? TS_PATTERN_REPEAT + 1 : *most;
    } else if (good && *most == 0) {
        *most = TS_PATTERN_REPEAT + 1;
    }
    good = good && r->at < r->text.n && r->text.p[r->at] == '}';
    r->at = good ? r->at + 1 : begin;
    return good;
}

/* A copy of the block of n steps at `from`, which may be left out. */
static ts_code put_copy(reader *r, size_t from, size_t n, bool option)
{
    ts_code code =
        option ? put_step(r, (step){.kind = STEP_FORK, .a = 1, .b = (int32_t)n + 1}) : TS_OK;
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = put_step(r, steps_of(r)[from + i]);
    }
    return code;
}

static ts_code put_repeated(reader *r, unsigned least, unsigned most)
{
    size_t from = (size_t)r->last;
    size_t n = r->p->steps.n - from;
    size_t begin = from;
    ts_code code = TS_OK;
    for (unsigned i = 1; code == TS_OK && i < least; i++) {
        begin = r->p->steps.n;
        code = put_copy(r, from, n, false);
    }
    if (code == TS_OK && most == 0) {
        /* The last copy again and again; when none is needed, it can be left out at once. */
        if (least == 0) {
            code = put_before(r, begin, (step){.kind = STEP_FORK, .a = 1, .b = (int32_t)n + 2});
            TS_STEP(code, put_step(r, (step){.kind = STEP_JUMP, .a = -(int32_t)(n + 1)}));
            return code;
        }
        return put_step(r, (step){.kind = STEP_FORK, .a = -(int32_t)n, .b = 1});
    }
    for (unsigned i = least < 1 ? 1 : least; code == TS_OK && i < most; i++) {
        code = put_copy(r, from, n, true);
    }
    TS_STEP_IF(code, least == 0,
               put_before(r, from, (step){.kind = STEP_FORK, .a = 1, .b = (int32_t)n + 1}));
    return code;
}

static ts_code read_repeat(bool *done, reader *r, uint32_t c)
{
    unsigned least;
    unsigned most;
    *done = read_times(&least, &most, r, c);
    if (!*done) {
        return TS_OK;
    }
    if (r->last == NO_BLOCK) {
        return pattern_bad(r, "there is nothing to repeat");
    }
    if (least > TS_PATTERN_REPEAT || most > TS_PATTERN_REPEAT || (most != 0 && most < least)) {
        return pattern_bad(r, "so many repetitions are not supported");
    }
    ts_code code = put_repeated(r, least, most);
    r->last = NO_BLOCK;
    if (r->at < r->text.n && r->text.p[r->at] == '?') {
        r->at++; /* the shortest match is a match, too */
    }
    return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

static ts_code read_one(reader *r, uint32_t c)
{
    bool done;
    ts_code code;
    switch (c) {
    case '\\':
        return read_escape(r);
    case '[':
        return read_class(r);
    case '(':
        return read_open(r);
    case '|':
        return read_choice(r);
    case ')':
        if (r->depth == 1) {
            return pattern_bad(r, "a bracket is closed that is not open");
        }
        group_close(r);
        return TS_OK;
    case '.':
        return put_piece(r, (step){.kind = STEP_ANY});
    case '^':
    case '$':
        r->last = NO_BLOCK;
        return put_step(r, (step){.kind = c == '^' ? STEP_BEGIN : STEP_END});
    case '*':
    case '+':
    case '?':
    case '{':
        code = read_repeat(&done, r, c);
        if (code != TS_OK || done) {
            return code;
        }
        break;
    default:
        break;
    }
    return put_piece(r, (step){.kind = STEP_CHAR, .a = (int32_t)pattern_lower(c)});
}

static ts_code expression_make(ts_pattern *p, ts_text text)
{
    reader r = {.p = p, .text = text};
    ts_code code = group_open(&r);
    while (code == TS_OK && r.at < text.n) {
        code = read_one(&r, pattern_next(&r.at, text));
    }
    if (code == TS_OK && r.depth > 1) {
        return pattern_bad(&r, "a bracket is not closed");
    }
    if (code == TS_OK) {
        group_close(&r);
        code = put_step(&r, (step){.kind = STEP_FOUND});
    }
    if (code != TS_OK) {
        return code;
    }
    p->marks = ts_zalloc(p->ctx, p->steps.n, sizeof *p->marks);
    for (unsigned i = 0; i < 3; i++) {
        /* Each state that is looked at leads to at most two. */
        p->lists[i] = ts_alloc(p->ctx, 2 * p->steps.n + 1, sizeof *p->lists[i]);
    }
    return p->marks == NULL || p->lists[0] == NULL || p->lists[1] == NULL || p->lists[2] == NULL
               ? p->ctx->error.code
               : TS_OK;
}

static ts_text trimmed(ts_text text)
{
    while (text.n > 0 && text.p[0] == ' ') {
        text.p++;
        text.n--;
    }
    while (text.n > 0 && text.p[text.n - 1] == ' ') {
        text.n--;
    }
    return text;
}

bool ts_pattern_wanted(ts_text text)
{
    return trimmed(text).n > 0;
}

ts_code ts_pattern_make(ts_pattern *p, ts_ctx *ctx, ts_text text)
{
    *p = (ts_pattern){.ctx = ctx};
    text = trimmed(text);
    if (text.n > 2 && text.p[0] == '/' && text.p[text.n - 1] == '/') {
        return expression_make(p, (ts_text){text.p + 1, text.n - 2});
    }
    TS_NEED(ctx, p->part = ts_strndup(ctx, text.n == 0 ? "" : text.p, text.n));
    p->part_n = text.n;
    for (size_t i = 0; i < text.n; i++) {
        p->part[i] = (char)pattern_lower((unsigned char)text.p[i]);
    }
    return TS_OK;
}

void ts_pattern_free(ts_pattern *p)
{
    if (p->ctx == NULL) {
        return;
    }
    ts_free(p->ctx, p->part);
    ts_vec_free(p->ctx, &p->steps);
    ts_vec_free(p->ctx, &p->ranges);
    ts_free(p->ctx, p->marks);
    for (unsigned i = 0; i < 3; i++) {
        ts_free(p->ctx, p->lists[i]);
    }
    *p = (ts_pattern){0};
}
