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

/* Numbers. Names are those of XML; an event has either the definition or the reference. */
#define TPTP_NUMBERS(X)                                                                            \
    X(THREAD, "threadIdRef")                                                                       \
    X(TRANSIENT_THREAD, "transientThreadIdRef")                                                    \
    X(TIME, "time")                                                                                \
    X(METHOD, "methodIdRef")                                                                       \
    X(TICKET, "ticket")                                                                            \
    X(OBJECT, "objIdRef")                                                                          \
    X(TRANSIENT_OBJECT, "transientObjIdRef")                                                       \
    X(CLASS, "classIdRef")                                                                         \
    X(TRANSIENT_CLASS, "transientClassIdRef")                                                      \
    X(CPU, "threadCpuTime")                                                                        \
    X(SEQUENCE, "sequenceCounter")                                                                 \
    X(STACK_DEPTH, "stackDepth")                                                                   \
    X(OVERHEAD, "overhead")                                                                        \
    X(TIMEZONE, "timezone")                                                                        \
    X(PID, "pid")                                                                                  \
    X(INTERFACES, "numInterfaces")                                                                 \
    X(STATIC_FIELDS, "numStaticFields")                                                            \
    X(METHODS, "numMethods")                                                                       \
    X(INSTANCE_FIELDS, "numInstanceFields")                                                        \
    X(IS_NATIVE, "isNative")                                                                       \
    X(IS_ABSTRACT, "isAbstract")                                                                   \
    X(IS_STATIC, "isStatic")                                                                       \
    X(IS_SYNCHRONIZED, "isSynchronized")                                                           \
    X(START_LINE, "startLineNumber")                                                               \
    X(END_LINE, "endLineNumber")                                                                   \
    X(IS_ARRAY, "isArray")                                                                         \
    X(SIZE, "size")                                                                                \
    X(LINE, "line")                                                                                \
    X(AGE, "objAge")                                                                               \
    X(TOTAL_SPACE, "totalObjSpace")                                                                \
    X(USED_SPACE, "usedObjSpace")                                                                  \
    X(USED_OBJECTS, "usedObjects")                                                                 \
    X(TIMEOUT, "timeout")                                                                          \
    X(OWNER, "threadOwner")                                                                        \
    X(STACK_COUNT, "stackCount")                                                                   \
    X(BASE_TIME, "baseTime")                                                                       \
    X(MIN_TIME, "minTime")                                                                         \
    X(MAX_TIME, "maxTime")                                                                         \
    X(BASE_CPU, "baseCPUTime")                                                                     \
    X(CALLS, "numCalls")                                                                           \
    X(DUMP, "heapDumpIdRef")                                                                       \
    X(FROM, "srcIdRef")                                                                            \
    X(TO, "targIdRef")

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
#define X(id, name) TPTP_N_##id,
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

/* Events with a table in the binary form, in the order of their numbers; then the rest. */
typedef enum tptp_kind {
    TPTP_NODE,
    TPTP_PROCESS_CREATE,
    TPTP_AGENT_CREATE,
    TPTP_AGENT_DESTROY,
    TPTP_TRACE_START,
    TPTP_TRACE_END,
    TPTP_FILTER,
    TPTP_OPTION,
    TPTP_THREAD_START,
    TPTP_THREAD_END,
    TPTP_CLASS_DEF,
    TPTP_METHOD_DEF,
    TPTP_OBJ_ALLOC,
    TPTP_METHOD_ENTRY,
    TPTP_METHOD_EXIT,
    TPTP_GC_START,
    TPTP_OBJ_FREE,
    TPTP_GC_FINISH,
    TPTP_RUNTIME_INIT_DONE,
    TPTP_RUNTIME_SHUTDOWN,
    TPTP_MON_WAIT,
    TPTP_MON_WAITED,
    TPTP_MON_CONTENDED_ENTER,
    TPTP_MON_CONTENDED_ENTERED,
    TPTP_AG_METHOD_ENTRY,
    TPTP_AG_METHOD_EXIT,
    TPTP_HEAP_DUMP_DEF,
    TPTP_GC_ROOT,
    TPTP_OBJ_REFERENCE,
    TPTP_CUSTOM_DATA,
    TPTP_KINDS,
    TPTP_OTHER = TPTP_KINDS /* an element or a message without a table: record.name */
} tptp_kind;

/* How an attribute is written in the binary form. T and D are Longs in ticks. */
typedef enum tptp_type {
    TPTP_END,
    TPTP_LONG,
    TPTP_STAMP,
    TPTP_DURATION,
    TPTP_INTEGER,
    TPTP_BYTE,
    TPTP_STRING,
    TPTP_FRAMES /* both arrays of a stack, TPTP_N_STACK_COUNT long */
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
    ts_text name;      /* of TPTP_OTHER */
    uint64_t offset;   /* in the input */
    uint64_t has;      /* a bit per number that the input has */
    uint64_t bad;      /* a bit per number that cannot be read */
    int64_t cpu_raw;   /* binary: the CPU time as it stands, in case that it is not in ticks */
    size_t text_bytes; /* of all texts and frames */
    int64_t num[TPTP_N_COUNT];
    ts_text text[TPTP_S_COUNT];
    const tptp_stack_frame *frames;
    uint32_t frame_count;
    const tptp_attribute *attributes; /* of TPTP_OTHER */
    uint32_t attribute_count;
} tptp_record;

#endif
