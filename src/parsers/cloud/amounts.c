/*
 * Amounts of memory and of bytes read and written. The agent's encoder of long numbers ends too
 * early from 2^28 on when the low 28 bits of the number fit into three groups of 7 bits: then they
 * are all that the record of the call holds. The tags at the end of its root have the same amounts
 * as text, in full. Only amounts that may be cut are kept, one in 128 of the large ones.
 */
#include "parsers/cloud/cloud_impl.h"

#include <inttypes.h>
#include <stdlib.h>

#define LOW_BITS INT64_C(0xfffffff)
enum { CUT_BELOW = 1 << 21 };

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

ts_code cloud_amount_note(cloud_pod *pod, const cloud_thread *t, uint32_t word, ts_text text)
{
    int kind = 0;
    int64_t value;
    ts_code code;
    while (kind < CLOUD_AMOUNTS && pod->word_amounts[kind] != (int64_t)word) {
        kind++;
    }
    if (kind == CLOUD_AMOUNTS || !parse_amount(&value, text) || value <= LOW_BITS ||
        (value & LOW_BITS) >= CUT_BELOW) {
        return TS_OK;
    }
    if ((code = cloud_grow(pod->ctx, &pod->amounts, sizeof(cloud_amount))) == TS_OK) {
        ((cloud_amount *)pod->amounts.p)[pod->amounts.n++] =
            (cloud_amount){t->root, (cloud_amount_kind)kind, value};
    }
    return code;
}

static int by_root(const void *a, const void *b)
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

void cloud_amounts_end(cloud_pod *pod)
{
    if (pod->amounts.n > 1) {
        qsort(pod->amounts.p, pod->amounts.n, sizeof(cloud_amount), by_root);
    }
}

static size_t first_of(const cloud_pod *pod, size_t root)
{
    const cloud_amount *amounts = pod->amounts.p;
    size_t low = 0;
    size_t high = pod->amounts.n;
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

ts_code cloud_amounts_mend(cloud_pod *pod, const cloud_root *root, ts_row_cloud_call *row)
{
    static const char *const names[CLOUD_AMOUNTS] = {
        "memory", "file_read", "file_written", "net_read", "net_written",
    };
    int64_t *cells[CLOUD_AMOUNTS] = {
        &row->memory, &row->file_read, &row->file_written, &row->net_read, &row->net_written,
    };
    const cloud_amount *amounts = pod->amounts.p;
    size_t number = (size_t)(root - (const cloud_root *)pod->roots.p);
    int kinds = pod->calls.format >= 3 ? CLOUD_AMOUNTS : pod->calls.format == 2 ? 1 : 0;
    ts_code code = TS_OK;
    if (pod->amounts.n == 0) {
        return TS_OK;
    }
    for (size_t i = first_of(pod, number);
         i < pod->amounts.n && amounts[i].root == number && code == TS_OK; i++) {
        const cloud_amount *a = &amounts[i];
        int64_t *cell = cells[a->kind];
        if ((int)a->kind >= kinds || *cell != (a->value & LOW_BITS)) {
            continue;
        }
        code = cloud_issue(pod, TS_ISSUE_cloud_amount_repaired, cloud_offset(&pod->reader),
                           "%s was recorded as %" PRId64 ", in the trace as %" PRId64,
                           names[a->kind], *cell, a->value);
        *cell = a->value;
    }
    return code;
}
