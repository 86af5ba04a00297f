/* sql and xml: long texts, found by file and offset. */
#include "parsers/cloud/cloud_impl.h"

static ts_code text_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_string s = cloud_text(c);
    const cloud_file *f = pod->file;
    ts_row_cloud_text row = {
        .source_id = pod->source_id,
        .stream = f->kind == CLOUD_SQL ? TS_TEXT_LIT("sql") : TS_TEXT_LIT("xml"),
        .file = f->index,
        .offset = (int64_t)offset,
    };
    ts_code code;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if ((code = cloud_utf8(pod->ctx, &pod->text, s)) != TS_OK) {
        return code;
    }
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_text) + 1;
    row.value = ts_buf_text(&pod->text);
    if (offset <= UINT32_MAX) { /* no reference reaches further */
        if ((code = cloud_grow(pod->ctx, &pod->texts, sizeof(cloud_place))) != TS_OK) {
            return code;
        }
        ((cloud_place *)pod->texts.p)[pod->texts.n++] =
            (cloud_place){(uint32_t)f->index, (uint32_t)offset, row.id};
    }
    cloud_count(pod, CLOUD_N_TEXTS);
    return ts_put_cloud_text(pod->sink, &row);
}

ts_code cloud_texts_import(cloud_pod *pod)
{
    return cloud_records(pod, text_record, CLOUD_N_TEXTS, "a text");
}

int64_t cloud_text_at(const cloud_pod *pod, cloud_kind kind, uint32_t file, uint32_t offset)
{
    const cloud_place *texts = pod->texts.p;
    size_t low = kind == CLOUD_SQL ? 0 : pod->xml_first;
    size_t end = kind == CLOUD_SQL ? pod->xml_first : pod->texts.n;
    size_t high = end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (texts[mid].file < file || (texts[mid].file == file && texts[mid].offset < offset)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < end && texts[low].file == file && texts[low].offset == offset ? texts[low].id : 0;
}
