/* dashboard: the recording and its threads (docs/flare.md). */
#include "serve/flare/flare_private.h"

#include "tables/formats/flare/flare_constants.h"

static void write_info(fp_call *call)
{
    const fp_data *data = &call->session->data;
    ts_jout *j = &call->json;
    ts_jout_open(j, "sample_info", '{');
    ts_jout_int(j, "sample_interval", data->sample_interval);
    ts_jout_int(j, TS_FLARE_SAMPLE_START, data->sample_start_time);
    ts_jout_int(j, "record_start_time", data->record_start_time);
    ts_jout_int(j, "last_record_time", data->last_record_time);
    ts_jout_str(j, TS_FLARE_AGENT_ADDR, data->agent_addr);
    ts_jout_str(j, "sample_data_dir", call->session->id); /* UIs find the session by it */
    ts_jout_close(j, '}');
}

static void write_stack(ts_jout *j, const fp_data *data, uint32_t node)
{
    ts_jout_open(j, "stacktrace", '[');
    for (uint32_t i = node; i != 0; i = data->nodes[i].parent) {
        ts_jout_int(j, NULL, fp_data_method_id(data, data->nodes[i].method));
    }
    ts_jout_close(j, ']');
}

/* Share of one core over the recording, in percent. */
static double utilisation(const fp_data *data, const fp_thread *t)
{
    double span = (double)data->last_record_time - (double)data->record_start_time;
    return span <= 0 ? 0 : (double)t->series_us / span / 10;
}

static ts_code write_thread(fp_call *call, fp_thread *t)
{
    fp_data *data = &call->session->data;
    ts_jout *j = &call->json;
    TS_TRY(fp_data_last(data, t));
    ts_jout_open(j, NULL, '{');
    ts_jout_int(j, "id", t->id);
    ts_jout_str(j, "name", t->name);
    ts_jout_int(j, "priority", t->priority);
    ts_jout_bool(j, "daemon", t->daemon);
    ts_jout_str(j, "state", t->state);
    ts_jout_int(j, "cpu_time", t->cpu_time);
    ts_jout_int(j, "cpu_time_delta", t->last_delta);
    ts_jout_int(j, "sample_time", t->sample_time);
    ts_jout_int(j, "sample_count", t->sample_count < 0 ? t->sample_rows : t->sample_count);
    write_stack(j, data, t->last_node);
    ts_jout_int(j, "duration", 0);
    ts_jout_int(j, "self_duration", 0);
    ts_jout_int(j, "self_cpu_time", 0);
    ts_jout_real(j, "cpu_util", utilisation(data, t));
    if (t->group[0] != '\0') {
        ts_jout_str(j, "group", t->group);
    }
    ts_jout_close(j, '}');
    return TS_OK;
}

ts_code fp_dashboard(fp_call *call)
{
    fp_thread *list = call->session->data.threads.p;
    ts_code code = TS_OK;
    fp_reply_begin(call);
    write_info(call);
    ts_jout_open(&call->json, "threads", '[');
    for (size_t i = 0; i < call->session->data.threads.n && code == TS_OK; i++) {
        code = fp_data_listed(&list[i]) ? write_thread(call, &list[i]) : TS_OK;
    }
    ts_jout_close(&call->json, ']');
    return code != TS_OK ? code : fp_reply_end(call);
}
