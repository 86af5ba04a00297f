/*
 * What can be trusted in a CPU profile whose parts contradict each other. Samples and timeDeltas
 * are lists without keys: a part of one that was exchanged or changed looks like any other. What V8
 * writes in addition shows it:
 *
 *   - endTime: it lies behind the last sample, and shortly;
 *   - hitCount: the number of a node's samples;
 *   - ids: V8 numbers nodes when the first sample meets them, so that a sample with a new largest
 * id adds its node and those of its callers that are new, and no others.
 */
#include "parsers/arkts/profile_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

enum {
    SOME_SAMPLES = 16,    /* with fewer, intervals say nothing */
    SOME_FIRST_USES = 6,  /* in order, that distinguish V8's ids from others */
    GUARD_SAMPLES = 4096, /* two blocks of 4 KiB, each number of one digit */
    EXTRA_HITS = 4,       /* samples without a hit, and one more in EXTRA_SHARE of them */
    EXTRA_SHARE = 50,
    MANY = 1024 /* numbers at once */
};

/* --- times ---------------------------------------------------------------------------------- */

typedef struct delta_sums {
    int64_t last; /* the latest time since startTime */
    int64_t max;  /* the largest delta */
    bool known;
} delta_sums;

/* Deltas as they mostly are, many at once. False: they are not, and nothing is done. */
static bool add_small(delta_sums *out, int64_t *t, const ts_intvec *deltas, uint64_t first,
                      unsigned n)
{
    uint32_t values[MANY];
    uint32_t max = 0;
    int64_t sum = 0;
    if (!ts_intvec_read_small(deltas, first, values, n)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        sum += values[i];
        max = values[i] > max ? values[i] : max;
    }
    if (ts_ckd_add(&sum, *t, sum)) {
        return false;
    }
    *t = sum;
    out->last = sum > out->last ? sum : out->last;
    out->max = max > out->max ? max : out->max;
    return true;
}

static delta_sums sum_up(const ts_profile *p, uint64_t n)
{
    const ts_intvec *deltas = &p->samples.deltas;
    delta_sums out = {.last = 0, .max = 0, .known = true};
    int64_t t = 0;
    for (uint64_t i = 0; i < n && out.known;) {
        const uint64_t end = n - i < MANY ? n : i + MANY;
        if (add_small(&out, &t, deltas, i, (unsigned)(end - i))) {
            i = end;
        }
        for (; i < end && out.known; i++) {
            int64_t delta = ts_intvec_get(deltas, i);
            out.known = delta != TS_NO_TIME && !ts_ckd_add(&t, t, delta);
            out.last = t > out.last ? t : out.last;
            out.max = delta > out.max ? delta : out.max;
        }
    }
    return out;
}

/* Does endTime contradict the sum of timeDeltas? */
static bool end_contradicts(const ts_profile *p, uint64_t n)
{
    delta_sums sums = sum_up(p, n);
    int64_t length;
    int64_t rest;
    if (!p->has_end || !p->has_start || n == 0 || !sums.known ||
        ts_ckd_sub(&length, p->end_us, p->start_us) || length <= 0 ||
        ts_ckd_sub(&rest, length, sums.last)) {
        return false;
    }
    if (rest < 0) {
        return p->nodes.ticks || n >= SOME_SAMPLES;
    }
    return p->nodes.ticks && p->done && n >= SOME_SAMPLES && rest / 2 > sums.max;
}

bool profile_broken_in(const ts_profile *p, enum profile_member member)
{
    return p->damage.broken && (p->at.members & ~p->at.closed & 1U << member) != 0;
}

ts_code profile_check_times(ts_profile *p)
{
    uint64_t n = p->samples.ids.n < p->samples.deltas.n ? p->samples.ids.n : p->samples.deltas.n;
    const char *why =
        end_contradicts(p, n) ? "endTime is not where the sum of timeDeltas ends"
        : p->damage.shifted   ? "the profile does not end where its message does"
        : profile_broken_in(p, MEMBER_DELTAS)
            ? "the text breaks off inside timeDeltas, at a place that may not be theirs"
            : NULL;
    if (why == NULL || p->samples.unmatched || n == 0) {
        return TS_OK;
    }
    p->samples.unmatched = true;
    return ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_times_contradict, p->name, p->offset,
                      p->samples.ids.n, "%s: the times of samples are not known", why);
}

/* --- nodes of samples ----------------------------------------------------------------------- */

/* Those of the runtime itself, such as (program): V8 counts them in ways of its own. */
static bool is_own_node(const ts_profile *p, const cpu_node *node)
{
    ts_text name = ts_pool_text(&p->texts.pool, node->name);
    return name.n > 0 && name.p[0] == '(';
}

/* Marks nodes with more samples than hitCount and `spare` allow; how many differ from it. */
static uint64_t doubt_nodes(ts_profile *p, uint32_t spare)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        cpu_node *node = &p->nodes.nodes[i];
        int64_t count = node->root;
        bool differs = count < node->hits || count - spare > node->hits;
        if (!differs || (node->flags & NODE_BAD_HITS) != 0 || is_own_node(p, node)) {
            continue;
        }
        n++;
        if (count > node->hits) {
            node->flags |= NODE_DOUBTED;
            p->damage.doubts = true;
        }
    }
    return n;
}

/* How many nodes on the way from one to the root have an id above `max`; 0 when one of them has a
 * larger id than the node that it calls. */
static uint64_t new_callers(const ts_profile *p, uint32_t node, int64_t max)
{
    uint64_t n = 0;
    int64_t id = INT64_MAX;
    while (node != NO_INDEX && p->nodes.nodes[node].id > max) {
        if (p->nodes.nodes[node].id >= id) {
            return 0;
        }
        id = p->nodes.nodes[node].id;
        node = p->nodes.nodes[node].parent;
        n++;
    }
    return n;
}

/*
 * Samples behind the last one whose new id is in order, when a later one's is not. Each node is
 * passed over at most once, because ids that were passed over become old.
 */
static uint64_t find_disorder(const ts_profile *p)
{
    uint64_t good = 0;
    uint64_t uses = 0;
    bool ordered = true;
    int64_t max = 1;
    for (uint64_t k = 0; k < p->samples.ids.n; k++) {
        int64_t id = ts_intvec_get(&p->samples.ids, k);
        uint32_t node;
        if (id <= max || (node = profile_find(p, id)) == NO_INDEX) {
            continue;
        }
        if (new_callers(p, node, max) != (uint64_t)id - (uint64_t)max) {
            ordered = false;
        } else {
            good = ordered ? k + 1 : good;
            uses++;
        }
        max = id;
    }
    ordered = ordered && max >= p->nodes.count;
    /* What is not in its place may be a block of a file system, and it may come from before. */
    good = good > GUARD_SAMPLES ? good - GUARD_SAMPLES : 0;
    return uses >= SOME_FIRST_USES && !ordered ? good : UINT64_MAX;
}

/* Samples whose nodes have small ids, many at once: hits by id, and behind them those of other ids.
 * False: they have not, and nothing is done. */
static bool count_small(uint32_t *hits, const ts_profile *p, uint64_t first, unsigned n)
{
    const uint32_t span = p->nodes.id_span;
    const uint64_t first_id = (uint64_t)p->nodes.first_id;
    uint32_t ids[MANY];
    if (hits == NULL || !ts_intvec_read_small(&p->samples.ids, first, ids, n)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        const uint64_t at = ids[i] - first_id;
        hits[at < span ? at : span]++;
    }
    return true;
}

/* Adds the hits of ids to their nodes. */
static void add_hits(ts_profile *p, const uint32_t *hits, uint64_t *unknown, uint64_t *foreign)
{
    uint64_t others = 0;
    for (uint64_t i = 0; i <= p->nodes.id_span; i++) {
        const uint32_t node = profile_by_id(&p->nodes, i);
        if (node != 0) {
            p->nodes.nodes[node - 1].root += hits[i];
        } else {
            others += hits[i];
        }
    }
    *unknown += others;
    *foreign += others;
}

static void count_hit(ts_profile *p, uint64_t k, uint64_t *unknown, uint64_t *foreign)
{
    int64_t id = ts_intvec_get(&p->samples.ids, k);
    uint32_t node = id == PROFILE_NULL ? NO_INDEX : profile_find(p, id);
    if (node != NO_INDEX) {
        p->nodes.nodes[node].root++;
    } else {
        ++*unknown;
        *foreign += id != PROFILE_NULL;
    }
}

/* *foreign: how many of the unknown ones name a node that is not there. */
static ts_code count_hits(ts_profile *p, uint64_t *unknown, uint64_t *foreign)
{
    const profile_nodes *nodes = &p->nodes;
    const uint64_t n = p->samples.ids.n;
    uint32_t *hits = NULL; /* by id */
    if (nodes->by_id &&
        (hits = ts_zalloc(p->ctx, (size_t)nodes->id_span + 1, sizeof *hits)) == NULL) {
        return p->ctx->error.code;
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        nodes->nodes[i].root = 0;
    }
    for (uint64_t k = 0; k < n;) {
        const uint64_t end = n - k < MANY ? n : k + MANY;
        if (count_small(hits, p, k, (unsigned)(end - k))) {
            k = end;
        }
        for (; k < end; k++) {
            count_hit(p, k, unknown, foreign);
        }
    }
    if (hits != NULL) {
        add_hits(p, hits, unknown, foreign);
    }
    ts_free(p->ctx, hits);
    return TS_OK;
}

typedef struct hit_sums {
    uint64_t more; /* samples above the hitCount of their nodes, and those of no node */
    uint64_t less;
    bool extra; /* just as many more as V8 takes without counting a hit */
} hit_sums;

static hit_sums compare_hits(const ts_profile *p, uint64_t unknown, uint32_t spare)
{
    hit_sums out = {.more = unknown, .less = 0, .extra = false};
    uint64_t all = 0;
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        const cpu_node *node = &p->nodes.nodes[i];
        int64_t count = node->root;
        if ((node->flags & (NODE_HAS_HITS | NODE_BAD_HITS)) != NODE_HAS_HITS || node->hits < 0 ||
            is_own_node(p, node)) {
            continue;
        }
        all += count > node->hits ? (uint64_t)(count - node->hits) : 0;
        out.more += count - spare > node->hits ? (uint64_t)(count - node->hits) : 0;
        out.less += count < node->hits ? (uint64_t)(node->hits - count) : 0;
    }
    out.extra = unknown == 0 && out.less == 0 && all <= EXTRA_HITS + p->samples.ids.n / EXTRA_SHARE;
    return out;
}

/* Samples that name a wrong node, as far as counts show: as many as some nodes have too many and
 * others too few. */
static uint64_t count_wrong(hit_sums sums)
{
    return sums.more < sums.less ? sums.more : sums.less;
}

static uint32_t spare_samples(const ts_profile *p)
{
    enum { EXTRA_NODES = 2 };
    uint64_t extra = 0;
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        const cpu_node *node = &p->nodes.nodes[i];
        extra += (int64_t)node->root - 1 == node->hits && !is_own_node(p, node) ? 1 : 0;
    }
    return extra > EXTRA_NODES ? 0 : 1;
}

/*
 * V8 counts a hit for each sample, except for those that it takes when the profile begins, when it
 * ends, and when it discards optimised code: a few nodes have a few samples more, and none has
 * less. Where one has less, a sample names another node than V8 wrote: it may be one of the seams
 * of a part that is not in its place, and this may be any part.
 */
static ts_code check_hits(ts_profile *p, uint64_t unknown)
{
    uint32_t spare = spare_samples(p);
    hit_sums sums = compare_hits(p, unknown, spare);
    uint64_t n;
    p->damage.nodes_known = sums.less > 0 ? 0 : find_disorder(p);
    n = sums.extra ? 0 : doubt_nodes(p, spare);
    return n == 0 ? TS_OK
                  : ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_hit_count_mismatch, p->name,
                               p->offset, n, "nodes whose hitCount is not the number of samples");
}

/*
 * Others than V8 may count something else. A sample of no node shows that samples are damaged: it
 * is a changed number if the rest are as many as hitCount says. If not, any may be another's; and
 * two are the seams of a part that is not in its place.
 */
static bool is_scattered(const ts_profile *p, uint64_t unknown, uint64_t foreign)
{
    return foreign > 1 ||
           (unknown > 0 && p->done && count_wrong(compare_hits(p, unknown, 0)) > unknown);
}

ts_code profile_check_samples(ts_profile *p)
{
    uint64_t unknown = 0;
    uint64_t foreign = 0;
    uint64_t n;
    ts_code code = TS_OK;
    p->damage.nodes_known = UINT64_MAX;
    if (p->samples.ids.n == 0) {
        return TS_OK;
    }
    if ((code = count_hits(p, &unknown, &foreign)) != TS_OK) {
        return code;
    }
    if (p->done && p->nodes.ticks) {
        code = check_hits(p, unknown);
    } else if (profile_broken_in(p, MEMBER_SAMPLES) || is_scattered(p, unknown, foreign)) {
        p->damage.nodes_known = 0;
    }
    if (code != TS_OK || p->damage.nodes_known >= p->samples.ids.n) {
        return code;
    }
    n = p->samples.ids.n - p->damage.nodes_known;
    return ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_samples_contradict, p->name, p->offset,
                      n, "samples are not in their order: the nodes of %" PRIu64 " are not known",
                      n);
}
