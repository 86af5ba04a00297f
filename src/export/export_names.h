/* Sources, processes and threads by their ids. Memory: 48 bytes each, and their names. */
#ifndef TS_EXPORT_EXPORT_NAMES_H
#define TS_EXPORT_EXPORT_NAMES_H

#include "base/pool.h"
#include "base/vec.h"
#include "tables/table_scan.h"

typedef struct ts_naming {
    ts_vec sources, processes, threads; /* by id */
    ts_pool texts;
} ts_naming;

/* Release with ts_naming_free, also after an error. */
ts_code ts_naming_load(ts_naming *names, ts_ctx *ctx, ts_reader *reader);
void ts_naming_free(ts_naming *names, ts_ctx *ctx);

/* Each may be an empty text: not known. */
ts_text ts_naming_source(const ts_naming *names, int64_t source_id);
ts_text ts_naming_thread(const ts_naming *names, int64_t itid);
ts_text ts_naming_process(const ts_naming *names, int64_t ipid);

/* Numbers of the system for something on a thread of a source. */
typedef struct ts_who {
    int64_t pid; /* of the thread's process, else of the source, else 0 */
    int64_t tid; /* else made up, above TS_WHO_MADE_UP: one for each thread and each source */
} ts_who;

#define TS_WHO_MADE_UP 1000000000

/* itid: TS_NO_THREAD when it was not recorded. */
ts_who ts_naming_who(const ts_naming *names, int64_t source_id, int64_t itid);

#endif
