/* Configuration messages: they are made fit for the viewer at the end of the recording. */
#include "parsers/arkts/session/session_state.h"

#include "htrace/pbc.h"

#include "arkts.pb-c.h"

#include <inttypes.h>

static ts_code keep_config(ts_session *s, const ts_row_js_config *row)
{
    session_config *config = ts_vec_add(s->ctx, &s->configs.all, sizeof *config);
    TS_NEED(s->ctx, config);
    config->row = *row;
    s->configs.has_type = row->type == TS_HEAP_SNAPSHOT || row->type == TS_HEAP_TIMELINE;
    s->configs.type = row->type;
    s->configs.pid = row->pid <= INT32_MAX ? row->pid : -1; /* -1, which the row shows unsigned */
    return TS_OK;
}

/* The process that was recorded. A pid of 0 is proto3's way to say nothing. */
static ts_code note_process(ts_session *s, int64_t pid)
{
    int64_t ipid;
    ts_code code;
    if (pid <= 0 || pid > INT32_MAX) {
        return TS_OK;
    }
    code = ts_process(&ipid, s->store, s->job->source_id, pid);
    if (code == TS_OK) {
        ts_row_source *source = ts_source(s->store, s->job->source_id);
        TS_SET_VALUE(source, source, pid, pid);
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
    ts_code code;
    TS_TRY_INTO(code, ts_count(&tally, s->store, s->job->source_id, TS_ITEM_configs, NULL));
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
                                     "the configuration is not a well-formed message");
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

void session_config_note_heap(session_configs *configs, bool timeline)
{
    session_config *all = configs->all.p;
    if (configs->all.n > 0) {
        all[configs->all.n - 1].timelines += timeline ? 1 : 0;
        all[configs->all.n - 1].snapshots += timeline ? 0 : 1;
    }
}

/* The viewer shows heaps of the configured type only. */
static ts_code fit_type(ts_session *s, session_config *config)
{
    int64_t type = config->row.type;
    bool heaps = config->snapshots + config->timelines > 0;
    bool fits = (type == TS_HEAP_SNAPSHOT && config->snapshots > 0) ||
                (type == TS_HEAP_TIMELINE && config->timelines > 0);
    if (!heaps || fits) {
        return TS_OK;
    }
    config->row.type = config->snapshots > 0 ? TS_HEAP_SNAPSHOT : TS_HEAP_TIMELINE;
    return ts_issue(s->store, s->job->source_id, TS_ISSUE_config_type_changed,
                    "arkts-plugin_config", TS_NO_OFFSET,
                    "the type was %" PRId64 " although the data is of type %" PRId64, type,
                    config->row.type);
}

ts_code session_config_put(ts_session *s, bool profiles)
{
    session_config *all = s->configs.all.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->configs.all.n && code == TS_OK; i++) {
        ts_row_js_config *row = &all[i].row;
        code = fit_type(s, &all[i]);
        if (code == TS_OK && profiles && row->enable_cpu_profiler == 0) {
            row->enable_cpu_profiler = 1;
            code = ts_issue(s->store, s->job->source_id, TS_ISSUE_config_cpu_enabled,
                            "arkts-plugin_config", TS_NO_OFFSET,
                            "enable_cpu_profiler was 0 although there is a CPU profile");
        }
        if (code == TS_OK) {
            code =
                ts_arkts_add_config(s->job, s->run, row, all[i].snapshots + all[i].timelines > 0);
        }
    }
    return code;
}
