/*
 * What the parts of mkcloud share: the options of a recording, the damage that is done to it, and
 * the figures that a reader must get out of it. mkcloud makes test input; it is never linked into
 * trace_streamer. Buffers, numbers and the random source are those of mkhtrace (mk.h).
 */
#ifndef MC_CLOUD_H
#define MC_CLOUD_H

#include "mk.h"

typedef enum mc_kind {
    MC_DICTIONARY,
    MC_PARAMS,
    MC_SUSPEND,
    MC_CALLS,
    MC_TRACE,
    MC_SQL,
    MC_XML,
    MC_GC,
    MC_TD,
    MC_TOP,
    MC_HEAP,
    MC_POS_DICTIONARY,
    MC_CALLS_DICTIONARY,
    MC_CALLS_SLOW, /* copies of rows of calls, grouped by duration */
    MC_KINDS,
} mc_kind;

typedef enum mc_container { MC_AGENT, MC_FLAT, MC_TCP } mc_container;

/* What is written wrong on purpose. After each name is the number (from 0) of the root, call
 * record, word … of the first pod that gets it. The texts are the help. */
#define MC_FAULTS(F)                                                                               \
    F(STRAY_EXIT, "stray-exit", "EXIT with an empty stack before root N")                          \
    F(STRAY_TAG, "stray-tag", "TAG with an empty stack before root N")                             \
    F(LOST_ENTER, "lost-enter", "root N is a single frame without its ENTER")                      \
    F(LOST_EXIT, "lost-exit", "root N has one child, whose EXIT is missing")                       \
    F(CLOCK_BACK, "clock-back", "negative time step inside root N")                                \
    F(NO_WORD, "no-word", "root N has a method id without a word")                                 \
    F(TAG_WORD, "tag-word", "root N has a tag whose id has no word")                               \
    F(TAG_TYPE, "tag-type", "call.info of root N has the parameter type 4")                        \
    F(TAG_LENGTH, "tag-length", "call.info of root N has a text of length -1")                     \
    F(CLOB_OFFSET, "clob-offset", "root N refers into the middle of a text")                       \
    F(CLOB_FILE, "clob-file", "root N refers to a text file that is not there")                    \
    F(CALL_METHOD, "call-method", "call record N has another method than its root")                \
    F(CALL_START, "call-start", "call record N starts 1000 ms before its root")                    \
    F(CALL_KEY, "call-key", "call record N points to an event that is no root")                    \
    F(CALL_FILE, "call-file", "call record N points to a trace file that is not there")            \
    F(CALL_THREAD, "call-thread", "call record N has a thread index beyond the table")             \
    F(CALL_TWICE, "call-twice", "call record N stands twice")                                      \
    F(CALL_NO_METHOD, "call-no-method", "call record N has a method id without a word")            \
    F(CALL_DURATION, "call-duration", "call record N has a negative duration")                     \
    F(CALL_PARAMS, "call-params", "call record N claims 5000 parameter groups")                    \
    F(CALL_VALUES, "call-values", "call record N claims 2^20 + 1 values in a group")               \
    F(CALL_STRING, "call-string", "call record N has a value of length -1")                        \
    F(CALL_WORD, "call-word", "the first parameter of call record N, if any, has no word")         \
    F(WORD_LENGTH, "word-length", "word N has the length 2^31 - 1")                                \
    F(PARAM_LENGTH, "param-length", "parameter N has a name of length -1")                         \
    F(TEXT_LENGTH, "text-length", "sql text N has the length -1")                                  \
    F(TCP_REFUSED, "tcp-refused", "the collector refuses pod N and the file ends")                 \
    F(TCP_COMMAND, "tcp-command", "an unknown command before data command N")                      \
    F(TCP_HANDLE, "tcp-handle", "data for an unknown handle before data command N")                \
    F(TCP_ERROR, "tcp-error", "data command N is answered with 0xFF and the file ends")            \
    F(TCP_FIELD, "tcp-field", "data command N claims a length of 2^31 - 1")

#define MC_FAULT_ENUM(id, name, help) MC_##id,
typedef enum mc_fault { MC_FAULTS(MC_FAULT_ENUM) MC_FAULT_COUNT } mc_fault;
#undef MC_FAULT_ENUM

typedef enum mc_edit_kind {
    MC_CUT,        /* the stream file ends at `offset` */
    MC_PATCH,      /* bytes from `offset` on are replaced */
    MC_INSERT,     /* bytes before `offset` */
    MC_REMOVE,     /* `number` bytes from `offset` on are missing */
    MC_DROP,       /* the file is missing */
    MC_PHRASE,     /* phrase `offset` claims the length `number` */
    MC_GZIP_CUT,   /* the compressed file ends at `offset` */
    MC_GZIP_PATCH, /* bytes of the compressed file are replaced */
    MC_GZIP_CRC,   /* wrong checksum in the gzip trailer */
} mc_edit_kind;

/* Damage to the bytes of one file of one stream of the first pod. */
typedef struct mc_edit {
    mc_edit_kind what;
    mc_kind stream;
    uint32_t index;
    uint64_t offset;
    int64_t number;
    mk_buf bytes;
} mc_edit;

enum { MC_MAX_EDITS = 64 };

typedef struct mc_config {
    const char *output;
    const char *container_name;
    mc_container container;
    const char *expect;
    const char *pod_name;
    const char *service;
    const char *space;
    const char *suffix;
    int64_t pods;
    int64_t calls; /* roots of a pod, with and without a call record */
    int64_t depth; /* levels */
    int64_t threads;
    int64_t frames; /* mean number of invocations below a root */
    int64_t methods;
    int64_t callees; /* different methods that a method calls; 0: any */
    int64_t seed;
    int64_t start; /* ms, of the agent */
    int64_t uptime;
    int64_t small; /* % of roots without a call record */
    int64_t open;  /* threads that end inside a call */
    int64_t pause; /* ms between pauses */
    int64_t block; /* events */
    int64_t phrase;
    int64_t rotate_trace;
    int64_t rotate_calls;
    int64_t rotate_texts;
    int64_t format;
    int64_t params_version;
    int64_t first_index;
    int64_t field; /* bytes of a data command */
    bool positions;
    bool copies;
    bool plain;
    bool trailers;
    bool members;
    bool no_params;
    bool others;
    bool commands;
    bool short_longs;
    bool reactive;
    int64_t fault[MC_FAULT_COUNT]; /* -1: none */
    mc_edit edits[MC_MAX_EDITS];
    size_t edit_count;
} mc_config;

/* Figures over all pods, as they are before MC_CUT and the other edits. Names are those of the
 * text that --expect writes. */
#define MC_FIGURES(F)                                                                              \
    F(pods, "pods")                                                                                \
    F(words, "dictionary.words")                                                                   \
    F(methods, "dictionary.methods")                                                               \
    F(params, "params.rows")                                                                       \
    F(pauses, "suspend.rows")                                                                      \
    F(pause_sum, "suspend.sum")                                                                    \
    F(pause_max, "suspend.max")                                                                    \
    F(calls, "calls.rows")                                                                         \
    F(groups, "calls.params")                                                                      \
    F(values, "calls.values")                                                                      \
    F(duration, "calls.duration")                                                                  \
    F(call_enters, "calls.enters")                                                                 \
    F(logs_written, "calls.logs_written")                                                          \
    F(logs_generated, "calls.logs_generated")                                                      \
    F(cpu, "calls.cpu")                                                                            \
    F(wait, "calls.wait")                                                                          \
    F(memory, "calls.memory")                                                                      \
    F(file_read, "calls.file_read")                                                                \
    F(file_written, "calls.file_written")                                                          \
    F(net_read, "calls.net_read")                                                                  \
    F(net_written, "calls.net_written")                                                            \
    F(transactions, "calls.transactions")                                                          \
    F(queue_wait, "calls.queue_wait")                                                              \
    F(min_start, "calls.min_start")                                                                \
    F(max_end, "calls.max_end")                                                                    \
    F(suspended, "calls.suspended")                                                                \
    F(joined, "calls.joined")                                                                      \
    F(mismatched, "calls.mismatched")                                                              \
    F(blocks, "trace.blocks")                                                                      \
    F(threads, "trace.threads")                                                                    \
    F(enters, "trace.enters")                                                                      \
    F(exits, "trace.exits")                                                                        \
    F(tags_inline, "trace.tags_inline")                                                            \
    F(tags_big, "trace.tags_big")                                                                  \
    F(tags_index, "trace.tags_index")                                                              \
    F(tags_dedup, "trace.tags_dedup")                                                              \
    F(max_level, "trace.max_level")                                                                \
    F(roots, "trace.roots")                                                                        \
    F(spanning, "trace.spanning_roots")                                                            \
    F(open, "trace.open")                                                                          \
    F(lost, "trace.lost")                                                                          \
    F(stray_exits, "trace.stray_exits")                                                            \
    F(stray_tags, "trace.stray_tags")                                                              \
    F(slice_duration, "slices.duration")                                                           \
    F(self, "slices.self")                                                                         \
    F(root_duration, "slices.root_duration")                                                       \
    F(clob_unresolved, "clobs.unresolved")                                                         \
    F(sql, "sql.texts")                                                                            \
    F(xml, "xml.texts")

#define MC_FIGURE_FIELD(id, name) int64_t id;
typedef struct mc_figures {
    MC_FIGURES(MC_FIGURE_FIELD)
} mc_figures;
#undef MC_FIGURE_FIELD

/* Primitive encodings of the format. Text is UTF-8; the three bytes of a lone surrogate are
 * accepted and give that code unit. */
void mc_u32(mk_buf *b, uint32_t v);
void mc_u64(mk_buf *b, uint64_t v);
void mc_varint(mk_buf *b, uint32_t v);
void mc_zigzag(mk_buf *b, int32_t v);
void mc_varlong(mk_buf *b, uint64_t v);
void mc_string(mk_buf *b, const char *text);

#endif
