/*
 * What can be trusted in a CPU profile whose parts contradict each other. Samples and timeDeltas
 * are lists without keys: a part of one that was exchanged or changed looks like any other. What V8
 * writes in addition shows it:
 *
 *   - endTime: it is not before the last sample;
 *   - hitCount: V8 counts a hit for each sample of a node, and nothing takes one away;
 *   - ids: V8 numbers nodes when the first sample meets them, so that a sample with a new largest
 * id adds its node and those of its callers that are new, and no others.
 *
 * What recorders do beside that is no contradiction: V8 takes samples without a hit (when the
 * profile begins, and each time that it throws optimised code away), counts hits of samples that it
 * does not keep (before the beginning, and all when its buffer is full), and DevTools and ArkTS
 * write samples over with neighbours and with (program).
 */
#include "parsers/arkts/profile/profile_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

enum {
    SOME_SAMPLES = 16,    /* with fewer, intervals say nothing */
    SOME_FIRST_USES = 6,  /* in order, that distinguish V8's ids from others */
    GUARD_SAMPLES = 4096, /* two blocks of 4 KiB, each number of one digit */
    MANY = 1024           /* numbers at once */
};

/* --- times ---------------------------------------------------------------------------------- */

typedef struct delta_sums {
    int64_t last; /* the latest time since startTime */
    bool known;
} delta_sums;

/* Deltas as they mostly are, many at once. False: they are not, and nothing is done. */
static bool add_small(delta_sums *out, int64_t *t, const ts_intvec *deltas, uint64_t first,
                      unsigned n)
{
    uint32_t values[MANY];
    int64_t sum = 0;
    if (!ts_intvec_read_small(deltas, first, values, n)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        sum += values[i];
    }
    if (ts_ckd_add(&sum, *t, sum)) {
        return false;
    }
    *t = sum;
    out->last = sum > out->last ? sum : out->last;
    return true;
}

static delta_sums sum_up(const ts_profile *p, uint64_t n)
{
    const ts_intvec *deltas = &p->samples.deltas;
    delta_sums out = {.last = 0, .known = true};
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
        }
    }
    return out;
}

/* Does endTime contradict the sum of timeDeltas? It may be long after the last sample: the recorder
 * had to stop first, or had no room for more samples. */
static bool end_contradicts(const ts_profile *p, uint64_t n)
{
    delta_sums sums = sum_up(p, n);
    int64_t length;
    return p->has_end && p->has_start && n > 0 && sums.known &&
           !ts_ckd_sub(&length, p->end_us, p->start_us) && length > 0 && length < sums.last &&
           (p->nodes.ticks || n >= SOME_SAMPLES);
}

/* The text broke off inside this list, at a place where parts of it may have been exchanged. */
static bool profile_broken_in(const ts_profile *p, unsigned list)
{
    return p->damage.broken && (p->lists & ~p->closed & list) != 0;
}

ts_code profile_check_times(ts_profile *p)
{
    uint64_t n = p->samples.ids.n < p->samples.deltas.n ? p->samples.ids.n : p->samples.deltas.n;
    const char *why =
        end_contradicts(p, n) ? "endTime is not where the sum of timeDeltas ends"
        : p->damage.shifted   ? "the profile does not end where its message does"
        : profile_broken_in(p, LIST_DELTAS)
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

/* Those of the runtime itself, such as (program), and of scripts inside of it: V8 counts their hits
 * in ways of its own, and DevTools writes their samples over. */
static bool is_own_node(const ts_profile *p, const cpu_node *node)
{
    ts_text name = ts_pool_text(&p->texts.pool, node->name);
    ts_text url = ts_pool_text(&p->texts.pool, node->url);
    return (name.n > 0 && name.p[0] == '(') || (url.n > 7 && memcmp(url.p, "native ", 7) == 0);
}

/* Nodes that samples name, and their callers. */
static void mark_met(ts_profile *p)
{
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        uint32_t at = p->nodes.nodes[i].root > 0 ? i : NO_INDEX;
        while (at != NO_INDEX && (p->nodes.nodes[at].flags & NODE_MET) == 0) {
            p->nodes.nodes[at].flags |= NODE_MET;
            at = p->nodes.nodes[at].parent;
        }
    }
}

/* A sample has an id above all before it, which end with max: are those between them the ids of its
 * callers? Nodes that no sample meets, and those of the runtime, had samples that were not kept. */
static bool is_in_turn(ts_profile *p, uint32_t node, int64_t id, int64_t max)
{
    int64_t last = INT64_MAX;
    while (node != NO_INDEX && p->nodes.nodes[node].id > max) {
        cpu_node *n = &p->nodes.nodes[node];
        if (n->id >= last) {
            return false;
        }
        last = n->id;
        n->flags |= NODE_CAME;
        node = n->parent;
    }
    while (++max < id) {
        const uint32_t other = profile_find(p, max);
        const cpu_node *n = other == NO_INDEX ? NULL : &p->nodes.nodes[other];
        if (n != NULL && (n->flags & (NODE_MET | NODE_CAME)) == NODE_MET && !is_own_node(p, n)) {
            return false;
        }
    }
    return true;
}

/*
 * Samples after the last one whose new id is in order, when a later one's is not. Each node is
 * passed over at most twice, because ids that were passed over become old.
 */
static uint64_t find_disorder(ts_profile *p)
{
    uint64_t good = 0;
    uint64_t uses = 0;
    bool ordered = true;
    int64_t max = 1;
    mark_met(p);
    for (uint64_t k = 0; k < p->samples.ids.n; k++) {
        int64_t id = ts_intvec_get(&p->samples.ids, k);
        uint32_t node;
        if (id <= max || (node = profile_find(p, id)) == NO_INDEX) {
            continue;
        }
        if (is_in_turn(p, node, id, max)) {
            good = ordered ? k + 1 : good;
            uses++;
        } else {
            ordered = false;
        }
        max = id;
    }
    /* What is not in its place may be a block of a file system, and it may come from before. */
    good = good > GUARD_SAMPLES ? good - GUARD_SAMPLES : 0;
    return uses >= SOME_FIRST_USES && !ordered ? good : UINT64_MAX;
}

/* Samples whose nodes have small ids, many at once: hits by id, and after them those of other ids.
 * False: they are larger, and nothing is done. */
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
    if (nodes->by_id != NULL &&
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
    uint64_t less; /* hits above the samples of their nodes */
    int64_t extra; /* hits of all nodes above all samples: samples that were not kept */
} hit_sums;

static hit_sums compare_hits(const ts_profile *p, uint64_t unknown)
{
    hit_sums out = {.more = unknown, .extra = -(int64_t)p->samples.ids.n};
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        const cpu_node *node = &p->nodes.nodes[i];
        int64_t count = node->root;
        if ((node->flags & (NODE_HAS_HITS | NODE_BAD_HITS)) != NODE_HAS_HITS || node->hits < 0) {
            continue;
        }
        out.extra = ts_sat_add(out.extra, node->hits);
        if (!is_own_node(p, node)) {
            out.more += count > node->hits ? (uint64_t)(count - node->hits) : 0;
            out.less += count < node->hits ? (uint64_t)(node->hits - count) : 0;
        }
    }
    return out;
}

/*
 * Where nodes have less samples than hits, and samples that were not kept do not explain it,
 * samples name other nodes than V8 wrote: those may be the seams of a part that is not in its
 * place, and this may be any part. DevTools sorts samples by time, and not by their first use,
 * where deltas are negative.
 */
static uint64_t count_certain(ts_profile *p, uint64_t unknown)
{
    const hit_sums sums = compare_hits(p, unknown);
    const uint64_t extra = sums.extra > 0 ? (uint64_t)sums.extra : 0;
    return sums.less > extra ? 0 : p->samples.negative ? UINT64_MAX : find_disorder(p);
}

/*
 * Others than V8 may count something else. A sample of no node shows that samples are damaged: it
 * is a changed number if the rest are as many as hitCount says. If not, any may be another's; and
 * two are the seams of a part that is not in its place.
 */
static bool is_scattered(const ts_profile *p, uint64_t unknown, uint64_t foreign)
{
    const hit_sums sums = compare_hits(p, unknown);
    return foreign > 1 || (unknown > 0 && p->done && sums.more > unknown && sums.less > unknown);
}

ts_code profile_check_samples(ts_profile *p)
{
    uint64_t unknown = 0;
    uint64_t foreign = 0;
    uint64_t n;
    p->damage.nodes_known = UINT64_MAX;
    if (p->samples.ids.n == 0) {
        return TS_OK;
    }
    TS_TRY(count_hits(p, &unknown, &foreign));
    if (p->done && p->nodes.ticks) {
        p->damage.nodes_known = count_certain(p, unknown);
    } else if (profile_broken_in(p, LIST_SAMPLES) || is_scattered(p, unknown, foreign)) {
        p->damage.nodes_known = 0;
    }
    if (p->damage.nodes_known >= p->samples.ids.n) {
        return TS_OK;
    }
    n = p->samples.ids.n - p->damage.nodes_known;
    return ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_samples_contradict, p->name, p->offset,
                      n, "samples are not in their order: the nodes of %" PRIu64 " are not known",
                      n);
}
