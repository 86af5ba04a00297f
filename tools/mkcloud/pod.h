/* One pod of a recording: threads that run calls, and every stream of what the agent saw. */
#ifndef MC_POD_H
#define MC_POD_H

#include "stream.h"

/* Writes pod `number` and adds its figures to `f`. */
void mc_pod_write(mc_output *o, int64_t number, mc_figures *f);

#endif
