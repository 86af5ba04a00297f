/* Names of parameters. */
#include "parsers/cloud/pod.h"

void cloud_params_close(cloud_pod *pod)
{
    ts_buf_free(pod->ctx, &pod->params.signature);
}

static ts_code param_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string name = cloud_text(c);
    uint8_t is_index = cloud_u8(c);
    uint8_t is_list = cloud_u8(c);
    int32_t order = (int32_t)cloud_varint(c);
    cloud_string signature = cloud_text(c);
    ts_row_cloud_param row = {
        .source_id = pod->source_id,
        .is_index = is_index == 1,
        .is_list = is_list == 1,
        .sort_order = order,
    };
    ts_code code;
    (void)offset;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    TS_TRY(code, cloud_utf8(pod->ctx, &pod->text, name));
    TS_TRY(code, cloud_utf8(pod->ctx, &pod->params.signature, signature));
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_param) + 1;
    row.name = ts_buf_text(&pod->text);
    row.signature = ts_buf_text(&pod->params.signature);
    row.dictionary_id = cloud_word_mark_param(&pod->words, row.name);
    if (row.dictionary_id == 0) {
        TS_SET_NULL(cloud_param, &row, dictionary_id);
    }
    cloud_count(pod, CLOUD_N_PARAMS);
    return ts_put_cloud_param(pod->sink, &row);
}

ts_code cloud_params_import(cloud_pod *pod)
{
    cloud_reader *r = cloud_stream_reader(&pod->stream);
    ts_code code = cloud_need(r, 5);
    bool framed;
    if (code != TS_OK) {
        return code;
    }
    if (r->n == r->at) {
        return cloud_no_header(pod, 1);
    }
    framed = r->buf[r->at] == 0;
    if (framed && r->n - r->at < 5) {
        return cloud_no_header(pod, 5);
    }
    if ((code = cloud_fact(pod, "version", r->buf[r->at + (framed ? 4 : 0)])) != TS_OK || framed) {
        return code != TS_OK
                   ? code
                   : cloud_phrases(pod, param_record, 1, CLOUD_N_PARAMS, false, "a parameter");
    }
    r->at++;
    cloud_stream_keep(&pod->stream);
    return cloud_records(pod, param_record, CLOUD_N_PARAMS, "a parameter");
}
