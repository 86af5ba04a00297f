/* Amounts of calls that the agent truncated. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdlib.h>

#define LOW_BITS INT64_C(0xfffffff)
enum { TRUNCATED_BELOW = 1 << 21 };

void cloud_amounts_close(cloud_pod *pod)
{
    ts_vec_free(pod->ctx, &pod->amounts.list);
}

static bool parse_amount(int64_t *out, ts_text text)
{
    int64_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        int64_t digit = text.p[i] - '0';
        if (digit < 0 || digit > 9 || v > (INT64_MAX - digit) / 10) {
            return false;
        }
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

ts_code cloud_amount_note(cloud_pod *pod, size_t root, uint32_t word, ts_text text)
{
    int kind = 0;
    int64_t value;
    cloud_amount *amount;
    while (kind < CLOUD_AMOUNTS &&
           !cloud_word_is(&pod->words, word, (cloud_known_word)(CLOUD_WORD_AMOUNTS + kind))) {
        kind++;
    }
    if (kind == CLOUD_AMOUNTS || !parse_amount(&value, text) || value <= LOW_BITS ||
        (value & LOW_BITS) >= TRUNCATED_BELOW) {
        return TS_OK;
    }
    TS_NEED(pod->ctx, amount = ts_vec_add(pod->ctx, &pod->amounts.list, sizeof *amount));
    *amount = (cloud_amount){root, (cloud_amount_kind)kind, value};
    return TS_OK;
}

static int amount_by_root(const void *a, const void *b)
{
    const cloud_amount *x = a;
    const cloud_amount *y = b;
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->value < y->value ? -1 : x->value > y->value;
}

void cloud_amounts_end(cloud_amounts *amounts)
{
    if (amounts->list.n > 1) {
        qsort(amounts->list.p, amounts->list.n, sizeof(cloud_amount), amount_by_root);
    }
}

static size_t first_amount(const cloud_amounts *all, size_t root)
{
    const cloud_amount *amounts = all->list.p;
    size_t low = 0;
    size_t high = all->list.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (amounts[mid].root < root) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

ts_code cloud_repair_truncated(cloud_pod *pod, size_t root, int format, ts_row_cloud_call *row)
{
    static const char *const names[CLOUD_AMOUNTS] = {
        "memory", "file_read", "file_written", "net_read", "net_written",
    };
    int64_t *cells[CLOUD_AMOUNTS] = {
        &row->memory, &row->file_read, &row->file_written, &row->net_read, &row->net_written,
    };
    const ts_vec *list = &pod->amounts.list;
    const cloud_amount *amounts = list->p;
    int kinds = format >= 3 ? CLOUD_AMOUNTS : format == 2 ? 1 : 0;
    ts_code code = TS_OK;
    if (list->n == 0) {
        return TS_OK;
    }
    for (size_t i = first_amount(&pod->amounts, root);
         i < list->n && amounts[i].root == root && code == TS_OK; i++) {
        const cloud_amount *a = &amounts[i];
        int64_t *cell = cells[a->kind];
        if ((int)a->kind >= kinds || *cell != (a->value & LOW_BITS)) {
            continue;
        }
        code = cloud_issue(pod, TS_ISSUE_cloud_amount_repaired, cloud_stream_offset(&pod->stream),
                           "%s was recorded as %" PRId64 ", in the trace as %" PRId64,
                           names[a->kind], *cell, a->value);
        *cell = a->value;
    }
    return code;
}
