/* In the place of ahead.c in builds without threads (TS_THREADS). */
#include "input/input_private.h"

ts_code ts_ahead_layer(ts_layer **top, ts_fileset *set)
{
    (void)top;
    (void)set;
    return TS_OK; /* it is read as it was */
}
