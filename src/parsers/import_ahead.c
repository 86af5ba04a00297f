/*
 * The input that comes next, opened while the present one is imported: what of it is compressed is
 * decompressed by a thread, some blocks ahead. Only what would be opened in any case, and can be
 * opened twice: a file that cannot be read fails when its turn comes, as without this.
 */
#include "parsers/import_impl.h"

#include <string.h>
#include <sys/stat.h>

/* Under a limit, memory is for what is imported now. */
static bool may_open(const ts_run *run)
{
    return run->request->read_ahead && run->inner == NULL && run->ahead.stream == NULL &&
           run->ahead.own == NULL && run->ctx->limits.max_memory == 0;
}

/* Archives are opened anew, and unknown formats are only looked at. */
static bool will_be_fed(const ts_run *run, ts_stream *stream, const char *name, ts_text head)
{
    const ts_format *format = run->request->format;
    if (ts_stream_wrap(stream) != TS_WRAP_NONE) {
        return false;
    }
    format = format != NULL ? format : import_sniff(name, head, head.n < TS_PEEK);
    return format != NULL && format->import_set == NULL && format->refusal == NULL;
}

void import_ahead_member(ts_run *run, ts_fileset *set, uint32_t i)
{
    ts_stream *stream;
    ts_text head;
    if (!may_open(run) || ts_member_open(&stream, set, i) != TS_OK) {
        return;
    }
    if (ts_stream_peek(&head, stream) != TS_OK ||
        (will_be_fed(run, stream, ts_member_name(set, i), head) &&
         ts_stream_read_ahead(stream) != TS_OK)) {
        ts_stream_close(stream);
        return;
    }
    run->ahead.stream = stream;
    run->ahead.set = set;
    run->ahead.member = i;
}

void import_ahead_argument(ts_run *run, const char *path)
{
    struct stat st;
    ts_fileset *set;
    if (!may_open(run) || strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size == 0 || ts_fileset_open(&set, run->ctx, path) != TS_OK) {
        return;
    }
    if (ts_fileset_kind(set) == TS_SET_FILE) {
        import_ahead_member(run, set, 0);
    }
    if (run->ahead.stream == NULL) {
        ts_fileset_close(set);
        return;
    }
    run->ahead.own = set;
    run->ahead.path = path;
}

ts_code import_ahead_open(ts_fileset **out, ts_run *run, const char *path)
{
    if (run->ahead.own == NULL || run->ahead.path != path) {
        return ts_fileset_open(out, run->ctx, path);
    }
    *out = run->ahead.own;
    run->ahead.own = NULL;
    return TS_OK;
}

ts_code import_ahead_take(ts_stream **out, ts_run *run, ts_fileset *set, uint32_t i)
{
    if (run->ahead.stream == NULL || run->ahead.set != set || run->ahead.member != i) {
        return ts_member_open(out, set, i);
    }
    *out = run->ahead.stream;
    run->ahead.stream = NULL;
    return TS_OK;
}

void import_ahead_drop(ts_run *run, const ts_fileset *set)
{
    if (run->ahead.stream != NULL && (set == NULL || run->ahead.set == set)) {
        ts_stream_close(run->ahead.stream);
        run->ahead.stream = NULL;
    }
    if (run->ahead.own != NULL && set == NULL) {
        ts_fileset_close(run->ahead.own);
        run->ahead.own = NULL;
    }
}
