/* Words of SQL that choosing recordings and questions have in common. Used inside this layer only.
 */
#ifndef TS_FLEET_CHOSEN_H
#define TS_FLEET_CHOSEN_H

#include "fleet/fleet_question.h"

/* "= 'text'", or "LIKE 'pattern'" for a glob: * is any characters, ? is one. */
ts_code ts_fleet_put_match(ts_buf *out, ts_ctx *ctx, ts_text glob);

#endif
