/*
 * Frames of applications and of the render service, from texts of markers (docs/formats.md,
 * "ftrace-plugin"): frame_slice, frame_maps, gpu_slice.
 *
 * Memory: 200 bytes a frame whose end or whose place in a frame of the render service is not known,
 * 16 KiB a thread that makes frames, 24 bytes a lane, and the sorters' blocks.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_FRAMES_H
#define TS_PARSERS_FTRACE_FTRACE_FRAMES_H

#include "base/sorter.h"
#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/rows/ftrace_open.h"

struct ftrace_machine;
struct ftrace_thread;
struct ftrace_process;
struct ftrace_slice;

typedef struct ftrace_frame ftrace_frame;

/* When a vertical synchronisation of a main thread was to end. */
typedef struct ftrace_vsync {
    int64_t number;
    int64_t end;
} ftrace_vsync;

enum { FTRACE_VSYNCS = 1024 }; /* so many are remembered */

/* The frames of a thread. */
typedef struct ftrace_thread_frames {
    ftrace_frame *first, *last;
    uint32_t vsync_rows;  /* slices whose end ends a frame */
    ftrace_vsync *vsyncs; /* the last FTRACE_VSYNCS, NULL before the first */
    uint64_t vsync_count;
} ftrace_thread_frames;

typedef struct ftrace_frames {
    ts_sorter *rows;      /* of frame_slice; NULL: none yet */
    ts_sorter *joined;    /* pairs of frames */
    ts_vec all;           /* ftrace_frame *: those that are in memory */
    ftrace_open keys;     /* (thread, key) -> the first frame with it */
    ftrace_open numbered; /* (thread, number) -> frame */
    uint64_t base, count, pairs;
    uint64_t vsync, vsync_alone, compositions, queued, queued_alone; /* for stat */
    ts_vec lanes;                                                    /* by process and kind */
} ftrace_frames;

/* A slice begins whose name may be that of a part of a frame. process: that of the marker. */
ts_code ftrace_frame_begin(struct ftrace_machine *m, const ftrace_event *event,
                           struct ftrace_process *process, struct ftrace_slice *slice,
                           ts_text name);

/* A slice ends whose vsync_of is `owner`. */
ts_code ftrace_frame_end(struct ftrace_machine *m, const ftrace_event *event,
                         const struct ftrace_thread *owner);

/* The asynchronous slice `H:M: Frame queued` of a process begins or ends. */
ts_code ftrace_frame_queued(struct ftrace_machine *m, int64_t ts, struct ftrace_thread *thread,
                            bool begins);

/* Events of the thread were lost, among which may be ends of its frames and beginnings of others:
 * those that are known have no end, and nothing more becomes part of them. */
ts_code ftrace_frames_forget(struct ftrace_machine *m, const struct ftrace_thread *thread);

ts_code ftrace_frames_finish(struct ftrace_machine *m);
void ftrace_frames_free(struct ftrace_machine *m);

#endif
