/* Numbers as plain decimals, for formats that know no exponents. */
#ifndef TS_BASE_PLAIN_REAL_H
#define TS_BASE_PLAIN_REAL_H

#include <stdbool.h>

enum { TS_REAL_DIGITS = 400 };

/* The shortest decimal that is read as the same number, without an exponent. False: not finite. */
bool ts_plain_real(char out[TS_REAL_DIGITS], double value);

#endif
