#include "parsers/ftrace/order/ftrace_pack.h"

#include "base/ckd.h"

bool ftrace_packed_max(size_t *size, const ftrace_event *event)
{
    bool over = ts_ckd_add(size, event->comm.n, (size_t)FTRACE_PACKED_MAX);
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        over |= (event->texts >> i & 1) != 0 && ts_ckd_add(size, *size, event->text[i].n);
    }
    return !over;
}

static inline uint8_t *put_text(uint8_t *p, ts_text text)
{
    p = ftrace_put_uint(p, text.n);
    if (text.n > 0) {
        memcpy(p, text.p, text.n);
    }
    return p + text.n;
}

static inline ts_text get_text(ftrace_packed *in)
{
    uint64_t n = ftrace_get_uint(in);
    ts_text text = {(const char *)in->p, (size_t)n};
    if (n == 0) {
        return (ts_text){"", 0};
    }
    if (n > (uint64_t)(in->end - in->p)) {
        in->p = in->end = NULL;
        return (ts_text){"", 0};
    }
    in->p += n;
    return text;
}

uint8_t *ftrace_pack(uint8_t *p, const ftrace_event *event)
{
    *p++ = event->reader;
    *p++ = event->numbers;
    *p++ = event->texts;
    p = ftrace_put_int(p, event->pid);
    p = ftrace_put_int(p, event->tgid);
    p = ftrace_put_uint(p, event->cpu);
    p = ftrace_put_uint(p, event->kind);
    p = put_text(p, event->comm);
    for (unsigned bits = event->numbers, i = 0; bits != 0; bits >>= 1, i++) {
        if ((bits & 1) != 0) {
            p = ftrace_put_int(p, event->number[i]);
        }
    }
    for (unsigned bits = event->texts, i = 0; bits != 0 && i < FTRACE_TEXTS; bits >>= 1, i++) {
        if ((bits & 1) != 0) {
            p = put_text(p, event->text[i]);
        }
    }
    return p;
}

void ftrace_unpack(ftrace_event *event, ftrace_packed *in)
{
    if (in->end - in->p < 3) {
        *event = (ftrace_event){.comm = {"", 0}};
        in->p = in->end = NULL;
        return;
    }
    event->ts = 0;
    event->reader = *in->p++;
    event->numbers = *in->p++;
    event->texts = *in->p++;
    event->pid = (int32_t)ftrace_get_int(in);
    event->tgid = (int32_t)ftrace_get_int(in);
    event->cpu = (uint32_t)ftrace_get_uint(in);
    event->kind = (uint16_t)ftrace_get_uint(in);
    event->comm = get_text(in);
    for (unsigned i = 0; i < FTRACE_NUMBERS; i++) {
        event->number[i] = (event->numbers >> i & 1) != 0 ? ftrace_get_int(in) : 0;
    }
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        event->text[i] = (event->texts >> i & 1) != 0 ? get_text(in) : (ts_text){"", 0};
    }
}
