/* The texts of a raw trace: formats of events, layout of pages, names of threads and of texts of
 * the kernel (docs/formats.md, "Raw traces of the kernel"). */
#include "parsers/ftrace/raw/ftrace_raw.h"
#include "parsers/ftrace/text/ftrace_text.h"

void ftrace_raw_texts_init(ftrace_raw_texts *t, ts_ctx *ctx)
{
    memset(t, 0, sizeof *t);
    t->ctx = ctx;
    t->layout = (ftrace_raw_layout){8, 16, 4080};
}

void ftrace_raw_texts_free(ftrace_raw_texts *t)
{
    ts_vec_free(t->ctx, &t->plans);
    ts_pool_free(t->ctx, &t->names);
    ts_idmap_free(t->ctx, &t->ids);
    ts_idmap_free(t->ctx, &t->tgids);
    ts_idmap_free(t->ctx, &t->comms);
    ts_idmap_free(t->ctx, &t->formats);
}

/* --- words ------------------------------------------------------------------------------------ */

static inline bool raw_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static ts_text raw_trim(ts_text t)
{
    while (t.n > 0 && raw_blank(t.p[0])) {
        t = ts_text_from(t, 1);
    }
    while (t.n > 0 && raw_blank(t.p[t.n - 1])) {
        t.n--;
    }
    return t;
}

/* The part in front of the first `c`; *rest is what is after it, or empty. */
static ts_text cut_at(ts_text *rest, ts_text t, char c)
{
    const char *p = t.n == 0 ? NULL : memchr(t.p, c, t.n);
    ts_text part = {t.p, p == NULL ? t.n : (size_t)(p - t.p)};
    *rest = p == NULL ? (ts_text){t.p + t.n, 0} : (ts_text){p + 1, t.n - part.n - 1};
    return part;
}

/* "key:value" in a text that has been cut at ';'. */
static bool raw_value(ts_text *value, ts_text t, const char *key)
{
    const size_t n = strlen(key);
    t = raw_trim(t);
    if (t.n < n || memcmp(t.p, key, n) != 0) {
        return false;
    }
    *value = raw_trim((ts_text){t.p + n, t.n - n});
    return true;
}

/* "field:unsigned int pid;\toffset:4;\tsize:4;\tsigned:0;" */
typedef struct field_line {
    ts_text type; /* with what is in brackets after the name */
    ts_text name;
    int64_t offset;
    int64_t size;
    int64_t is_signed;
    bool array;
} field_line;

/* The name is the last word of a declaration, without brackets. */
static void split_declaration(field_line *f, ts_text t)
{
    size_t end = t.n;
    size_t begin;
    const char *bracket = t.n == 0 ? NULL : memchr(t.p, '[', t.n);
    f->array = bracket != NULL;
    if (t.n > 0 && t.p[t.n - 1] == ']') {
        while (end > 0 && t.p[end - 1] != '[') {
            end--;
        }
        end -= end > 0 ? 1 : 0;
    }
    for (begin = end; begin > 0 && !raw_blank(t.p[begin - 1]) && t.p[begin - 1] != '*'; begin--) {
    }
    f->name = (ts_text){t.p + begin, end - begin};
    f->type = raw_trim((ts_text){t.p, begin});
}

static bool read_field(field_line *f, ts_text line)
{
    ts_text rest;
    ts_text declaration;
    ts_text v;
    memset(f, 0, sizeof *f);
    if (!raw_value(&declaration, cut_at(&rest, line, ';'), "field:") ||
        !raw_value(&v, cut_at(&rest, rest, ';'), "offset:") || !ftrace_decimal(&f->offset, v) ||
        !raw_value(&v, cut_at(&rest, rest, ';'), "size:") || !ftrace_decimal(&f->size, v) ||
        f->offset < 0 || f->offset > FTRACE_RAW_MAX_PAGE || f->size < 0 ||
        f->size > FTRACE_RAW_MAX_PAGE) {
        return false;
    }
    if (raw_value(&v, cut_at(&rest, rest, ';'), "signed:")) {
        (void)ftrace_decimal(&f->is_signed, v);
    }
    split_declaration(f, declaration);
    return f->name.n > 0;
}

static bool raw_has(ts_text t, const char *part)
{
    return t.n > 0 && memmem(t.p, t.n, part, strlen(part)) != NULL;
}

/* --- formats ---------------------------------------------------------------------------------- */

/* The kind's field of this name, as raw formats call it. */
static const ftrace_field_info *field_of(const ftrace_kind_info *kind, ts_text name)
{
    if (ts_text_is(name, "io_wait")) {
        name = TS_TEXT_LIT("iowait");
    }
    for (unsigned i = 0; i < kind->field_count; i++) {
        if (ts_text_is(name, kind->fields[i].name)) {
            return &kind->fields[i];
        }
    }
    return NULL;
}

/* How the field is read; false: it cannot be. */
static bool form_of(uint8_t *form, const field_line *f, bool is_text)
{
    if (!is_text) {
        *form = f->is_signed != 0 ? FTRACE_RAW_SIGNED : FTRACE_RAW_UNSIGNED;
        return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
    }
    if (raw_has(f->type, "__data_loc") || raw_has(f->type, "__rel_loc")) {
        *form = raw_has(f->type, "__rel_loc") ? FTRACE_RAW_REL_LOC : FTRACE_RAW_DATA_LOC;
        return f->size == 4;
    }
    if (raw_has(f->type, "*") && !f->array) {
        *form = FTRACE_RAW_POINTER;
        return f->size == 4 || f->size == 8;
    }
    *form = FTRACE_RAW_CHARS;
    return f->array && raw_has(f->type, "char");
}

static void add_raw_field(ftrace_raw_texts *t, const field_line *f)
{
    ftrace_raw_plan *plan = &t->plan;
    const ftrace_field_info *info;
    uint8_t form;
    if (ts_text_is(f->name, "common_pid") && f->size == 4) {
        plan->has_pid = true;
        plan->pid_offset = (uint32_t)f->offset;
        return;
    }
    if (plan->kind == FTRACE_KINDS || plan->count == FTRACE_RAW_FIELDS ||
        (info = field_of(&ftrace_kinds[plan->kind], f->name)) == NULL ||
        !form_of(&form, f, info->is_text)) {
        return;
    }
    plan->field[plan->count++] =
        (ftrace_raw_field){(uint32_t)f->offset, (uint32_t)f->size, info->slot, form};
}

ts_code ftrace_raw_format_end(ftrace_raw_texts *t)
{
    uint64_t place = t->plans.n;
    ftrace_raw_plan *plan;
    bool complete = t->in_format && t->has_id;
    t->bad_lines += t->in_format && !t->has_id ? 1 : 0;
    t->in_format = false;
    if (!complete || ts_idmap_find(&place, &t->ids, t->id)) {
        return TS_OK;
    }
    TS_NEED(t->ctx, plan = ts_vec_add(t->ctx, &t->plans, sizeof *plan));
    *plan = t->plan;
    return ts_idmap_put(t->ctx, &t->ids, t->id, place);
}

ts_code ftrace_raw_format_line(ftrace_raw_texts *t, ts_text line)
{
    ts_text v;
    if (raw_value(&v, line, "name:")) {
        ts_code code = ftrace_raw_format_end(t);
        t->plan = (ftrace_raw_plan){.kind = (uint16_t)ftrace_kind_of(v)};
        t->in_format = true;
        t->has_id = false;
        return code;
    }
    if (!t->in_format) {
        return TS_OK;
    }
    if (raw_value(&v, line, "ID:")) {
        t->has_id = ftrace_decimal(&t->id, v) && t->id >= 0 && t->id <= UINT16_MAX;
        t->bad_lines += t->has_id ? 0 : 1;
    } else if (raw_value(&v, line, "field:")) {
        field_line f;
        if (read_field(&f, line)) {
            add_raw_field(t, &f);
        } else {
            t->bad_lines++;
        }
    } else if (raw_value(&v, line, "print fmt:")) {
        return ftrace_raw_format_end(t);
    }
    return TS_OK;
}

ts_code ftrace_raw_page_line(ftrace_raw_texts *t, ts_text line)
{
    field_line f;
    if (!read_field(&f, line)) {
        t->bad_lines += raw_trim(line).n > 0 ? 1 : 0;
        return TS_OK;
    }
    if (ts_text_is(f.name, "commit") && (f.size == 4 || f.size == 8)) {
        t->layout.commit_offset = (uint32_t)f.offset;
    } else if (ts_text_is(f.name, "data") && f.size > 0 &&
               f.offset + f.size <= FTRACE_RAW_MAX_PAGE) {
        t->layout.data_offset = (uint32_t)f.offset;
        t->layout.data_size = (uint32_t)f.size;
    }
    return TS_OK;
}

/* --- names ------------------------------------------------------------------------------------ */

static ts_code put_name(ftrace_raw_texts *t, ts_idmap *map, int64_t key, ts_text text)
{
    uint32_t number;
    TS_TRY(ts_pool_intern(t->ctx, &number, NULL, &t->names, text));
    return ts_idmap_put(t->ctx, map, key, number);
}

static ts_text name_at(const ftrace_raw_texts *t, const ts_idmap *map, int64_t key)
{
    uint64_t number;
    return ts_idmap_find(&number, map, key) ? ts_pool_text(&t->names, (uint32_t)number)
                                            : TS_TEXT_NULL;
}

/* A pid in front of a blank; what is after it. */
static bool read_pid(int64_t *pid, ts_text *rest, ftrace_raw_texts *t, ts_text line)
{
    ts_text word = cut_at(rest, raw_trim(line), ' ');
    if (word.n > 0 && ftrace_decimal(pid, word) && *pid >= 0 && *pid <= INT32_MAX) {
        return true;
    }
    t->bad_lines += word.n > 0 ? 1 : 0;
    return false;
}

ts_code ftrace_raw_cmdline(ftrace_raw_texts *t, ts_text line)
{
    int64_t pid;
    ts_text name;
    if (!read_pid(&pid, &name, t, line)) {
        return TS_OK;
    }
    return put_name(t, &t->comms, pid, ts_text_is(name, "<...>") ? (ts_text){name.p, 0} : name);
}

ts_code ftrace_raw_tgid(ftrace_raw_texts *t, ts_text line)
{
    int64_t pid;
    int64_t tgid;
    ts_text rest;
    if (!read_pid(&pid, &rest, t, line)) {
        return TS_OK;
    }
    if (!ftrace_decimal(&tgid, raw_trim(rest)) || tgid < 0 || tgid > INT32_MAX) {
        t->bad_lines++;
        return TS_OK;
    }
    return ts_idmap_put(t->ctx, &t->tgids, pid, (uint64_t)tgid);
}

/* 0xffffff8008 : "Rescheduling interrupts" */
ts_code ftrace_raw_printk(ftrace_raw_texts *t, ts_text line)
{
    ts_text rest;
    ts_text word = cut_at(&rest, raw_trim(line), ' ');
    const char *quote = rest.n == 0 ? NULL : memchr(rest.p, '"', rest.n);
    int64_t addr;
    size_t n;
    if (word.n == 0) {
        return TS_OK;
    }
    if (quote == NULL || !ftrace_hex(&addr, word)) {
        t->bad_lines++;
        return TS_OK;
    }
    n = rest.n - (size_t)(quote + 1 - rest.p);
    while (n > 0 && quote[n] != '"') {
        n--;
    }
    return put_name(t, &t->formats, addr, (ts_text){quote + 1, n == 0 ? 0 : n - 1});
}

bool ftrace_raw_symbol(uint64_t *addr, ts_text *name, ts_text line)
{
    static const char cfi[] = ".cfi";
    const size_t n = sizeof cfi - 1;
    ts_text rest;
    ts_text word = cut_at(&rest, raw_trim(line), ' ');
    ts_text type;
    int64_t v;
    if (!ftrace_hex(&v, word)) {
        return false;
    }
    type = cut_at(&rest, rest, ' ');
    *name = cut_at(&rest, rest, ' ');
    *name = cut_at(&rest, *name, '\t');
    *addr = (uint64_t)v;
    return (ts_text_is(type, "t") || ts_text_is(type, "T")) && name->n > 0 && name->p[0] != '$' &&
           (name->n < n || memcmp(name->p + name->n - n, cfi, n) != 0);
}

/* --- look-up ---------------------------------------------------------------------------------- */

const ftrace_raw_plan *ftrace_raw_plan_of(const ftrace_raw_texts *t, uint16_t id)
{
    uint64_t place;
    return ts_idmap_find(&place, &t->ids, id) ? (const ftrace_raw_plan *)t->plans.p + place : NULL;
}

ts_text ftrace_raw_comm(const ftrace_raw_texts *t, int32_t pid)
{
    ts_text name = name_at(t, &t->comms, pid);
    return name.p == NULL ? (ts_text){"", 0} : name;
}

int32_t ftrace_raw_tgid_of(const ftrace_raw_texts *t, int32_t pid)
{
    uint64_t tgid;
    return ts_idmap_find(&tgid, &t->tgids, pid) ? (int32_t)tgid : 0;
}

ts_text ftrace_raw_text_at(const ftrace_raw_texts *t, uint64_t addr)
{
    return name_at(t, &t->formats, (int64_t)addr);
}
