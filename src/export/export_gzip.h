/* Gzip without a name and a time, so that equal data give equal bytes. */
#ifndef TS_EXPORT_EXPORT_GZIP_H
#define TS_EXPORT_EXPORT_GZIP_H

#include "base/json_out.h"

#include <zlib.h>

enum { TS_GZIP_BLOCK = 32 * 1024 };

/* Zeroed: not begun. Failures are kept in w->code, and calls after one do nothing. */
typedef struct ts_gzip {
    ts_jout *w; /* takes what is compressed */
    z_stream zip;
    bool begun;
    unsigned char block[TS_GZIP_BLOCK];
} ts_gzip;

/* Release with ts_gzip_free. */
void ts_gzip_begin(ts_gzip *z, ts_jout *w, int level); /* of zlib */
void ts_gzip_put(ts_gzip *z, const void *p, size_t n);
void ts_gzip_end(ts_gzip *z);
void ts_gzip_free(ts_gzip *z);

#endif
