/* Threads, classes and methods: the definition that is in force is found by its id. */
#include "parsers/tptp/trace_session.h"

#include <inttypes.h>
#include <stdio.h>

enum { PLACEHOLDER = 40 };

/* What is used and not defined: its id stands for it. */
static ts_code not_defined(tptp_session *s, const char *what, int64_t id)
{
    tptp_count_lost(s, TPTP_C_DEFINITIONS);
    return tptp_issue(s, TS_ISSUE_tptp_undefined, "%s %" PRId64 " is not defined", what, id);
}

/* --- names as they are stored --------------------------------------------------------------- */

ts_code tptp_class_name(ts_text *out, tptp_session *s, ts_text raw, unsigned scratch)
{
    ts_buf *b = &s->scratch[scratch];
    *out = raw;
    if (raw.n == 0) {
        *out = TS_TEXT_NULL;
        return TS_OK;
    }
    if (memchr(raw.p, '/', raw.n) == NULL) {
        return TS_OK;
    }
    b->n = 0;
    TS_TRY(ts_buf_put(s->ctx, b, raw.p, raw.n));
    for (size_t i = 0; i < b->n; i++) {
        b->p[i] = b->p[i] == '/' ? '.' : b->p[i];
    }
    *out = ts_buf_text(b);
    return TS_OK;
}

ts_text tptp_method_name(ts_text raw)
{
    return ts_text_is(raw, "-init-")     ? TS_TEXT_LIT("<init>")
           : ts_text_is(raw, "-clinit-") ? TS_TEXT_LIT("<clinit>")
           : raw.n == 0                  ? TS_TEXT_NULL
                                         : raw;
}

void tptp_split(ts_text *package, ts_text *name, ts_text whole)
{
    const char *dot = whole.n == 0 ? NULL : memrchr(whole.p, '.', whole.n);
    *package = TS_TEXT_NULL;
    *name = whole;
    if (dot != NULL && dot > whole.p && dot + 1 < whole.p + whole.n) {
        *package = (ts_text){whole.p, (size_t)(dot - whole.p)};
        *name = (ts_text){dot + 1, whole.n - package->n - 1};
    }
}

/* --- threads --------------------------------------------------------------------------------- */

tptp_thread *tptp_thread_at(const tptp_session *s, size_t i)
{
    return &((tptp_thread *)s->thread_list.p)[i];
}

/* A thread with a row of its own, in force for the id. */
static ts_code add_thread(tptp_thread **out, tptp_session *s, int64_t id)
{
    tptp_thread *t;
    int64_t itid;
    ts_code code = ts_vec_reserve(s->ctx, &s->thread_list, 1, sizeof *t);
    if (code != TS_OK ||
        (code = ts_thread_new(&itid, s->store, s->source_id, id, s->ipid, "unknown")) != TS_OK ||
        (id != 0 && (code = ts_idmap_put(s->ctx, &s->threads, id, s->thread_list.n)) != TS_OK)) {
        return code;
    }
    ts_thread_detail_row(s->store, itid)->source_id = s->source_id;
    t = tptp_thread_at(s, s->thread_list.n++);
    *t = (tptp_thread){.id = id, .itid = itid, .last_ts = TS_NO_TIME, .cpu_begin = TS_NO_TIME};
    *out = t;
    return TS_OK;
}

tptp_thread *tptp_thread_known(tptp_session *s, int64_t id)
{
    uint64_t number;
    if (s->thread_last < s->thread_list.n && tptp_thread_at(s, s->thread_last)->id == id) {
        return tptp_thread_at(s, s->thread_last);
    }
    if (!ts_idmap_find_recent(&number, &s->threads, &s->thread_places, id)) {
        return NULL;
    }
    s->thread_last = (size_t)number;
    return tptp_thread_at(s, (size_t)number);
}

ts_code tptp_thread_of(tptp_thread **out, tptp_session *s, int64_t id)
{
    *out = id == 0 ? NULL : tptp_thread_known(s, id);
    if (id == 0) {
        return TS_OK;
    }
    if (*out == NULL) {
        TS_TRY(not_defined(s, "thread", id));
        return add_thread(out, s, id);
    }
    tptp_note_gaps(s, *out);
    return TS_OK;
}

bool tptp_thread_is_known(const tptp_session *s, int64_t id)
{
    uint64_t number;
    return id != 0 && ts_idmap_find(&number, &s->threads, id) &&
           tptp_thread_at(s, (size_t)number)->defined;
}

ts_code tptp_take_thread_start(tptp_session *s, const tptp_record *r)
{
    int64_t id = tptp_thread_id(r);
    int64_t ts = tptp_time(s, r);
    uint64_t number;
    tptp_thread *t;
    ts_row_tptp_thread own = {
        .id = TPTP_NEXT_ROW(s, tptp_thread),
        .source_id = s->source_id,
        .thread_id = id,
        .parent_name = tptp_text(r, TPTP_S_PARENT_NAME),
        .object_id = tptp_object(r),
    };
    ts_code code = TS_OK;
    s->thread_last = SIZE_MAX;
    if (id != 0 && ts_idmap_find(&number, &s->threads, id) &&
        !tptp_thread_at(s, (size_t)number)->defined) {
        t = tptp_thread_at(s, (size_t)number); /* it was used before */
    } else if ((code = add_thread(&t, s, id)) != TS_OK) {
        return code;
    }
    t->defined = true;
    tptp_count_imported(s, TPTP_C_DEFINITIONS);
    ts_row_thread *row = ts_thread_row(s->store, t->itid);
    if (ts != TS_NO_TIME) {
        TS_SET_VALUE(thread, row, start_ts, ts);
    }
    own.itid = t->itid;
    TS_NULL_ZEROS(tptp_thread, &own, thread_id, object_id);
    TS_STEP_IF(code, r->text[TPTP_S_THREAD_NAME].n > 0,
               ts_thread_name(s->store, t->itid, r->text[TPTP_S_THREAD_NAME]));
    if (code == TS_OK && r->text[TPTP_S_GROUP_NAME].n > 0) {
        ts_row_thread_detail *detail = ts_thread_detail_row(s->store, t->itid);
        code = ts_source_text(s->store, s->source_id, &detail->group_name,
                              r->text[TPTP_S_GROUP_NAME].p, r->text[TPTP_S_GROUP_NAME].n);
    }
    return code != TS_OK ? code : ts_put_tptp_thread(s->sink, &own);
}

ts_code tptp_take_thread_end(tptp_session *s, const tptp_record *r)
{
    int64_t ts = tptp_time(s, r);
    tptp_thread *t;
    ts_code code = tptp_thread_of(&t, s, tptp_thread_id(r));
    if (code != TS_OK || t == NULL) {
        return code;
    }
    ts_row_thread *row = ts_thread_row(s->store, t->itid);
    if (ts != TS_NO_TIME) {
        TS_SET_VALUE(thread, row, end_ts, ts);
    }
    t->ended = true;
    code = tptp_close_frames(s, t, TPTP_THREAD_ENDED);
    TS_STEP(code, tptp_end_waits(s, t));
    if (code == TS_OK) {
        tptp_free_thread(s, t);
    }
    return code;
}

/* --- classes --------------------------------------------------------------------------------- */

static tptp_class *class_at(const tptp_session *s, size_t i)
{
    return &((tptp_class *)s->class_list.p)[i];
}

ts_text tptp_class_text(const tptp_session *s, uint32_t number)
{
    ts_text name =
        number == 0 ? TS_TEXT_NULL : ts_pool_text(&s->names, class_at(s, number - 1)->name);
    return name.n == 0 ? TS_TEXT_NULL : name;
}

uint32_t tptp_class_number(tptp_session *s, int64_t id)
{
    uint64_t number;
    return id != 0 && ts_idmap_find_recent(&number, &s->classes, &s->class_places, id)
               ? (uint32_t)number + 1
               : 0;
}

/* Keeps a class by the id that its row has. */
static ts_code add_class(tptp_session *s, int64_t id, ts_row_tptp_class *row, ts_text name,
                         ts_text source)
{
    tptp_class c = {.row = row->id};
    ts_code code = ts_vec_reserve(s->ctx, &s->class_list, 1, sizeof c);
    if (code != TS_OK ||
        (code = ts_pool_intern(s->ctx, &c.name, NULL, &s->names,
                               name.p == NULL ? TS_TEXT_LIT("") : name)) != TS_OK ||
        (code = ts_pool_intern(s->ctx, &c.source, NULL, &s->names,
                               source.p == NULL ? TS_TEXT_LIT("") : source)) != TS_OK ||
        (id != 0 && (code = ts_idmap_put(s->ctx, &s->classes, id, s->class_list.n)) != TS_OK)) {
        return code;
    }
    *class_at(s, s->class_list.n++) = c;
    return ts_put_tptp_class(s->sink, row);
}

/* The class of an id that is not defined. */
static ts_code add_unknown_class(tptp_session *s, int64_t id)
{
    char name[PLACEHOLDER];
    ts_row_tptp_class row = {
        .id = TPTP_NEXT_ROW(s, tptp_class),
        .source_id = s->source_id,
        .class_id = id,
        .null = TS_NULL_BITS(tptp_class, interfaces, static_fields, instance_fields, methods,
                             object_id, itid, ts),
    };
    ts_code code = not_defined(s, "class", id);
    snprintf(name, sizeof name, "class#%" PRId64, id);
    row.name = ts_text_of(name);
    return code != TS_OK ? code : add_class(s, id, &row, row.name, TS_TEXT_NULL);
}

ts_code tptp_class_of(int64_t *row, tptp_session *s, const tptp_record *r)
{
    int64_t id = tptp_either(r->num[TPTP_N_CLASS], r->num[TPTP_N_TRANSIENT_CLASS]);
    uint32_t number = tptp_class_number(s, id);
    *row = 0;
    if (id == 0) {
        return TS_OK;
    }
    if (number == 0) {
        TS_TRY(add_unknown_class(s, id));
        number = (uint32_t)s->class_list.n;
    }
    *row = class_at(s, number - 1)->row;
    return TS_OK;
}

ts_code tptp_take_class(tptp_session *s, const tptp_record *r)
{
    int64_t id = tptp_either(r->num[TPTP_N_CLASS], r->num[TPTP_N_TRANSIENT_CLASS]);
    ts_row_tptp_class row = {
        .id = TPTP_NEXT_ROW(s, tptp_class),
        .source_id = s->source_id,
        .class_id = id,
        .source_name = tptp_text(r, TPTP_S_SOURCE_NAME),
        .class_loader = tptp_text(r, TPTP_S_CLASS_LOADER),
        .interface_names = tptp_text(r, TPTP_S_INTERFACE_NAMES),
        .interfaces = r->num[TPTP_N_INTERFACES],
        .access = tptp_text(r, TPTP_S_ACCESS),
        .static_fields = r->num[TPTP_N_STATIC_FIELDS],
        .instance_fields = r->num[TPTP_N_INSTANCE_FIELDS],
        .methods = r->num[TPTP_N_METHODS],
        .object_id = tptp_object(r),
        .ts = tptp_time(s, r),
        .defined = 1,
    };
    ts_text base;
    tptp_thread *t;
    TS_TRY(tptp_thread_of(&t, s, tptp_thread_id(r)));
    TS_TRY(tptp_class_name(&row.name, s, r->text[TPTP_S_NAME], 0));
    TS_TRY(tptp_class_name(&row.superclass, s, r->text[TPTP_S_SUPERCLASS], 1));
    tptp_split(&row.package, &base, row.name);
    row.itid = t == NULL ? 0 : t->itid;
    TS_NULL_IF(t == NULL, tptp_class, &row, itid);
    TS_NULL_ZEROS(tptp_class, &row, class_id, interfaces, static_fields, instance_fields, methods,
                  object_id);
    TPTP_NULL_TIME(tptp_class, &row, ts);
    tptp_count_imported(s, TPTP_C_DEFINITIONS);
    return add_class(s, id, &row, row.name, row.source_name);
}

/* --- methods --------------------------------------------------------------------------------- */

static ts_code keep_method(tptp_session *s, int64_t id, int64_t method)
{
    return id == 0 ? TS_OK : ts_idmap_put(s->ctx, &s->methods, id, (uint64_t)method);
}

ts_code tptp_method_of(int64_t *method, tptp_session *s, int64_t id)
{
    char name[PLACEHOLDER];
    ts_method m = {.has_raw_id = true, .raw_id = id};
    uint64_t known;
    *method = 0;
    if (id == 0) {
        return TS_OK;
    }
    if (ts_idmap_find_recent(&known, &s->methods, &s->method_places, id)) {
        *method = (int64_t)known;
        return TS_OK;
    }
    snprintf(name, sizeof name, "method#%" PRId64, id);
    m.name = ts_text_of(name);
    TS_TRY(not_defined(s, "method", id));
    TS_TRY(ts_stack_method(method, s->store, s->source_id, &m));
    return keep_method(s, id, *method);
}

/* The flags that are set, as Java orders them. */
static ts_text modifiers_of(char *out, size_t size, const tptp_record *r)
{
    static const struct {
        uint8_t slot;
        const char *name;
    } flags[] = {
        {TPTP_N_IS_ABSTRACT, " abstract"},
        {TPTP_N_IS_STATIC, " static"},
        {TPTP_N_IS_SYNCHRONIZED, " synchronized"},
        {TPTP_N_IS_NATIVE, " native"},
    };
    int n = 0;
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (r->num[flags[i].slot] != 0) {
            n += snprintf(out + n, size - (size_t)n, "%s", flags[i].name + (n == 0));
        }
    }
    return n == 0 ? TS_TEXT_NULL : (ts_text){out, (size_t)n};
}

ts_code tptp_take_method(tptp_session *s, const tptp_record *r)
{
    char modifiers[64];
    int64_t id = r->num[TPTP_N_METHOD];
    ts_row_tptp_method row = {
        .id = TPTP_NEXT_ROW(s, tptp_method),
        .source_id = s->source_id,
        .end_line = r->num[TPTP_N_END_LINE],
        .exceptions = tptp_text(r, TPTP_S_EXCEPTIONS),
        .signature_notation = tptp_text(r, TPTP_S_NOTATION),
    };
    ts_method m = {
        .has_raw_id = id != 0,
        .raw_id = id,
        .name = tptp_method_name(r->text[TPTP_S_NAME]),
        .signature = tptp_text(r, TPTP_S_SIGNATURE),
        .modifiers = modifiers_of(modifiers, sizeof modifiers, r),
        .has_line = r->num[TPTP_N_START_LINE] != 0,
        .line = r->num[TPTP_N_START_LINE],
    };
    uint32_t number;
    TS_TRY(tptp_class_of(&row.class_id, s, r));
    number =
        tptp_class_number(s, tptp_either(r->num[TPTP_N_CLASS], r->num[TPTP_N_TRANSIENT_CLASS]));
    if (number != 0) {
        ts_text source = ts_pool_text(&s->names, class_at(s, number - 1)->source);
        tptp_split(&m.package, &m.cls, tptp_class_text(s, number));
        m.file = source.n == 0 ? TS_TEXT_NULL : source;
    }
    TS_TRY(ts_stack_method(&row.method_id, s->store, s->source_id, &m));
    TS_TRY(keep_method(s, id, row.method_id));
    TS_NULL_ZEROS(tptp_method, &row, class_id, end_line);
    tptp_count_imported(s, TPTP_C_DEFINITIONS);
    return ts_put_tptp_method(s->sink, &row);
}
