/* Streams of a conversation. */
#include "parsers/cloud/conversation_streams.h"

#include <string.h>

typedef struct open_stream {
    uint8_t handle[CLOUD_HANDLE];
    size_t file; /* number among the files */
} open_stream;

void cloud_streams_clear(cloud_streams *s)
{
    cloud_file *files = s->files.p;
    for (size_t i = 0; i < s->files.n; i++) {
        ts_spool_free(files[i].spool);
    }
    s->files.n = 0;
    s->streams.n = 0;
    ts_index_free(s->ctx, &s->by_name);
    ts_index_free(s->ctx, &s->by_handle);
}

void cloud_streams_close(cloud_streams *s)
{
    cloud_streams_clear(s);
    ts_vec_free(s->ctx, &s->files);
    ts_vec_free(s->ctx, &s->streams);
}

bool cloud_streams_full(const cloud_streams *s)
{
    return s->streams.n == CLOUD_MAX_STREAMS || s->files.n == CLOUD_MAX_STREAMS;
}

static uint64_t hash_name(const cloud_streams *s, const char *name, int64_t index)
{
    ts_hash h = ts_hash_begin(&s->ctx->hash_key);
    ts_hash_word(&h, (uint64_t)index);
    ts_hash_bytes(&h, name, strlen(name));
    return ts_hash_end(&h);
}

static bool is_file(const void *owner, uint32_t number, const void *key)
{
    const cloud_streams *s = owner;
    const cloud_file *f = (const cloud_file *)s->files.p + number;
    const cloud_file *wanted = key;
    return f->index == wanted->index && strcmp(f->stream, wanted->stream) == 0;
}

static uint64_t hash_handle(const cloud_streams *s, const uint8_t *handle)
{
    ts_hash h = ts_hash_begin(&s->ctx->hash_key);
    ts_hash_bytes(&h, (const char *)handle, CLOUD_HANDLE);
    return ts_hash_end(&h);
}

static bool is_stream(const void *owner, uint32_t number, const void *key)
{
    const cloud_streams *s = owner;
    return memcmp(((const open_stream *)s->streams.p)[number].handle, key, CLOUD_HANDLE) == 0;
}

/* The file of the stream with this number, made when new. */
static ts_code file_of(size_t *number, cloud_streams *s, ts_text name, int64_t index)
{
    cloud_file f = {.index = index, .name = ""};
    ts_index_place place;
    uint32_t found;
    size_t n = name.n < sizeof f.stream ? name.n : sizeof f.stream - 1;
    ts_code code;
    memcpy(f.stream, name.p, n);
    f.kind = cloud_kind_of(f.stream, n);
    TS_TRY(code, ts_index_reserve(s->ctx, &s->by_name));
    found = ts_index_search(&place, &s->by_name, hash_name(s, f.stream, index), is_file, s, &f);
    if (found != TS_INDEX_NONE) {
        *number = found;
        return TS_OK;
    }
    TS_TRY(code, ts_vec_reserve(s->ctx, &s->files, 1, sizeof f));
    TS_TRY(code, ts_spool_new(&f.spool, s->ctx));
    *number = s->files.n;
    ((cloud_file *)s->files.p)[s->files.n++] = f;
    ts_index_add(&s->by_name, place, (uint32_t)*number);
    return TS_OK;
}

ts_code cloud_streams_open(cloud_streams *s, const uint8_t *handle, ts_text name, int64_t index)
{
    open_stream *opened;
    ts_index_place place;
    size_t file;
    uint32_t number;
    ts_code code;
    TS_TRY(code, file_of(&file, s, name, index));
    TS_TRY(code, ts_index_reserve(s->ctx, &s->by_handle));
    number = ts_index_search(&place, &s->by_handle, hash_handle(s, handle), is_stream, s, handle);
    if (number != TS_INDEX_NONE) {
        ((open_stream *)s->streams.p)[number].file = file;
        return TS_OK;
    }
    TS_NEED(s->ctx, opened = ts_vec_add(s->ctx, &s->streams, sizeof *opened));
    memcpy(opened->handle, handle, CLOUD_HANDLE);
    opened->file = file;
    ts_index_add(&s->by_handle, place, (uint32_t)s->streams.n - 1);
    return TS_OK;
}

ts_spool *cloud_streams_find(const cloud_streams *s, const uint8_t *handle)
{
    uint32_t number = ts_index_find(&s->by_handle, hash_handle(s, handle), is_stream, s, handle);
    if (number == TS_INDEX_NONE) {
        return NULL;
    }
    return ((const cloud_file *)s->files.p)[((const open_stream *)s->streams.p)[number].file].spool;
}
