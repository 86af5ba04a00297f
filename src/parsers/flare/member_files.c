/*
 * Access to the members. Those of a directory are read where they are. An archive has to be read in
 * its order, but an index and its data, or the files of a thread, are anywhere in it: so it is
 * read once into one spool, from which all members are read at random.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"

#include <inttypes.h>

static ts_code unpack_member(flare_files *files, uint32_t i, uint8_t *block)
{
    ts_job *job = files->job;
    flare_place *place = &files->places[i];
    ts_stream *stream = NULL;
    size_t got = 1;
    ts_code code = ts_member_open(&stream, job->set, i);
    if (code == TS_ERR_INPUT) {
        return ts_issue(job->store, job->source_id, TS_ISSUE_member_failed,
                        ts_member_name(job->set, i), TS_NO_OFFSET, "%s", job->ctx->error.causes[0]);
    }
    place->at = ts_spool_size(files->spool);
    while (code == TS_OK && got > 0) {
        code = ts_check_cancel(job->ctx);
        TS_STEP(code, ts_stream_read(&got, stream, block, files->block));
        TS_STEP(code, ts_spool_write(files->spool, block, got));
    }
    if (code == TS_ERR_INPUT) {
        code = ts_issue(job->store, job->source_id, TS_ISSUE_input_read_failed,
                        ts_member_name(job->set, i), (int64_t)ts_stream_offset(stream), "%s",
                        job->ctx->error.causes[0]);
    }
    if (code == TS_OK) {
        const ts_damage *damage = ts_stream_damage(stream);
        place->size = ts_spool_size(files->spool) - place->at;
        place->there = ts_stream_doubt(stream) == NULL; /* an issue says so */
        code = damage == NULL
                   ? TS_OK
                   : ts_issue(
                         job->store, job->source_id,
                         damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage,
                         ts_member_name(job->set, i), (int64_t)place->size, "%s", damage->what);
    }
    ts_stream_close(stream);
    return code;
}

static ts_code unpack(flare_files *files, flare_wants wants)
{
    ts_ctx *ctx = files->job->ctx;
    uint8_t *block = NULL;
    uint32_t count;
    ts_code code;
    TS_TRY_INTO(code, ts_fileset_count(&count, files->job->set));
    TS_TRY_INTO(code, ts_spool_new(&files->spool, ctx));
    files->places = ts_zalloc(ctx, count, sizeof *files->places);
    block = ts_alloc(ctx, files->block, 1);
    TS_STEP_IF(code, files->places == NULL || block == NULL, ctx->error.code);
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        TS_STEP_IF(code, wants(ts_member_name(files->job->set, i)), unpack_member(files, i, block));
    }
    ts_free(ctx, block);
    return code;
}

ts_code flare_files_open(flare_files *files, ts_job *job, flare_wants wants)
{
    *files = (flare_files){.job = job, .block = job->options->block_size};
    files->block = files->block == 0 ? TS_PEEK : files->block;
    return ts_fileset_kind(job->set) == TS_SET_ARCHIVE ? unpack(files, wants) : TS_OK;
}

void flare_files_close(flare_files *files)
{
    ts_free(files->job->ctx, files->places);
    ts_spool_free(files->spool);
}

/* --- one member ----------------------------------------------------------------------------- */

static ts_code open_blob(bool *there, flare_in *in, uint32_t member)
{
    flare_dir *dir = in->dir;
    ts_code code = ts_member_blob(&in->blob, dir->job->set, member);
    if (code == TS_ERR_INPUT) {
        return flare_issue(dir, TS_ISSUE_member_failed, in->name, TS_NO_OFFSET, "%s",
                           dir->ctx->error.causes[0]);
    }
    if (code != TS_OK) {
        return code;
    }
    *there = true;
    in->size = ts_blob_size(in->blob);
    const ts_damage *damage = ts_blob_damage(in->blob);
    return damage == NULL
               ? TS_OK
               : flare_issue(
                     dir, damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage,
                     in->name, (int64_t)in->size, "%s", damage->what);
}

ts_code flare_in_open(bool *there, flare_in *in, flare_dir *dir, uint32_t member)
{
    flare_files *files = dir->files;
    ts_code code = TS_OK;
    *in = (flare_in){.dir = dir};
    *there = false;
    if (member == FLARE_NO_MEMBER) {
        return TS_OK;
    }
    in->name = ts_member_name(dir->job->set, member);
    if (files->spool != NULL) {
        const flare_place *place = &files->places[member];
        *there = place->there;
        in->spool = files->spool;
        in->base = place->at;
        in->size = place->size;
    } else {
        code = open_blob(there, in, member);
    }
    if (code == TS_OK && *there) {
        dir->bytes_seen += in->size;
        ts_job_read(dir->job, in->size);
        ts_source(dir->store, dir->source_id)->bytes += (int64_t)in->size;
    }
    return code;
}

void flare_in_close(flare_in *in)
{
    if (in->dir != NULL) {
        ts_free(in->dir->ctx, in->window);
        ts_blob_close(in->blob);
    }
    *in = (flare_in){0};
}

/* Fills the window from `off` on. A read that fails ends the file there. */
static ts_code fill(flare_in *in, uint64_t off, size_t n)
{
    flare_dir *dir = in->dir;
    size_t cap = n > dir->files->block ? n : dir->files->block;
    size_t got = 0;
    if (in->cap < cap) {
        uint8_t *window = ts_realloc(dir->ctx, in->window, cap, 1);
        TS_NEED(dir->ctx, window);
        in->window = window;
        in->cap = cap;
    }
    cap = in->size - off < in->cap ? (size_t)(in->size - off) : in->cap;
    in->have = 0;
    ts_code code = in->blob != NULL
                       ? ts_blob_read(&got, in->blob, off, in->window, cap)
                       : ts_spool_read(&got, in->spool, in->base + off, in->window, cap);
    if (code == TS_OK || code == TS_ERR_INPUT) {
        in->at = off;
        in->have = got;
    }
    if ((code == TS_ERR_INPUT || code == TS_OK) && got < cap) {
        uint64_t end = off + got;
        dir->bytes_lost += in->size - end;
        in->size = end;
        return flare_issue(dir, TS_ISSUE_input_read_failed, in->name, (int64_t)end, "%s",
                           code == TS_OK ? "the file became shorter while it was read"
                                         : dir->ctx->error.causes[0]);
    }
    return code;
}

ts_code flare_in_get(const uint8_t **p, size_t *got, flare_in *in, uint64_t off, size_t n)
{
    ts_code code = TS_OK;
    *p = in->window;
    *got = 0;
    if (off >= in->size) {
        return TS_OK;
    }
    n = in->size - off < n ? (size_t)(in->size - off) : n;
    TS_STEP_IF(code, off < in->at || off + n > in->at + in->have, fill(in, off, n));
    if (code == TS_OK && off >= in->at && off < in->at + in->have) {
        size_t have = (size_t)(in->at + in->have - off);
        *p = in->window + (off - in->at);
        *got = have < n ? have : n;
    }
    return code;
}
