#include "model/select.h"

#include "model/labels.h"
#include "model/when.h"

static ts_code bad_time(ts_ctx *ctx, const char *name, const char *typed, const char *why)
{
    return ts_fail(ctx, TS_ERR_USAGE, "bad value for %s%s: \"%s\" %s",
                   name[0] == '-' ? "" : "the parameter ", name, typed, why);
}

ts_code ts_select_time(int64_t *out, ts_model *m, const char *name, const char *typed,
                       const ts_idset *sources)
{
    ts_when when;
    const char *why;
    if (!ts_when_parse(&when, typed)) {
        return bad_time(
            ts_model_ctx(m), name, typed,
            "is not a time: write ns, 2019-09-05T07:44:26Z, or +2.5s from the beginning");
    }
    ts_code code = ts_when_at(out, m, &when, sources, &why);
    TS_STEP_IF(code, why != NULL, bad_time(ts_model_ctx(m), name, typed, why));
    return code;
}

ts_code ts_select_make(ts_select *out, ts_model *m, const ts_wanted *wanted)
{
    ts_code code;
    *out = (ts_select){.span = TS_SPAN_ALL};
    TS_TRY_INTO(code, ts_sources_find(&out->sources, m, ts_text_of(wanted->source)));
    TS_TRY_INTO(code, ts_threads_find(&out->threads, m, ts_text_of(wanted->thread)));
    if (wanted->from != NULL) {
        code = ts_select_time(&out->span.from, m, "--from", wanted->from, &out->sources);
    }
    TS_STEP_IF(code, wanted->until != NULL,
               ts_select_time(&out->span.to, m, "--until", wanted->until, &out->sources));
    TS_STEP_IF(code, out->span.from >= out->span.to,
               ts_fail(ts_model_ctx(m), TS_ERR_USAGE, "--from is not before --until"));
    out->labelled = wanted->label != NULL;
    TS_STEP_IF(code, out->labelled, ts_labels_find(&out->samples, m, ts_text_of(wanted->label)));
    return code;
}

void ts_select_free(ts_ctx *ctx, ts_select *select)
{
    ts_idset_free(ctx, &select->sources);
    ts_idset_free(ctx, &select->threads);
    ts_vec_free(ctx, &select->samples);
}
