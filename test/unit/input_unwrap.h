/* Wrapped bytes as the input layer gives them. */
#ifndef TS_TEST_INPUT_UNWRAP_H
#define TS_TEST_INPUT_UNWRAP_H

#include "input_make.h"

/* Opens the bytes as an argument and reads member 0 with everything taken off. */
static inline ts_code unwrap(bytes *out, ts_damage *damage, char *wrappers, place *w, bytes in,
                             size_t step)
{
    ts_fileset *set = NULL;
    ts_stream *s = NULL;
    *out = (bytes){NULL, 0};
    memset(damage, 0, sizeof *damage);
    wrappers[0] = '\0';
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "in", in.p, in.n)));
    ts_code code = ts_member_open(&s, set, 0);
    if (code == TS_OK) {
        code = read_stream(out, s, step);
        assert_int_equal(ts_stream_offset(s), out->n);
        (void)snprintf(wrappers, 64, "%s", ts_stream_wrappers(s));
        if (ts_stream_damage(s) != NULL) {
            *damage = *ts_stream_damage(s);
        }
        ts_stream_close(s);
    }
    ts_fileset_close(set);
    return code;
}

/* The bytes give `want`, wrapped like this, undamaged, in reads of any size and as a blob. */
static inline void check_whole(bytes in, bytes want, const char *wrappers)
{
    static const size_t steps[] = {1, 7, 4096, 300000};
    place *w = place_new();
    ts_damage damage;
    char found[64];
    bytes out;
    for (size_t i = want.n > 100000 ? 2 : 0; i < sizeof steps / sizeof steps[0]; i++) {
        assert_ok(w->ctx, unwrap(&out, &damage, found, w, in, steps[i]));
        assert_same(out, want);
        assert_string_equal(found, wrappers);
        assert_string_equal(damage.what, "");
        free(out.p);
    }
    ts_fileset *set;
    ts_blob *b;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "in")));
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_ok(w->ctx, read_blob(&out, b));
    assert_same(out, want);
    assert_null(ts_blob_damage(b));
    free(out.p);
    ts_blob_close(b);
    ts_fileset_close(set);
    place_free(w);
}

#endif
