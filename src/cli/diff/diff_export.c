#include "cli/diff/diff_private.h"

#include "cli/outputs.h"
#include "cli/signals.h"

ts_code diff_export_check(ts_ctx *ctx, const ts_options *options)
{
    const ts_export *what;
    ts_code code = ts_export_file_check(&what, ctx, options);
    if (code == TS_OK && !what->difference) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s shows no difference; --to=flame does",
                       what->name);
    }
    return code;
}

/* "two.cpuprofile", or with the source that is compared. */
static const char *side_title(const diff_side *s)
{
    return ts_export_title(s->selector == NULL ? s->path : s->label.p);
}

static ts_export_side make_side(ts_reader *reader, const diff_side *s, const ts_options *options)
{
    ts_export_side side = {reader, side_title(s), ts_stack_filter_of(options)};
    side.filter.wanted.source = s->selector;
    return side;
}

static ts_code publish(ts_text_file *file)
{
    ts_code code;
    TS_TRY_INTO(code, ts_text_file_prepare(file));
    ts_signals_hold();
    code = ts_check_cancel(file->ctx);
    code = code != TS_OK ? code : ts_text_file_rename(file);
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_EXPORT, NULL);
        ts_signals_done(0);
    }
    ts_signals_release();
    return code;
}

ts_code diff_export(ts_ctx *ctx, const ts_options *options, const diff_comparison *d)
{
    const diff_side *sides = d->sides;
    const ts_export *what = NULL;
    ts_options after = *options;
    ts_outputs outputs = {0};
    ts_text_file file = {0};
    ts_reader *readers[2] = {NULL, NULL};
    ts_target *copies[2] = {NULL, NULL};
    ts_export_side before;
    ts_code code = ts_export_file_check(&what, ctx, options);
    after.source = sides[1].selector;
    TS_STEP(code, ts_outputs_check(&outputs, ctx, options, NULL));
    if (code == TS_OK) {
        code = ts_text_file_open(&file, ctx, strcmp(options->out, "-") == 0 ? NULL : options->out,
                                 false, &outputs);
        ts_signals_guard(TS_GUARD_EXPORT, ts_target_path(file.target));
    }
    for (unsigned i = sides[0].nothing ? 1 : 0; code == TS_OK && i < 2; i++) {
        code = diff_side_reader(&readers[i], &copies[i], &sides[i], &d->asked);
    }
    if (code == TS_OK) {
        before = make_side(readers[0], &sides[0], options);
        code =
            ts_export_file_write(&file, what, sides[1].db, readers[1],
                                 sides[0].nothing ? NULL : &before, &after, side_title(&sides[1]));
    }
    TS_STEP(code, publish(&file));
    for (unsigned i = 0; i < 2; i++) {
        ts_reader_free(readers[i]);
        ts_target_free(copies[i]);
    }
    ts_text_file_close(&file);
    ts_signals_guard(TS_GUARD_EXPORT, NULL);
    ts_outputs_free(&outputs);
    return code;
}
