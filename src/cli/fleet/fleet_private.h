/* What the verb fleet and --to=clickhouse have in common. */
#ifndef TS_CLI_FLEET_PRIVATE_H
#define TS_CLI_FLEET_PRIVATE_H

#include "cli/verbs.h"

#if TS_FLEET_BUILT
#include "fleet/fleet.h"

/* Of --at, --retries and --timeout; what is waited for is said unless --quiet. */
ts_fleet_options ts_fleet_options_of(ts_ctx *ctx, const ts_options *options);
#endif

#endif
