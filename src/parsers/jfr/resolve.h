/* Inside of resolving: what is wanted of entries of pools, shared by resolve.c and stack_traces.c.
 */
#ifndef TS_PARSERS_JFR_RESOLVE_H
#define TS_PARSERS_JFR_RESOLVE_H

#include "parsers/jfr/chunk.h"

/* Slots of the values of entries, by class. */
enum { SYMBOL_STRING = 0 };
enum { CLASS_NAME, CLASS_PACKAGE };
enum { PACKAGE_NAME, PACKAGE_MODULE };
enum { MODULE_NAME = 0 };
enum { METHOD_TYPE, METHOD_NAME, METHOD_DESCRIPTOR, METHOD_MODIFIERS };
enum {
    THREAD_OS_NAME,
    THREAD_OS_ID,
    THREAD_JAVA_NAME,
    THREAD_JAVA_ID,
    THREAD_GROUP,
    THREAD_VIRTUAL
};
enum { GROUP_NAME = 0 };
enum { STACK_TRUNCATED, STACK_FRAMES, FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_BYTECODE };

extern const jfr_wish jfr_class_wishes[2];
extern const jfr_wish jfr_package_wishes[2];
extern const jfr_wish jfr_module_wishes[1];
extern const jfr_wish jfr_method_wishes[4];
extern const jfr_wish jfr_stack_wishes[6];

/* The entry of a reference; NULL when there is none, which is counted unless the key says null. */
jfr_entry *jfr_entry_of(jfr_chunk *c, const jfr_value *v);

/*
 * The values of an entry of class cls, JFR_SLOTS of them; false: the class is not the one that has
 * these wishes. element: NULL, or what to do with elements of an array, whose errors are in *code.
 */
bool jfr_entry_values(jfr_value *values, const jfr_chunk *c, uint32_t cls, const jfr_entry *entry,
                      const jfr_wish *wishes, const jfr_element *element, ts_code *code);

/* Appends the text of a string, of a number, or of an entry that leads to one. */
ts_code jfr_plain_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *value);

#endif
