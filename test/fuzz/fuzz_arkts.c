/*
 * ArkTS recordings: see import_check.h for what must hold. The first byte of the input chooses what
 * the rest is:
 *   0 an .htrace file              1 the same without its header, which is put before it
 *   2, 3 messages, divided by 0x1e, whose first byte says what they are:
 *     m a debugger message, t one that was cut, c a chunk's text, b two chunks (the text is cut in
 *     the middle), f a configuration, g a gap, 1 2 3 a mark
 *
 * Options: -max_len=6000 -len_control=0
 */
#include "import_check.h"

#include "mutate.h"

enum { HEADER = 1024 };

const size_t fuzz_prefix = 1;

static void file(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    fuzz_import_format(r, &ts_format_htrace, p, n, cuts);
}

static void headed_file(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    static const uint8_t magic[] = {'O', 'H', 'O', 'S', 'P', 'R', 'O', 'F', 0, 4};
    uint8_t *bytes = calloc(1, HEADER + n);
    check(bytes != NULL);
    memcpy(bytes, magic, sizeof magic); /* of unknown length, with clocks */
    bytes[18] = 1;                      /* version */
    bytes[61] = 1;                      /* boottime */
    bytes[70] = 1;                      /* realtime */
    bytes[85] = 16;                     /* monotonic */
    if (n > 0) {
        memcpy(bytes + HEADER, p, n);
    }
    file(r, bytes, HEADER + n, cuts);
    free(bytes);
}

static void one(fuzz_run *r, ts_session *s, const uint8_t *p, size_t n, uint64_t cuts, int64_t at)
{
    size_t half = n / 2;
    if (n == 0) {
        return;
    }
    switch (p[0]) {
    case 'c':
        fuzz_send_chunk(r, s, p + 1, n - 1, cuts, at);
        return;
    case 'b':
        half = half == 0 ? 1 : half;
        fuzz_send_chunk(r, s, p + 1, half - 1, cuts, at);
        fuzz_send_chunk(r, s, p + half, n - half, cuts, at);
        return;
    case 'f':
        r->code = ts_session_config(s, p + 1, n - 1, at, false);
        return;
    case 'g':
        r->code = ts_session_gap(s, at);
        return;
    case '1':
    case '2':
    case '3':
        fuzz_send_mark(r, s, (char)p[0], at);
        return;
    default:
        fuzz_send(r, s, p + 1, n - 1, cuts, at, p[0] == 't');
        return;
    }
}

static void messages(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    ts_session *s = fuzz_session_begin(r);
    for (size_t at = 0; at < n && r->code == TS_OK;) {
        const uint8_t *separator = memchr(p + at, 0x1e, n - at);
        size_t m = separator == NULL ? n - at : (size_t)(separator - p) - at;
        one(r, s, p + at, m, cuts, (int64_t)at);
        at += m + (separator != NULL);
    }
    fuzz_session_end(r, s);
    check(r->code == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const fuzz_import forms[] = {file, headed_file, messages, messages};
    fuzz_run r;
    if (size == 0) {
        return 0;
    }
    unsigned form = data[0] % 4;
    fuzz_run_both(&r, forms[form], data + 1, size - 1);
    check(r.code == TS_OK || (r.code == TS_ERR_FORMAT && form == 0)); /* it has no header */
    check(form > 1 || r.code != TS_OK || r.bytes == size - 1 + (form == 1 ? HEADER : 0));
    fuzz_run_free(&r);
    return 0;
}
