#include "session/diff/diff_rows.h"

#include "base/ckd.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double diff_number(diff_cell a)
{
    switch (a.type) {
    case TS_CELL_INT:
        return (double)a.u.i;
    case TS_CELL_REAL:
        return a.u.r;
    default:
        return 0;
    }
}

diff_cell diff_parse(ts_cell_type type, const char *text)
{
    if (type == TS_CELL_INT) {
        return diff_int(strtoll(text, NULL, 10));
    }
    if (type == TS_CELL_REAL) {
        double real = strtod(text, NULL); /* the program never sets a locale */
        return isnan(real) ? diff_null() : diff_real(real);
    }
    return diff_null();
}

diff_cell diff_add(diff_cell a, diff_cell b)
{
    int64_t sum;
    if (a.type == TS_CELL_NULL) {
        return b;
    }
    if (b.type == TS_CELL_NULL) {
        return a;
    }
    if (a.type == TS_CELL_INT && b.type == TS_CELL_INT && !ts_ckd_add(&sum, a.u.i, b.u.i)) {
        return diff_int(sum);
    }
    return diff_real(diff_number(a) + diff_number(b));
}

diff_cell diff_change(diff_cell before, diff_cell after)
{
    int64_t change;
    if (before.type == TS_CELL_NULL || after.type == TS_CELL_NULL) {
        return diff_null();
    }
    if (before.type == TS_CELL_INT && after.type == TS_CELL_INT &&
        !ts_ckd_sub(&change, after.u.i, before.u.i)) {
        return diff_int(change);
    }
    return diff_real(diff_number(after) - diff_number(before));
}

diff_cell diff_percent(diff_cell before, diff_cell after)
{
    diff_cell change = diff_change(before, after);
    double base = fabs(diff_number(before));
    if (change.type == TS_CELL_NULL || base == 0 || isinf(base)) {
        return diff_null();
    }
    return diff_real(100 * diff_number(change) / base);
}

int diff_compare(diff_cell a, diff_cell b)
{
    if (a.type == TS_CELL_NULL || b.type == TS_CELL_NULL) {
        return (a.type != TS_CELL_NULL) - (b.type != TS_CELL_NULL);
    }
    if (a.type == TS_CELL_INT && b.type == TS_CELL_INT) {
        return (a.u.i > b.u.i) - (a.u.i < b.u.i);
    }
    double x = diff_number(a);
    double y = diff_number(b);
    return (x > y) - (x < y);
}

/* |i| of all numbers, which one of them does not have as a positive number. */
static uint64_t magnitude(int64_t i)
{
    return i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
}

int diff_compare_size(diff_cell a, diff_cell b)
{
    if (a.type == TS_CELL_INT && b.type == TS_CELL_INT) {
        uint64_t x = magnitude(a.u.i);
        uint64_t y = magnitude(b.u.i);
        return (x > y) - (x < y);
    }
    if (a.type == TS_CELL_NULL || b.type == TS_CELL_NULL) {
        return diff_compare(a, b);
    }
    double x = fabs(diff_number(a));
    double y = fabs(diff_number(b));
    return (x > y) - (x < y);
}

bool diff_is_noise(diff_cell before, diff_cell after, diff_cell noise)
{
    diff_cell change = diff_change(before, after);
    return change.type != TS_CELL_NULL && diff_number(noise) > 0 &&
           diff_compare_size(change, noise) <= 0;
}

diff_cell diff_round(diff_cell a, double steps)
{
    if (a.type == TS_CELL_REAL && a.u.r < 1e12 && a.u.r > -1e12) {
        double x = a.u.r * steps;
        a.u.r = (double)(int64_t)(x + (x < 0 ? -0.5 : 0.5)) / steps;
    }
    return a;
}

size_t diff_text(char out[DIFF_CELL_TEXT], diff_cell a)
{
    int n = 0;
    out[0] = '\0';
    if (a.type == TS_CELL_INT) {
        n = snprintf(out, DIFF_CELL_TEXT, "%" PRId64, a.u.i);
    } else if (a.type == TS_CELL_REAL && isinf(a.u.r)) {
        n = snprintf(out, DIFF_CELL_TEXT, "%s", a.u.r < 0 ? "-Inf" : "Inf");
    } else if (a.type == TS_CELL_REAL) {
        n = snprintf(out, DIFF_CELL_TEXT, "%.15g", a.u.r);
        if (strpbrk(out, ".e") == NULL) {
            n += snprintf(out + n, DIFF_CELL_TEXT - (size_t)n, ".0");
        }
    }
    return n < 0 ? 0 : (size_t)n;
}
