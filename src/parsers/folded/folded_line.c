/* Lines of folded stacks. */
#include "parsers/folded/folded.h"

#include "base/utf8.h"

#include <inttypes.h>

/* --- weights -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Digits, and a part after a point that is rounded to the nearest, halves to even. */
static bool read_weight(int64_t *v, bool *rounded, bool *overflow, ts_text t)
{
    size_t i = 0;
    bool half, more = false;
    *v = 0;
    for (; i < t.n && ts_is_digit(t.p[i]); i++) {
        *overflow = *overflow || ts_ckd_mul(v, *v, INT64_C(10)) ||
                    ts_ckd_add(v, *v, (int64_t)(t.p[i] - '0'));
    }
    if (i == 0 || (i < t.n && t.p[i] != '.')) {
        return false;
    }
    if (i == t.n) {
        return true;
    }
    if (++i == t.n) {
        return false;
    }
    half = t.p[i] == '5';
    bool up = t.p[i] > '5';
    for (size_t k = i; k < t.n; k++) {
        if (!ts_is_digit(t.p[k])) {
            return false;
        }
        more = more || (k > i && t.p[k] != '0');
        *rounded = *rounded || t.p[k] != '0';
    }
    up = up || (half && (more || (*v & 1) != 0));
    *overflow = *overflow || ts_ckd_add(v, *v, (int64_t)(up ? 1 : 0));
    return true;
}

folded_weights folded_read_weights(ts_text line, unsigned most)
{
    folded_weights w = {.stack = line.n};
    while (w.count < most) {
        size_t end = w.stack;
        size_t begin;
        int64_t v;
        bool rounded = false;
        bool overflow = false;
        while (end > 0 && is_blank(line.p[end - 1])) {
            end--;
        }
        begin = end;
        while (begin > 0 && !is_blank(line.p[begin - 1])) {
            begin--;
        }
        if (begin == 0 ||
            !read_weight(&v, &rounded, &overflow, (ts_text){line.p + begin, end - begin})) {
            break;
        }
        w.value[1] = w.value[0];
        w.value[0] = v;
        w.rounded = w.rounded || rounded;
        w.overflow = w.overflow || overflow;
        w.count++;
        w.stack = begin;
    }
    while (w.stack > 0 && is_blank(line.p[w.stack - 1])) {
        w.stack--;
    }
    w.count = w.stack == 0 ? 0 : w.count;
    return w;
}

bool folded_is_comment(ts_text line)
{
    line = ts_text_trim(line);
    return line.n == 0 || line.p[0] == '#';
}

/* --- call paths ----------------------------------------------------------------------------- */

/* Bytes that both begin with. */
static size_t common_bytes(const char *a, const char *b, size_t n)
{
    size_t same = 0;
    uint64_t x, y;
    while (same + sizeof x <= n) {
        memcpy(&x, a + same, sizeof x);
        memcpy(&y, b + same, sizeof y);
        if (x != y) {
            break;
        }
        same += sizeof x;
    }
    while (same < n && a[same] == b[same]) {
        same++;
    }
    return same;
}

/* Whole frames that the stack has in common with the line before. */
static size_t common_steps(const folded *f, ts_text stack)
{
    const folded_step *path = f->path.p;
    size_t n = stack.n < f->last.n ? stack.n : f->last.n;
    size_t same = common_bytes(stack.p, f->last.p, n);
    size_t steps = 0;
    while (steps < f->path.n && path[steps].end <= same &&
           (path[steps].end == stack.n || stack.p[path[steps].end] == ';') &&
           (path[steps].end == f->last.n || f->last.p[path[steps].end] == ';')) {
        steps++;
    }
    return steps;
}

/* The frames of the stack, in `path`. */
static ts_code read_frames(folded *f, ts_text stack)
{
    ts_ctx *ctx = f->job->ctx;
    size_t steps = common_steps(f, stack);
    size_t at = steps == 0 ? 0 : (size_t)((folded_step *)f->path.p)[steps - 1].end + 1;
    f->path.n = steps;
    while (at <= stack.n) {
        const char *semicolon = memchr(stack.p + at, ';', stack.n - at);
        size_t end = semicolon == NULL ? stack.n : (size_t)(semicolon - stack.p);
        folded_step step = {(uint32_t)end, 0};
        TS_TRY(folded_number(&step.frame, f, (ts_text){stack.p + at, end - at}));
        TS_TRY(ts_vec_push(ctx, &f->path, &step, sizeof step));
        at = end + 1;
    }
    f->last.n = 0;
    return ts_buf_put(ctx, &f->last, stack.p, stack.n);
}

/* The frames of the stack, added to the batch. */
static ts_code add_frames(folded *f, ts_text stack)
{
    TS_TRY(read_frames(f, stack));
    TS_TRY(ts_vec_reserve(f->job->ctx, &f->stack, f->path.n, sizeof(uint32_t)));
    const folded_step *path = f->path.p;
    uint32_t *out = (uint32_t *)f->stack.p + f->stack.n;
    for (size_t i = 0; i < f->path.n; i++) {
        out[i] = path[i].frame;
    }
    f->stack.n += f->path.n;
    return TS_OK;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code add_types(folded *f)
{
    static const char *const names[] = {"samples", "before", "after"};
    int64_t profile = (int64_t)ts_sink_rows(f->sink, TS_T_profile) + 1;
    ts_code code = TS_OK;
    for (int i = 0; i <= (f->differential ? 1 : 0) && code == TS_OK; i++) {
        code = ts_profile_type_add(&f->types[i], f->job->store, f->source_id, profile,
                                   ts_text_of(names[f->differential ? i + 1 : 0]),
                                   TS_TEXT_LIT("count"), TS_TEXT_NULL);
    }
    return code;
}

/* All lines of the batch find their paths at the same time as far as these are known. */
static ts_code find_paths(folded *f)
{
    ts_path_walk *walks[FOLDED_BATCH];
    const uint32_t *frames = f->stack.p;
    for (unsigned i = 0; i < f->batch_n; i++) {
        f->walks[i] = (ts_path_walk){
            .frames = f->batch[i].n == 0 ? NULL : frames + f->batch[i].first, .n = f->batch[i].n};
        walks[i] = &f->walks[i];
    }
    ts_paths_ahead(&f->paths, walks, f->batch_n);
    for (unsigned i = 0; i < f->batch_n; i++) {
        TS_TRY(ts_paths_walk(&f->walks[i], &f->paths, f->job->store, f->source_id));
    }
    return ts_paths_flush(&f->paths, f->job->store);
}

ts_code folded_flush(folded *f)
{
    const int64_t first = (int64_t)ts_sink_rows(f->sink, TS_T_stack_sample) + 1;
    const unsigned types = f->differential ? 2 : 1;
    TS_TRY(find_paths(f));
    for (unsigned i = 0; i < f->batch_n; i++) {
        const folded_sample *s = &f->batch[i];
        ts_row_stack_sample *row = &f->rows[i];
        *row = (ts_row_stack_sample){
            .id = first + i,
            .source_id = f->source_id,
            .itid = s->itid,
            .node_id = ts_paths_row(&f->paths, &f->walks[i]),
            .event = TS_TEXT_LIT("cpu"),
        };
        TS_SET_NULL(stack_sample, row, ts, dur);
        TS_NULL_IF(row->itid < 0, stack_sample, row, itid);
        TS_NULL_IF(row->node_id == 0, stack_sample, row, node_id);
        for (unsigned k = 0; k < types; k++) {
            f->values[types * i + k] = (ts_row_stack_sample_value){
                .sample_id = row->id, .value_type_id = f->types[k].id, .value = s->value[k]};
        }
    }
    if (f->batch_n > 0) {
        TS_TRY(
            ts_sink_put_many(f->sink, TS_T_stack_sample, f->rows, sizeof f->rows[0], f->batch_n));
        TS_TRY(ts_sink_put_many(f->sink, TS_T_stack_sample_value, f->values, sizeof f->values[0],
                                types * f->batch_n));
    }
    f->batch_n = 0;
    f->stack.n = 0;
    return TS_OK;
}

static ts_code add_line(folded *f, ts_text stack, const folded_weights *w)
{
    size_t tokens;
    if (f->types[0].id == 0) {
        TS_TRY(add_types(f));
    }
    TS_TRY(folded_tokens(&tokens, f, stack));
    stack = ts_text_from(stack, tokens);
    folded_sample *s = &f->batch[f->batch_n++];
    *s = (folded_sample){.first = f->stack.n, .itid = f->itid, .value = {w->value[0], w->value[1]}};
    if (stack.n > 0) {
        TS_TRY(add_frames(f, stack));
    }
    s->n = f->stack.n - s->first;
    return f->batch_n == FOLDED_BATCH || f->stack.n >= FOLDED_FRAMES ? folded_flush(f) : TS_OK;
}

static ts_code bad_line(folded *f, ts_issue_code issue, const char *what)
{
    f->bad++;
    return ts_issue(f->job->store, f->source_id, issue, f->name, (int64_t)f->at,
                    "line %" PRIu64 " %s", f->lines, what);
}

ts_code folded_line(folded *f, ts_text line)
{
    folded_weights w;
    if (folded_is_comment(line)) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_text(&line, f->job->ctx, &f->clean, &f->bad_texts));
    w = folded_read_weights(line, f->differential ? 2 : 1);
    if (w.count != (f->differential ? 2U : 1U)) {
        return bad_line(f, TS_ISSUE_prof_bad_line, "does not end in a number");
    }
    if (w.overflow) {
        return bad_line(f, TS_ISSUE_prof_bad_number, "has a number that does not fit into 64 bits");
    }
    f->good++;
    f->rounded += w.rounded ? 1 : 0;
    return add_line(f, (ts_text){line.p, w.stack}, &w);
}
