/*
 * A TCP conversation between an agent and its collector, both directions in one file. Its streams
 * are taken apart into anonymous spools; each pod is imported when the next one begins, or at the
 * end.
 */
#ifndef TS_PARSERS_CLOUD_CONVERSATION_H
#define TS_PARSERS_CLOUD_CONVERSATION_H

#include "parsers/format.h"

typedef struct cloud_conversation cloud_conversation;

/* Bytes that sniffing looks at. */
enum { CLOUD_CONVERSATION_HEAD = 13 };

/* Do the bytes begin a conversation? */
bool cloud_is_conversation(const uint8_t *p, size_t n);

/* source_id: of the file; the first pod gets it too. Caller frees. */
ts_code cloud_conversation_new(cloud_conversation **out, ts_job *job, int64_t source_id);
ts_code cloud_conversation_feed(cloud_conversation *c, const uint8_t *p, size_t n);

/* Imports what is left; counts the bytes. TS_ERR_FORMAT when no pod was there. */
ts_code cloud_conversation_finish(cloud_conversation *c);
void cloud_conversation_free(cloud_conversation *c);

#endif
