/*
 * What a question says about itself: the comment lines that begin its file.
 *
 *     -- Question:   Which calls were the slowest?
 *     -- Topic:      calls
 *     -- Needs:      stack_slice (traced calls), cloud_call (calls)
 *     -- Parameters: from, to  time: when they began (default: everything)
 *     --             limit     number of rows (default 20)
 *
 * A part ends before the next line that is not indented. A parameter without "(default" has to be
 * given; one whose text begins with "time" takes times. A question needs rows in one of its tables.
 */
#ifndef TS_TABLES_QUESTION_TEXT_H
#define TS_TABLES_QUESTION_TEXT_H

#include "base/text.h"

/* The text after "-- KEY:" up to the end of the part, comment signs included; p NULL: no such
 * part. */
ts_text ts_question_part(ts_text sql, const char *key);

/* Takes a line of a part off *rest, without comment sign and blanks at its ends; *column: where it
 * began. False at the end. */
bool ts_question_line(ts_text *line, size_t *column, ts_text *rest);

/* The first line of the part of that key, or an empty text. */
ts_text ts_question_first(ts_text sql, const char *key);

typedef struct ts_question_param {
    ts_text names; /* "from, to" */
    ts_text doc;   /* the first line of what they are */
    bool required;
    bool is_time;
} ts_question_param;

/* Takes an entry off the part "Parameters"; false at the end. "none" is no entry. */
bool ts_question_param_next(ts_question_param *out, ts_text *rest);

/* Takes a name off a list that is divided by commas; false at the end. */
bool ts_question_name_next(ts_text *name, ts_text *rest);

/* Whether the part Parameters of `sql` has the parameter; *out: its entry. */
bool ts_question_find_param(ts_question_param *out, ts_text sql, const char *name);

typedef struct ts_question_need {
    ts_text table;
    ts_text what; /* "traced calls" */
} ts_question_need;

/* Takes an entry off the part "Needs"; false at the end, and at what is no entry. */
bool ts_question_need_next(ts_question_need *out, ts_text *rest);

#endif
