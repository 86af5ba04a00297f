#include "parsers/tptp/xml_trace.h"

#include "base/ckd.h"

#include <string.h>

/* --- names ----------------------------------------------------------------------------------- */

/* clang-format off */
static const tptp_name other_elements[] = {
#define OTHER(name) {name, TPTP_EL_OTHER, 0}
    {"trace", TPTP_EL_ROOT, 0},
    {"traceRoot", TPTP_EL_ROOT, 0},
    {"annotation", TPTP_EL_ANNOTATION, 0},
    {"value", TPTP_EL_VALUE, 0},
    OTHER("processSuspend"), OTHER("processResume"), OTHER("classUnload"),
    OTHER("methodCall"), OTHER("methodReturn"), OTHER("methodBody"),
    OTHER("method"), OTHER("methodCount"), OTHER("line"),
    OTHER("tag"), OTHER("code"), OTHER("objDef"),
    OTHER("objMove"), OTHER("throw"), OTHER("catch"),
    OTHER("invocationContext"),
#undef OTHER
};
/* clang-format on */

static const tptp_name number_names[] = {
#define X(id, name, reading) {name, TPTP_ATTR_##reading, TPTP_N_##id},
    TPTP_NUMBERS(X)
#undef X
        {"threadId", TPTP_ATTR_NUMBER, TPTP_N_THREAD},
    {"transientThreadId", TPTP_ATTR_NUMBER, TPTP_N_TRANSIENT_THREAD},
    {"methodId", TPTP_ATTR_NUMBER, TPTP_N_METHOD},
    {"objId", TPTP_ATTR_NUMBER, TPTP_N_OBJECT},
    {"transientObjId", TPTP_ATTR_NUMBER, TPTP_N_TRANSIENT_OBJECT},
    {"classId", TPTP_ATTR_NUMBER, TPTP_N_CLASS},
    {"transientClassId", TPTP_ATTR_NUMBER, TPTP_N_TRANSIENT_CLASS},
    {"heapDumpId", TPTP_ATTR_NUMBER, TPTP_N_DUMP},
    {"objectAge", TPTP_ATTR_NUMBER, TPTP_N_AGE},
    {"totalObjectSpace", TPTP_ATTR_NUMBER, TPTP_N_TOTAL_SPACE},
    {"usedObjectSpace", TPTP_ATTR_NUMBER, TPTP_N_USED_SPACE},
    {"threadOwnerIdRef", TPTP_ATTR_NUMBER, TPTP_N_OWNER},
    {"srcId", TPTP_ATTR_NUMBER, TPTP_N_FROM},
    {"targId", TPTP_ATTR_NUMBER, TPTP_N_TO},
    {"trgIdRef", TPTP_ATTR_NUMBER, TPTP_N_TO},
};

static const tptp_name text_names[] = {
#define X(id, name) {name, TPTP_ATTR_TEXT, TPTP_S_##id},
    TPTP_TEXTS(X)
#undef X
        {"agentId", TPTP_ATTR_TEXT, TPTP_S_AGENT},
    {"traceId", TPTP_ATTR_TEXT, TPTP_S_TRACE},
    {"executable", TPTP_ATTR_TEXT, TPTP_S_EXECUTABLE},
    {"accessFlags", TPTP_ATTR_TEXT, TPTP_S_ACCESS},
};

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool same_name(const char *a, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && a[i] != '\0' && (a[i] == p[i] || lower(a[i]) == lower(p[i]))) {
        i++;
    }
    return i == n && a[i] == '\0';
}

void tptp_names_init(tptp_names *names)
{
    memset(names, 0, sizeof *names);
    for (unsigned i = 0; i < TPTP_KINDS; i++) {
        names->events[i] = (tptp_name){tptp_events[i].name, TPTP_EL_EVENT, (uint8_t)i};
    }
}

/* A list is short: what a hint does not know is looked for in all of it. */
static const tptp_name *in_list(const tptp_name *names, size_t count, const char *p, size_t n)
{
    while (count > 0 && !same_name(names[count - 1].name, p, n)) {
        count--;
    }
    return count == 0 ? NULL : &names[count - 1];
}

static const tptp_name **hint_of(const tptp_name **hints, const char *p, size_t n)
{
    return &hints[(31 * n + (size_t)7 * (unsigned char)p[0] + (unsigned char)p[n / 2]) %
                  TPTP_NAME_HINTS];
}

static bool is_hint(const tptp_name *hint, const char *p, size_t n)
{
    return hint != NULL && strncmp(hint->name, p, n) == 0 && hint->name[n] == '\0';
}

#define IN_LIST(names, p, n) in_list(names, sizeof(names) / sizeof(names)[0], p, n)

const tptp_name *tptp_element_of(tptp_names *names, const char *p, size_t n)
{
    if (n == 0) {
        return NULL;
    }
    const tptp_name **hint = hint_of(names->element_hints, p, n);
    if (is_hint(*hint, p, n)) {
        return *hint;
    }
    const tptp_name *found = IN_LIST(other_elements, p, n);
    found = found == NULL ? IN_LIST(names->events, p, n) : found;
    *hint = found == NULL ? *hint : found;
    return found;
}

const tptp_name *tptp_attribute_of(tptp_names *names, const char *p, size_t n)
{
    if (n == 0) {
        return NULL;
    }
    const tptp_name **hint = hint_of(names->attribute_hints, p, n);
    if (is_hint(*hint, p, n)) {
        return *hint;
    }
    const tptp_name *found = IN_LIST(text_names, p, n);
    found = found == NULL ? IN_LIST(number_names, p, n) : found;
    *hint = found == NULL ? *hint : found;
    return found;
}

bool tptp_has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < n && lower(text[i]) == word[i]) {
            i++;
        }
        if (i == n) {
            return true;
        }
    }
    return false;
}

/* --- values ---------------------------------------------------------------------------------- */

bool tptp_parse_number(int64_t *v, const char *p)
{
    bool negative = *p == '-';
    uint64_t n = 0;
    p += *p == '-' || *p == '+';
    if (*p == '\0') {
        return false;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (ts_ckd_mul(&n, n, UINT64_C(10)) || ts_ckd_add(&n, n, (uint64_t)(*p - '0'))) {
            return false;
        }
    }
    if (*p != '\0' || n > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    *v = (int64_t)(negative ? 0 - n : n);
    return true;
}

enum { NS_DIGITS = 9, MAX_DIGITS = 48, MAX_EXPONENT = 4000 };

/* A number as its digits; the point is after the first `point` of them. */
typedef struct decimal {
    char digits[MAX_DIGITS];
    int n;
    int point;
    bool negative;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits up to the first that is none; leading zeros move the point only. */
static const char *take_digits(decimal *d, const char *p, bool fraction, bool *any)
{
    for (; is_digit(*p); p++) {
        *any = true;
        if (d->n == 0 && *p == '0') {
            d->point -= fraction;
            continue;
        }
        d->point += !fraction && d->point < 2 * MAX_EXPONENT;
        if (d->n < MAX_DIGITS) {
            d->digits[d->n++] = *p;
        }
    }
    return p;
}

static bool take_exponent(decimal *d, const char *p)
{
    bool negative = *p == '-';
    int e = 0;
    p += *p == '-' || *p == '+';
    if (!is_digit(*p)) {
        return false;
    }
    for (; is_digit(*p); p++) {
        e = e < MAX_EXPONENT ? 10 * e + (*p - '0') : e;
    }
    d->point += negative ? -e : e;
    return *p == '\0';
}

static bool parse_decimal(decimal *d, const char *p)
{
    bool any = false;
    *d = (decimal){.negative = *p == '-'};
    p += *p == '-' || *p == '+';
    p = take_digits(d, p, false, &any);
    p = *p == '.' ? take_digits(d, p + 1, true, &any) : p;
    if (!any) {
        return false;
    }
    return *p == 'e' || *p == 'E' ? take_exponent(d, p + 1) : *p == '\0';
}

/* Seconds without sign and exponent, as they nearly always are. */
static bool parse_plain_seconds(int64_t *ns, const char *p)
{
    uint64_t v = 0;
    unsigned digits = 0;
    unsigned fraction = 0;
    for (; is_digit(*p) && digits < 10; p++, digits++) {
        v = 10 * v + (uint64_t)(*p - '0');
    }
    if (digits == 0 || is_digit(*p)) {
        return false;
    }
    if (*p == '.') {
        for (p++; is_digit(*p) && fraction < NS_DIGITS; p++, fraction++) {
            v = 10 * v + (uint64_t)(*p - '0');
        }
        while (is_digit(*p)) {
            p++;
        }
    }
    for (; fraction < NS_DIGITS; fraction++) {
        v *= 10;
    }
    *ns = (int64_t)v;
    return *p == '\0' && v <= INT64_MAX;
}

bool tptp_parse_seconds(int64_t *ns, const char *p)
{
    decimal d;
    uint64_t v = 0;
    if (parse_plain_seconds(ns, p)) {
        return true;
    }
    if (!parse_decimal(&d, p)) {
        return false;
    }
    for (int i = 0; i < d.point + NS_DIGITS && d.n > 0; i++) {
        uint64_t digit = i < d.n ? (uint64_t)(d.digits[i] - '0') : 0;
        if (ts_ckd_mul(&v, v, UINT64_C(10)) || ts_ckd_add(&v, v, digit) || v > INT64_MAX) {
            return false;
        }
    }
    *ns = d.negative ? -(int64_t)v : (int64_t)v;
    return true;
}

static bool parse_flag(int64_t *v, const char *p)
{
    if (same_name("true", p, strlen(p)) || same_name("false", p, strlen(p))) {
        *v = lower(*p) == 't';
        return true;
    }
    return tptp_parse_number(v, p);
}

void tptp_set_attribute(tptp_record *r, const tptp_name *name, const char *value)
{
    uint8_t slot = name->slot;
    int64_t v = 0;
    if (name->what == TPTP_ATTR_TEXT) {
        r->text[slot] = ts_text_of(value);
        return;
    }
    bool good = name->what == TPTP_ATTR_SECONDS ? tptp_parse_seconds(&v, value)
                : name->what == TPTP_ATTR_FLAG  ? parse_flag(&v, value)
                                                : tptp_parse_number(&v, value);
    if (*value == '\0') {
        return; /* as if it were not there */
    }
    r->num[slot] = good ? v : 0;
    r->has |= UINT64_C(1) << slot;
    r->bad |= (uint64_t)!good << slot;
}
