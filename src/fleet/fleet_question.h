/*
 * Questions to a fleet: statements of ClickHouse with words of ours in them, of which the files of
 * share/sql/fleet are made.
 *
 *     :recordings   in parentheses, the columns load and part of the recordings that are asked;
 *                   part is what they are grouped by: values of labels, hosts, days
 *     :NAME         a parameter, as a literal
 *
 * A file begins with what it says about itself (tables/question_text.h). The doc of a parameter
 * begins with its kind: "number" (its default is a number), "glob" (* and ? match anything; it is
 * compared by LIKE; default: all), "one of A, B or C", or it is any text (default: empty).
 */
#ifndef TS_FLEET_QUESTION_H
#define TS_FLEET_QUESTION_H

#include "fleet/fleet.h"
#include "tables/database.h"

/* Which recordings, and what they are grouped by. All texts are borrowed. */
typedef struct ts_fleet_chosen {
    const char *by; /* "build", "build,device"; of labels, or recording, host, day, program, all;
                       NULL: recording */
    const char *const *only; /* "build=4711", "device=P*,build=4711": all must hold */
    size_t only_count;
} ts_fleet_chosen;

/*
 * Appends the words for :recordings. TS_ERR_USAGE: no such form. Pure: whether there are such
 * labels is looked at by ts_fleet_choose.
 */
ts_code ts_fleet_chosen_sql(ts_buf *out, ts_ctx *ctx, const ts_fleet_chosen *chosen);

typedef struct ts_fleet_count {
    uint64_t recordings, incomplete; /* incomplete: those that lost data */
} ts_fleet_count;

/* How many recordings these are. TS_ERR_USAGE when there are none, with the labels that exist. */
ts_code ts_fleet_choose(ts_fleet *fleet, ts_fleet_count *count, const ts_fleet_chosen *chosen);

typedef struct ts_fleet_question {
    const char *name; /* for messages */
    ts_text sql;
    const ts_fleet_chosen *chosen;
    const ts_param *params;
    size_t param_count;
} ts_fleet_question;

/* The whole statement. TS_ERR_USAGE: a parameter that it lacks, or of another kind. */
ts_code ts_fleet_question_sql(ts_buf *out, ts_ctx *ctx, const ts_fleet_question *q);

/*
 * Asks and hands the rows to `visitor` (tables/database.h); the column `part` is called as
 * chosen->by. TS_ERR_OUTPUT when the engine, or one of its servers, does not answer.
 */
ts_code ts_fleet_ask(ts_fleet *fleet, const ts_fleet_question *q, const ts_rows_visitor *visitor);

#endif
