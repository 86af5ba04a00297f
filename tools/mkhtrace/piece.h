/*
 * Pieces of a recording as the ArkTS debugger sends them: snapshots and timelines cut into chunk
 * messages, CPU profiles, marks, other messages; and the sources their JSON text comes from.
 */
#ifndef MK_PIECE_H
#define MK_PIECE_H

#include "envelope.h"
#include "viewer.h"

typedef enum mk_profile_shape {
    MK_PROFILE_NORMAL,
    MK_PROFILE_VIEWER, /* one brace missing and a stray quote at the end */
} mk_profile_shape;

/* Everything that pieces depend on; options change it between pieces. */
typedef struct mk_writer {
    mk_output out;
    mk_header head; /* of the next section */
    mk_envelope env;
    const char *plugin; /* "arkts-plugin" */
    int64_t next_ts;
    int64_t step;
    uint64_t chunk_min; /* bytes of the unescaped text in a chunk message */
    uint64_t chunk_max;
    mk_rand rand;
    bool escape_unicode;
    bool no_progress;
    bool no_start;
    bool no_end;
    bool data_in_object;
    mk_keep keep;
    uint64_t noise; /* another notification after every so many chunks; 0: none */
    mk_profile_shape profile_shape;
    const char *profile_key;
    int64_t profile_marks;
} mk_writer;

void mk_writer_init(mk_writer *w, int fd);

/* Opens the first section when none is open. */
void mk_writer_ready(mk_writer *w);

/* Sends the text that `spec` names into a sink: a file, or "synth:nodes=…" (mk_synth_heap, or
 * mk_synth_profile when `profile` is set). */
void mk_source_run(const char *spec, bool profile, bool timeline, mk_sink to);

void mk_piece_heap(mk_writer *w, const char *spec, bool timeline);
void mk_piece_profile(mk_writer *w, const char *spec);
void mk_piece_config(mk_writer *w, const mk_config *c);

/* One message as it is. */
void mk_piece_message(mk_writer *w, const void *text, size_t n);

/* A file of lines "<realtime ns> <message>": a recording made elsewhere. */
void mk_piece_messages(mk_writer *w, const char *path);

/* Another plugin's segment: "NAME:SIZE" (random bytes) or "NAME:@FILE". */
void mk_piece_plugin(mk_writer *w, const char *spec);

/* A section that holds one blob: "hiperf:SIZE", "ebpf:SIZE", "NAME:SIZE", each also with @FILE. */
void mk_piece_section(mk_writer *w, const char *spec);

#endif
