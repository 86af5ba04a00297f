/* The events and their attributes (docs/formats.md, "TPTP traces"). */
#include "parsers/tptp/record.h"

#include <stddef.h>

/* clang-format off */
#define LONG(slot) {TPTP_LONG, TPTP_N_##slot}
#define STAMP(slot) {TPTP_STAMP, TPTP_N_##slot}
#define DURATION(slot) {TPTP_DURATION, TPTP_N_##slot}
#define INTEGER(slot) {TPTP_INTEGER, TPTP_N_##slot}
#define BYTE(slot) {TPTP_BYTE, TPTP_N_##slot}
#define STRING(slot) {TPTP_STRING, TPTP_S_##slot}
#define FRAMES {TPTP_FRAMES, 0}
#define END {TPTP_END, 0}
/* The two texts at the end of many events. */
#define TAIL STRING(COLLATION), STRING(TRACE), END

static const tptp_field node[] = {
    STRING(NODE), STRING(HOSTNAME), STRING(ADDRESS), INTEGER(TIMEZONE), STAMP(TIME), END};
static const tptp_field process_create[] = {
    STRING(PROCESS), STRING(NAME), INTEGER(PID), STRING(NODE_REF), STAMP(TIME), STRING(EXECUTABLE),
    END};
static const tptp_field agent_create[] = {
    STRING(AGENT), STRING(PROCESS_REF), STRING(AGENT_NAME), STRING(AGENT_TYPE), STAMP(TIME),
    STRING(AGENT_PARAMETERS), STRING(VERSION), END};
static const tptp_field agent_destroy[] = {
    STRING(AGENT), STAMP(TIME), END};
static const tptp_field trace_start[] = {
    STRING(TRACE), STRING(AGENT), STAMP(TIME), STRING(COLLATION), END};
static const tptp_field trace_end[] = {
    STRING(TRACE), STAMP(TIME), STRING(COLLATION), END};
static const tptp_field filter[] = {
    STRING(TRACE), STRING(PATTERN), STRING(GENERIC_PATTERN), STRING(MODE), STRING(METHOD_PATTERN),
    STRING(METHOD_GENERIC_PATTERN), STRING(METHOD_MODE), END};
static const tptp_field option[] = {
    STRING(TRACE), STRING(KEY), STRING(VALUE), END};
static const tptp_field thread_start[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), STRING(GROUP_NAME), STRING(PARENT_NAME),
    LONG(TRANSIENT_OBJECT), LONG(OBJECT), STRING(THREAD_NAME), TAIL};
static const tptp_field thread_end[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), TAIL};
static const tptp_field class_def[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), INTEGER(INTERFACES), STRING(INTERFACE_NAMES),
    LONG(TRANSIENT_CLASS), LONG(CLASS), STRING(SOURCE_NAME), STRING(CLASS_LOADER),
    STRING(SUPERCLASS), LONG(TRANSIENT_OBJECT), LONG(OBJECT), STRING(NAME), STRING(ACCESS),
    INTEGER(STATIC_FIELDS), INTEGER(METHODS), INTEGER(INSTANCE_FIELDS), TAIL};
static const tptp_field method_def[] = {
    STRING(NAME), STRING(SIGNATURE), BYTE(IS_NATIVE), BYTE(IS_ABSTRACT), BYTE(IS_STATIC),
    BYTE(IS_SYNCHRONIZED), STRING(EXCEPTIONS), LONG(START_LINE), LONG(END_LINE), STRING(NOTATION),
    LONG(TRANSIENT_CLASS), LONG(CLASS), LONG(METHOD), TAIL};
static const tptp_field obj_alloc[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), BYTE(IS_ARRAY), LONG(TRANSIENT_OBJECT),
    LONG(OBJECT), LONG(SIZE), LONG(LINE), LONG(METHOD), LONG(TRANSIENT_CLASS), LONG(CLASS),
    STRING(CONTEXT), TAIL};
static const tptp_field method_entry[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), LONG(METHOD), INTEGER(TICKET),
    LONG(TRANSIENT_OBJECT), LONG(CLASS), DURATION(CPU), LONG(SEQUENCE), LONG(STACK_DEPTH), TAIL};
static const tptp_field method_entry_b[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), LONG(METHOD), INTEGER(TICKET),
    LONG(TRANSIENT_OBJECT), LONG(OBJECT), LONG(TRANSIENT_CLASS), LONG(CLASS), DURATION(CPU),
    LONG(SEQUENCE), LONG(STACK_DEPTH), TAIL};
static const tptp_field method_exit[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), INTEGER(TICKET), DURATION(CPU), LONG(METHOD),
    LONG(TRANSIENT_OBJECT), LONG(OBJECT), LONG(TRANSIENT_CLASS), LONG(CLASS), STRING(SEQUENCE_TEXT),
    TAIL};
static const tptp_field method_exit_b[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), INTEGER(TICKET), DURATION(CPU), LONG(METHOD),
    LONG(TRANSIENT_OBJECT), LONG(OBJECT), LONG(TRANSIENT_CLASS), LONG(CLASS), LONG(SEQUENCE), TAIL};
static const tptp_field gc_start[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), TAIL};
static const tptp_field obj_free[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), LONG(TRANSIENT_OBJECT), LONG(OBJECT),
    LONG(AGE), LONG(SEQUENCE), LONG(STACK_DEPTH), TAIL};
static const tptp_field gc_finish[] = {
    LONG(TRANSIENT_THREAD), LONG(THREAD), STAMP(TIME), LONG(TOTAL_SPACE), LONG(USED_SPACE),
    LONG(USED_OBJECTS), TAIL};
static const tptp_field mon_wait[] = {
    LONG(THREAD), STAMP(TIME), LONG(OBJECT), LONG(TIMEOUT), INTEGER(STACK_COUNT), FRAMES, END};
static const tptp_field mon_contended_enter[] = {
    LONG(THREAD), STAMP(TIME), LONG(OBJECT), LONG(OWNER), INTEGER(STACK_COUNT), FRAMES, END};
static const tptp_field mon_contended_entered[] = {
    LONG(THREAD), STAMP(TIME), LONG(OBJECT), INTEGER(STACK_COUNT), FRAMES, END};
static const tptp_field ag_method_entry[] = {
    LONG(THREAD), LONG(METHOD), DURATION(BASE_TIME), DURATION(MIN_TIME), DURATION(MAX_TIME),
    DURATION(BASE_CPU), LONG(CALLS), END};
static const tptp_field ag_method_exit[] = {
    LONG(THREAD), LONG(METHOD), END};
static const tptp_field heap_dump_def[] = {
    LONG(DUMP), STAMP(TIME), STRING(NAME), DURATION(BASE_TIME), END};
static const tptp_field gc_root[] = {
    LONG(CLASS), LONG(OBJECT), STRING(TYPE), END};
static const tptp_field obj_reference[] = {
    LONG(FROM), LONG(TO), LONG(DUMP), END};
static const tptp_field custom_data[] = {
    STRING(BODY), END};

const tptp_event_info tptp_events[TPTP_KINDS] = {
#define X(id, name, number, fields, variant, taker) {name, number, fields, variant},
    TPTP_EVENTS(X)
#undef X
};
/* clang-format on */

const tptp_event_info *tptp_event_of(uint32_t id)
{
    static const uint8_t numbers[TPTP_LAST_ID - TPTP_FIRST_ID + 1] = {
        1, 2,  3,  4, 5, 6,  7, 8, 9,  10, 11, 12, 0,  13, 14, 15, 0,  0,  0,  0, 0,
        0, 16, 17, 0, 0, 18, 0, 0, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
    uint32_t i = id - TPTP_FIRST_ID;
    return id < TPTP_FIRST_ID || id > TPTP_LAST_ID || numbers[i] == 0
               ? NULL
               : &tptp_events[numbers[i] - 1];
}
