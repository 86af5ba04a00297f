/*
 * System calls that do not go through ts_ctx.sys, sockets and the reading of directories, for tests
 * that let them fail: the linker puts these in their place (--wrap, in CMakeLists.txt). Only calls
 * of the thread that set `wrapped` fail.
 */
#ifndef TS_TEST_WRAPPED_H
#define TS_TEST_WRAPPED_H

#include "faults.h"

extern _Thread_local faults *wrapped; /* NULL: no call fails */

#endif
