/* Elements to records, through expat. */
#include "parsers/tptp/xml_trace.h"

#include "base/alloc.h"

#include <stdlib.h>

/* expat keeps the names that it has seen until it is reset. */
enum { RESET_BYTES = 8 << 20 };

static const char document[] = "<x>";

static void fail(tptp_xml *x, ts_code code)
{
    if (code != TS_OK && x->code == TS_OK) {
        x->code = code;
        XML_StopParser(x->parser, XML_FALSE);
    }
}

/* --- attributes ------------------------------------------------------------------------------ */

static ts_code set_attributes(tptp_xml *x, const char **atts)
{
    ts_code code = TS_OK;
    for (; atts[0] != NULL && code == TS_OK; atts += 2) {
        size_t n = strlen(atts[0]);
        const tptp_name *name = tptp_attribute_of(&x->names, atts[0], n);
        if (name != NULL) {
            tptp_set_attribute(&x->record, name, atts[1]);
        } else if (x->record.kind != TPTP_OTHER) {
            code = tptp_import_unknown(&x->import, TS_ITEM_tptp_unknown_attributes,
                                       TS_ISSUE_tptp_unknown_attribute, (ts_text){atts[0], n},
                                       x->record.offset, false);
        }
    }
    return code;
}

/* Of an element that only XML has: all but its thread and time are kept as they are. */
static ts_code keep_attributes(tptp_xml *x, const char **atts)
{
    x->attributes.n = 0;
    for (; atts[0] != NULL; atts += 2) {
        const tptp_name *name = tptp_attribute_of(&x->names, atts[0], strlen(atts[0]));
        tptp_attribute *a;
        if (name != NULL && name->what != TPTP_ATTR_TEXT &&
            (name->slot == TPTP_N_THREAD || name->slot == TPTP_N_TIME)) {
            continue;
        }
        TS_NEED(x->ctx, a = ts_vec_add(x->ctx, &x->attributes, sizeof *a));
        *a = (tptp_attribute){ts_text_of(atts[0]), ts_text_of(atts[1])};
    }
    x->record.attributes = x->attributes.p;
    x->record.attribute_count = (uint32_t)x->attributes.n;
    return TS_OK;
}

/* Names of constructors are written without < and >: that is done with the rows. Only
 * numbers that the rows of an unknown event have can be unreadable. */
static ts_code take_record(tptp_xml *x)
{
    bool begun;
    x->events = true;
    if (x->record.kind == TPTP_OTHER) {
        x->record.bad &= TPTP_BIT(THREAD) | TPTP_BIT(TIME);
    }
    ts_code code = tptp_import_take(&begun, &x->import, &x->record);
    return code != TS_OK ? code : tptp_xml_facts(x);
}

/* --- stacks of monitors ----------------------------------------------------------------------- */

static bool is_monitor(tptp_kind kind)
{
    return kind >= TPTP_MON_WAIT && kind <= TPTP_MON_CONTENDED_ENTERED;
}

static ts_code add_frame_value(tptp_xml *x, const char *value, size_t n)
{
    size_t *at;
    int64_t *line;
    if (!x->wanted) {
        return TS_OK;
    }
    if (x->lines) {
        TS_NEED(x->ctx, line = ts_vec_add(x->ctx, &x->line_list, sizeof *line));
        if (!tptp_parse_number(line, value)) {
            *line = 0;
            x->record.bad |= TPTP_BIT(LINE);
        }
        return TS_OK;
    }
    TS_NEED(x->ctx, at = ts_vec_add(x->ctx, &x->method_at, sizeof *at));
    *at = x->methods.n;
    return ts_buf_put(x->ctx, &x->methods, value, n + 1);
}

static ts_code begin_annotation(tptp_xml *x, const char **atts)
{
    const char *name = "";
    const char *value = NULL;
    for (; atts[0] != NULL; atts += 2) {
        if (strcmp(atts[0], "name") == 0 || strcmp(atts[0], "key") == 0) {
            name = atts[1];
        } else if (strcmp(atts[0], "value") == 0) {
            value = atts[1];
        }
    }
    x->lines = tptp_has_word(name, "line");
    x->wanted = x->in_monitor && (x->lines || tptp_has_word(name, "method"));
    return value == NULL ? TS_OK : add_frame_value(x, value, strlen(value));
}

static ts_code end_monitor(tptp_xml *x)
{
    size_t methods = x->method_at.n;
    size_t lines = x->line_list.n;
    size_t n = methods > lines ? methods : lines;
    x->in_monitor = false;
    if (n > TPTP_MAX_FRAMES) {
        tptp_session *s;
        TS_TRY(tptp_import_session(&s, &x->import));
        tptp_count_lost(s, TPTP_C_MESSAGES);
        tptp_session_gap(s);
        return tptp_import_issue(&x->import, TS_ISSUE_tptp_message_bad, x->record.offset,
                                 "a stack has %zu frames", n);
    }
    x->frame_list.n = 0;
    for (size_t i = 0; i < n; i++) {
        tptp_stack_frame *f = ts_vec_add(x->ctx, &x->frame_list, sizeof *f);
        TS_NEED(x->ctx, f);
        if (i < methods) {
            f->method = ts_text_of(x->methods.p + ((const size_t *)x->method_at.p)[i]);
        }
        f->line = i < lines ? ((const int64_t *)x->line_list.p)[i] : 0;
    }
    x->record.frames = x->frame_list.p;
    x->record.frame_count = (uint32_t)n;
    return take_record(x);
}

/* --- handlers -------------------------------------------------------------------------------- */

static ts_code begin_event(tptp_xml *x, const tptp_name *element, const char *name,
                           const char **atts)
{
    memset(&x->record, 0, sizeof x->record);
    x->record.kind = element->what == TPTP_EL_EVENT ? (tptp_kind)element->slot : TPTP_OTHER;
    x->record.name = ts_text_of(name);
    x->record.offset = x->run_offset + (uint64_t)XML_GetCurrentByteIndex(x->parser);
    TS_TRY(set_attributes(x, atts));
    x->record.cpu_raw = x->record.num[TPTP_N_CPU];
    if (x->record.kind == TPTP_OTHER) {
        x->record.name = ts_text_of(element->name);
        TS_TRY(keep_attributes(x, atts));
        return take_record(x);
    }
    if (!is_monitor(x->record.kind)) {
        return take_record(x);
    }
    /* What it holds comes first; its texts are of no use, and gone by then. */
    memset(x->record.text, 0, sizeof x->record.text);
    x->in_monitor = true;
    x->wanted = false;
    x->methods.n = 0;
    x->method_at.n = 0;
    x->line_list.n = 0;
    return TS_OK;
}

static void XMLCALL on_start(void *user, const char *name, const char **atts)
{
    tptp_xml *x = user;
    const tptp_name *element = tptp_element_of(&x->names, name, strlen(name));
    if (x->code != TS_OK || element == NULL) {
        return; /* the document */
    }
    if (element->what == TPTP_EL_ANNOTATION) {
        fail(x, begin_annotation(x, atts));
    } else if (element->what == TPTP_EL_VALUE && x->in_monitor) {
        x->in_value = x->wanted;
        x->value.n = 0;
    } else {
        fail(x, begin_event(x, element, name, atts));
    }
}

static ts_code end_value(tptp_xml *x)
{
    ts_code code = ts_buf_putc(x->ctx, &x->value, '\0');
    x->in_value = false;
    return code != TS_OK ? code : add_frame_value(x, x->value.p, x->value.n - 1);
}

static void XMLCALL on_end(void *user, const char *name)
{
    tptp_xml *x = user;
    const tptp_name *element = tptp_element_of(&x->names, name, strlen(name));
    if (x->code != TS_OK || element == NULL || !x->in_monitor) {
        return;
    }
    if (element->what == TPTP_EL_VALUE && x->in_value) {
        fail(x, end_value(x));
    } else if (element->what == TPTP_EL_ANNOTATION) {
        x->wanted = false;
    } else if (element->what == TPTP_EL_EVENT) {
        fail(x, end_monitor(x));
    }
}

static void XMLCALL on_text(void *user, const char *p, int n)
{
    tptp_xml *x = user;
    if (x->code == TS_OK && x->in_value) {
        fail(x, ts_buf_put(x->ctx, &x->value, p, (size_t)n));
    }
}

/* --- the parser ------------------------------------------------------------------------------ */

/*
 * expat's functions for memory do not say whose it is. For a tag it needs its bytes in its buffer,
 * which doubles, and the values once more; below LARGE that is no more than a few MiB.
 */
enum { LARGE = 4 << 20, BYTES_PER_BYTE = 3 };

static ts_code lend(tptp_xml *x, size_t n)
{
    size_t bytes;
    if (n <= LARGE) {
        return TS_OK;
    }
    if (ts_ckd_mul(&bytes, n, BYTES_PER_BYTE)) {
        return ts_fail(x->ctx, TS_ERR_LIMIT, "a tag of %zu bytes", n);
    }
    if (bytes <= x->lent) {
        return TS_OK;
    }
    ts_code code = ts_alloc_lent(x->ctx, bytes - x->lent);
    x->lent = code == TS_OK ? bytes : x->lent;
    return code;
}

void tptp_xml_stop(tptp_xml *x)
{
    if (x->parser != NULL) {
        XML_ParserFree(x->parser);
    }
    x->parser = NULL;
    ts_alloc_returned(x->ctx, x->lent);
    x->lent = 0;
}

ts_code tptp_xml_restart(tptp_xml *x)
{
    if (x->lent > 0) { /* to be reset does not free its buffer */
        tptp_xml_stop(x);
    }
    if (x->parser == NULL) {
        x->parser = XML_ParserCreate("UTF-8");
    } else if (!XML_ParserReset(x->parser, "UTF-8")) {
        return ts_fail(x->ctx, TS_ERR_INTERNAL, "expat cannot be reset");
    }
    if (x->parser == NULL) {
        return ts_fail(x->ctx, TS_ERR_NOMEM, "cannot allocate an XML parser");
    }
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    XML_SetCharacterDataHandler(x->parser, on_text);
    /* Declarations never get here, so that only the predefined entities, which are shorter than
     * their names, are expanded. */
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(x->parser, 2.0F);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(x->parser, 0);
    XML_SetParamEntityParsing(x->parser, XML_PARAM_ENTITY_PARSING_NEVER);
    x->parsed = 0;
    x->in_monitor = false;
    x->in_value = false;
    return XML_Parse(x->parser, document, sizeof document - 1, 0) == XML_STATUS_OK
               ? TS_OK
               : ts_fail(x->ctx, TS_ERR_NOMEM, "expat cannot begin a document");
}

ts_code tptp_xml_parse(tptp_xml *x, const char *p, size_t n, uint64_t offset, size_t *refused)
{
    enum { PIECE = 1 << 20 };
    size_t done = 0;
    ts_code code = TS_OK;
    *refused = SIZE_MAX;
    TS_STEP_IF(code, x->parser == NULL || (x->parsed > RESET_BYTES && x->depth == 0),
               tptp_xml_restart(x));
    if (code != TS_OK || (code = lend(x, n)) != TS_OK) {
        return code;
    }
    /* Byte indexes of expat count from its document. */
    x->run_offset = offset - x->parsed - (sizeof document - 1);
    while (code == TS_OK && done < n && *refused == SIZE_MAX) {
        size_t k = n - done < PIECE ? n - done : PIECE;
        if (XML_Parse(x->parser, p + done, (int)k, 0) == XML_STATUS_OK) {
            done += k;
            continue;
        }
        if (x->code != TS_OK) {
            return x->code;
        }
        if (XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY) {
            return ts_fail(x->ctx, TS_ERR_NOMEM, "expat has no memory");
        }
        *refused = (size_t)((uint64_t)XML_GetCurrentByteIndex(x->parser) - x->parsed -
                            (sizeof document - 1));
        *refused = *refused < n ? *refused : n - 1;
        code = tptp_xml_restart(x);
    }
    x->parsed += *refused == SIZE_MAX ? n : 0;
    return code;
}
