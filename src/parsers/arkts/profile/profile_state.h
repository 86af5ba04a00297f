/*
 * The CPU profile reader as a whole, for the profile_*.c files only: each part's header
 * describes its state and who changes it; profile.c owns what is left, the profile's row and name.
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_STATE_H
#define TS_PARSERS_ARKTS_PROFILE_STATE_H

#include "parsers/arkts/profile/profile_damage.h"
#include "parsers/arkts/profile/profile_nodes.h"
#include "parsers/arkts/profile/profile_read.h"
#include "parsers/arkts/profile/profile_samples.h"
#include "parsers/arkts/profile/profile_texts.h"

struct ts_profile {
    ts_ctx *ctx; /* borrowed, as store, sink and ids */
    ts_store *store;
    ts_sink *sink;
    ts_profile_ids *ids;
    bool open;
    bool done;
    int64_t source_id;
    int64_t offset; /* in the input, for issues */
    char name[32];

    ts_row_js_cpu_profile row; /* figures go straight in here */
    bool has_start, has_end;
    int64_t start_us, end_us;
    double start_s, end_s; /* the same numbers; in old profiles they are seconds */
    int64_t id_offset;
    uint64_t bad_numbers;

    profile_position at;
    profile_nodes nodes;
    profile_texts texts;
    profile_samples samples;
    profile_damage damage;
};

#endif
