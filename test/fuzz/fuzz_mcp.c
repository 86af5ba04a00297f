/*
 * The bytes are lines of a client of `trace_streamer mcp`, which has one recording. What must hold:
 * each answer is one JSON object in one line, with a text of bounded length; no line ends the
 * server. Lines that name paths, or close the recording, are left out.
 *
 * Options: -max_len=2048 -len_control=0
 */
#include "fuzz.h"
#include "fuzz_dir.h"

#include "json/json.h"
#include "mcp/mcp.h"

enum { LINES_MAX = 16, ANSWER_MAX = 6 * MCP_ANSWER_MOST + (1 << 16) };

static const char PROFILE[] =
    "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"url\":\"\"},\"hitCount\":1}],"
    "\"startTime\":1,\"endTime\":4,\"samples\":[1],\"timeDeltas\":[1]}";

static const ts_json_handler nothing = {0};

static ts_code put(void *user, ts_text message)
{
    ts_ctx *ctx = user;
    ts_json *json = NULL;
    check(message.n < ANSWER_MAX && memchr(message.p, '\n', message.n) == NULL);
    check(ts_json_new(&json, ctx, &nothing, NULL, 0) == TS_OK);
    check(ts_json_feed(json, message.p, message.n) == TS_OK && ts_json_finish(json) == TS_OK);
    check(ts_json_state(json) == TS_JSON_DONE && message.p[0] == '{');
    ts_json_free(json);
    return TS_OK;
}

static const char *recording(void)
{
    static char path[100];
    if (path[0] == '\0') {
        fuzz_dir_make();
        (void)snprintf(path, sizeof path, "%s/a.cpuprofile", fuzz_dir);
        FILE *f = fopen(path, "we");
        check(f != NULL && fwrite(PROFILE, 1, sizeof PROFILE - 1, f) == sizeof PROFILE - 1);
        check(fclose(f) == 0);
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ts_ctx ctx; /* one server for all inputs: opening the recording is what takes time */
    static ts_mcp *m;
    ts_text left = {(const char *)data, size};
    ts_buf id = {0};
    if (m == NULL) {
        ts_ctx_init(&ctx);
        check(ts_mcp_new(&m, &ctx, put, &ctx) == TS_OK);
        check(ts_mcp_add(m, recording()) == TS_OK);
    }
    for (int i = 0; i < LINES_MAX && left.n > 0; i++) {
        const ts_text line = ts_text_line(&left);
        check(ts_mcp_cancels(&id, &ctx, line) == TS_OK);
        if (memmem(line.p, line.n, "path", 4) == NULL && memmem(line.p, line.n, "\\u", 2) == NULL &&
            memmem(line.p, line.n, "close", 5) == NULL) {
            check(ts_mcp_take(m, line) == TS_OK);
        }
    }
    check(ts_mcp_busy(m) == 0);
    ts_buf_free(&ctx, &id);
    return 0;
}
