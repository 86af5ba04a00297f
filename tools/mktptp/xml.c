/* The XML form: one element for each event. */
#include "tptp.h"

#include <string.h>

static bool is(const char *value, const char *name)
{
    return strcmp(value, name) == 0;
}

static void text(tp_encoder *e, const char *s)
{
    mk_buf_str(&e->b, s);
}

/* A character of UTF-8; 0 at the end. */
static uint32_t next_char(const uint8_t **p)
{
    const uint8_t *q = *p;
    uint32_t c = *q;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

    if (c == 0)
        return 0;
    c &= more == 0 ? 0x7f : 0x3fU >> more;
    for (q++; more > 0 && (*q & 0xc0) == 0x80; more--, q++)
        c = c << 6 | (*q & 0x3f);
    *p = q;
    return c;
}

static void escaped(tp_encoder *e, const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    const uint8_t *from = p;
    char number[16];

    for (uint32_t c = next_char(&p); c != 0; from = p, c = next_char(&p)) {
        if (c == '<')
            text(e, tp_breaks(e, TP_BREAK_raw_lt) ? "<" : "&lt;");
        else if (c == '>')
            text(e, e->c->entities ? "&gt;" : ">");
        else if (c == '&')
            text(e, "&amp;");
        else if (c == '"')
            text(e, "&quot;");
        else if (c == '\'' && e->c->entities)
            text(e, "&apos;");
        else if (c < 0x20 || (e->c->entities && (c > 0x7e || mk_below(&e->rand, 4) == 0))) {
            snprintf(number, sizeof number, mk_below(&e->rand, 2) == 0 ? "&#%u;" : "&#x%X;", c);
            text(e, number);
        } else
            mk_buf_put(&e->b, from, (size_t)(p - from));
    }
    if (*s != 0 && tp_breaks(e, TP_BREAK_raw_lt))
        text(e, "a<b");
    if (*s != 0 && tp_breaks(e, TP_BREAK_entity))
        text(e, "&nbsp;");
    if (*s != 0 && tp_breaks(e, TP_BREAK_bad_bytes))
        mk_buf_put(&e->b, "\xff\xfe", 2);
}

/* Names of constructors are between dashes, as real agents write them; others with entities. */
static void name_text(tp_encoder *e, const char *s)
{
    if (!e->c->entities && (is(s, "<init>") || is(s, "<clinit>"))) {
        mk_buf_byte(&e->b, '-');
        mk_buf_put(&e->b, s + 1, strlen(s) - 2);
        mk_buf_byte(&e->b, '-');
        return;
    }
    escaped(e, s);
}

static void number(tp_encoder *e, int64_t v)
{
    char digits[32];

    if (tp_breaks(e, TP_BREAK_number))
        text(e, "1,5x");
    else if (tp_breaks(e, TP_BREAK_overflow))
        text(e, "99999999999999999999");
    else {
        snprintf(digits, sizeof digits, "%lld", (long long)v);
        text(e, digits);
    }
}

static void seconds(tp_encoder *e, int64_t ns)
{
    char digits[48];

    if (tp_breaks(e, TP_BREAK_number)) {
        text(e, "1,5");
        return;
    }
    if (tp_breaks(e, TP_BREAK_overflow)) {
        text(e, "99999999999999999999.0");
        return;
    }
    snprintf(digits, sizeof digits, "%s%llu.%09llu", ns < 0 ? "-" : "",
             (unsigned long long)(ns < 0 ? -ns : ns) / 1000000000,
             (unsigned long long)(ns < 0 ? -ns : ns) % 1000000000);
    text(e, digits);
}

static void slashed(tp_encoder *e, const char *s)
{
    size_t from = e->b.n;

    escaped(e, s);
    for (size_t i = from; i < e->b.n; i++) {
        if (e->b.p[i] == '.')
            e->b.p[i] = '/';
    }
}

static bool flag_name(const char *name)
{
    return strncmp(name, "is", 2) == 0;
}

static void value(tp_encoder *e, const tp_event *event, int i)
{
    const tp_attribute *a = &tp_schemas[event->kind].attributes[i];
    int64_t n = event->n[i];

    switch (a->type[0]) {
    case 's':
        if (event->kind == TP_classDef && is(a->name, "name") && e->c->slashes)
            slashed(e, event->s[i] != NULL ? event->s[i] : "");
        else if (event->kind == TP_methodDef && is(a->name, "name"))
            name_text(e, event->s[i] != NULL ? event->s[i] : "");
        else
            escaped(e, event->s[i] != NULL ? event->s[i] : "");
        break;
    case 't':
    case 'd':
    case 'X':
        seconds(e, n);
        break;
    case 'b':
        if (e->c->words && flag_name(a->name) && n <= 1)
            text(e, n != 0 ? "true" : "false");
        else
            number(e, n);
        break;
    case 'i':
        number(e, is(a->name, "stackCount") ? event->frames : n);
        break;
    default:
        number(e, n);
        break;
    }
}

static bool present(const tp_encoder *e, const tp_event *event, int i)
{
    const tp_attribute *a = &tp_schemas[event->kind].attributes[i];

    if (a->type[0] == 'A' || a->type[0] == 'Q' || is(a->name, "stackCount"))
        return false; /* annotations say them */
    if (a->type[0] == 's')
        return e->c->all || (event->s[i] != NULL && event->s[i][0] != 0);
    return e->c->all || a->type[0] == 't' || event->n[i] != 0;
}

static void annotation(tp_encoder *e, const char *name, const tp_event *event, bool numbers)
{
    text(e, "<annotation name=\"");
    text(e, name);
    text(e, "\">");
    for (int i = 0; i < event->frames; i++) {
        text(e, "<value>");
        if (numbers)
            number(e, event->lines[i]);
        else
            escaped(e, event->methods[i]);
        text(e, "</value>");
    }
    text(e, "</annotation>");
}

static void put_wide(mk_buf *b, uint32_t unit, bool little)
{
    mk_buf_byte(b, (uint8_t)(little ? unit : unit >> 8));
    mk_buf_byte(b, (uint8_t)(little ? unit >> 8 : unit));
}

/* What is in the buffer, in the encoding of the document. */
static void recode(tp_encoder *e)
{
    const char *to = e->c->xml_encoding;
    const uint8_t *p;

    if (is(to, "UTF-8"))
        return;
    mk_buf_byte(&e->b, 0);
    e->wide.n = 0;
    p = e->b.p;
    for (uint32_t c = next_char(&p); c != 0; c = next_char(&p)) {
        if (is(to, "ISO-8859-1")) {
            mk_buf_byte(&e->wide, c < 0x100 ? (uint8_t)c : '?');
        } else if (c >= 0x10000) {
            put_wide(&e->wide, 0xd800 + ((c - 0x10000) >> 10), is(to, "UTF-16LE"));
            put_wide(&e->wide, 0xdc00 + ((c - 0x10000) & 0x3ff), is(to, "UTF-16LE"));
        } else {
            put_wide(&e->wide, c, is(to, "UTF-16LE"));
        }
    }
    e->b.n = 0;
    mk_buf_put(&e->b, e->wide.p, e->wide.n);
}

void tp_xml_begin(tp_encoder *e)
{
    const tp_config *c = e->c;

    e->b.n = 0;
    if (c->bom)
        text(e, "\xef\xbb\xbf");
    if (!is(c->declared, "none")) {
        text(e, "<?xml version=\"1.0\"");
        if (*c->declared != 0) {
            text(e, " encoding=\"");
            text(e, c->declared);
            text(e, "\"");
        }
        text(e, "?>\n");
    }
    if (c->comments)
        text(e, "<!DOCTYPE TRACE SYSTEM \"trace.dtd\">\n<!-- a trace > of < mktptp -->\n");
    if (!is(c->root, "none")) {
        text(e, "<");
        text(e, c->root);
        text(e, ">\n");
    }
    recode(e);
    tp_output_put(e->out, e->b.p, e->b.n);
}

static void before(tp_encoder *e)
{
    if (tp_breaks(e, TP_BREAK_text))
        text(e, " some text &amp; more ");
    if (tp_breaks(e, TP_BREAK_nested)) {
        for (int i = 0; i < 300; i++)
            text(e, "<unknownThing>");
        for (int i = 0; i < 300; i++)
            text(e, "</unknownThing>");
    }
    if (tp_breaks(e, TP_BREAK_other))
        text(e,
             "<unknownThing a=\"1\"><methodEntry threadIdRef=\"1\" time=\"1.0\"/>t</unknownThing>");
}

/* The order in which attributes are written. */
static int order(tp_encoder *e, const tp_event *event, int *places)
{
    const tp_attribute *a = tp_schemas[event->kind].attributes;
    int n = 0;

    for (int i = 0; a[i].name != NULL; i++) {
        if (present(e, event, i))
            places[n++] = i;
    }
    for (int i = n - 1; i > 0 && e->c->shuffle; i--) {
        int j = (int)mk_below(&e->rand, (uint64_t)i + 1);
        int t = places[i];
        places[i] = places[j];
        places[j] = t;
    }
    return n;
}

void tp_xml_event(tp_encoder *e, const tp_event *event)
{
    const tp_schema *s = &tp_schemas[event->kind];
    const char *name = tp_breaks(e, TP_BREAK_unknown) ? "unknownEvent" : s->name;
    const char *quote = e->c->shuffle && mk_below(&e->rand, 3) == 0 ? " = \"" : "=\"";
    int places[TP_ATTRIBUTES];
    int n = order(e, event, places);

    e->b.n = 0;
    before(e);
    text(e, "<");
    text(e, name);
    for (int i = 0; i < n; i++) {
        text(e, " ");
        text(e, s->attributes[places[i]].name);
        text(e, quote);
        value(e, event, places[i]);
        text(e, "\"");
    }
    if (tp_breaks(e, TP_BREAK_attribute))
        text(e, " unknownAttribute=\"1\"");
    if (event->frames > 0) {
        text(e, ">");
        annotation(e, "stackMethods", event, false);
        annotation(e, "stackLines", event, true);
        text(e, "</");
        text(e, name);
        text(e, ">");
    } else {
        text(e, "/>");
    }
    if (e->c->lines)
        text(e, "\r\n");
    if (e->c->comments && e->count % 7 == 0)
        text(e, "<!-- <gcStart/> -->");
    recode(e);
}

void tp_xml_end(tp_encoder *e)
{
    if (is(e->c->close, "no") || is(e->c->root, "none"))
        return;
    e->b.n = 0;
    text(e, "</");
    text(e, e->c->root);
    text(e, ">\n");
    recode(e);
    tp_output_put(e->out, e->b.p, e->b.n);
}
