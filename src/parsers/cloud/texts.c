/* Long texts of sql and xml. */
#include "parsers/cloud/pod.h"

static ts_code text_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string s = cloud_text(c);
    const cloud_stream *stream = &pod->stream;
    ts_row_cloud_text row = {
        .source_id = pod->source_id,
        .stream = cloud_stream_kind(stream) == CLOUD_SQL ? TS_TEXT_LIT("sql") : TS_TEXT_LIT("xml"),
        .file = cloud_stream_index(stream),
        .offset = (int64_t)offset,
    };
    ts_code code;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    TS_TRY(code, cloud_utf8(pod->ctx, &pod->text, s));
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_text) + 1;
    row.value = ts_buf_text(&pod->text);
    if (offset <= UINT32_MAX) { /* no reference reaches further */
        cloud_place *place = ts_vec_add(pod->ctx, &pod->texts.places, sizeof *place);
        TS_NEED(pod->ctx, place);
        *place = (cloud_place){(uint32_t)row.file, (uint32_t)offset, row.id};
    }
    cloud_count(pod, CLOUD_N_TEXTS);
    return ts_put_cloud_text(pod->sink, &row);
}

void cloud_texts_close(cloud_pod *pod)
{
    ts_vec_free(pod->ctx, &pod->texts.places);
}

ts_code cloud_texts_import(cloud_pod *pod)
{
    return cloud_records(pod, text_record, CLOUD_N_TEXTS, "a text");
}

void cloud_texts_end_sql(cloud_texts *texts)
{
    texts->xml_first = texts->places.n;
}

int64_t cloud_text_at(const cloud_texts *texts, cloud_kind kind, uint32_t file, uint32_t offset)
{
    const cloud_place *places = texts->places.p;
    size_t low = kind == CLOUD_SQL ? 0 : texts->xml_first;
    size_t end = kind == CLOUD_SQL ? texts->xml_first : texts->places.n;
    size_t high = end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (places[mid].file < file || (places[mid].file == file && places[mid].offset < offset)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < end && places[low].file == file && places[low].offset == offset ? places[low].id
                                                                                 : 0;
}
