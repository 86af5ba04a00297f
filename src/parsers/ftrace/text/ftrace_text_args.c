/* Arguments of the events of text traces: "key=value ...", and the forms that differ
 * (docs/formats.md, "Traces of the kernel as text"). */
#include "parsers/ftrace/text/ftrace_text.h"

#include "base/alloc.h"

#include <endian.h>

/* How the value of a key is written. */
typedef enum value_form {
    FORM_DECIMAL,
    FORM_HEX,
    FORM_TEXT,
    FORM_COMM,   /* a name of a thread, which may have blanks: up to the next known key */
    FORM_STATE,  /* letters of a state */
    FORM_HANDLED /* 1: "handled" */
} value_form;

typedef struct field_name {
    const char *name;
    uint8_t n;
    uint8_t slot;
    uint8_t form; /* value_form */
} field_name;

enum {
    MAX_FIELDS = 12, /* with other names; test_binder has the most */
    MAX_NAME = 40,   /* of an event */
    FORM_BYTES = 128,
    FORM_VALUES = 12,
    FORM_MISSED = 4, /* after so many a form is replaced */
    NO_FIELD = UINT8_MAX
};

/*
 * Where the values were in arguments that were read, and what is between them: "prev_comm=",
 * " prev_pid=", ..., " ==> next_comm=". Arguments of the same form are read without looking for
 * words and names.
 */
typedef struct args_form {
    char bytes[FORM_BYTES];      /* what is before the values, one after the other */
    uint8_t before[FORM_VALUES]; /* how much of it */
    uint8_t field[FORM_VALUES];  /* NO_FIELD: the value is of none that is known */
    uint8_t values;              /* 0: there is no form */
    uint8_t words;               /* all, as read_pairs counts them */
    uint8_t missed;              /* arguments in a row that were of another form */
} args_form;

typedef struct kind_names {
    field_name field[MAX_FIELDS];
    uint8_t count;
    uint8_t need_numbers; /* a bit per slot: without it the event cannot be read */
    uint8_t need_texts;
    bool bare; /* words without a name are values */
    args_form form;
} kind_names;

struct ftrace_names {
    kind_names kind[FTRACE_KINDS];
    uint8_t by_length[FTRACE_KINDS]; /* kinds, those with short names first */
    uint8_t begin[MAX_NAME + 2];     /* place in by_length of the first with so long a name */
};

_Static_assert(FTRACE_KINDS < UINT8_MAX, "a byte holds a kind");

/* What texts call a field, where that is not its name in event_kinds.def. */
static const struct {
    ftrace_kind kind;
    const char *field;
    const char *name;
} other_names[] = {
    {FTRACE_sched_blocked_reason, "iowait", "io_wait"},
    {FTRACE_sched_blocked_reason, "caller_str", "caller"},
    {FTRACE_cpu_frequency_limits, "min_freq", "min"},
    {FTRACE_cpu_frequency_limits, "max_freq", "max"},
    {FTRACE_binder_transaction, "debug_id", "transaction"},
    {FTRACE_binder_transaction, "target_node", "dest_node"},
    {FTRACE_binder_transaction, "to_proc", "dest_proc"},
    {FTRACE_binder_transaction, "to_thread", "dest_thread"},
    {FTRACE_binder_transaction_received, "debug_id", "transaction"},
};

/* --- names ---------------------------------------------------------------------------------- */

static void add_field(kind_names *k, const char *name, unsigned slot, value_form form)
{
    k->field[k->count++] = (field_name){name, (uint8_t)strlen(name), (uint8_t)slot, (uint8_t)form};
}

static value_form form_of(const ftrace_field_info *field)
{
    const size_t n = strlen(field->name);
    if (field->is_text) {
        return n >= 4 && strcmp(field->name + n - 4, "comm") == 0 ? FORM_COMM : FORM_TEXT;
    }
    return (field->text & FTRACE_HEX) != 0       ? FORM_HEX
           : (field->text & FTRACE_STATE) != 0   ? FORM_STATE
           : (field->text & FTRACE_HANDLED) != 0 ? FORM_HANDLED
                                                 : FORM_DECIMAL;
}

static bool has_name(const kind_names *k, const char *name)
{
    bool has = false;
    for (unsigned i = 0; i < k->count; i++) {
        has |= strcmp(k->field[i].name, name) == 0;
    }
    return has;
}

static void add_fields(kind_names *k, unsigned kind)
{
    const ftrace_kind_info *info = &ftrace_kinds[kind];
    for (unsigned f = 0; f < info->field_count; f++) {
        const ftrace_field_info *field = &info->fields[f];
        const value_form form = form_of(field);
        for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
            if (other_names[i].kind == (ftrace_kind)kind &&
                strcmp(other_names[i].field, field->name) == 0) {
                add_field(k, other_names[i].name, field->slot, form);
            }
        }
        /* The address of the caller is a text here. */
        if (kind != FTRACE_sched_blocked_reason || strcmp(field->name, "caller") != 0) {
            add_field(k, field->name, field->slot, form);
        }
        if ((field->text & FTRACE_NEEDED) != 0) {
            *(field->is_text ? &k->need_texts : &k->need_numbers) |= (uint8_t)(1U << field->slot);
        }
    }
    k->bare = has_name(k, "name") || kind == FTRACE_clk_set_rate;
}

ts_code ftrace_names_new(ftrace_names **out, ts_ctx *ctx)
{
    ftrace_names *names = ts_zalloc(ctx, 1, sizeof *names);
    *out = names;
    TS_NEED(ctx, names);
    for (unsigned length = 0, place = 0; length <= MAX_NAME; length++) {
        names->begin[length] = (uint8_t)place;
        for (unsigned kind = 0; kind < FTRACE_KINDS; kind++) {
            if (strlen(ftrace_kinds[kind].name) == length) {
                names->by_length[place++] = (uint8_t)kind;
            }
        }
        names->begin[length + 1] = (uint8_t)place;
    }
    for (unsigned kind = 0; kind < FTRACE_KINDS; kind++) {
        add_fields(&names->kind[kind], kind);
    }
    return TS_OK;
}

unsigned ftrace_names_kind(const ftrace_names *names, ts_text name)
{
    if (ts_text_is(name, "0")) { /* old kernels did not know the function that wrote a marker */
        return FTRACE_tracing_mark_write;
    }
    if (name.n <= MAX_NAME) {
        for (unsigned i = names->begin[name.n]; i < names->begin[name.n + 1]; i++) {
            unsigned kind = names->by_length[i];
            if (memcmp(ftrace_kinds[kind].name, name.p, name.n) == 0) {
                return kind;
            }
        }
    }
    return FTRACE_KINDS;
}

/* --- values --------------------------------------------------------------------------------- */

static void set_number(ftrace_event *e, unsigned slot, int64_t v)
{
    e->number[slot] = v;
    e->numbers |= (uint8_t)(1U << slot);
}

static void set_text(ftrace_event *e, unsigned slot, ts_text t)
{
    e->text[slot] = t;
    e->texts |= (uint8_t)(1U << slot);
}

/* Letters of a state, or-ed; one that is not known ends it. */
static int64_t state_of(ts_text t)
{
    static const char letters[] = "SDTtXZPI"; /* bits 0 to 7 */
    int64_t state = 0;
    if (t.n == 1 && (t.p[0] == 'R' || t.p[0] == 'S')) { /* nearly all */
        return t.p[0] == 'S' ? 1 : 0;
    }
    for (size_t i = 0; i < t.n; i++) {
        const char *letter = memchr(letters, t.p[i], sizeof letters - 1);
        if (letter != NULL) {
            state |= INT64_C(1) << (letter - letters);
        } else if (t.p[i] == '+') {
            state |= 2048;
        } else if (t.p[i] != 'R' && t.p[i] != '|') {
            break;
        }
    }
    return state;
}

/* With the kernel's option `fields`, numbers are "0x2a (42)", and so are states. */
static void set_value(ftrace_event *e, const field_name *f, ts_text value)
{
    const bool hex = ts_text_begins(value, "0x");
    int64_t v = 0;
    bool read = true;
    if (f->form == FORM_TEXT || f->form == FORM_COMM) {
        set_text(e, f->slot, value);
        return;
    }
    switch ((value_form)f->form) {
    case FORM_STATE:
        read = !hex || ftrace_hex(&v, value);
        v = hex ? v : state_of(value);
        break;
    case FORM_HANDLED:
        v = ts_text_is(value, "handled") ? 1 : 0;
        break;
    case FORM_HEX:
        read = ftrace_hex(&v, value);
        break;
    default:
        value.n -= value.n > 1 && value.p[value.n - 1] == ')'; /* of a list in brackets */
        read = hex ? ftrace_hex(&v, value) : ftrace_decimal(&v, value);
    }
    if (read) {
        set_number(e, f->slot, v);
    }
}

/* --- words ---------------------------------------------------------------------------------- */

static inline bool args_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word between blanks, and the first '=' in it, or NULL; false: there is none. */
static inline bool next_pair(ts_text *word, const char **equals, const char **p, const char *end)
{
    const char *at = *p;
    const char *begin;
    while (at < end && args_space(*at)) {
        at++;
    }
    begin = at;
    while (at < end && !args_space(*at) && *at != '=') {
        at++;
    }
    *equals = at < end && *at == '=' ? at : NULL;
    while (at < end && !args_space(*at)) {
        at++;
    }
    *p = at;
    *word = (ts_text){begin, (size_t)(at - begin)};
    return word->n > 0;
}

/* The next word between blanks; false: there is none. */
static inline bool next_word(ts_text *word, const char **p, const char *end)
{
    const char *begin;
    while (*p < end && args_space(**p)) {
        (*p)++;
    }
    begin = *p;
    while (*p < end && !args_space(**p)) {
        (*p)++;
    }
    *word = (ts_text){begin, (size_t)(*p - begin)};
    return word->n > 0;
}

static inline bool is_field(const field_name *f, const char *p, size_t n)
{
    return f->n == n && memcmp(f->name, p, n) == 0;
}

static inline const field_name *find_field(const kind_names *k, const char *p, size_t n)
{
    for (unsigned i = 0; i < k->count; i++) {
        if (is_field(&k->field[i], p, n)) {
            return &k->field[i];
        }
    }
    return NULL;
}

/* The same, first where it usually is: after the field that was found before. */
static inline const field_name *next_field(const kind_names *k, const field_name *before,
                                           const char *p, size_t n)
{
    const field_name *f = before == NULL ? k->field : before + 1;
    return f < k->field + k->count && is_field(f, p, n) ? f : find_field(k, p, n);
}

/* Is it a key that is after names of threads, the last of which is in this field? */
static bool is_next_key(const kind_names *k, const field_name *comm, const char *p, size_t n)
{
    return n > 0 && (next_field(k, comm, p, n) != NULL || (n == 4 && memcmp(p, "prio", n) == 0) ||
                     (n == 7 && memcmp(p, "success", n) == 0) ||
                     (n == 13 && memcmp(p, "oom_score_adj", n) == 0));
}

/* A name of a thread that begins at `begin`: *p is after it then. */
static ts_text read_comm(const char *begin, const char **p, const char *end, const kind_names *k,
                         const field_name *comm)
{
    const char *last = *p;
    const char *at = *p;
    const char *equals;
    ts_text word;
    while (next_pair(&word, &equals, &at, end) &&
           (equals == NULL || !is_next_key(k, comm, word.p, (size_t)(equals - word.p)))) {
        last = at;
    }
    *p = last;
    return (ts_text){begin, (size_t)(last - begin)};
}

/* "key=value key=value", of which the first of a key counts: bare are the words without '=', two at
 * most; the number of words. */
static unsigned read_pairs(ftrace_event *e, ts_text bare[2], const kind_names *k, ts_text args)
{
    const char *p = args.p;
    const char *end = args.p + args.n;
    unsigned bares = 0;
    unsigned words = 0;
    unsigned seen = 0;
    const field_name *before = NULL;
    const char *equals;
    ts_text word;
    bare[0] = bare[1] = TS_TEXT_NULL;
    while (next_pair(&word, &equals, &p, end)) {
        const field_name *f;
        words++;
        if (equals == NULL) {
            if (bares < 2) {
                bare[bares++] = word;
            }
            continue;
        }
        f = next_field(k, before, word.p, (size_t)(equals - word.p));
        if (f != NULL) {
            before = f;
            ts_text value = {equals + 1, (size_t)(word.p + word.n - equals) - 1};
            value = f->form == FORM_COMM ? read_comm(value.p, &p, end, k, f) : value;
            if ((seen >> (f - k->field) & 1) == 0) {
                set_value(e, f, value);
            }
            seen |= 1U << (f - k->field);
        }
    }
    return words;
}

/* --- arguments in a form that was met --------------------------------------------------------- */

/* The first byte at p that is a blank or a control character; whole words are looked at. */
static inline const char *value_end(const char *p, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (; end - p >= (ptrdiff_t)sizeof ones; p += sizeof ones) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        word = le64toh(word);
        word = (word - ones * 0x21) & ~word & ones * 0x80;
        if (word != 0) {
            return p + (unsigned)__builtin_ctzll(word) / 8;
        }
    }
    while (p < end && (unsigned char)*p > ' ') {
        p++;
    }
    return p;
}

/* Are the n bytes at p these? */
static inline bool is_before_value(const char *p, const char *end, const char *bytes, size_t n)
{
    uint64_t a[2];
    uint64_t b[2];
    if ((size_t)(end - p) < n) {
        return false;
    }
    if (n < sizeof *a || n > sizeof a) {
        return memcmp(p, bytes, n) == 0;
    }
    memcpy(&a[0], p, sizeof *a);
    memcpy(&b[0], bytes, sizeof *b);
    memcpy(&a[1], p + n - sizeof *a, sizeof *a);
    memcpy(&b[1], bytes + n - sizeof *b, sizeof *b);
    return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

/* The end of a name of a thread, up to the n bytes before the next value; NULL: that is not easily
 * said. */
static const char *comm_end(const char *p, const char *end, const char *bytes, size_t n)
{
    p = value_end(p, end);
    while (p != end && (n == 0 || !is_before_value(p, end, bytes, n))) {
        const char *word = p + 1;
        p = *p == ' ' ? value_end(word, end) : word;
        if (p == word || memchr(word, '=', (size_t)(p - word)) != NULL) {
            return NULL;
        }
    }
    return p;
}

/* A value at p; what is after it. */
static inline const char *read_value(ftrace_event *e, const field_name *f, const char *p,
                                     const char *end)
{
    enum { SAFE = 18 /* digits that always fit */ };
    if (f->form == FORM_DECIMAL) {
        const bool negative = p < end && *p == '-';
        const char *begin = p + negative;
        const char *at = begin;
        uint64_t v = 0; /* holds a digit more */
        while (at < end && at - begin <= SAFE && ts_is_digit(*at)) {
            v = v * 10 + (uint64_t)(*at++ - '0');
        }
        if (at > begin && at - begin <= SAFE && (at == end || *at == ' ')) {
            set_number(e, f->slot, negative ? -(int64_t)v : (int64_t)v);
            return at;
        }
    }
    const char *after = value_end(p, end);
    set_value(e, f, (ts_text){p, (size_t)(after - p)});
    return after;
}

/* False: the arguments are of another form, and *e has to be cleared. */
static bool read_form(ftrace_event *e, const kind_names *k, ts_text args)
{
    const args_form *form = &k->form;
    const char *bytes = form->bytes;
    const char *p = args.p;
    const char *end = args.p + args.n;
    for (unsigned i = 0; i < form->values; i++) {
        const field_name *f = form->field[i] == NO_FIELD ? NULL : &k->field[form->field[i]];
        const size_t n = form->before[i];
        if (!is_before_value(p, end, bytes, n)) {
            return false;
        }
        p += n;
        bytes += n;
        if (f == NULL) {
            p = value_end(p, end);
        } else if (f->form == FORM_COMM) {
            const char *begin = p;
            p = comm_end(p, end, bytes, i + 1 < form->values ? form->before[i + 1] : 0);
            if (p == NULL) {
                return false;
            }
            set_text(e, f->slot, (ts_text){begin, (size_t)(p - begin)});
        } else {
            p = read_value(e, f, p, end);
        }
    }
    return p == end && form->values > 0;
}

/* Keeps the form of arguments that are read as read_pairs does, if it is a simple one. */
static void keep_form(kind_names *k, ts_text args)
{
    const char *p = args.p;
    const char *end = args.p + args.n;
    const char *from = p; /* what is before the next value begins here */
    const field_name *before = NULL;
    args_form form = {.values = 0};
    size_t bytes = 0;
    unsigned seen = 0;
    const char *equals;
    ts_text word;
    for (; next_pair(&word, &equals, &p, end); form.words++) {
        const field_name *f;
        size_t n;
        if (equals == NULL) {
            if (k->bare) {
                return;
            }
            continue;
        }
        n = (size_t)(equals + 1 - from);
        f = next_field(k, before, word.p, (size_t)(equals - word.p));
        if (form.values == FORM_VALUES || n > FORM_BYTES - bytes ||
            (f != NULL && (seen >> (f - k->field) & 1) != 0)) {
            return;
        }
        memcpy(form.bytes + bytes, from, n);
        bytes += n;
        form.before[form.values] = (uint8_t)n;
        form.field[form.values++] = f == NULL ? NO_FIELD : (uint8_t)(f - k->field);
        if (f != NULL) {
            before = f;
            seen |= 1U << (f - k->field);
            if (f->form == FORM_COMM) {
                read_comm(equals + 1, &p, end, k, f);
            }
        }
        from = p;
    }
    /* What is after the last value would not be compared. */
    if (from == end) {
        k->form = form;
    }
}

static void clear_args(ftrace_event *e)
{
    e->numbers = 0;
    e->texts = 0;
    memset(e->number, 0, sizeof e->number);
    memset(e->text, 0, sizeof e->text);
}

/* read_pairs, of a cleared event. */
static unsigned read_words(ftrace_event *e, ts_text bare[2], kind_names *k, ts_text args)
{
    bare[0] = bare[1] = TS_TEXT_NULL;
    if (read_form(e, k, args)) {
        k->form.missed = 0;
        return k->form.words;
    }
    clear_args(e);
    if (k->form.values == 0 || ++k->form.missed == FORM_MISSED) {
        k->form.missed = 0;
        keep_form(k, args);
    }
    return read_pairs(e, bare, k, args);
}

/* --- forms of their own --------------------------------------------------------------------- */

/* What follows `mark`, and *before what is in front of it. */
static bool split_at(ts_text *before, ts_text *after, ts_text t, const char *mark)
{
    const char *p = t.n == 0 ? NULL : memmem(t.p, t.n, mark, strlen(mark));
    if (p == NULL) {
        return false;
    }
    *before = (ts_text){t.p, (size_t)(p - t.p)};
    *after = (ts_text){p + strlen(mark), t.n - before->n - strlen(mark)};
    return true;
}

/* "comm:pid [prio]", and what may be after it. */
static bool read_task(ts_text *comm, int64_t *pid, int64_t *prio, ts_text t)
{
    size_t close = t.n;
    size_t open;
    size_t colon;
    while (close > 0 && t.p[close - 1] != ']') {
        close--;
    }
    for (open = close; open > 0 && t.p[open - 1] != '['; open--) {
    }
    if (open < 3 || close == 0 || !ftrace_decimal(prio, (ts_text){t.p + open, close - 1 - open}) ||
        t.p[open - 2] != ' ') {
        return false;
    }
    for (colon = open - 2; colon > 0 && t.p[colon - 1] != ':'; colon--) {
    }
    *comm = (ts_text){t.p, colon == 0 ? 0 : colon - 1};
    return colon > 0 && ftrace_decimal(pid, (ts_text){t.p + colon, open - 2 - colon});
}

static ts_text behind_bracket(ts_text t)
{
    size_t i = t.n;
    while (i > 0 && t.p[i - 1] != ']') {
        i--;
    }
    while (i < t.n && args_space(t.p[i])) {
        i++;
    }
    return (ts_text){t.p + i, t.n - i};
}

/* As trace-cmd and perf write it: "a:1 [120] S ==> b:2 [120]". */
static bool read_switch(ftrace_event *e, ts_text args)
{
    ts_text prev;
    ts_text next;
    ts_text state;
    ts_text comm[2];
    int64_t pid[2];
    int64_t prio[2];
    size_t n = 0;
    if (!split_at(&prev, &next, args, " ==> ") || !read_task(&comm[0], &pid[0], &prio[0], prev) ||
        !read_task(&comm[1], &pid[1], &prio[1], next)) {
        return false;
    }
    state = behind_bracket(prev);
    while (n < state.n && !args_space(state.p[n])) {
        n++;
    }
    if (n == 0) {
        return false;
    }
    set_text(e, FTRACE_T_sched_switch_prev_comm, comm[0]);
    set_text(e, FTRACE_T_sched_switch_next_comm, comm[1]);
    set_number(e, FTRACE_N_sched_switch_prev_pid, pid[0]);
    set_number(e, FTRACE_N_sched_switch_prev_prio, prio[0]);
    set_number(e, FTRACE_N_sched_switch_prev_state, state_of((ts_text){state.p, n}));
    set_number(e, FTRACE_N_sched_switch_next_pid, pid[1]);
    set_number(e, FTRACE_N_sched_switch_next_prio, prio[1]);
    return true;
}

/* Likewise "a:1 [120] success=1 CPU:002", "a:1 [120]<CPU:002>". */
static bool read_wakeup(ftrace_event *e, ts_text args)
{
    ts_text task;
    ts_text cpu;
    ts_text comm;
    int64_t pid;
    int64_t prio;
    int64_t v;
    if (!split_at(&task, &cpu, args, "CPU:") || !read_task(&comm, &pid, &prio, task)) {
        return false;
    }
    cpu.n -= cpu.n > 0 && cpu.p[cpu.n - 1] == '>' ? 1 : 0;
    set_number(e, FTRACE_N_sched_wakeup_pid, pid);
    if (ftrace_decimal(&v, cpu)) {
        set_number(e, FTRACE_N_sched_wakeup_target_cpu, v);
    }
    return true;
}

/* "NR 64 (1, 2, 3)" and "NR 64 = 5". */
static void read_syscall(ftrace_event *e, ts_text args)
{
    const char *p = args.p;
    const char *end = args.p + args.n;
    ts_text word;
    int64_t v;
    if (!next_word(&word, &p, end) || !ts_text_is(word, "NR") || !next_word(&word, &p, end) ||
        !ftrace_decimal(&v, word)) {
        return;
    }
    set_number(e, FTRACE_N_sys_enter_id, v);
    while (p < end && args_space(*p)) {
        p++;
    }
    if (e->kind == FTRACE_sys_enter) {
        if (end - p >= 2 && *p == '(' && end[-1] == ')') {
            p++;
            end--;
        }
        set_text(e, FTRACE_T_sys_enter_args, (ts_text){p, (size_t)(end - p)});
    } else if (next_word(&word, &p, end) && ts_text_is(word, "=") && next_word(&word, &p, end) &&
               ftrace_decimal(&v, word)) {
        set_number(e, FTRACE_N_sys_exit_ret, v);
    }
}

static void read_named(ftrace_event *e, kind_names *k, ts_text args)
{
    ts_text bare[2];
    read_words(e, bare, k, args);
    if (bare[0].p != NULL && find_field(k, "name", 4) != NULL && !ftrace_has_text(e, 0)) {
        set_text(e, 0, bare[0]);
    }
    if (bare[1].p != NULL && e->kind == FTRACE_clk_set_rate && !ftrace_has_number(e, 0)) {
        set_value(e, find_field(k, "rate", 4), bare[1]);
    }
}

static void read_function(ftrace_event *e, ts_text args)
{
    ts_text before;
    ts_text name;
    if (split_at(&before, &name, args, "function ")) {
        set_text(e, FTRACE_T_workqueue_execute_start_function_name, name);
    }
}

bool ftrace_args_read(ftrace_event *e, ftrace_names *names, ts_text args)
{
    enum { WAKEUP_WORDS = 2, WAKING_WORDS = 4 };
    kind_names *k = &names->kind[e->kind];
    ts_text bare[2];
    clear_args(e);
    switch (e->kind) {
    case FTRACE_print:
    case FTRACE_tracing_mark_write:
    case FTRACE_ipi_entry:
    case FTRACE_ipi_exit:
        set_text(e, 0, args);
        return true;
    case FTRACE_sched_switch:
        read_words(e, bare, k, args);
        if ((e->numbers & k->need_numbers) == 0) {
            return read_switch(e, args);
        }
        break;
    case FTRACE_sched_wakeup:
    case FTRACE_sched_wakeup_new:
    case FTRACE_wakeup:
    case FTRACE_sched_waking: {
        unsigned words = read_words(e, bare, k, args);
        if (e->numbers == 0) {
            return read_wakeup(e, args);
        }
        if (words < (e->kind == FTRACE_sched_waking ? WAKING_WORDS : WAKEUP_WORDS)) {
            return false;
        }
        break;
    }
    case FTRACE_sys_enter:
    case FTRACE_sys_exit:
        read_syscall(e, args);
        break;
    case FTRACE_workqueue_execute_start:
        read_function(e, args);
        break;
    default:
        read_named(e, k, args);
    }
    return (e->numbers & k->need_numbers) == k->need_numbers &&
           (e->texts & k->need_texts) == k->need_texts;
}
