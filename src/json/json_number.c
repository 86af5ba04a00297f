/* Numbers of the JSON reader: the grammar, and their exact value in bounded memory. */
#include "json/json_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Exponents are capped here: far beyond a double, and sums with counts of digits do not overflow.
 */
#define EXPONENT_CAP INT64_C(100000000000000000)

static ts_code json_put_number(ts_json *js, const ts_json_number *number)
{
    json_value_done(js);
    if (js->want_ints && number->is_int) {
        js->ints[js->int_n++] = number->i;
        return js->int_n == JSON_INTS ? json_flush_ints(js) : TS_OK;
    }
    ts_code code = json_flush_ints(js);
    TS_STEP_IF(code, js->handler->number != NULL, js->handler->number(js->user, number));
    return code;
}

/* An integer of at most 18 digits that ends inside the block: nothing has to be kept. */
static bool short_integer(ts_json_number *out, const ts_json *js)
{
    const char *p = js->at;
    bool negative = *p == '-';
    p += negative;
    const char *first = p;
    uint64_t v = 0;
    while (p < js->end && json_is_digit(*p) && p - first < 18) {
        v = v * 10 + (unsigned char)(*p - '0');
        p++;
    }
    if (p == first || p == js->end || json_is_digit(*p) || *p == '.' || (*p | 0x20) == 'e' ||
        (*first == '0' && p - first > 1)) {
        return false;
    }
    out->is_int = true;
    out->i = negative ? -(int64_t)v : (int64_t)v;
    out->d = negative ? -(double)v : (double)v;
    out->p = js->at;
    out->n = (size_t)(p - js->at);
    return true;
}

ts_code json_number_begin(ts_json *js)
{
    ts_json_number number;
    if (short_integer(&number, js)) {
        js->at += number.n;
        return json_put_number(js, &number);
    }
    json_decimal *d = &js->decimal;
    char c = *js->at++;
    d->part = c == '-' ? JSON_NUM_SIGN : c == '0' ? JSON_NUM_ZERO : JSON_NUM_INT;
    d->negative = c == '-';
    d->exponent_negative = false;
    d->fraction = 0;
    d->zeros = 0;
    d->dropped = 0;
    d->exponent = 0;
    d->digit_n = 0;
    d->text_n = 1;
    d->text[0] = c;
    if (d->part == JSON_NUM_INT) {
        d->digits[d->digit_n++] = c;
    }
    js->state = JSON_IN_NUMBER;
    return TS_OK;
}

static void add_digit(json_decimal *d, char c)
{
    if (c == '0') {
        d->zeros += d->digit_n != 0;
        return;
    }
    while (d->zeros > 0 && d->digit_n < JSON_DIGITS) {
        d->digits[d->digit_n++] = '0';
        d->zeros--;
    }
    if (d->digit_n == JSON_DIGITS) {
        d->dropped += d->zeros + 1;
        d->zeros = 0;
        return;
    }
    d->digits[d->digit_n++] = c;
}

/* A digit where one may be. False: there is none. */
static bool take_digit(json_decimal *d, char c)
{
    switch (d->part) {
    case JSON_NUM_ZERO:
        return false;
    case JSON_NUM_SIGN:
        d->part = c == '0' ? JSON_NUM_ZERO : JSON_NUM_INT;
        add_digit(d, c);
        return true;
    case JSON_NUM_INT:
        add_digit(d, c);
        return true;
    case JSON_NUM_POINT:
    case JSON_NUM_FRACTION:
        d->part = JSON_NUM_FRACTION;
        d->fraction++;
        add_digit(d, c);
        return true;
    case JSON_NUM_E:
    case JSON_NUM_EXP_SIGN:
    case JSON_NUM_EXP:
        d->part = JSON_NUM_EXP;
        if (d->exponent < EXPONENT_CAP) {
            d->exponent = d->exponent * 10 + (c - '0');
        }
        return true;
    }
    return false;
}

/* Any other byte that goes on with the number. False: the number does not go on. */
static bool json_take_mark(json_decimal *d, char c)
{
    bool whole = d->part == JSON_NUM_ZERO || d->part == JSON_NUM_INT;
    if (c == '.' && whole) {
        d->part = JSON_NUM_POINT;
    } else if ((c == 'e' || c == 'E') && (whole || d->part == JSON_NUM_FRACTION)) {
        d->part = JSON_NUM_E;
    } else if ((c == '+' || c == '-') && d->part == JSON_NUM_E) {
        d->part = JSON_NUM_EXP_SIGN;
        d->exponent_negative = c == '-';
    } else {
        return false;
    }
    return true;
}

ts_code json_number_step(ts_json *js)
{
    json_decimal *d = &js->decimal;
    while (js->at < js->end) {
        char c = *js->at;
        if (json_is_digit(c) ? !take_digit(d, c) : !json_take_mark(d, c)) {
            if (!json_number_may_end(js)) {
                return json_bad(js, "expected a digit");
            }
            if (json_is_digit(c)) {
                return json_bad(js, "a number with a superfluous leading zero");
            }
            return json_number_end(js);
        }
        if (d->text_n < JSON_TEXT) {
            d->text[d->text_n++] = c;
        }
        js->at++;
    }
    return TS_OK;
}

bool json_number_may_end(const ts_json *js)
{
    json_number_part part = js->decimal.part;
    return part == JSON_NUM_ZERO || part == JSON_NUM_INT || part == JSON_NUM_FRACTION ||
           part == JSON_NUM_EXP;
}

/* The number is digits * 10^exponent. True and the value when it is an integer that fits. */
static bool to_int(int64_t *out, const json_decimal *d, int64_t exponent)
{
    *out = 0;
    if (d->digit_n == 0) {
        return true;
    }
    /* When digits were dropped, far more than 19 have been kept. */
    if (exponent < 0 || exponent + (int64_t)d->digit_n > 19) {
        return false;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < d->digit_n; i++) {
        v = v * 10 + (unsigned char)(d->digits[i] - '0');
    }
    for (; exponent > 0; exponent--) {
        v *= 10;
    }
    if (v > (uint64_t)INT64_MAX + d->negative) {
        return false;
    }
    *out = d->negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* Both operands are exact in a double, so the result is rounded once. */
static bool small_double(double *out, const json_decimal *d, int64_t exponent)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || d->digit_n > 15 || exponent < -22 || exponent > 22) {
        return false;
    }
    int64_t v = 0;
    for (size_t i = 0; i < d->digit_n; i++) {
        v = v * 10 + (d->digits[i] - '0');
    }
    *out = exponent < 0 ? (double)v / powers[-exponent] : (double)v * powers[exponent];
    return true;
}

static double to_double(const json_decimal *d, int64_t exponent)
{
    double v = 0;
    if (d->digit_n != 0 && !small_double(&v, d, exponent)) {
        /* No decimal point: the locale has no say in how strtod reads this. */
        char text[JSON_DIGITS + 32];
        size_t n = d->digit_n;
        memcpy(text, d->digits, n);
        if (d->dropped != 0) {
            text[n++] = '1';
            exponent--;
        }
        int e = exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : (int)exponent;
        snprintf(text + n, sizeof text - n, "e%d", e);
        v = strtod(text, NULL);
        if (isinf(v)) {
            v = DBL_MAX;
        }
    }
    return d->negative ? -v : v;
}

ts_code json_number_end(ts_json *js)
{
    const json_decimal *d = &js->decimal;
    int64_t exponent = d->exponent_negative ? -d->exponent : d->exponent;
    exponent += (int64_t)(d->dropped + d->zeros) - (int64_t)d->fraction;
    ts_json_number number = {.p = d->text, .n = d->text_n};
    number.is_int = to_int(&number.i, d, exponent);
    number.d = to_double(d, exponent);
    return json_put_number(js, &number);
}
