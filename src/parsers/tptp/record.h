/*
 * The common model of both forms of a TPTP trace: one record per event, its attributes in slots
 * that have the same meaning in all events. The binary decoder and the XML reader fill records; the
 * rest of this folder makes rows of them and does not know which form they came from.
 *
 * docs/formats.md, "TPTP traces": events and attributes, names in XML.
 */
#ifndef TS_PARSERS_TPTP_RECORD_H
#define TS_PARSERS_TPTP_RECORD_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers. Names are those of XML, where times are in seconds; an event has either the definition
 * or the reference. */
#define TPTP_NUMBERS(X)                                                                            \
    X(THREAD, "threadIdRef", NUMBER)                                                               \
    X(TRANSIENT_THREAD, "transientThreadIdRef", NUMBER)                                            \
    X(TIME, "time", SECONDS)                                                                       \
    X(METHOD, "methodIdRef", NUMBER)                                                               \
    X(TICKET, "ticket", NUMBER)                                                                    \
    X(OBJECT, "objIdRef", NUMBER)                                                                  \
    X(TRANSIENT_OBJECT, "transientObjIdRef", NUMBER)                                               \
    X(CLASS, "classIdRef", NUMBER)                                                                 \
    X(TRANSIENT_CLASS, "transientClassIdRef", NUMBER)                                              \
    X(CPU, "threadCpuTime", SECONDS)                                                               \
    X(SEQUENCE, "sequenceCounter", NUMBER)                                                         \
    X(STACK_DEPTH, "stackDepth", NUMBER)                                                           \
    X(OVERHEAD, "overhead", SECONDS)                                                               \
    X(TIMEZONE, "timezone", NUMBER)                                                                \
    X(PID, "pid", NUMBER)                                                                          \
    X(INTERFACES, "numInterfaces", NUMBER)                                                         \
    X(STATIC_FIELDS, "numStaticFields", NUMBER)                                                    \
    X(METHODS, "numMethods", NUMBER)                                                               \
    X(INSTANCE_FIELDS, "numInstanceFields", NUMBER)                                                \
    X(IS_NATIVE, "isNative", FLAG)                                                                 \
    X(IS_ABSTRACT, "isAbstract", FLAG)                                                             \
    X(IS_STATIC, "isStatic", FLAG)                                                                 \
    X(IS_SYNCHRONIZED, "isSynchronized", FLAG)                                                     \
    X(START_LINE, "startLineNumber", NUMBER)                                                       \
    X(END_LINE, "endLineNumber", NUMBER)                                                           \
    X(IS_ARRAY, "isArray", FLAG)                                                                   \
    X(SIZE, "size", NUMBER)                                                                        \
    X(LINE, "line", NUMBER)                                                                        \
    X(AGE, "objAge", NUMBER)                                                                       \
    X(TOTAL_SPACE, "totalObjSpace", NUMBER)                                                        \
    X(USED_SPACE, "usedObjSpace", NUMBER)                                                          \
    X(USED_OBJECTS, "usedObjects", NUMBER)                                                         \
    X(TIMEOUT, "timeout", NUMBER)                                                                  \
    X(OWNER, "threadOwner", NUMBER)                                                                \
    X(STACK_COUNT, "stackCount", NUMBER)                                                           \
    X(BASE_TIME, "baseTime", SECONDS)                                                              \
    X(MIN_TIME, "minTime", SECONDS)                                                                \
    X(MAX_TIME, "maxTime", SECONDS)                                                                \
    X(BASE_CPU, "baseCPUTime", SECONDS)                                                            \
    X(CALLS, "numCalls", NUMBER)                                                                   \
    X(DUMP, "heapDumpIdRef", NUMBER)                                                               \
    X(FROM, "srcIdRef", NUMBER)                                                                    \
    X(TO, "targIdRef", NUMBER)

#define TPTP_TEXTS(X)                                                                              \
    X(COLLATION, "collationValue")                                                                 \
    X(TRACE, "traceIdRef")                                                                         \
    X(SEQUENCE_TEXT, "")                                                                           \
    X(NAME, "name")                                                                                \
    X(NODE, "nodeId")                                                                              \
    X(NODE_REF, "nodeIdRef")                                                                       \
    X(HOSTNAME, "hostname")                                                                        \
    X(ADDRESS, "ipaddress")                                                                        \
    X(PROCESS, "processId")                                                                        \
    X(PROCESS_REF, "processIdRef")                                                                 \
    X(EXECUTABLE, "exe")                                                                           \
    X(AGENT, "agentIdRef")                                                                         \
    X(AGENT_NAME, "agentName")                                                                     \
    X(AGENT_TYPE, "agentType")                                                                     \
    X(AGENT_PARAMETERS, "agentParameters")                                                         \
    X(VERSION, "version")                                                                          \
    X(PATTERN, "pattern")                                                                          \
    X(GENERIC_PATTERN, "genericPattern")                                                           \
    X(MODE, "mode")                                                                                \
    X(METHOD_PATTERN, "methodPattern")                                                             \
    X(METHOD_GENERIC_PATTERN, "methodGenericPattern")                                              \
    X(METHOD_MODE, "methodMode")                                                                   \
    X(KEY, "key")                                                                                  \
    X(VALUE, "value")                                                                              \
    X(GROUP_NAME, "groupName")                                                                     \
    X(PARENT_NAME, "parentName")                                                                   \
    X(THREAD_NAME, "threadName")                                                                   \
    X(INTERFACE_NAMES, "interfaceNames")                                                           \
    X(SOURCE_NAME, "sourceName")                                                                   \
    X(CLASS_LOADER, "classLoader")                                                                 \
    X(SUPERCLASS, "superclass")                                                                    \
    X(ACCESS, "access")                                                                            \
    X(SIGNATURE, "signature")                                                                      \
    X(EXCEPTIONS, "exceptions")                                                                    \
    X(NOTATION, "signatureNotation")                                                               \
    X(CONTEXT, "contextData")                                                                      \
    X(TYPE, "type")                                                                                \
    X(BODY, "body")

enum tptp_number {
#define X(id, name, reading) TPTP_N_##id,
    TPTP_NUMBERS(X)
#undef X
        TPTP_N_COUNT
};

enum tptp_text_slot {
#define X(id, name) TPTP_S_##id,
    TPTP_TEXTS(X)
#undef X
        TPTP_S_COUNT
};

/* Events with a table in the binary form, in the order of their numbers: name, number, attributes
 * and another layout of them (record.c), what makes rows of it (trace_session.h). */
#define TPTP_EVENTS(X)                                                                             \
    X(NODE, "node", 1001, node, NULL, node)                                                        \
    X(PROCESS_CREATE, "processCreate", 1002, process_create, NULL, process)                        \
    X(AGENT_CREATE, "agentCreate", 1003, agent_create, NULL, agent)                                \
    X(AGENT_DESTROY, "agentDestroy", 1004, agent_destroy, NULL, event)                             \
    X(TRACE_START, "traceStart", 1005, trace_start, NULL, trace)                                   \
    X(TRACE_END, "traceEnd", 1006, trace_end, NULL, event)                                         \
    X(FILTER, "filter", 1007, filter, NULL, filter)                                                \
    X(OPTION, "option", 1008, option, NULL, option)                                                \
    X(THREAD_START, "threadStart", 1009, thread_start, NULL, thread_start)                         \
    X(THREAD_END, "threadEnd", 1010, thread_end, NULL, thread_end)                                 \
    X(CLASS_DEF, "classDef", 1011, class_def, NULL, class)                                         \
    X(METHOD_DEF, "methodDef", 1012, method_def, NULL, method)                                     \
    X(OBJ_ALLOC, "objAlloc", 1014, obj_alloc, NULL, alloc)                                         \
    X(METHOD_ENTRY, "methodEntry", 1015, method_entry, method_entry_b, entry)                      \
    X(METHOD_EXIT, "methodExit", 1016, method_exit, method_exit_b, exit)                           \
    X(GC_START, "gcStart", 1023, gc_start, NULL, gc_start)                                         \
    X(OBJ_FREE, "objFree", 1024, obj_free, NULL, free)                                             \
    X(GC_FINISH, "gcFinish", 1027, gc_finish, NULL, gc_finish)                                     \
    X(RUNTIME_INIT_DONE, "runtimeInitDone", 1030, gc_start, NULL, event)                           \
    X(RUNTIME_SHUTDOWN, "runtimeShutdown", 1031, gc_start, NULL, event)                            \
    X(MON_WAIT, "monWait", 1032, mon_wait, NULL, wait)                                             \
    X(MON_WAITED, "monWaited", 1033, mon_wait, NULL, waited)                                       \
    X(MON_CONTENDED_ENTER, "monContendedEnter", 1034, mon_contended_enter, NULL, wait)             \
    X(MON_CONTENDED_ENTERED, "monContendedEntered", 1035, mon_contended_entered, NULL, waited)     \
    X(AG_METHOD_ENTRY, "agMethodEntry", 1036, ag_method_entry, NULL, aggregate)                    \
    X(AG_METHOD_EXIT, "agMethodExit", 1037, ag_method_exit, NULL, aggregate_exit)                  \
    X(HEAP_DUMP_DEF, "heapDumpDef", 1038, heap_dump_def, NULL, dump)                               \
    X(GC_ROOT, "gcRoot", 1039, gc_root, NULL, root)                                                \
    X(OBJ_REFERENCE, "objReference", 1040, obj_reference, NULL, reference)                         \
    X(CUSTOM_DATA, "customData", 1041, custom_data, NULL, custom)

/* Those events; then the rest. */
typedef enum tptp_kind {
#define X(id, name, number, fields, variant, taker) TPTP_##id,
    TPTP_EVENTS(X)
#undef X
        TPTP_KINDS,
    TPTP_OTHER = TPTP_KINDS /* an element or a message without a table: record.name */
} tptp_kind;

/* How an attribute is written in the binary form. T and D are Longs in ticks. */
typedef enum tptp_type {
    TPTP_LONG,
    TPTP_STAMP,
    TPTP_DURATION,
    TPTP_INTEGER,
    TPTP_BYTE,
    TPTP_STRING,
    TPTP_FRAMES, /* both arrays of a stack, TPTP_N_STACK_COUNT long */
    TPTP_END     /* the last one: what is smaller than another type is no end */
} tptp_type;

typedef struct tptp_field {
    uint8_t type; /* tptp_type */
    uint8_t slot; /* tptp_number or tptp_text_slot */
} tptp_field;

typedef struct tptp_event_info {
    const char *name;
    uint16_t id;               /* in the binary form */
    const tptp_field *fields;  /* in their order, up to TPTP_END */
    const tptp_field *variant; /* another layout, or NULL */
} tptp_event_info;

extern const tptp_event_info tptp_events[TPTP_KINDS];

enum { TPTP_FIRST_ID = 1001, TPTP_LAST_ID = 1041, TPTP_MAX_FRAMES = 65536 };

/* The event of a number of the binary form, or NULL. */
const tptp_event_info *tptp_event_of(uint32_t id);

/* Is it the number of one of the 45 events of which no description gives the attributes? */
static inline bool tptp_is_undescribed(uint32_t id)
{
    return id >= TPTP_FIRST_ID && id <= TPTP_LAST_ID && tptp_event_of(id) == NULL;
}

static inline tptp_kind tptp_kind_of(const tptp_event_info *info)
{
    return (tptp_kind)(info - tptp_events);
}

/* A frame of a monitor's stack, innermost first. Line 0: not recorded. */
typedef struct tptp_stack_frame {
    ts_text method;
    int64_t line;
} tptp_stack_frame;

/* What is said of an event of TPTP_OTHER. */
typedef struct tptp_attribute {
    ts_text name;
    ts_text value;
} tptp_attribute;

#define TPTP_BIT(slot) (UINT64_C(1) << TPTP_N_##slot)

/*
 * One event. Texts and arrays are borrowed for the call and in UTF-8. Times and durations are ns;
 * a number that is not there is 0, one that cannot be read is 0 and has its bit in `bad`.
 */
typedef struct tptp_record {
    tptp_kind kind;
    ts_text name;        /* of TPTP_OTHER */
    uint64_t offset;     /* in the input */
    uint64_t has;        /* a bit per number that the input has */
    uint64_t bad;        /* a bit per number that cannot be read */
    int64_t cpu_raw;     /* binary: the CPU time as recorded, in case that it is not in ticks */
    size_t text_bytes;   /* of all texts and frames */
    uint64_t has_text;   /* binary: a bit per text that is set */
    uint64_t stale;      /* binary: a bit per number that may be of the last event */
    uint64_t stale_text; /* and per text */
    uint64_t others;     /* binary: a bit per kind of which events had their other layout */
    int64_t num[TPTP_N_COUNT];
    ts_text text[TPTP_S_COUNT];
    const tptp_stack_frame *frames;
    uint32_t frame_count;
    const tptp_attribute *attributes; /* of TPTP_OTHER */
    uint32_t attribute_count;
} tptp_record;

#endif
