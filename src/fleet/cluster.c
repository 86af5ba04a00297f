#include "fleet/cluster.h"

#include "base/alloc.h"
#include "fleet/dialect.h"
#include "fleet/load.h"

#include <inttypes.h>
#include <stdio.h>

/* --- what is there ---------------------------------------------------------------------------- */

typedef enum kind {
    KIND_NONE,
    KIND_PLAIN,  /* of one server */
    KIND_BEGUN,  /* of a cluster; fleet init did not come to its end */
    KIND_CLUSTER /* of a cluster */
} kind;

/* Names of elements of the engine's configuration, of those letters that need no quoting. */
static size_t name_length(ts_text t)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t n = 0;
    while (n < t.n && memchr(letters, t.p[n], sizeof letters - 1) != NULL) {
        n++;
    }
    return n < TS_FLEET_NAME ? n : 0;
}

bool ts_cluster_name(char out[TS_FLEET_NAME], ts_text engine)
{
    static const char begin[] = "Distributed(";
    if (!ts_text_begins(engine, begin)) {
        return false;
    }
    ts_text rest = ts_text_from(engine, sizeof begin - 1);
    rest = ts_text_from(rest, rest.n > 0 && (rest.p[0] == '\'' || rest.p[0] == '`') ? 1 : 0);
    const size_t n = name_length(rest);
    memcpy(out, rest.p, n);
    out[n] = '\0';
    return n > 0;
}

/* Of f->server. */
static ts_code look(ts_fleet *f, kind *there, char cluster[TS_FLEET_NAME])
{
    char sql[300];
    (void)snprintf(sql, sizeof sql,
                   "SELECT name, engine, engine_full FROM system.tables WHERE database = '%s' AND "
                   "name IN ('" TS_DIALECT_PREFIX "recording', '" TS_DIALECT_SHARD_PREFIX
                   "recording') ORDER BY name",
                   f->server->address.database);
    *there = KIND_NONE;
    cluster[0] = '\0';
    TS_TRY(ts_engine_ask(f, ts_text_of(sql), false));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        const bool distributed =
            rows.count == 3 && ts_text_is(rows.fields[1], "Distributed"); /* v_ is the last */
        *there = ts_text_begins(rows.fields[0], TS_DIALECT_SHARD_PREFIX) ? KIND_BEGUN
                 : distributed                                           ? KIND_CLUSTER
                                                                         : KIND_PLAIN;
        if (rows.count != 3 || (distributed && !ts_cluster_name(cluster, rows.fields[2]))) {
            return ts_fail(f->ctx, TS_ERR_OUTPUT, "%sthe server's tables make no sense: %s",
                           f->server->who, rows.count == 3 ? rows.fields[2].p : rows.fields[0].p);
        }
    }
    return TS_OK;
}

/* What was named is not what is there. */
static ts_code check_kind(const ts_fleet *f, kind there, const char *cluster, const char *wanted)
{
    if (there == KIND_PLAIN) {
        return ts_fail(
            f->ctx, TS_ERR_USAGE,
            "%sthe fleet that is there is one of a single server, and stays that: choose "
            "another database",
            f->server->who);
    }
    return there != KIND_CLUSTER || strcmp(cluster, wanted) == 0
               ? TS_OK
               : ts_fail(f->ctx, TS_ERR_USAGE,
                         "%sthe fleet that is there is on the cluster %s, not on %s",
                         f->server->who, cluster, wanted);
}

/* --- its shards ------------------------------------------------------------------------------- */

/* A cluster that cannot be used was named just now, or has changed since. */
static ts_code unfit(const ts_fleet *f)
{
    return f->options.cluster != NULL ? TS_ERR_USAGE : TS_ERR_OUTPUT;
}

static ts_code no_such_cluster(ts_fleet *f)
{
    TS_TRY(ts_engine_ask(f,
                         TS_TEXT_LIT("SELECT arrayStringConcat(arraySort(groupUniqArray(cluster)), "
                                     "', ') FROM system.clusters"),
                         false));
    ts_engine_rows rows = ts_engine_rows_of(f);
    const bool some = ts_engine_next(&rows) && rows.fields[0].n > 0;
    return ts_fail(f->ctx, unfit(f), "the server knows no cluster %s; it knows %.300s", f->cluster,
                   some ? rows.fields[0].p : "none");
}

static ts_code check_host(const ts_fleet *f, const ts_server *s)
{
    for (const ts_server *other = f->shards; other < s; other++) {
        if (strcmp(other->address.host, s->address.host) == 0 ||
            (s->resolved[0] != '\0' && strcmp(other->resolved, s->resolved) == 0)) {
            return ts_fail(f->ctx, unfit(f),
                           "two shards of the cluster %s are on one host, %s and %s; each must "
                           "have a host of its own, with HTTP on the same port everywhere",
                           f->cluster, other->address.host, s->address.host);
        }
    }
    return TS_OK;
}

/* shard_num, replica_num, host_name, host_address */
static ts_code take_shard(ts_fleet *f, const ts_engine_rows *row, const ts_credentials *who)
{
    ts_server *s = &f->shards[f->shard_count];
    if (row->count != 4) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's list of shards makes no sense");
    }
    if (!ts_text_is(row->fields[1], "1")) {
        return ts_fail(f->ctx, unfit(f),
                       "shard %s of the cluster %s has several replicas: rows go to one server a "
                       "shard, and are not replicated",
                       row->fields[0].p, f->cluster);
    }
    TS_TRY(ts_address_of_host(&s->address, f->ctx, &f->front.address, row->fields[2].p));
    (void)snprintf(s->resolved, sizeof s->resolved, "%s", row->fields[3].p);
    (void)snprintf(s->who, sizeof s->who, "%s: ", s->address.host);
    TS_TRY(check_host(f, s));
    f->shard_count++;
    return ts_engine_connect(f, s, who);
}

static ts_code ask_shards(ts_fleet *f)
{
    char sql[300];
    (void)snprintf(sql, sizeof sql,
                   "SELECT shard_num, replica_num, host_name, host_address FROM system.clusters "
                   "WHERE cluster = '%s' ORDER BY shard_num, replica_num",
                   f->cluster);
    return ts_engine_ask(f, ts_text_of(sql), false);
}

static size_t count_lines(const ts_buf *b)
{
    size_t lines = 0;
    for (size_t i = 0; i < b->n; i++) {
        lines += b->p[i] == '\n' ? 1 : 0;
    }
    return lines;
}

static ts_code open_shards(ts_fleet *f, const ts_credentials *who)
{
    (void)snprintf(f->front.who, sizeof f->front.who, "%s: ", f->front.address.host);
    TS_TRY(ask_shards(f));
    const size_t n = count_lines(&f->answer.body);
    if (n == 0) {
        return no_such_cluster(f);
    }
    if (n > TS_CLUSTER_SHARDS_MAX) {
        return ts_fail(f->ctx, TS_ERR_LIMIT, "the cluster %s has more than %d shards", f->cluster,
                       TS_CLUSTER_SHARDS_MAX);
    }
    ts_server *shards = ts_zalloc(f->ctx, n, sizeof *shards);
    TS_NEED(f->ctx, shards);
    f->shards = shards; /* whose addresses their connections borrow */
    f->shard_count = 0;
    ts_engine_rows rows = ts_engine_rows_of(f);
    ts_code code = TS_OK;
    while (code == TS_OK && ts_engine_next(&rows)) {
        code = take_shard(f, &rows, who);
    }
    return code;
}

ts_code ts_cluster_open(ts_fleet *f, const ts_credentials *who)
{
    const char *wanted = f->options.cluster;
    char cluster[TS_FLEET_NAME];
    kind there;
    if (wanted != NULL &&
        (wanted[0] == '\0' || name_length(ts_text_of(wanted)) != strlen(wanted))) {
        return ts_fail(f->ctx, TS_ERR_USAGE,
                       "\"%s\" is not a name of a cluster: letters, digits, '_', '-' and '.'",
                       wanted);
    }
    TS_TRY(look(f, &there, cluster));
    if (wanted != NULL) {
        TS_TRY(check_kind(f, there, cluster, wanted));
    } else if (there == KIND_BEGUN) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT,
                       "the fleet is not finished: trace_streamer fleet init --cluster=NAME makes "
                       "what is missing");
    }
    (void)snprintf(f->cluster, sizeof f->cluster, "%s", wanted != NULL ? wanted : cluster);
    return ts_cluster_is(f) ? open_shards(f, who) : TS_OK;
}

void ts_cluster_close(ts_fleet *f)
{
    if (f->shards != &f->front) {
        for (size_t i = 0; i < f->shard_count; i++) {
            ts_http_close(f->shards[i].http);
        }
        ts_free(f->ctx, f->shards);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

ts_code ts_cluster_answers(ts_fleet *f)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && ts_cluster_is(f) && i < f->shard_count; i++) {
        f->server = &f->shards[i];
        code = ts_engine_greet(f);
    }
    f->server = &f->front;
    return code;
}

ts_code ts_cluster_count(ts_fleet *f, uint64_t *shards)
{
    TS_TRY(ask_shards(f));
    *shards = count_lines(&f->answer.body);
    return TS_OK;
}

ts_code ts_cluster_fits(ts_fleet *f)
{
    char cluster[TS_FLEET_NAME];
    uint64_t shards = 0;
    kind there;
    if (!ts_cluster_is(f)) {
        return TS_OK;
    }
    TS_TRY(look(f, &there, cluster));
    TS_TRY(check_kind(f, there, cluster, f->cluster));
    TS_TRY(ts_cluster_count(f, &shards));
    return shards == f->shard_count
               ? TS_OK
               : ts_fail(f->ctx, TS_ERR_OUTPUT,
                         "%sthe cluster %s has %" PRIu64 " shards there and %zu at %s: all servers "
                         "must have the same",
                         f->server->who, f->cluster, shards, f->shard_count, f->front.address.host);
}

ts_code ts_cluster_is_shard(ts_fleet *f)
{
    char cluster[TS_FLEET_NAME];
    kind there = KIND_CLUSTER;
    if (ts_cluster_is(f)) {
        TS_TRY(look(f, &there, cluster));
    }
    return there == KIND_CLUSTER
               ? TS_OK
               : ts_fail(
                     f->ctx, TS_ERR_USAGE,
                     "the fleet was made on the shards of the cluster %s; %s is not one of them: "
                     "give the address of one with --at",
                     f->cluster, f->front.address.host);
}

/* --- where a recording is --------------------------------------------------------------------- */

size_t ts_cluster_shard_of(const uint8_t id[32], size_t shards)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < 8; i++) {
        hash = hash << 8 | id[i];
    }
    return (size_t)(hash % shards);
}

/* In how many rows of a table or view of f->server the recording is. */
static ts_code count_id(ts_fleet *f, uint64_t *count, const char *from, const uint8_t id[32])
{
    char hex[TS_RECORDING_HEX];
    ts_recording_hex(hex, id);
    TS_TRY(ts_engine_askf(f, "SELECT count() FROM %s WHERE lower(hex(id)) = '%s'", from, hex));
    return ts_engine_number(count, f);
}

ts_code ts_cluster_choose(ts_fleet *f, const uint8_t id[32])
{
    uint64_t count = 0;
    f->server = &f->front;
    if (!ts_cluster_is(f)) {
        return TS_OK;
    }
    TS_TRY(count_id(f, &count, TS_DIALECT_PREFIX "recording", id));
    const bool there = count > 0;
    count = 0;
    for (size_t i = 0; there && i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(count_id(f, &count, "recording", id));
        if (count > 0) {
            return TS_OK;
        }
    }
    f->server = &f->shards[ts_cluster_shard_of(id, f->shard_count)];
    return TS_OK;
}
