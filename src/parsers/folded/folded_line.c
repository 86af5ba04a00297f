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

/* Whole frames that the stack has in common with the line before. */
static size_t common_steps(const folded *f, ts_text stack)
{
    const folded_step *path = f->path.p;
    size_t n = stack.n < f->last.n ? stack.n : f->last.n;
    size_t same = 0;
    size_t steps = 0;
    while (same < n && stack.p[same] == f->last.p[same]) {
        same++;
    }
    while (steps < f->path.n && path[steps].end <= same &&
           (path[steps].end == stack.n || stack.p[path[steps].end] == ';') &&
           (path[steps].end == f->last.n || f->last.p[path[steps].end] == ';')) {
        steps++;
    }
    return steps;
}

static ts_code find_path(int64_t *node, folded *f, ts_text stack)
{
    size_t steps = common_steps(f, stack);
    folded_step *path = f->path.p;
    size_t at = steps == 0 ? 0 : path[steps - 1].end + 1;
    ts_code code = TS_OK;
    *node = steps == 0 ? 0 : path[steps - 1].node;
    f->path.n = steps;
    while (code == TS_OK && at <= stack.n) {
        const char *semicolon = memchr(stack.p + at, ';', stack.n - at);
        size_t end = semicolon == NULL ? stack.n : (size_t)(semicolon - stack.p);
        folded_step *step;
        int64_t method, line;
        bool added;
        code = folded_method(&method, &line, f, (ts_text){stack.p + at, end - at});
        TS_STEP(code, ts_stack_node(node, &added, f->job->store, f->source_id, *node, method, line,
                                    (int64_t)f->path.n, NULL));
        if (code == TS_OK) {
            step = ts_vec_add(f->job->ctx, &f->path, sizeof *step);
            code = step == NULL ? f->job->ctx->error.code : TS_OK;
            if (step != NULL) {
                *step = (folded_step){end, *node};
            }
        }
        at = end + 1;
    }
    if (code != TS_OK) {
        return code;
    }
    f->last.n = 0;
    return ts_buf_put(f->job->ctx, &f->last, stack.p, stack.n);
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

static ts_code put_line(folded *f, ts_text stack, const folded_weights *w)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_stack_sample) + 1,
        .source_id = f->source_id,
        .event = TS_TEXT_LIT("cpu"),
    };
    size_t tokens;
    ts_code code;
    TS_TRY_INTO(code, f->types[0].id == 0 ? add_types(f) : TS_OK);
    TS_TRY_INTO(code, folded_tokens(&tokens, f, stack));
    stack = (ts_text){stack.p + tokens, stack.n - tokens};
    TS_TRY_INTO(code, stack.n > 0 ? find_path(&row.node_id, f, stack) : TS_OK);
    row.itid = f->itid;
    TS_SET_NULL(stack_sample, &row, ts);
    TS_SET_NULL(stack_sample, &row, dur);
    if (row.itid < 0) {
        TS_SET_NULL(stack_sample, &row, itid);
    }
    if (row.node_id == 0) {
        TS_SET_NULL(stack_sample, &row, node_id);
    }
    code = ts_put_stack_sample(f->sink, &row);
    for (unsigned i = 0; i < w->count && code == TS_OK; i++) {
        ts_row_stack_sample_value value = {
            .sample_id = row.id, .value_type_id = f->types[i].id, .value = w->value[i]};
        code = ts_put_stack_sample_value(f->sink, &value);
    }
    return code;
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
    return put_line(f, (ts_text){line.p, w.stack}, &w);
}
