/*
 * Events of a made-up kernel, of any number, as segments of ftrace-plugin or as text; equal
 * descriptions give equal events. `mkhtrace --help` describes them.
 */
#ifndef MK_SYNTH_FTRACE_H
#define MK_SYNTH_FTRACE_H

#include "piece.h"

void mk_ftrace_segments(mk_writer *w, const char *description);

/* The same events as lines of systrace. */
void mk_ftrace_text(const char *description, mk_sink to);

#endif
