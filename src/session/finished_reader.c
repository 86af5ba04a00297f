#include "session/finished_reader.h"

#include "base/buf.h"
#include "tables/database.h"

#include <sys/stat.h>

static ts_code has_log(bool *has, ts_ctx *ctx, const char *path)
{
    struct stat st;
    ts_buf name = {0};
    ts_code code = ts_buf_printf(ctx, &name, "%s-wal%c", path, 0);
    *has = code == TS_OK && stat(name.p, &st) == 0 && st.st_size > 0;
    ts_buf_free(ctx, &name);
    return code;
}

ts_code ts_reader_finished(ts_reader **reader, ts_target **copy, ts_ctx *ctx, const char *path,
                           ts_reader_guard *guard)
{
    bool log;
    *reader = NULL;
    *copy = NULL;
    ts_code code = has_log(&log, ctx, path);
    if (code == TS_OK && !log) {
        return ts_reader_open(reader, ctx, path);
    }
    TS_STEP(code, ts_target_anonymous(copy, ctx));
    if (code == TS_OK) {
        if (guard != NULL) {
            guard(ts_target_path(*copy));
        }
        code = ts_db_copy(ctx, path, ts_target_path(*copy), false);
    }
    TS_STEP(code, ts_target_hide(*copy));
    if (guard != NULL) {
        guard(NULL);
    }
    TS_STEP(code, ts_reader_open_fd(reader, ctx, ts_target_fd(*copy), path));
    return code;
}
