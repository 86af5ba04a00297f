/* The source format htrace: the container, with its segments going to the plugins of the list. */
#include "parsers/htrace/plugin_list.h"

#include "base/alloc.h"
#include "htrace/htrace.h"
#include "parsers/format.h"

#define TS_PLUGIN(name) extern const ts_htrace_plugin ts_plugin_##name;
#include "parsers/htrace/plugin_list.def"
#undef TS_PLUGIN

const ts_htrace_plugin *const ts_htrace_plugins[] = {
#define TS_PLUGIN(name) &ts_plugin_##name,
#include "parsers/htrace/plugin_list.def"
#undef TS_PLUGIN
    NULL,
};

typedef struct htrace_import {
    ts_job *job;
    ts_ctx *ctx;
    ts_htrace *container;
    ts_blob *blob;
} htrace_import;

static int htrace_sniff(const ts_sniff *s)
{
    return s->head != NULL && s->n >= 8 && memcmp(s->head, "OHOSPROF", 8) == 0 ? TS_SNIFF_SURE
                                                                               : TS_SNIFF_NO;
}

static ts_code read_blob(void *user, size_t *got, uint64_t off, void *buf, size_t n)
{
    return ts_blob_read(got, user, off, buf, n);
}

static void close_import(void *self)
{
    htrace_import *im = self;
    ts_htrace_free(im->container);
    if (im->blob != NULL) {
        ts_blob_close(im->blob);
    }
    ts_free(im->ctx, im);
}

static ts_code open_container(htrace_import *im)
{
    ts_htrace_config config = {
        .source_id = im->job->source_id,
        .plugins = ts_htrace_plugins,
        .user = im->job,
    };
    ts_code code = TS_OK;
    /* Late clocks are looked for where that costs nothing but a few reads. */
    if (!im->job->options->directory_run && im->job->set != NULL &&
        ts_member_seekable(im->job->set, im->job->member)) {
        code = ts_member_blob(&im->blob, im->job->set, im->job->member);
        config.blob_user = im->blob;
        config.read_at = read_blob;
    }
    return code != TS_OK ? code : ts_htrace_new(&im->container, im->ctx, im->job->store, &config);
}

static ts_code open_import(void **self, ts_job *job)
{
    htrace_import *im = ts_zalloc(job->ctx, 1, sizeof *im);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, im);
    im->job = job;
    im->ctx = job->ctx;
    code = open_container(im);
    if (code != TS_OK) {
        close_import(im);
        return code;
    }
    *self = im;
    return TS_OK;
}

static ts_code htrace_feed(void *self, const uint8_t *p, size_t n)
{
    htrace_import *im = self;
    return ts_htrace_feed(im->container, p, n);
}

static ts_code htrace_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    htrace_import *im = self;
    return ts_htrace_feed_zeros(im->container, used, n);
}

static ts_code htrace_next_file(void *self, const char *name, bool missing)
{
    htrace_import *im = self;
    ts_code code = ts_htrace_next_file(im->container);
    (void)name;
    return code != TS_OK || !missing ? code : ts_htrace_gap(im->container, 0);
}

static ts_code htrace_finish(void *self, const ts_stream_end *end)
{
    htrace_import *im = self;
    (void)end;
    return ts_htrace_finish(im->container);
}

TS_SOURCE_FORMAT(htrace) = {
    .name = "htrace",
    .title = "OpenHarmony .htrace: ArkTS heaps and CPU profiles, and what plugins measure (-i "
             "lists them)",
    .source_type = "proto-based-trace",
    .sniff = htrace_sniff,
    .open = open_import,
    .feed = htrace_feed,
    .feed_zeros = htrace_feed_zeros,
    .finish = htrace_finish,
    .close = close_import,
    .next_file = htrace_next_file,
};
