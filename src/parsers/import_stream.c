/* One stream: read in blocks, given to a parser, and how it ended. */
#include "parsers/import_impl.h"

#include <inttypes.h>

enum { HOLE_MAX = 1 << 30 /* bytes of a hole that are fed one by one */ };

static void report_progress(ts_run *run, const ts_fileset *top)
{
    const ts_progress *progress = run->request->progress;
    if (progress != NULL && top != NULL) {
        progress->update(progress->user, ts_fileset_name(top), ts_fileset_raw_offset(top),
                         ts_fileset_raw_size(top));
    }
}

void ts_job_read(ts_job *job, uint64_t bytes)
{
    job->run->result->bytes += bytes;
    ts_meta_add_bytes(job->store, bytes);
    report_progress(job->run, job->set);
}

/* A hole of a sparse file: the parser gets its zero bytes, at once where it can. */
static ts_code feed_hole(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                         uint64_t n, uint64_t *fed)
{
    ts_code code = ts_check_cancel(run->ctx);
    *fed = 0;
    TS_STEP_IF(code, format->feed_zeros != NULL, format->feed_zeros(parser, fed, n));
    if (code == TS_OK && *fed == 0) {
        *fed = n < run->block_size ? n : run->block_size;
        memset(run->block, 0, (size_t)*fed);
        code = format->feed(parser, run->block, (size_t)*fed);
    }
    if (code == TS_OK) {
        ts_stream_skip(stream, *fed);
    }
    return code;
}

/* *ended: the rest of the hole, and what follows it, was left out. */
static ts_code feed_holes(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                          int64_t source_id, bool *ended)
{
    uint64_t slowly = 0;
    uint64_t n;
    ts_code code = ts_stream_hole(&n, stream);
    while (code == TS_OK && n > 0) {
        uint64_t fed;
        if (slowly > HOLE_MAX) {
            *ended = true;
            return ts_issue(
                run->store, source_id, TS_ISSUE_input_hole, NULL, (int64_t)ts_stream_offset(stream),
                "%" PRIu64 " more bytes of a hole and what follows it were not read", n);
        }
        code = feed_hole(run, format, parser, stream, n, &fed);
        slowly += fed <= run->block_size ? fed : 0;
        n -= code == TS_OK ? fed : n;
    }
    return code;
}

ts_code import_feed(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                    const ts_fileset *top, int64_t source_id, bool *broken)
{
    ts_code code = run->request->read_ahead ? ts_stream_read_ahead(stream) : TS_OK;
    *broken = false;
    if (code != TS_OK) {
        return code;
    }
    for (;;) {
        size_t got;
        TS_TRY_INTO(code, ts_check_cancel(run->ctx));
        if ((code = feed_holes(run, format, parser, stream, source_id, broken)) != TS_OK ||
            *broken) {
            return code;
        }
        code = ts_stream_read(&got, stream, run->block, run->block_size);
        if (code == TS_ERR_INPUT && ts_stream_offset(stream) > 0) {
            *broken = true;
            return ts_issue(run->store, source_id, TS_ISSUE_input_read_failed, NULL,
                            (int64_t)ts_stream_offset(stream), "%s", run->ctx->error.causes[0]);
        }
        if (code != TS_OK || got == 0 || (code = format->feed(parser, run->block, got)) != TS_OK) {
            return code;
        }
        report_progress(run, top);
    }
}

ts_code import_check_bytes(ts_run *run, int64_t source_id, uint64_t bytes)
{
    ts_tally *tally;
    ts_code code = ts_count(&tally, run->store, source_id, TS_ITEM_bytes, NULL);
    return code != TS_OK || tally->seen == bytes
               ? code
               : ts_issue(run->store, source_id, TS_ISSUE_conservation, NULL, TS_NO_OFFSET,
                          "bytes: seen %" PRIu64 ", but %" PRIu64 " were read", tally->seen, bytes);
}

ts_code import_doubt(ts_run *run, int64_t source_id, const ts_damage *doubt,
                     const ts_row_marks *from, uint64_t bytes)
{
    ts_row_marks now;
    ts_row_marks_take(&now, ts_store_sink(run->store));
    return ts_doubt_rows(run->store, source_id, NULL, from, &now, bytes, doubt->what);
}

ts_code import_parser_open(import_parser *p, ts_run *run, const ts_fileset *in)
{
    TS_TRY(import_job_source(run, &p->job, p->format, in));
    p->losses = ts_issue_losses(run->store);
    ts_row_marks_take(&p->from, ts_store_sink(run->store));
    return p->format->open(&p->self, &p->job);
}

void import_parser_close(import_parser *p)
{
    if (p->self != NULL) {
        p->format->close(p->self);
        p->self = NULL;
    }
}

ts_code import_parser_finish(import_parser *p, ts_run *run, const ts_stream_end *end,
                             const ts_damage *doubt, bool broken)
{
    const int64_t source_id = p->job.source_id;
    ts_code code = p->format->finish(p->self, end);
    if (run->inner != NULL) {
        run->inner->out->doubted =
            run->inner->out->doubted || (code == TS_OK && ts_stream_doubted(end, p->job.text_bad));
        run->inner->out->bytes += end->bytes;
    }
    TS_STEP_IF(
        code, ts_stream_doubted(end, p->job.text_bad),
        import_doubt(run, source_id, end->doubted ? doubt : end->damage, &p->from, end->bytes));
    TS_STEP(code, import_check_bytes(run, source_id, end->bytes));
    import_parser_close(p);
    if (code == TS_OK && (broken || ts_issue_losses(run->store) > p->losses)) {
        ts_source(run->store, source_id)->complete = 0;
    }
    return code;
}

static ts_code run_parser(ts_run *run, import_parser *p, ts_stream *stream, const ts_fileset *top)
{
    const int64_t source_id = p->job.source_id;
    bool broken;
    TS_TRY(import_feed(run, p->format, p->self, stream, top, source_id, &broken));
    TS_TRY(import_note_end(run, stream, source_id));
    const ts_stream_end end = {ts_stream_offset(stream), ts_stream_damage(stream),
                               ts_stream_doubt(stream) != NULL};
    return import_parser_finish(p, run, &end, ts_stream_doubt(stream), broken);
}

ts_code import_stream(ts_run *run, const ts_format *format, ts_stream *stream, ts_fileset *set,
                      uint32_t i, const ts_fileset *top)
{
    import_parser p = {.format = format, .job = import_job(run, ts_member_name(set, i), set)};
    p.job.member = i;
    ts_code code = import_label(&p.job.label, run, set, p.job.name);
    TS_STEP(code, import_parser_open(&p, run, set));
    TS_STEP(code, run_parser(run, &p, stream, top));
    import_parser_close(&p);
    return code != TS_OK ? code : import_done(run, format, ts_fileset_name(top));
}

void import_note_bytes(ts_run *run, int64_t source_id, uint64_t bytes)
{
    ts_source(run->store, source_id)->bytes += (int64_t)bytes;
    run->result->bytes += bytes;
    ts_meta_add_bytes(run->store, bytes);
}

ts_code import_note_end(ts_run *run, ts_stream *stream, int64_t source_id)
{
    const ts_damage *damage = ts_stream_damage(stream);
    uint64_t bytes = ts_stream_offset(stream);
    ts_code code = TS_OK;
    import_note_bytes(run, source_id, bytes);
    TS_STEP_IF(code, damage != NULL,
               ts_issue(run->store, source_id,
                        damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage,
                        NULL, (int64_t)bytes, "%s (at byte %" PRIu64 " of the compressed file)",
                        damage->what, damage->offset));
    TS_STEP_IF(code, ts_stream_wrappers(stream)[0] != '\0',
               ts_source_property(run->store, source_id, "wrappers",
                                  ts_text_of(ts_stream_wrappers(stream))));
    return code;
}
