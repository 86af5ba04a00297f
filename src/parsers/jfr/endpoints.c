/* The endpoints of traces: an event of its own names the endpoint of a root span, before or after
 * the samples of the span, also in another chunk. Samples with a root span wait in a spool. */
#include "parsers/jfr/rules.h"

enum { ROOT, ENDPOINT };

ts_code jfr_run_endpoint(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    jfr_recording *rec = c->rec;
    int64_t root;
    uint64_t known;
    uint32_t number;
    bool null;
    ts_code code = TS_OK;
    (void)cls;
    (void)rule;
    if (!jfr_value_int(&root, &values[SLOT_FIELD + ROOT]) || root == 0 ||
        ts_idmap_find(&known, &rec->endpoints, root)) {
        return TS_OK;
    }
    rec->text.n = 0;
    code = jfr_value_text(&null, c, &rec->text, &values[SLOT_FIELD + ENDPOINT]);
    if (code != TS_OK || rec->text.n == 0 ||
        (code = ts_pool_intern(c->ctx, &number, NULL, &rec->names, ts_buf_text(&rec->text))) !=
            TS_OK) {
        return code;
    }
    return ts_idmap_put(c->ctx, &rec->endpoints, root, number);
}

ts_code jfr_note_root(jfr_recording *rec, int64_t sample, int64_t root)
{
    ts_code code = TS_OK;
    if (rec->roots == NULL) {
        code = ts_spool_new(&rec->roots, rec->ctx);
    }
    TS_STEP(code, ts_spool_put_int(rec->roots, sample));
    TS_STEP(code, ts_spool_put_int(rec->roots, root));
    return code;
}

ts_code jfr_put_endpoints(jfr_recording *rec)
{
    ts_spool_cursor cursor;
    ts_row_stack_sample_label row = {.key = TS_TEXT_LIT("trace endpoint")};
    int64_t root = 0;
    bool end = false;
    ts_code code = TS_OK;
    if (rec->roots == NULL || rec->endpoints.count == 0) {
        return TS_OK;
    }
    ts_spool_rewind(&cursor, rec->roots);
    while (code == TS_OK) {
        uint64_t number;
        if ((code = ts_spool_next_int(&row.sample_id, &end, &cursor)) != TS_OK || end ||
            (code = ts_spool_next_int(&root, &end, &cursor)) != TS_OK || end) {
            break;
        }
        if (ts_idmap_find(&number, &rec->endpoints, root)) {
            row.value = ts_pool_text(&rec->names, (uint32_t)number);
            code = ts_put_stack_sample_label(rec->sink, &row);
        }
    }
    return code;
}
