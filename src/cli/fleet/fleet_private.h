/* What the verb fleet and --to=clickhouse have in common. */
#ifndef TS_CLI_FLEET_PRIVATE_H
#define TS_CLI_FLEET_PRIVATE_H

#include "cli/verbs.h"

#if TS_FLEET_BUILT
#include "cli/print.h"
#include "fleet/fleet_question.h"

/* Of --at, --retries and --timeout; what is waited for is said unless --quiet. */
ts_fleet_options ts_fleet_options_of(ts_ctx *ctx, const ts_options *options);

/* --- fleet_ask.c ------------------------------------------------------------------------------ */

/* The verb at work. */
typedef struct ts_fleet_doing {
    ts_ctx *ctx;
    const ts_options *options;
    ts_fleet *fleet;
    ts_output out;
    uint64_t differences; /* of check */
} ts_fleet_doing;

/* Opens d->fleet. (fleet_verb.c) */
ts_code ts_fleet_connect(ts_fleet_doing *d);

/* Without a question, they are listed; it connects when there is one. */
ts_code ts_fleet_ask_verb(ts_fleet_doing *d);
ts_code ts_fleet_report_verb(ts_fleet_doing *d);
#endif

#endif
