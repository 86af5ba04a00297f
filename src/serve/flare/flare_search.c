/* list_methods_by_filter and search_slow_method_calls (docs/flare.md). */
#include "base/alloc.h"
#include "base/utf8.h"
#include "base/ckd.h"
#include "model/sort_by.h"
#include "serve/flare/flare_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool contains(ts_text text, ts_text part)
{
    return part.n == 0 || memmem(text.p, text.n, part.p, part.n) != NULL;
}

/* --- methods by a part of their names ------------------------------------------------------- */

typedef struct found {
    ts_text label;
    int64_t id;
} found;

static int by_label(const void *a, const void *b)
{
    const found *x = a;
    const found *y = b;
    int order = ts_text_order(x->label, y->label);
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static ts_code find_methods(ts_vec *list, const fp_data *data, ts_text filter)
{
    for (uint32_t i = 1; i <= data->method_count; i++) {
        ts_text label = fp_data_label(data, i);
        found *f;
        if (!data->methods[i].present || !data->methods[i].resolved || !contains(label, filter)) {
            continue;
        }
        TS_NEED(data->ctx, f = ts_vec_add(data->ctx, list, sizeof *f));
        *f = (found){.label = label, .id = data->methods[i].id};
    }
    if (list->n > 1) {
        qsort(list->p, list->n, sizeof(found), by_label);
    }
    return TS_OK;
}

ts_code fp_list_methods_by_filter(fp_call *call)
{
    ts_text filter = fp_request_text(call->request, "method_name_filter", "");
    ts_vec list = {0};
    ts_code code = find_methods(&list, &call->session->data, filter);
    if (code == TS_OK) {
        const found *all = list.p;
        fp_reply_session(call);
        ts_jout_text(&call->json, "method_name_filter", filter);
        ts_jout_uint(&call->json, "total_method_size", list.n);
        ts_jout_open(&call->json, "method_infos", '[');
        for (size_t i = 0; i < list.n; i++) {
            ts_jout_open(&call->json, NULL, '{');
            ts_jout_int(&call->json, "method_id", all[i].id);
            ts_jout_text(&call->json, "full_name", all[i].label);
            ts_jout_close(&call->json, '}');
        }
        ts_jout_close(&call->json, ']');
        code = fp_reply_end(call);
    }
    ts_vec_free(call->ctx, &list);
    return code;
}

/* --- slow calls ----------------------------------------------------------------------------- */

typedef struct slow_call {
    const fp_thread *thread;
    uint32_t method;
    int64_t start, duration, calls;
    size_t at, n; /* its primary stack in search.methods and search.durations */
    uint32_t group;
    uint64_t order;
} slow_call;

typedef struct search {
    fp_call *call;
    const fp_data *data;
    bool *wanted; /* by number of the method */
    int64_t *ids; /* sorted */
    size_t id_count;
    int64_t min, max, max_size;
    ts_text filter;
    ts_vec calls;     /* of slow_call */
    ts_vec methods;   /* of uint32_t */
    ts_vec durations; /* of int64_t */
    uint32_t groups;
    int64_t progress; /* as last sent */
    int64_t sent;     /* when, CLOCK_MONOTONIC */
    char message[200];
    bool error;
} search;

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static ts_code read_ids(search *s)
{
    const int64_t *given = NULL;
    ts_code code =
        fp_request_need_ints(&given, &s->id_count, s->call->ctx, s->call->request, "method_ids");
    if (code != TS_OK) {
        return code;
    }
    s->ids = ts_alloc(s->call->ctx, s->id_count, sizeof *s->ids);
    s->wanted = ts_zalloc(s->call->ctx, (size_t)s->data->method_count + 1, sizeof *s->wanted);
    if (s->ids == NULL || s->wanted == NULL) {
        return s->call->ctx->error.code;
    }
    if (s->id_count > 0) {
        memcpy(s->ids, given, s->id_count * sizeof *s->ids);
        qsort(s->ids, s->id_count, sizeof *s->ids, by_number);
        for (uint32_t i = 1; i <= s->data->method_count; i++) {
            s->wanted[i] =
                s->data->methods[i].present && bsearch(&s->data->methods[i].id, s->ids, s->id_count,
                                                       sizeof *s->ids, by_number) != NULL;
        }
    }
    return TS_OK;
}

static ts_code add_frame(search *s, const fp_tree_node *n)
{
    TS_TRY(ts_vec_push(s->call->ctx, &s->methods, &n->method, sizeof n->method));
    return ts_vec_push(s->call->ctx, &s->durations, &n->duration, sizeof n->duration);
}

/* The slowest child of a node, the first of equal ones; 0: it has none. */
static uint32_t slowest_child(const fp_tree_node *nodes, uint32_t node)
{
    uint32_t best = nodes[node].first;
    for (uint32_t i = best; i != 0; i = nodes[i].next) {
        best = nodes[i].duration > nodes[best].duration ? i : best;
    }
    return best;
}

/* A hit, with the calls that took most of its time. */
static ts_code add_call(search *s, const fp_thread *thread, const fp_tree *tree, uint32_t node)
{
    const fp_tree_node *nodes = tree->nodes.p;
    int64_t least = nodes[node].duration / 3;
    slow_call *c = ts_vec_add(s->call->ctx, &s->calls, sizeof *c);
    ts_code code = TS_OK;
    TS_NEED(s->call->ctx, c);
    least = s->min < least ? s->min : least;
    least = least > 50 ? 50 : least;
    *c = (slow_call){.thread = thread,
                     .method = nodes[node].method,
                     .start = nodes[node].start,
                     .duration = nodes[node].duration,
                     .calls = nodes[node].calls,
                     .at = s->methods.n,
                     .order = s->calls.n};
    while (code == TS_OK && node != 0 && nodes[node].duration >= least) {
        code = add_frame(s, &nodes[node]);
        node = slowest_child(nodes, node);
    }
    c->n = s->methods.n - c->at;
    return code;
}

/* Below a hit, and below what is too short, nothing is looked for. */
static ts_code search_tree(search *s, const fp_thread *thread, const fp_tree *tree)
{
    const fp_tree_node *nodes = tree->nodes.p;
    uint32_t at = 0;
    ts_code code = TS_OK;
    bool down = nodes[0].duration >= s->min;
    while (code == TS_OK) {
        uint32_t next = down ? nodes[at].first : nodes[at].next;
        if (next != 0) {
            const fp_tree_node *n = &nodes[next];
            at = next;
            down = n->duration >= s->min;
            if (down && s->wanted[n->method] && (s->max <= 0 || n->duration < s->max)) {
                code = add_call(s, thread, tree, at);
                down = false;
            }
        } else if (down) {
            down = false;
        } else if (at == 0) {
            break;
        } else {
            at = nodes[at].parent;
        }
    }
    return code;
}

static ts_code search_thread(search *s, fp_thread *thread)
{
    fp_tree tree = {0};
    int64_t begin = 0;
    int64_t end = 0;
    ts_code code = fp_data_records(&s->call->session->data, thread);
    TS_STEP(code, fp_tree_open(&tree, s->data, false));
    TS_STEP_IF(code, thread->records.n > 0,
               fp_tree_sequence(&tree, &begin, &end, thread, 0, thread->records.n - 1));
    TS_STEP(code, search_tree(s, thread, &tree));
    fp_tree_close(&tree);
    return code;
}

/* --- progress ------------------------------------------------------------------------------- */

/* When it grew by more than 5 since the last one, and at least each 250 ms. */
static ts_code send_progress(search *s, int64_t progress, const fp_thread *thread)
{
    ts_jout *j = &s->call->json;
    snprintf(s->message, sizeof s->message, "searching %.*s",
             (int)ts_utf8_cut(thread->name, strnlen(thread->name, 180)), thread->name);
    if (progress - s->progress <= 5 && ts_guard_now() - s->sent < 250 * INT64_C(1000000)) {
        return TS_OK;
    }
    s->progress = progress;
    s->sent = ts_guard_now();
    fp_reply_session(s->call);
    ts_jout_int(j, "search_progress", progress);
    ts_jout_bool(j, "search_finished", false);
    ts_jout_str(j, "search_message", s->message);
    return fp_reply_end(s->call);
}

static ts_code search_all(search *s)
{
    fp_thread *list = s->data->threads.p;
    size_t n = s->data->threads.n;
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK && !s->error; i++) {
        if (!fp_data_listed(&list[i]) || !list[i].has_series ||
            !contains(ts_text_of(list[i].name), s->filter)) {
            continue;
        }
        code = send_progress(s, (int64_t)(100 * i / n), &list[i]);
        TS_STEP(code, search_thread(s, &list[i]));
        if (s->max_size > 0 && s->calls.n >= (uint64_t)s->max_size) {
            s->error = true;
            snprintf(s->message, sizeof s->message,
                     "too many slow method calls: %zu, search aborted!", s->calls.n);
        }
    }
    return code;
}

/* --- the answer ----------------------------------------------------------------------------- */

static int by_stack(const void *a, const void *b, void *user)
{
    const slow_call *x = a;
    const slow_call *y = b;
    const uint32_t *methods = user;
    int order = x->n != y->n ? (x->n > y->n) - (x->n < y->n)
                : x->n == 0  ? 0
                             : memcmp(methods + x->at, methods + y->at, x->n * sizeof *methods);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static bool same_stack(const slow_call *x, const slow_call *y, const uint32_t *methods)
{
    return x->n == y->n &&
           (x->n == 0 || memcmp(methods + x->at, methods + y->at, x->n * sizeof *methods) == 0);
}

static int by_group(const void *a, const void *b)
{
    const slow_call *x = a;
    const slow_call *y = b;
    int order = (x->group > y->group) - (x->group < y->group);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* Calls with equal stacks are a group; groups are in the order of their first calls. */
static void make_groups(search *s)
{
    slow_call *calls = s->calls.p;
    uint32_t *methods = s->methods.p;
    if (s->calls.n == 0) {
        return;
    }
    qsort_r(calls, s->calls.n, sizeof *calls, by_stack, methods);
    for (size_t i = 0; i < s->calls.n; i++) {
        bool same = i > 0 && same_stack(&calls[i - 1], &calls[i], methods);
        calls[i].group = same ? calls[i - 1].group : (uint32_t)calls[i].order;
    }
    qsort(calls, s->calls.n, sizeof *calls, by_group);
}

static void write_call(ts_jout *j, const search *s, const slow_call *c)
{
    const uint32_t *methods = s->methods.p;
    const int64_t *durations = s->durations.p;
    ts_jout_open(j, NULL, '{');
    ts_jout_int(j, "method_id", fp_data_method_id(s->data, c->method));
    ts_jout_str(j, "full_name", "");
    ts_jout_int(j, "thread_id", c->thread->id);
    ts_jout_str(j, "thread_name", c->thread->name);
    ts_jout_int(j, "start_time", c->start);
    ts_jout_int(j, "duration", c->duration);
    ts_jout_int(j, "calls", c->calls);
    ts_jout_int(j, "cpu", 0);
    ts_jout_int(j, "samples", 0);
    ts_jout_open(j, "primary_stacks", '[');
    for (size_t i = 0; i < c->n; i++) {
        ts_jout_int(j, NULL, fp_data_method_id(s->data, methods[c->at + i]));
    }
    ts_jout_close(j, ']');
    ts_jout_open(j, "durations", '[');
    for (size_t i = 0; i < c->n; i++) {
        ts_jout_int(j, NULL, durations[c->at + i]);
    }
    ts_jout_ends(j, "]}");
}

static void write_stack(ts_jout *j, const search *s, const slow_call *c)
{
    const uint32_t *methods = s->methods.p;
    ts_jout_open(j, "call_stack", '[');
    for (size_t i = 0; i < c->n; i++) {
        uint32_t method = methods[c->at + i];
        ts_jout_open(j, NULL, '{');
        ts_jout_int(j, "method_id", fp_data_method_id(s->data, method));
        ts_jout_text(j, "full_name", fp_data_label(s->data, method));
        ts_jout_open(j, "features", '[');
        ts_jout_ends(j, "]}");
    }
    ts_jout_close(j, ']');
}

static void write_groups(ts_jout *j, const search *s)
{
    const slow_call *calls = s->calls.p;
    size_t i = 0;
    ts_jout_open(j, "method_call_groups", '[');
    for (int64_t id = 1; i < s->calls.n && j->code == TS_OK; id++) {
        size_t first = i;
        ts_jout_open(j, NULL, '{');
        ts_jout_int(j, "group_id", id);
        ts_jout_open(j, "method_calls", '[');
        for (; i < s->calls.n && calls[i].group == calls[first].group; i++) {
            write_call(j, s, &calls[i]);
        }
        ts_jout_close(j, ']');
        ts_jout_open(j, "features", '[');
        ts_jout_close(j, ']');
        write_stack(j, s, &calls[first]);
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, ']');
}

static ts_code reply_found(search *s)
{
    ts_jout *j = &s->call->json;
    make_groups(s);
    fp_reply_session(s->call);
    ts_jout_open(j, "method_ids", '[');
    for (size_t i = 0; i < s->id_count; i++) {
        ts_jout_int(j, NULL, s->ids[i]);
    }
    ts_jout_close(j, ']');
    write_groups(j, s);
    ts_jout_int(j, "search_progress", s->progress);
    ts_jout_bool(j, "search_finished", !s->error);
    ts_jout_bool(j, "search_error", s->error);
    ts_jout_str(j, "search_message", s->message);
    return fp_reply_end(s->call);
}

ts_code fp_search_slow_method_calls(fp_call *call)
{
    search s = {
        .call = call,
        .data = &call->session->data,
        .min = fp_request_int(call->request, "min_duration", 100),
        .max = fp_request_int(call->request, "max_duration", -1),
        .max_size = fp_request_int(call->request, "max_size", 2000),
        .filter = fp_request_text(call->request, "thread_name_filter", ""),
    };
    ts_code code = read_ids(&s);
    s.sent = ts_guard_now();
    TS_STEP(code, search_all(&s));
    TS_STEP(code, reply_found(&s));
    ts_free(call->ctx, s.ids);
    ts_free(call->ctx, s.wanted);
    ts_vec_free(call->ctx, &s.calls);
    ts_vec_free(call->ctx, &s.methods);
    ts_vec_free(call->ctx, &s.durations);
    return code;
}
