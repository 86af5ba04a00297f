/* The file metrics.json of an upload: a list of names with numbers. */
#include "parsers/datakit/datakit.h"

enum { NUMBERS_NAME = 1024 };

/* Lists of the text; what is no list in the outer one is left out. */
enum { NUMBERS_LIST = 1, NUMBERS_PAIR, NUMBERS_OTHER };
static const ts_json_field fields[] = {
    {0, TS_JSON_LIST, .to = NUMBERS_LIST},
    {NUMBERS_LIST, TS_JSON_LIST, .to = NUMBERS_PAIR},
    {NUMBERS_LIST, TS_JSON_OBJECT, .to = NUMBERS_OTHER},
    {NUMBERS_PAIR, TS_JSON_TEXT | TS_JSON_NUMBER | TS_JSON_LITERAL, .key = NULL},
};

static ts_code numbers_begin(void *user, bool *take, unsigned place)
{
    datakit_numbers *d = user;
    (void)take;
    if (place == NUMBERS_PAIR) {
        d->place = 0;
        d->bad = false;
        d->name.n = 0;
    }
    return TS_OK;
}

static ts_code numbers_end(void *user, unsigned place)
{
    datakit_numbers *d = user;
    if (place == NUMBERS_LIST) {
        return TS_OK;
    }
    if (place == NUMBERS_OTHER || d->bad || d->place != 2) {
        d->lost++;
        return TS_OK;
    }
    d->put++;
    d->row.name = ts_buf_text(&d->name);
    return ts_put_profile_number(ts_store_sink(d->store), &d->row);
}

/* Values outside of pairs do not count, nor does anything in the wrong place of a pair. */
static ts_code numbers_odd(void *user, unsigned kind)
{
    datakit_numbers *d = user;
    (void)kind;
    if (d->in.at == 0) {
        d->no_list = "it is not a list";
    }
    d->lost += d->in.at == NUMBERS_LIST;
    d->bad = d->bad || d->in.at == NUMBERS_PAIR;
    return TS_OK;
}

static ts_code numbers_text(void *user, const char *p, size_t n, unsigned flags)
{
    datakit_numbers *d = user;
    bool last = (flags & TS_JSON_LAST) != 0;
    if (d->place != 0) {
        d->bad = d->bad || last;
        return TS_OK;
    }
    d->bad = d->bad || d->name.n + n > NUMBERS_NAME;
    d->place += last ? 1 : 0;
    return d->bad ? TS_OK : ts_buf_put(d->in.ctx, &d->name, p, n);
}

static ts_code numbers_number(void *user, const ts_json_number *number)
{
    datakit_numbers *d = user;
    size_t n = number->n < sizeof d->text ? number->n : sizeof d->text;
    if (d->place != 1) {
        return numbers_odd(d, TS_JSON_NUMBER);
    }
    memcpy(d->text, number->p, n);
    d->row = (ts_row_profile_number){
        .profile_id = d->profile_id, .value = number->d, .text = {d->text, n}};
    d->place = 2;
    return TS_OK;
}

/* What is not known yet has no number. */
static ts_code numbers_literal(void *user, ts_json_kind kind)
{
    datakit_numbers *d = user;
    if (d->place != 1) {
        return numbers_odd(d, TS_JSON_LITERAL);
    }
    d->row = (ts_row_profile_number){.profile_id = d->profile_id};
    TS_SET_NULL(profile_number, &d->row, value);
    d->bad = d->bad || kind != TS_JSON_NULL;
    d->place = 2;
    return TS_OK;
}

const ts_json_table datakit_numbers_table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = numbers_begin,
    .end = numbers_end,
    .number = numbers_number,
    .text = numbers_text,
    .literal = numbers_literal,
    .odd = numbers_odd,
};
