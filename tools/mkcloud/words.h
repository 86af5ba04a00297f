/*
 * Texts of a recording: the dictionary's words (tag names, parameter names, method signatures of
 * every form), statements, values.
 */
#ifndef MC_WORDS_H
#define MC_WORDS_H

#include "cloud.h"

/* Ids of the words that the agent itself uses. */
enum {
    MC_W_CALL_INFO,
    MC_W_STARTED = 5,
    MC_W_NODE,
    MC_W_THREAD,
    MC_W_LOG_GENERATED,
    MC_W_LOG_WRITTEN,
    MC_W_CPU,
    MC_W_WAIT,
    MC_W_MEMORY,
    MC_W_DISK_READ,
    MC_W_DISK_WRITTEN,
    MC_W_NET_READ,
    MC_W_NET_WRITTEN,
    MC_W_TRANSACTIONS,
    MC_W_QUEUE_WAIT,
    MC_W_SQL,
    MC_W_BINDS,
    MC_W_MESSAGE,
    MC_W_PLAIN, /* names without a meaning to us, up to MC_FIRST_METHOD */
    MC_FIRST_METHOD = 40,
};

/* Word `id` of a dictionary with `methods` methods; sets `*is_method`. */
void mc_word(mk_buf *text, uint32_t id, bool *is_method);

/* Statement `number`, and a value for tags and parameters. */
void mc_statement(mk_buf *text, uint64_t number);
void mc_value(mk_buf *text, uint64_t number);

#endif
