#include "tptp.h"

/* clang-format off */
const tp_schema tp_schemas[TP_KINDS] = {{0, "", {
#define EVENT(id, name) {NULL, NULL}}}, {id, #name, {
#define A(event, type, name) {#type, #name},
#include "events.def"
#undef EVENT
#undef A
{NULL, NULL}}}};
/* clang-format on */

bool tp_breaks(const tp_encoder *e, tp_break_kind what)
{
    for (size_t i = 0; i < e->c->break_count; i++) {
        if (e->c->breaks[i].event == e->count && e->c->breaks[i].what == what)
            return true;
    }
    return false;
}

void tp_encode(tp_encoder *e, const tp_event *event)
{
    if (tp_output_stopped(e->out) || (tp_schemas[event->kind].id == 0 && !e->xml))
        return;
    if (tp_breaks(e, TP_BREAK_drop)) {
        e->count++;
        return;
    }
    if (e->xml)
        tp_xml_event(e, event);
    else
        tp_binary_event(e, event);
    if (tp_breaks(e, TP_BREAK_half)) {
        tp_output_put(e->out, e->b.p, e->b.n / 2);
        tp_output_stop(e->out);
        return;
    }
    tp_output_put(e->out, e->b.p, e->b.n);
    if (tp_breaks(e, TP_BREAK_twice))
        tp_output_put(e->out, e->b.p, e->b.n);
    e->count++;
    e->figures->events++;
    if (e->c->stop > 0 && e->count == e->c->stop)
        tp_output_stop(e->out);
}
