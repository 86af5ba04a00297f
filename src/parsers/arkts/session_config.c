/* Configuration messages: one js_config row each, written at the end of the recording. */
#include "parsers/arkts/session_impl.h"

#include "base/alloc.h"
#include "htrace/pbc.h"

#include "arkts.pb-c.h"

static ts_code keep_config(ts_session *s, const ts_row_js_config *row)
{
    if (s->config_count == s->config_cap) {
        uint32_t cap = s->config_cap == 0 ? 4 : s->config_cap * 2;
        session_config *configs = ts_realloc(s->ctx, s->configs, cap, sizeof *configs);
        if (configs == NULL) {
            return s->ctx->error.code;
        }
        s->configs = configs;
        s->config_cap = cap;
    }
    s->configs[s->config_count++] = (session_config){.row = *row};
    s->has_type = row->type == TS_HEAP_SNAPSHOT || row->type == TS_HEAP_TIMELINE;
    s->type = row->type;
    s->pid = row->pid;
    return TS_OK;
}

/* The process that was recorded. A pid of 0 is proto3's way to say nothing. */
static ts_code note_process(ts_session *s, int64_t pid)
{
    int64_t ipid;
    ts_code code;
    if (pid <= 0) {
        return TS_OK;
    }
    code = ts_process(&ipid, s->store, s->job->source_id, pid);
    if (code == TS_OK) {
        ts_row_source *source = ts_source(s->store, s->job->source_id);
        source->pid = pid;
        source->null &= ~TS_NULL_BIT(source, pid);
        ts_process_detail_row(s->store, ipid)->runtime = TS_TEXT_LIT("ArkTS");
    }
    return code;
}

ts_code ts_session_config(ts_session *s, const uint8_t *p, size_t n, int64_t offset, bool truncated)
{
    Ts__ArkTSConfig *config;
    ts_row_js_config row = {0};
    ts_pbc pbc;
    ts_tally *tally;
    ts_code code = ts_count(&tally, s->store, s->job->source_id, TS_ITEM_configs, NULL);
    if (code != TS_OK) {
        return code;
    }
    tally->seen++;
    if (truncated) {
        tally->lost++;
        return ts_issue(s->store, s->job->source_id, TS_ISSUE_config_bad, "arkts-plugin_config",
                        offset, "the configuration is cut off");
    }
    ts_pbc_init(&pbc, s->ctx);
    config = ts__ark_tsconfig__unpack(&pbc.allocator, n, p);
    if (config == NULL) {
        tally->lost++;
        return pbc.failed ? s->ctx->error.code
                          : ts_issue(s->store, s->job->source_id, TS_ISSUE_config_bad,
                                     "arkts-plugin_config", offset,
                                     "the configuration is no well-formed message");
    }
    row.pid = config->pid;
    row.type = config->type;
    row.interval = config->interval;
    row.capture_numeric_value = config->capture_numeric_value;
    row.trace_allocation = config->track_allocations;
    row.enable_cpu_profiler = config->enable_cpu_profiler;
    row.cpu_profiler_interval = config->cpu_profiler_interval;
    ts__ark_tsconfig__free_unpacked(config, &pbc.allocator);
    tally->imported++;
    code = keep_config(s, &row);
    return code != TS_OK ? code : note_process(s, row.pid);
}
