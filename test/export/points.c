/*
 * points: records of standard input as points of line protocol (export/export_points.h), for
 * datakit.py, which knows another way to read them. A record: 4 bytes each for the lengths of a
 * tag's key, its value and a text, then these, then 8 bytes each of a whole number and of a double.
 */
#include "base/ckd.h"
#include "export/export_points.h"

#include <stdio.h>
#include <stdlib.h>

static int to_stdout(void *user, const void *p, size_t n)
{
    (void)user;
    return fwrite(p, 1, n, stdout) == n ? 0 : 1;
}

int main(void)
{
    static char texts[3][100000];
    static ts_ctx ctx;
    static ts_jout w;
    uint32_t n[3];
    int64_t whole;
    double real;
    ts_point p;
    ts_ctx_init(&ctx);
    ts_jout_begin(&w, &ctx, to_stdout, NULL);
    while (fread(n, sizeof n[0], 3, stdin) == 3) {
        for (int i = 0; i < 3; i++) {
            if (n[i] > sizeof texts[i] || fread(texts[i], 1, n[i], stdin) != n[i]) {
                return EXIT_FAILURE;
            }
        }
        if (fread(&whole, sizeof whole, 1, stdin) != 1 ||
            fread(&real, sizeof real, 1, stdin) != 1) {
            return EXIT_FAILURE;
        }
        ts_point_begin(&p, &w, "made");
        ts_point_tag(&p, (ts_text){texts[0], n[0]}, (ts_text){texts[1], n[1]});
        ts_point_int(&p, "whole", whole);
        ts_point_text(&p, "text", (ts_text){texts[2], n[2]});
        ts_point_real(&p, "real", real);
        ts_point_end(&p, whole % 2 == 0 ? whole : TS_NO_TIME);
    }
    return ts_jout_end(&w) == TS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
