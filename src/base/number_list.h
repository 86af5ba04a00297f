/* Lists of numbers as they are given on the command line: "3,63,64". */
#ifndef TS_BASE_NUMBER_LIST_H
#define TS_BASE_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Is it one or more numbers of 1 to 10 digits, divided by commas? */
bool ts_number_list_valid(const char *list);

/* Does a valid list, or "", have the number? Takes as long as the list. */
bool ts_number_list_has(const char *list, int64_t number);

#endif
