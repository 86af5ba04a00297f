/*
 * The rule that ties counts and issues together: of each input, something was counted as lost
 * exactly when an issue of severity data_loss or error says so. Importers record both where they
 * can; what one of them leaves out is added here, so that --strict, v_data_quality and the closing
 * summary cannot pass over a loss.
 */
#include "tables/store_impl.h"

#include "base/alloc.h"

#include <inttypes.h>

/* What the inputs of a run lost, by the id of the topmost source; 0: bound to no source. */
typedef struct loss_sums {
    uint64_t *counted;  /* items that tallies call lost */
    uint64_t *recorded; /* issues of severity data_loss or error: the same memory, after those */
    size_t n;
} loss_sums;

static size_t input_of(const ts_store *store, int64_t source_id)
{
    return source_id == 0 ? 0 : (size_t)ts_source_root(store, source_id);
}

static bool contradicts_declared(const ts_tally *t)
{
    return t->has_declared && t->declared != t->seen;
}

static ts_code losses_add_up(loss_sums *sums, const ts_store *store)
{
    sums->n = store->sources.n + 1;
    ts_free(store->ctx, sums->counted);
    TS_NEED(store->ctx, sums->counted = ts_zalloc(store->ctx, sums->n, 2 * sizeof(uint64_t)));
    sums->recorded = sums->counted + sums->n;
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        uint64_t *sum = &sums->counted[input_of(store, rec->source_id)];
        *sum = ts_store_add(*sum, rec->tally.lost);
    }
    for (size_t i = 0; i < store->issues.n; i++) {
        const ts_issue_rec *rec = ts_stable_array_at(&store->issues, i);
        if (ts_issue_list[rec->code].severity >= TS_DATA_LOSS) {
            uint64_t *sum = &sums->recorded[input_of(store, rec->source_id)];
            *sum = ts_store_add(*sum, rec->count);
        }
    }
    return TS_OK;
}

/* An issue for each kind of item that was lost, or is not there as declared, in an input none of
 * whose issues is a loss. */
static ts_code record_counted(ts_store *store, loss_sums *sums)
{
    for (size_t i = 0; i < store->tallies.n; i++) {
        const ts_tally_rec *rec = ts_stable_array_at(&store->tallies, i);
        const ts_tally *t = &rec->tally;
        if (sums->recorded[input_of(store, rec->source_id)] > 0 ||
            (t->lost == 0 && !contradicts_declared(t))) {
            continue;
        }
        TS_TRY(ts_issue(store, rec->source_id, TS_ISSUE_items_lost, rec->detail, TS_NO_OFFSET,
                        t->lost > 0 ? "%s: %" PRIu64 " of %" PRIu64 " were lost"
                                    : "%s: %" PRIu64 " were seen, but %" PRIu64 " declared",
                        ts_item_list[rec->item].name, t->lost > 0 ? t->lost : t->seen,
                        t->lost > 0 ? t->seen : t->declared));
    }
    return TS_OK;
}

/* A count for each input that issues call incomplete although no kind of item lost any. */
static ts_code count_recorded(ts_store *store, const loss_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++) {
        ts_tally *parts;
        if (sums->recorded[i] == 0 || sums->counted[i] > 0) {
            continue;
        }
        TS_TRY(ts_count(&parts, store, (int64_t)i, TS_ITEM_missing_parts, NULL));
        parts->seen = ts_store_add(parts->seen, sums->recorded[i]);
        parts->lost = ts_store_add(parts->lost, sums->recorded[i]);
    }
    return TS_OK;
}

ts_code ts_store_check_losses(ts_store *store)
{
    loss_sums sums = {0};
    ts_code code = losses_add_up(&sums, store);
    TS_STEP(code, record_counted(store, &sums));
    TS_STEP(code, losses_add_up(&sums, store)); /* with the issues that were added */
    TS_STEP(code, count_recorded(store, &sums));
    ts_free(store->ctx, sums.counted);
    return code;
}
