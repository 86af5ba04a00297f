/* What the parts of a pod's writer share: pod.c (streams, pauses), trace.c (events and blocks),
 * root.c (what a call does), calls.c (call records). */
#ifndef MC_POD_IMPL_H
#define MC_POD_IMPL_H

#include "pod.h"
#include "words.h"

enum { STATEMENTS = 40, NO_INDEX = -1, NAMES_CACHED = 500, MAX_GROUPS = 3 };

/* A root frame, from its ENTER until its block is written. */
typedef struct mc_call {
    uint64_t start;
    uint64_t end;
    uint64_t added; /* ms that only the record has */
    uint32_t method;
    uint32_t enters;
    uint32_t record;
    bool placed; /* the block of the ENTER is written: file and offset are known */
    bool recorded;
    bool mismatched;
    bool joined;
    uint32_t file;
    uint64_t offset;
    uint32_t logs_written;
    uint32_t logs_more;
    int32_t cpu;
    int32_t wait;
    uint64_t amounts[5]; /* memory, file read and written, net read and written */
    uint32_t transactions;
    uint32_t queue_wait;
    uint32_t groups;
    uint32_t group_word[MAX_GROUPS];
    uint32_t group_values[MAX_GROUPS];
    uint64_t group_first[MAX_GROUPS]; /* values are mc_value of consecutive numbers */
} mc_call;

typedef struct mc_frame {
    uint64_t start;
    uint64_t inner; /* time of the direct children */
    uint32_t method;
} mc_frame;

typedef struct mc_thread {
    int64_t id;
    uint64_t now;
    uint64_t last; /* time of the last event, which the block's next step counts from */
    uint64_t real;
    mk_buf block;
    uint32_t events;
    bool seen;
    bool in_call;
    uint32_t blocks; /* written while the call is open */
    mc_call call;
    mc_call *done; /* finished, in the open block */
    size_t done_count;
    size_t done_cap;
    mc_frame *stack;
    uint32_t level;
    int32_t name_index; /* in the open calls file */
} mc_thread;

typedef struct mc_span {
    uint64_t start;
    uint64_t end;
} mc_span;

typedef struct mc_spans {
    mc_span *p;
    size_t n;
    size_t cap;
} mc_spans;

typedef struct mc_pod {
    mc_output *out;
    const mc_config *c;
    const int64_t *fault; /* all -1 after the first pod */
    mc_figures *f;
    mk_rand rand;
    uint64_t timer0;
    uint64_t now; /* the latest time of all threads */
    mc_thread *threads;
    mc_stream dictionary;
    mc_stream suspend;
    mc_stream calls;
    mc_stream trace;
    mc_stream sql;
    mc_stream xml;
    mc_stream copies;
    uint32_t words; /* in all */
    uint32_t words_written;
    uint64_t call_time; /* of the record before */
    uint32_t call_names;
    int64_t call_count;
    int64_t texts;
    uint64_t values;                   /* numbers of mc_value */
    uint64_t statement_at[STATEMENTS]; /* + 1; 0: not in the open file */
    mc_spans pauses;
    mc_spans spans;         /* of the call records */
    uint64_t pause_written; /* what the suspend stream's sum is at */
    uint64_t pause_next_start;
    uint64_t pause_next_end;
    mk_buf record;
    mk_buf text;
} mc_pod;

void mc_span_add(mc_spans *s, uint64_t start, uint64_t end);

bool mc_hit(const mc_pod *p, mc_fault fault, int64_t number);

/* trace.c */
void mc_trace_open(mc_pod *p, uint32_t index);
void mc_enter(mc_pod *p, mc_thread *t, uint32_t word);
void mc_exit(mc_pod *p, mc_thread *t);

/* Closes the innermost frame without an event. */
void mc_close_frame(mc_pod *p, mc_thread *t);
void mc_block_end(mc_pod *p, mc_thread *t);

/* Tags of the innermost frame; the text is p->text or NULL for an empty one. */
void mc_tag_text(mc_pod *p, mc_thread *t, uint32_t word, uint8_t type, const char *text);
void mc_tag_clob(mc_pod *p, mc_thread *t, uint32_t word, uint8_t type, uint32_t file,
                 uint64_t offset);
void mc_tag_number(mc_pod *p, mc_thread *t, uint32_t word, int64_t v);

/* root.c: one root of a thread from ENTER to EXIT. */
void mc_root(mc_pod *p, mc_thread *t, int64_t number);
void mc_root_open(mc_pod *p, mc_thread *t);

/* calls.c */
void mc_calls_open(mc_pod *p, uint32_t index);
void mc_call_record(mc_pod *p, mc_thread *t, mc_call *call);
void mc_thread_name(char *out, size_t n, int64_t id);

#endif
