/*
 * Lists of foo: the line "foo 1", a line "NUMBER NAME VALUE" for each value, counted from 1, and
 * the line "end". docs/formats.md, "foo".
 */
#include "parsers/format.h"

#include "base/alloc.h"
#include "base/lines.h"

#include <inttypes.h>

enum { FOO_MAX_LINE = 4096 };
static const char foo_head[] = "foo 1";

typedef struct foo {
    ts_job *job;
    int64_t source_id;
    char name[TS_SOURCE_NAME];
    ts_lines lines;
    int64_t last; /* number of the last value */
    uint64_t good;
    uint64_t lost;
    bool head, ended;
} foo;

static int foo_sniff(const ts_sniff *s)
{
    size_t n = sizeof foo_head - 1;
    return s->head != NULL && s->n > n && memcmp(s->head, foo_head, n) == 0 && s->head[n] == '\n'
               ? TS_SNIFF_SURE
               : TS_SNIFF_NO;
}

static void foo_close(void *self)
{
    foo *f = self;
    ts_ctx *ctx = f->job->ctx;
    ts_buf_free(ctx, &f->lines.held);
    ts_free(ctx, f);
}

static ts_code foo_open(void **self, ts_job *job)
{
    foo *f = ts_zalloc(job->ctx, 1, sizeof *f);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->lines.max = FOO_MAX_LINE;
    code = ts_job_source(&f->source_id, f->name, job, job->source_id, "list", "foo", "Foo");
    if (code != TS_OK) {
        foo_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

/* The part before the next blank, and what follows that. */
static ts_text next_word(ts_text *rest)
{
    const char *blank = rest->n == 0 ? NULL : memchr(rest->p, ' ', rest->n);
    ts_text word = {rest->p, blank == NULL ? rest->n : (size_t)(blank - rest->p)};
    size_t used = word.n + (blank == NULL ? 0 : 1);
    *rest = (ts_text){rest->p + used, rest->n - used};
    return word;
}

static bool read_number(int64_t *out, ts_text word)
{
    *out = 0;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9' || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, word.p[i] - '0', out)) {
            return false;
        }
    }
    return word.n > 0;
}

static bool is_name(ts_text word)
{
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < 'a' || word.p[i] > 'z') {
            return false;
        }
    }
    return word.n > 0;
}

static ts_code lose_line(foo *f, const char *why)
{
    f->lost++;
    return ts_issue(f->job->store, f->source_id, TS_ISSUE_foo_bad_line, f->name,
                    (int64_t)f->lines.at, "line %" PRIu64 " %s", f->lines.number, why);
}

static ts_code take_value(foo *f, ts_text line)
{
    ts_row_foo_value row = {.source_id = f->source_id};
    bool good = read_number(&row.number, next_word(&line));
    row.name = next_word(&line);
    good = is_name(row.name) && good;
    good = read_number(&row.value, next_word(&line)) && good;
    if (!good || line.n > 0) {
        return lose_line(f, "is not a number, a name and a value");
    }
    if (row.number <= f->last) {
        return lose_line(f, "was there before");
    }
    if (row.number != f->last + 1) {
        TS_TRY(lose_line(f, "is not the next one: values are missing before it"));
    }
    f->last = row.number;
    f->good++;
    return ts_put_foo_value(ts_store_sink(f->job->store), &row);
}

static ts_code foo_line(void *user, ts_text line)
{
    foo *f = user;
    if (f->lines.number == 1) {
        f->head = ts_text_is(line, foo_head);
        return TS_OK;
    }
    if (f->lines.too_long || f->ended) {
        return lose_line(f, f->ended ? "follows the end" : "is longer than 4096 bytes");
    }
    f->ended = ts_text_is(line, "end");
    return f->ended ? TS_OK : take_value(f, line);
}

static ts_code foo_feed(void *self, const uint8_t *p, size_t n)
{
    foo *f = self;
    return ts_lines_feed(f->job->ctx, &f->lines, foo_line, f, p, n);
}

static ts_code foo_finish(void *self, const ts_stream_end *end)
{
    foo *f = self;
    ts_store *store = f->job->store;
    TS_TRY(ts_count_add(store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    if (!f->head) {
        return ts_fail(f->job->ctx, TS_ERR_FORMAT, "%s does not begin with the line \"%s\"",
                       f->job->name, foo_head);
    }
    f->job->text_bad = f->lost > 0;
    if (!f->ended || ts_lines_open(&f->lines)) { /* the last line may lack digits */
        f->lost++;
        ts_source(store, f->source_id)->complete = 0;
        TS_TRY(ts_issue(store, f->source_id, TS_ISSUE_foo_incomplete, f->name, (int64_t)end->bytes,
                        "the line \"end\" is missing"));
    }
    return ts_count_add(store, f->source_id, TS_ITEM_foo_lines, NULL, f->good, f->lost, 0);
}

TS_SOURCE_FORMAT(foo) = {
    .name = "foo",
    .title = "list of foo",
    .source_type = "foo",
    .sniff = foo_sniff,
    .open = foo_open,
    .feed = foo_feed,
    .finish = foo_finish,
    .close = foo_close,
};
