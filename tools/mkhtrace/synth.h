/*
 * Synthetic heaps and CPU profiles of any size, in the layout in which V8 writes them, the same
 * bytes for the same description. Descriptions are "key=value,…", see `mkhtrace --help`.
 */
#ifndef MK_SYNTH_H
#define MK_SYNTH_H

#include "mk.h"

/* A heap snapshot; with `timeline` also samples and allocation stacks unless described. Memory does
 * not grow with the size. */
void mk_synth_heap(const char *spec, bool timeline, mk_sink to);

/* A CPU profile. Memory: 20 bytes a node. */
void mk_synth_profile(const char *spec, mk_sink to);

/* How texts are written: with escapes as V8 does, characters outside ASCII as they are, or as ArkTS
 * does, with escapes of whole characters only. */
typedef enum mk_style { MK_V8, MK_UTF8, MK_ARKTS } mk_style;

/* String number `index` of a synthetic heap as JSON text with quotes. */
void mk_synth_string(mk_text *t, uint64_t seed, uint64_t index, mk_style style);

#endif
