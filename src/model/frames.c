/* Frames: a pool of keys "length of the label, length of the file, line, label, file". */
#include "model/call_stacks.h"

#include "base/buf.h"

typedef struct frame_head {
    uint32_t label;
    uint32_t file;
    int64_t line;
} frame_head;

ts_frame ts_frames_get(const ts_frames *frames, uint32_t id)
{
    ts_text key = ts_pool_text(&frames->keys, id);
    frame_head head;
    memcpy(&head, key.p, sizeof head);
    return (ts_frame){
        {key.p + sizeof head, head.label},
        {key.p + sizeof head + head.label, head.file},
        head.line,
    };
}

ts_code ts_frames_intern(ts_ctx *ctx, uint32_t *id, ts_frames *frames, const ts_frame *frame)
{
    bool file = (frames->parts & TS_FRAME_FILE) != 0;
    bool line = (frames->parts & TS_FRAME_LINE) != 0;
    frame_head head = {(uint32_t)frame->label.n, file ? (uint32_t)frame->file.n : 0,
                       line ? frame->line : 0};
    ts_buf key = {0};
    ts_code code = ts_buf_put(ctx, &key, &head, sizeof head);
    TS_STEP(code, ts_buf_put(ctx, &key, frame->label.p, head.label));
    TS_STEP_IF(code, head.file > 0, ts_buf_put(ctx, &key, frame->file.p, head.file));
    TS_STEP(code, ts_pool_intern(ctx, id, NULL, &frames->keys, ts_buf_text(&key)));
    ts_buf_free(ctx, &key);
    return code;
}

void ts_frames_free(ts_ctx *ctx, ts_frames *frames)
{
    ts_pool_free(ctx, &frames->keys);
}
