/* For tests of ftrace-plugin: messages in hexadecimal digits. */
#ifndef TS_TEST_FTRACE_MESSAGES_H
#define TS_TEST_FTRACE_MESSAGES_H

#include "plugin_build.h"

/* Bytes in hexadecimal digits; what stands in brackets has its length in front. */
static inline bytes nested(const char **digits)
{
    bytes data = {0};
    for (; **digits != '\0' && **digits != ')'; ++*digits) {
        if (**digits == '(') {
            ++*digits;
            bytes inner = nested(digits);
            put_varint(&data, inner.n);
            put(&data, inner.p, inner.n);
            free(inner.p);
            assert_int_equal(**digits, ')');
        } else if (**digits != ' ') {
            char two[3] = {(*digits)[0], (*digits)[1], '\0'};
            put_le(&data, strtoul(two, NULL, 16), 1);
            ++*digits;
        }
    }
    return data;
}

static inline void message(bytes *f, const char *digits)
{
    bytes data = nested(&digits);
    assert_int_equal(*digits, '\0');
    segment(f, "ftrace-plugin", data.p, data.n, 14 * S);
    free(data.p);
}

#endif
