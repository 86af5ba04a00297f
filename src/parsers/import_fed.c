/*
 * Inputs whose bytes are handed over in pieces, by a caller that has no file.
 *
 * The first TS_PEEK bytes decide, as they do for a file: a recording that is neither wrapped nor an
 * archive, and not a set of files, goes to its parser piece by piece. Everything else waits in a
 * spool and is then imported like a file of that name. Of an input that cannot be imported the
 * rest is dropped. Whatever the size of the pieces, the decision is made from the same bytes.
 */
#include "parsers/import_impl.h"

#include "base/alloc.h"
#include "base/utf8.h"

typedef enum fed_way {
    FED_UNKNOWN, /* too few bytes yet */
    FED_PARSED,
    FED_SPOOLED,
    FED_DROPPED
} fed_way;

typedef struct import_fed {
    ts_buf name; /* UTF-8, with a zero byte */
    fed_way way;
    size_t n; /* bytes in head */
    uint8_t head[TS_PEEK];
    import_parser parser;
    uint64_t bytes; /* that the parser has */
    ts_spool *spool;
} import_fed;

void import_fed_close(ts_run *run)
{
    import_fed *fed = run->fed;
    if (fed == NULL) {
        return;
    }
    import_parser_close(&fed->parser);
    ts_spool_free(fed->spool);
    ts_buf_free(run->ctx, &fed->name);
    ts_free(run->ctx, fed);
    run->fed = NULL;
}

static ts_code open_fed(ts_run *run, const char *name)
{
    uint64_t replaced = 0;
    import_fed *fed = ts_zalloc(run->ctx, 1, sizeof *fed);
    TS_NEED(run->ctx, fed);
    run->fed = fed;
    TS_TRY(ts_utf8_clean(run->ctx, &fed->name, &replaced, name, strlen(name)));
    TS_TRY(ts_buf_putc(run->ctx, &fed->name, '\0'));
    return TS_OK;
}

/* An error that concerns this input alone is recorded, and the rest of it dropped. */
static ts_code drop_fed(ts_run *run, ts_code code)
{
    import_fed *fed = run->fed;
    import_parser_close(&fed->parser);
    fed->way = FED_DROPPED;
    return code == TS_OK ? TS_OK : import_failed(run, code, NULL, fed->name.p);
}

static ts_code feed_parser(ts_run *run, const void *bytes, size_t n)
{
    import_fed *fed = run->fed;
    const ts_progress *progress = run->request->progress;
    TS_TRY(ts_check_cancel(run->ctx));
    ts_code code = n == 0 ? TS_OK : fed->parser.format->feed(fed->parser.self, bytes, n);
    fed->bytes += code == TS_OK ? n : 0;
    if (code == TS_OK && progress != NULL) {
        progress->update(progress->user, fed->name.p, fed->bytes, -1);
    }
    return code == TS_OK ? TS_OK : drop_fed(run, code);
}

static ts_code begin_parser(ts_run *run, const ts_format *format)
{
    import_fed *fed = run->fed;
    fed->way = FED_PARSED;
    fed->parser = (import_parser){.format = format, .job = import_job(run, fed->name.p, NULL)};
    fed->parser.job.label = fed->name.p;
    ts_code code = import_parser_open(&fed->parser, run, NULL);
    return code != TS_OK ? drop_fed(run, code) : feed_parser(run, fed->head, fed->n);
}

/* whole: the head is all there is. */
static ts_code decide(ts_run *run, bool whole)
{
    import_fed *fed = run->fed;
    const ts_format *format = run->request->format;
    const ts_text head = {(const char *)fed->head, fed->n};
    bool bare;
    TS_TRY(ts_input_bare(&bare, run->ctx, fed->head, fed->n, whole));
    if (!bare || (format != NULL && format->import_set != NULL)) {
        fed->way = FED_SPOOLED;
        TS_TRY(ts_spool_new(&fed->spool, run->ctx));
        return ts_spool_write(fed->spool, fed->head, fed->n);
    }
    format = format != NULL ? format : import_sniff(fed->name.p, head, whole);
    ts_code code = format == NULL ? import_unknown(run, fed->name.p, head, NULL)
                                  : import_refused(run, format, fed->name.p, head);
    return code != TS_OK ? drop_fed(run, code) : begin_parser(run, format);
}

static ts_code end_fed(ts_run *run)
{
    import_fed *fed = run->fed;
    const ts_stream_end end = {fed->bytes, NULL, false};
    const char *path = fed->name.p;
    ts_fileset *set;
    if (fed->way == FED_SPOOLED) {
        import_labels_argument(run, &path, 1);
        TS_TRY(ts_fileset_open_spool(&set, run->ctx, fed->name.p, fed->spool));
        return import_members(run, set);
    }
    if (fed->way != FED_PARSED) {
        return TS_OK;
    }
    import_note_bytes(run, fed->parser.job.source_id, fed->bytes);
    ts_code code = import_parser_finish(&fed->parser, run, &end, NULL, false);
    return code != TS_OK ? drop_fed(run, code) : import_done(run, fed->parser.format, fed->name.p);
}

ts_code ts_import_feed(ts_run *run, const char *name, const void *bytes, size_t n, bool last)
{
    const uint8_t *p = bytes;
    ts_code code = run->fed != NULL ? TS_OK : open_fed(run, name);
    import_fed *fed = run->fed;
    if (code == TS_OK && fed->way == FED_UNKNOWN) {
        const size_t room = TS_PEEK - fed->n;
        const size_t taken = n < room ? n : room;
        if (taken > 0) {
            memcpy(fed->head + fed->n, p, taken);
            fed->n += taken;
            p += taken;
            n -= taken;
        }
        TS_STEP_IF(code, fed->n == TS_PEEK || last, decide(run, fed->n < TS_PEEK));
    }
    TS_STEP_IF(code, fed->way == FED_PARSED, feed_parser(run, p, n));
    TS_STEP_IF(code, fed->way == FED_SPOOLED, ts_spool_write(fed->spool, p, n));
    TS_STEP_IF(code, last, end_fed(run));
    if (last || code != TS_OK) {
        import_fed_close(run);
    }
    return code;
}
