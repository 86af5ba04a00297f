/*
 * The functions that a web viewer calls in trace_streamer_builtin.wasm (docs/viewer.md, "The
 * module"). They have no handle: an instance of the module is one session, and its state is the one
 * variable here. The viewer drops the instance for the next recording.
 *
 * Calls write what they are about at the beginning of the request buffer: bytes of the recording,
 * SQL. Functions return 0, or -1 when they failed; then the reason is the last line of the
 * messages. Answers go through functions of the viewer, during the call.
 *
 * The viewer looks at the result of TraceStreamerParseDataEx alone, so that the import ends in the
 * last of these calls: what fails at the end is said as well.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "tracestreamer.h"
#include "wasm/rows_json.h"
#include "wasm/rows_proto.h"

enum {
    GOOD = 0,
    FAILED = -1,
    UNKNOWN_TYPE = 1,
    LOG_OFF = 5,
    CONFIG_LEAST = 64 << 10, /* the viewer writes its configuration without regard to the size */
    NAME_MOST = 4096,
    TYPE_BYTES = 4 /* before the SQL of a query for rows as protobuf */
};

/* Bytes, their number, type, finish. */
typedef void (*wasm_reply_type)(const void *p, uint32_t n, uint32_t type, uint32_t finish);

typedef struct wasm_block {
    uint8_t *p;
    uint32_t n;
} wasm_block;

typedef struct wasm_module {
    ts_ctx ctx; /* of the memory of the module itself */
    bool begun;
    bool finished; /* the import */
    bool good;     /* it gave a database */
    bool running;  /* a call that asks the session */
    uint32_t log_level;
    tst_session *session;
    wasm_block request, config, name, split;
    wasm_reply reply;
    wasm_reply_type reply_type;
    wasm_reply elf_reply;
    uint64_t elf_taken;
} wasm_module;

static wasm_module module;

/* Of library.js. */
void wasm_say(const char *line);

static wasm_module *begin(void)
{
    if (!module.begun) {
        ts_ctx_init(&module.ctx);
        module.begun = true;
    }
    return &module;
}

/* A block of n bytes in the place of the one that is there; NULL without memory. */
static uint8_t *new_block(wasm_module *m, wasm_block *block, uint32_t n)
{
    ts_free(&m->ctx, block->p);
    *block = (wasm_block){ts_zalloc(&m->ctx, 1, n), n};
    if (block->p == NULL) {
        block->n = 0;
    }
    return block->p;
}

/* Whether so many bytes are in the block. */
static bool holds(const wasm_block *block, int32_t n)
{
    return block->p != NULL && n >= 0 && (uint32_t)n <= block->n;
}

static void say(const wasm_module *m, const char *line)
{
    if (m->log_level < LOG_OFF) {
        wasm_say(line);
    }
}

/* What a code of the session is to the viewer. */
static int32_t result(const wasm_module *m, int code)
{
    if (code == TST_OK) {
        return GOOD;
    }
    say(m, m->session == NULL ? "there is no memory" : tst_message(m->session));
    if (code == TST_MEMORY || code == TST_OUTPUT) {
        say(m, "too large for a browser: convert it on the command line and open the .db");
    }
    return FAILED;
}

/* --- the beginning and the end -------------------------------------------------------------- */

void TraceStreamerSetLogLevel(uint32_t level)
{
    begin()->log_level = level;
}

uint8_t *Initialize(uint32_t size, wasm_reply reply, wasm_reply_type reply_type, wasm_reply ffrt)
{
    wasm_module *m = begin();
    (void)ffrt; /* nothing is converted into a recording of ffrt */
    m->reply = reply;
    m->reply_type = reply_type;
    return new_block(m, &m->request, size);
}

int32_t TraceStreamerReset(void)
{
    wasm_module *m = begin();
    const uint32_t level = m->log_level;
    tst_close(m->session);
    ts_free(&m->ctx, m->request.p);
    ts_free(&m->ctx, m->config.p);
    ts_free(&m->ctx, m->name.p);
    ts_free(&m->ctx, m->split.p);
    *m = (wasm_module){.log_level = level};
    return GOOD;
}

/* Only while a call runs, out of one of the viewer's functions: a session keeps a request to stop
 * for the next call. */
int32_t TraceStreamerCancel(void)
{
    wasm_module *m = begin();
    if (m->running && m->session != NULL) {
        tst_cancel(m->session);
    }
    return GOOD;
}

/* --- configuration --------------------------------------------------------------------------- */

uint8_t *InitializeParseConfig(uint32_t n)
{
    wasm_module *m = begin();
    return new_block(m, &m->config, n < CONFIG_LEAST ? CONFIG_LEAST : n);
}

/* The viewer's switches choose parsers, which here the recording does. */
int32_t TraceStreamerParserConfigEx(int32_t n)
{
    return holds(&begin()->config, n) ? GOOD : FAILED;
}

/* The payloads of plugins that other modules read are not given to them. */
int32_t TraceStreamerInitThirdPartyConfig(int32_t n)
{
    return holds(&begin()->request, n) ? GOOD : FAILED;
}

uint8_t *TraceStreamerSetThirdPartyDataDealer(wasm_reply deal, uint32_t size)
{
    (void)deal;
    (void)size;
    return begin()->request.p;
}

int32_t UpdateTraceTime(int32_t n)
{
    return holds(&begin()->request, n) ? GOOD : FAILED;
}

/* --- the recording --------------------------------------------------------------------------- */

static int open_session(wasm_module *m)
{
    const tst_options options = {
        .size = sizeof options, .flags = TST_ONE_THREAD, .temp_dir = "/chunks"};
    return m->session != NULL ? TST_OK : tst_open(&m->session, &options);
}

/* Ends the import, once. */
static int finish_import(wasm_module *m)
{
    const int code = tst_finish(m->session);
    m->finished = true;
    m->good = code == TST_OK;
    return code;
}

int32_t TraceStreamerParseDataEx(int32_t n, int32_t finish)
{
    wasm_module *m = begin();
    if (!holds(&m->request, n) || m->finished) {
        say(m, "a recording is given after Initialize, once");
        return FAILED;
    }
    int code = open_session(m);
    m->running = true;
    if (code == TST_OK) {
        code = tst_feed(m->session, m->request.p, (size_t)n, finish != 0);
    }
    if (code == TST_OK && finish != 0) {
        code = finish_import(m);
    }
    m->finished = m->finished || code != TST_OK;
    m->running = false;
    return result(m, code);
}

int32_t TraceStreamerParseDataOver(void)
{
    wasm_module *m = begin();
    if (m->session == NULL || m->finished) {
        return m->good ? GOOD : FAILED;
    }
    m->running = true;
    int code = tst_feed(m->session, NULL, 0, 1);
    const int finished = finish_import(m);
    m->running = false;
    return result(m, m->good ? TST_OK : code != TST_OK ? code : finished);
}

/* --- questions ------------------------------------------------------------------------------- */

/* The rows of the SQL at `at` in the request of n bytes. */
static int query(tst_rows **rows, wasm_module *m, uint32_t at, int32_t n)
{
    char *sql;
    int code = TST_USAGE;
    *rows = NULL;
    if (!m->good || !holds(&m->request, n) || (uint32_t)n < at) {
        return TST_USAGE;
    }
    sql = ts_strndup(&m->ctx, (const char *)m->request.p + at, (uint32_t)n - at);
    code = sql == NULL ? TST_MEMORY : tst_query(rows, m->session, sql, NULL, 0);
    ts_free(&m->ctx, sql);
    return code;
}

/* SQL without rows, which cannot change the database. */
int32_t TraceStreamerSqlOperateEx(int32_t n)
{
    wasm_module *m = begin();
    tst_rows *rows;
    m->running = true;
    int code = query(&rows, m, 0, n);
    while (code == TST_OK && (code = tst_rows_next(rows)) == TST_ROW) {
        code = TST_OK;
    }
    tst_rows_free(rows);
    m->running = false;
    return result(m, code);
}

int32_t TraceStreamerSqlQueryEx(int32_t n)
{
    wasm_module *m = begin();
    tst_rows *rows;
    if (m->reply == NULL) {
        return FAILED;
    }
    m->running = true;
    int code = query(&rows, m, 0, n);
    if (code == TST_OK) {
        code = rows_json(&m->ctx, rows, m->reply);
    } else {
        rows_json_failed(m->reply);
    }
    tst_rows_free(rows);
    m->running = false;
    return result(m, code);
}

int32_t TraceStreamerSqlQueryToProtoCallback(int32_t n)
{
    wasm_module *m = begin();
    ts_buf out = {0};
    tst_rows *rows;
    uint32_t type = 0;
    if (m->reply_type == NULL || !holds(&m->request, n) || n < TYPE_BYTES) {
        return FAILED;
    }
    memcpy(&type, m->request.p,
           sizeof type); /* WebAssembly has the low byte first, as the viewer */
    const proto_type *made_of = proto_type_of(type);
    if (made_of == NULL) {
        return UNKNOWN_TYPE;
    }
    m->running = true;
    int code = query(&rows, m, TYPE_BYTES, n);
    if (code == TST_OK) {
        code = rows_proto(&out, &m->ctx, rows, made_of);
    }
    tst_rows_free(rows);
    if (code == TST_OK) {
        m->reply_type(out.p, (uint32_t)out.n, type, 1);
    }
    ts_buf_free(&m->ctx, &out);
    m->running = false;
    return result(m, code);
}

/* There are no metrics yet. */
int32_t TraceStreamerSqlMetricsQuery(int32_t n)
{
    (void)n;
    return FAILED;
}

static int put_export(void *user, const void *bytes, size_t n)
{
    const wasm_reply *put = user;
    (*put)(bytes, (uint32_t)n, 0);
    return 0;
}

int32_t WasmExportDatabase(wasm_reply put)
{
    wasm_module *m = begin();
    if (!m->good) {
        return FAILED;
    }
    const int code = tst_export(m->session, put_export, &put);
    put(m->request.p, 0, 1);
    return result(m, code);
}

/* --- files with symbols: refused ---------------------------------------------------------------
 */

uint8_t *InitFileName(wasm_reply reply, uint32_t n)
{
    wasm_module *m = begin();
    m->elf_reply = reply;
    m->elf_taken = 0;
    return n > NAME_MOST ? NULL : new_block(m, &m->name, NAME_MOST);
}

/* finish says nothing: the viewer sets it with each piece. */
int32_t TraceStreamerDownloadELFEx(int32_t total, int32_t name_n, int32_t n, int32_t finish)
{
    static const char sent[] = "file send over\r\n";
    static const char failed[] = "failed\r\n";
    wasm_module *m = begin();
    (void)finish;
    if (m->elf_reply == NULL || !holds(&m->name, name_n) || !holds(&m->request, n)) {
        return FAILED;
    }
    m->elf_taken += (uint64_t)n;
    if (m->elf_taken >= (uint32_t)total) {
        m->elf_taken = 0;
        m->elf_reply(sent, sizeof sent - 1, 0);
        m->elf_reply(failed, sizeof failed - 1, 1);
    }
    return FAILED;
}

/* --- parts of recordings: refused ----------------------------------------------------------------
 */

/* The viewer writes into the buffer whatever comes of it. */
uint8_t *InitializeSplitFile(wasm_reply_type reply, uint32_t size)
{
    wasm_module *m = begin();
    (void)reply;
    return new_block(m, &m->split, size);
}

int32_t TraceStreamerSplitFileEx(int32_t n)
{
    (void)n;
    return FAILED;
}

int32_t TraceStreamerReciveFileEx(int32_t n, int32_t finish)
{
    (void)n;
    (void)finish;
    return FAILED;
}

int32_t TraceStreamerGetLongTraceTimeSnapEx(int32_t n)
{
    (void)n;
    return FAILED;
}

int32_t TraceStreamerLongTraceSplitFileEx(int32_t n, int32_t finish, int32_t page)
{
    (void)n;
    (void)finish;
    (void)page;
    return FAILED;
}
