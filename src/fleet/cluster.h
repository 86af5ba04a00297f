/*
 * A fleet on several servers: a cluster that the engine's configuration names (remote_servers), one
 * server a shard. Which it is, is known from the fleet itself: v_recording is of engine Distributed
 * there. So a program that loads cannot take one of the servers for the whole.
 *
 * A recording is wholly on one shard, and goes there by a connection to that server: what is sent
 * to a Distributed table is answered before it is stored, and would be anywhere. v_<table> of each
 * server shows what all of them have, and fails when one of them does not answer.
 */
#ifndef TS_FLEET_CLUSTER_H
#define TS_FLEET_CLUSTER_H

#include "fleet/engine.h"

enum { TS_CLUSTER_SHARDS_MAX = 1000 };

static inline bool ts_cluster_is(const ts_fleet *f)
{
    return f->cluster[0] != '\0';
}

/*
 * Finds out whether the fleet is a cluster, or should become one (f->options.cluster), and connects
 * to its shards; nothing is asked of them yet. TS_ERR_USAGE when a fleet is there that is none of
 * the cluster that was named; TS_ERR_OUTPUT, or TS_ERR_USAGE where it was named, when a fleet
 * cannot be on such a cluster.
 */
ts_code ts_cluster_open(ts_fleet *f, const ts_credentials *who);
void ts_cluster_close(ts_fleet *f);

/* All shards answer: before something is done to one after another. */
ts_code ts_cluster_answers(ts_fleet *f);

/* f->server has no fleet but this one, and knows as many shards of the cluster. TS_ERR_USAGE,
 * TS_ERR_OUTPUT otherwise. */
ts_code ts_cluster_fits(ts_fleet *f);

/* After the tables were made: f->server, that of the address, is one of the shards. */
ts_code ts_cluster_is_shard(ts_fleet *f);

/* How many shards f->server knows. */
ts_code ts_cluster_count(ts_fleet *f, uint64_t *shards);

/* The server of a new recording: by its id, so that all who load it choose the same. */
size_t ts_cluster_shard_of(const uint8_t id[32], size_t shards);

/* f->server becomes the one that has the recording, or else the one where it belongs. */
ts_code ts_cluster_choose(ts_fleet *f, const uint8_t id[32]);

/* The name in "Distributed('name', ...)"; false: there is none. */
bool ts_cluster_name(char out[TS_FLEET_NAME], ts_text engine);

#endif
