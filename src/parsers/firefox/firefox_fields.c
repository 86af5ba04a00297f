/*
 * What is read of the text: members by tables of fields, cells into the spool.
 */
#include "parsers/firefox/firefox.h"

enum {
    AT_TOP = 1,
    AT_META,
    AT_CATEGORIES,
    AT_CATEGORY,
    AT_SUBS,
    AT_SCHEMAS,
    AT_SCHEMA,
    AT_SCHEMA_FIELDS,
    AT_SCHEMA_FIELD,
    AT_UNITS,
    AT_LIBS,
    AT_LIB,
    AT_PROCESSES,
    AT_SHARED,
    AT_THREADS,
    AT_THREAD,
    AT_PAUSES,
    AT_PAUSE,
    AT_STRINGS,
    AT_TABLE,
    AT_PLACES,
    AT_COLUMN,
    AT_ROW,
    AT_COUNTERS,
    AT_COUNTER,
    AT_GROUPS,
    AT_GROUP,
    AT_DISPLAY
};

/* Where a value goes; of tables the kind is added, of columns their id. */
enum {
    TO_NONE,
    TO_VERSION,
    TO_GECKO_VERSION,
    TO_START,
    TO_INTERVAL,
    TO_PROFILING_START,
    TO_PROFILING_END,
    TO_PRODUCT,
    TO_IMPORTED_FROM,
    TO_OSCPU,
    TO_PLATFORM,
    TO_ABI,
    TO_PROPERTY,
    TO_CATEGORY,
    TO_SUB,
    TO_SCHEMA,
    TO_STACK_BASED,
    TO_SCHEMA_KEY,
    TO_SCHEMA_FORMAT,
    TO_TIME_UNIT,
    TO_CPU_UNIT,
    TO_LIB_NAME,
    TO_LIB_DEBUG_NAME,
    TO_LIB_PATH,
    TO_LIB_ID,
    TO_LIB_START,
    TO_LIB_END,
    TO_THREAD_NAME,
    TO_PROCESS_NAME,
    TO_PROCESS_TYPE,
    TO_PID,
    TO_TID,
    TO_PAUSE_START,
    TO_PAUSE_END,
    TO_PLACE,
    TO_CELL,
    TO_LENGTH,
    TO_WEIGHT_TYPE,
    TO_COUNTER_NAME,
    TO_COUNTER_CATEGORY,
    TO_DESCRIPTION,
    TO_COUNTER_PID,
    TO_COUNTER_THREAD,
    TO_GRAPH,
    TO_COUNTER_UNIT,
    TO_PROCESS_TEXT
};

enum {
    NUM = TS_JSON_NUMBER,
    TEXT = TS_JSON_TEXT,
    LITERAL = TS_JSON_LITERAL,
    SCALAR = TS_JSON_NUMBER | TS_JSON_TEXT | TS_JSON_LITERAL
};

#define VALUE(at, kinds, key, to)                                                                  \
    {                                                                                              \
        at, kinds, 0, false, key, 0, to                                                            \
    }
#define OBJECT(at, place, key)                                                                     \
    {                                                                                              \
        at, TS_JSON_OBJECT, place, false, key, 0, 0                                                \
    }
#define LIST(at, place, key)                                                                       \
    {                                                                                              \
        at, TS_JSON_LIST, place, false, key, 0, 0                                                  \
    }
#define TABLE(at, key, kind)                                                                       \
    {                                                                                              \
        at, TS_JSON_OBJECT, AT_TABLE, false, key, 0, kind                                          \
    }
#define STRINGS(at, key)                                                                           \
    {                                                                                              \
        at, TS_JSON_LIST, AT_STRINGS, false, key, 0, FOX_T_STRINGS                                 \
    }

/* A list of cells, or where the schema says that they are. Each place's lines follow one another:
 * columns are listed for tables, then for schemas. */
#define COLUMNS(X)                                                                                 \
    X("stack", FOX_C_STACK)                                                                        \
    X("time", FOX_C_TIME)                                                                          \
    X("timeDeltas", FOX_C_TIME_DELTAS)                                                             \
    X("weight", FOX_C_WEIGHT)                                                                      \
    X("threadCPUDelta", FOX_C_CPU_DELTA)                                                           \
    X("frame", FOX_C_FRAME)                                                                        \
    X("prefix", FOX_C_PREFIX)                                                                      \
    X("prefixOffset", FOX_C_PREFIX_OFFSET)                                                         \
    X("category", FOX_C_CATEGORY)                                                                  \
    X("subcategory", FOX_C_SUBCATEGORY)                                                            \
    X("func", FOX_C_FUNC)                                                                          \
    X("lib", FOX_C_LIB)                                                                            \
    X("line", FOX_C_LINE)                                                                          \
    X("flags", FOX_C_FLAGS)                                                                        \
    X("location", FOX_C_LOCATION)                                                                  \
    X("name", FOX_C_NAME)                                                                          \
    X("isJS", FOX_C_IS_JS)                                                                         \
    X("resource", FOX_C_RESOURCE)                                                                  \
    X("source", FOX_C_SOURCE)                                                                      \
    X("fileName", FOX_C_FILE_NAME)                                                                 \
    X("lineNumber", FOX_C_LINE_NUMBER)                                                             \
    X("filename", FOX_C_FILENAME)                                                                  \
    X("startTime", FOX_C_START_TIME)                                                               \
    X("endTime", FOX_C_END_TIME)                                                                   \
    X("phase", FOX_C_PHASE)                                                                        \
    X("data", FOX_C_DATA)                                                                          \
    X("className", FOX_C_CLASS_NAME)                                                               \
    X("typeName", FOX_C_TYPE_NAME)                                                                 \
    X("memoryAddress", FOX_C_MEMORY_ADDRESS)                                                       \
    X("count", FOX_C_COUNT)                                                                        \
    X("number", FOX_C_NUMBER)
#define OF_TABLE(key, id) {AT_TABLE, TS_JSON_LIST, AT_COLUMN, true, key, 0, id},
#define OF_SCHEMA(key, id) {AT_PLACES, NUM, 0, false, key, 0, id},

static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, AT_TOP, false, NULL, 0, 0},
    OBJECT(AT_TOP, AT_META, "meta"),
    LIST(AT_TOP, AT_LIBS, "libs"),
    LIST(AT_TOP, AT_THREADS, "threads"),
    LIST(AT_TOP, AT_PROCESSES, "processes"),
    LIST(AT_TOP, AT_PAUSES, "pausedRanges"),
    LIST(AT_TOP, AT_COUNTERS, "counters"),
    OBJECT(AT_TOP, AT_SHARED, "shared"),

    VALUE(AT_META, NUM, "preprocessedProfileVersion", TO_VERSION),
    VALUE(AT_META, NUM, "version", TO_GECKO_VERSION),
    VALUE(AT_META, NUM, "startTime", TO_START),
    VALUE(AT_META, NUM, "interval", TO_INTERVAL),
    VALUE(AT_META, NUM, "profilingStartTime", TO_PROFILING_START),
    VALUE(AT_META, NUM, "profilingEndTime", TO_PROFILING_END),
    VALUE(AT_META, TEXT, "product", TO_PRODUCT),
    VALUE(AT_META, TEXT, "importedFrom", TO_IMPORTED_FROM),
    VALUE(AT_META, TEXT, "oscpu", TO_OSCPU),
    VALUE(AT_META, TEXT, "platform", TO_PLATFORM),
    VALUE(AT_META, TEXT, "abi", TO_ABI),
    LIST(AT_META, AT_CATEGORIES, "categories"),
    LIST(AT_META, AT_SCHEMAS, "markerSchema"),
    OBJECT(AT_META, AT_UNITS, "sampleUnits"),
    VALUE(AT_META, SCALAR, "*", TO_PROPERTY),
    OBJECT(AT_CATEGORIES, AT_CATEGORY, NULL),
    VALUE(AT_CATEGORY, TEXT, "name", TO_CATEGORY),
    LIST(AT_CATEGORY, AT_SUBS, "subcategories"),
    VALUE(AT_SUBS, TEXT, NULL, TO_SUB),
    OBJECT(AT_SCHEMAS, AT_SCHEMA, NULL),
    VALUE(AT_SCHEMA, TEXT, "name", TO_SCHEMA),
    VALUE(AT_SCHEMA, LITERAL, "isStackBased", TO_STACK_BASED),
    LIST(AT_SCHEMA, AT_SCHEMA_FIELDS, "fields"),
    LIST(AT_SCHEMA, AT_SCHEMA_FIELDS, "data"),
    OBJECT(AT_SCHEMA_FIELDS, AT_SCHEMA_FIELD, NULL),
    VALUE(AT_SCHEMA_FIELD, TEXT, "key", TO_SCHEMA_KEY),
    VALUE(AT_SCHEMA_FIELD, TEXT, "format", TO_SCHEMA_FORMAT),
    VALUE(AT_UNITS, TEXT, "time", TO_TIME_UNIT),
    VALUE(AT_UNITS, TEXT, "threadCPUDelta", TO_CPU_UNIT),
    OBJECT(AT_LIBS, AT_LIB, NULL),
    VALUE(AT_LIB, TEXT, "name", TO_LIB_NAME),
    VALUE(AT_LIB, TEXT, "debugName", TO_LIB_DEBUG_NAME),
    VALUE(AT_LIB, TEXT, "path", TO_LIB_PATH),
    VALUE(AT_LIB, TEXT, "breakpadId", TO_LIB_ID),
    VALUE(AT_LIB, NUM, "start", TO_LIB_START),
    VALUE(AT_LIB, NUM, "end", TO_LIB_END),
    OBJECT(AT_PROCESSES, AT_TOP, NULL),
    VALUE(AT_PROCESSES, TEXT, NULL, TO_PROCESS_TEXT),

    STRINGS(AT_SHARED, "stringArray"),
    TABLE(AT_SHARED, "stackTable", FOX_T_STACKS),
    TABLE(AT_SHARED, "frameTable", FOX_T_FRAMES),
    TABLE(AT_SHARED, "funcTable", FOX_T_FUNCS),
    TABLE(AT_SHARED, "resourceTable", FOX_T_RESOURCES),
    TABLE(AT_SHARED, "sources", FOX_T_SOURCES),
    OBJECT(AT_THREADS, AT_THREAD, NULL),
    VALUE(AT_THREAD, TEXT, "name", TO_THREAD_NAME),
    VALUE(AT_THREAD, TEXT, "processName", TO_PROCESS_NAME),
    VALUE(AT_THREAD, TEXT, "processType", TO_PROCESS_TYPE),
    VALUE(AT_THREAD, NUM | TEXT, "pid", TO_PID),
    VALUE(AT_THREAD, NUM | TEXT, "tid", TO_TID),
    TABLE(AT_THREAD, "samples", FOX_T_SAMPLES),
    TABLE(AT_THREAD, "markers", FOX_T_MARKERS),
    TABLE(AT_THREAD, "stackTable", FOX_T_STACKS),
    TABLE(AT_THREAD, "frameTable", FOX_T_FRAMES),
    TABLE(AT_THREAD, "funcTable", FOX_T_FUNCS),
    TABLE(AT_THREAD, "resourceTable", FOX_T_RESOURCES),
    TABLE(AT_THREAD, "jsAllocations", FOX_T_JS_ALLOCATIONS),
    TABLE(AT_THREAD, "nativeAllocations", FOX_T_NATIVE_ALLOCATIONS),
    STRINGS(AT_THREAD, "stringArray"),
    STRINGS(AT_THREAD, "stringTable"),
    LIST(AT_THREAD, AT_LIBS, "libs"),
    LIST(AT_THREAD, AT_PAUSES, "pausedRanges"),
    OBJECT(AT_PAUSES, AT_PAUSE, NULL),
    VALUE(AT_PAUSE, NUM, "startTime", TO_PAUSE_START),
    VALUE(AT_PAUSE, NUM, "endTime", TO_PAUSE_END),
    VALUE(AT_STRINGS, SCALAR, NULL, TO_CELL),

    VALUE(AT_TABLE, NUM, "length", TO_LENGTH),
    VALUE(AT_TABLE, TEXT, "weightType", TO_WEIGHT_TYPE),
    OBJECT(AT_TABLE, AT_PLACES, "schema"),
    COLUMNS(OF_TABLE) COLUMNS(OF_SCHEMA) VALUE(AT_COLUMN, SCALAR, NULL, TO_CELL),
    {AT_COLUMN, TS_JSON_LIST, AT_ROW, true, NULL, 0, TO_CELL},
    VALUE(AT_ROW, SCALAR, NULL, TO_CELL),

    OBJECT(AT_COUNTERS, AT_COUNTER, NULL),
    VALUE(AT_COUNTER, TEXT, "name", TO_COUNTER_NAME),
    VALUE(AT_COUNTER, TEXT, "category", TO_COUNTER_CATEGORY),
    VALUE(AT_COUNTER, TEXT, "description", TO_DESCRIPTION),
    VALUE(AT_COUNTER, NUM | TEXT, "pid", TO_COUNTER_PID),
    VALUE(AT_COUNTER, NUM, "mainThreadIndex", TO_COUNTER_THREAD),
    TABLE(AT_COUNTER, "samples", FOX_T_COUNTER),
    {AT_COUNTER, TS_JSON_LIST | TS_JSON_OBJECT, AT_GROUPS, false, "sampleGroups", 0, 0},
    {AT_COUNTER, TS_JSON_LIST | TS_JSON_OBJECT, AT_GROUPS, false, "sample_groups", 0, 0},
    OBJECT(AT_COUNTER, AT_DISPLAY, "display"),
    OBJECT(AT_GROUPS, AT_GROUP, NULL),
    TABLE(AT_GROUPS, "samples", FOX_T_COUNTER), /* of one group, without the list */
    TABLE(AT_GROUP, "samples", FOX_T_COUNTER),
    VALUE(AT_DISPLAY, TEXT, "graphType", TO_GRAPH),
    VALUE(AT_DISPLAY, TEXT, "unit", TO_COUNTER_UNIT),
};

/* --- what is being read ------------------------------------------------------------------------
 */

static void *last_of(const ts_vec *v, size_t size)
{
    return v->n == 0 ? NULL : (char *)v->p + (v->n - 1) * size;
}

static fox_process *process_of(fox *f)
{
    return (fox_process *)f->processes.p + f->process;
}

static fox_thread *thread_of(fox *f)
{
    return last_of(&f->threads, sizeof(fox_thread));
}

static fox_counter *counter_of(fox *f)
{
    return last_of(&f->counters, sizeof(fox_counter));
}

static fox_table *table_of(fox *f)
{
    return last_of(&f->tables, sizeof(fox_table));
}

static fox_column *column_of(fox *f)
{
    return last_of(&f->columns, sizeof(fox_column));
}

/* What follows in the vector belongs to the run: one that is there already is replaced. */
static void begin_run(fox_run *run, const ts_vec *v)
{
    *run = (fox_run){v->n, 0};
}

/* --- begins ------------------------------------------------------------------------------------
 */

static ts_code begin_process(fox *f)
{
    const size_t parent = f->process;
    fox_process *p = ts_vec_add(f->ctx, &f->processes, sizeof *p);
    TS_NEED(f->ctx, p);
    f->process = f->processes.n - 1;
    p->parent = parent;
    p->ipid = -1;
    return TS_OK;
}

static ts_code begin_thread(fox *f)
{
    fox_thread *t = ts_vec_add(f->ctx, &f->threads, sizeof *t);
    TS_NEED(f->ctx, t);
    t->process = f->process;
    t->itid = -1;
    t->ipid = -1;
    begin_run(&t->tables, &f->tables);
    f->in_thread = true;
    f->has_threads = true;
    return TS_OK;
}

static ts_code begin_counter(fox *f)
{
    fox_counter *c = ts_vec_add(f->ctx, &f->counters, sizeof *c);
    TS_NEED(f->ctx, c);
    c->process = f->process;
    c->thread = FOX_NONE;
    begin_run(&c->tables, &f->tables);
    f->in_counter = true;
    return TS_OK;
}

static ts_code begin_column(fox *f, fox_column_id id)
{
    const fox_column column = {.at = ts_spool_size(f->cells), .id = id};
    table_of(f)->count++;
    return ts_vec_push(f->ctx, &f->columns, &column, sizeof column);
}

static ts_code begin_table(fox *f, fox_kind kind)
{
    fox_table *t = ts_vec_add(f->ctx, &f->tables, sizeof *t);
    TS_NEED(f->ctx, t);
    t->kind = kind;
    t->first = f->columns.n;
    if (f->in_thread) {
        thread_of(f)->twice = thread_of(f)->twice || (thread_of(f)->seen & 1U << kind) != 0;
        thread_of(f)->seen |= 1U << kind;
    }
    return kind == FOX_T_STRINGS ? begin_column(f, FOX_C_NAME) : TS_OK;
}

/* Categories of the first process count, which Gecko's others do not repeat. */
static ts_code begin_category(fox *f)
{
    fox_category *c;
    if (f->process != 0) {
        return TS_OK;
    }
    TS_NEED(f->ctx, c = ts_vec_add(f->ctx, &f->categories, sizeof *c));
    begin_run(&c->subs, &f->subs);
    return TS_OK;
}

static void begin_list(fox *f, unsigned place)
{
    f->has_threads = f->has_threads || place == AT_THREADS;
    if (place == AT_LIBS) {
        begin_run(f->in_thread ? &thread_of(f)->libs : &process_of(f)->libs, &f->libs);
    } else if (place == AT_PAUSES) {
        *(f->in_thread ? &thread_of(f)->has_pauses : &process_of(f)->has_pauses) = true;
        begin_run(f->in_thread ? &thread_of(f)->pauses : &process_of(f)->pauses, &f->pauses);
    }
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    fox *f = user;
    const uint32_t flag = f->in.field == NULL ? 0 : f->in.field->flag;
    *take = true;
    switch (place) {
    case AT_TOP:
        return begin_process(f);
    case AT_THREAD:
        return begin_thread(f);
    case AT_COUNTER:
        return begin_counter(f);
    case AT_SHARED:
        f->has_shared = true;
        begin_run(&f->shared, &f->tables);
        return TS_OK;
    case AT_META:
        f->has_meta = true;
        return TS_OK;
    case AT_CATEGORY:
        return begin_category(f);
    case AT_LIB:
        f->lib = (fox_lib){.end = 0};
        return TS_OK;
    case AT_PAUSE:
        f->pause = (fox_pause){.end = {false, 0}};
        return TS_OK;
    case AT_SCHEMA:
        f->schema = (fox_name){0, 0};
        f->schema_keys.n = 0;
        f->schema_nested = false;
        return TS_OK;
    case AT_SCHEMA_FIELD:
        f->schema_key = (fox_name){0, 0};
        f->schema_text = false;
        return TS_OK;
    case AT_TABLE:
    case AT_STRINGS:
        return begin_table(f, (fox_kind)flag);
    case AT_PLACES:
        table_of(f)->rows = true;
        return TS_OK;
    case AT_COLUMN:
        return begin_column(f, (fox_column_id)flag);
    case AT_ROW: /* only the data of Gecko have lists of cells */
        *take = column_of(f)->id == FOX_C_DATA;
        return TS_OK;
    default:
        begin_list(f, place);
        return TS_OK;
    }
}

/* --- ends --------------------------------------------------------------------------------------
 */

static ts_code end_lib(fox *f)
{
    fox_run *run = f->in_thread ? &thread_of(f)->libs : &process_of(f)->libs;
    run->count++;
    return ts_vec_push(f->ctx, &f->libs, &f->lib, sizeof f->lib);
}

static ts_code end_pause(fox *f)
{
    fox_run *run = f->in_thread ? &thread_of(f)->pauses : &process_of(f)->pauses;
    run->count++;
    return ts_vec_push(f->ctx, &f->pauses, &f->pause, sizeof f->pause);
}

/* "type" and the mark, then the key. */
static ts_code put_schema(fox *f, char mark, ts_text key)
{
    const ts_text type = fox_text(f, f->schema);
    uint32_t id;
    f->text.n = 0;
    TS_TRY(ts_buf_put(f->ctx, &f->text, type.p, type.n));
    TS_TRY(ts_buf_putc(f->ctx, &f->text, mark));
    TS_TRY(ts_buf_put(f->ctx, &f->text, key.p, key.n));
    return ts_pool_intern(f->ctx, &id, NULL, &f->schemas, ts_buf_text(&f->text));
}

/* The name of a schema may come after its fields: keys wait, each with its length. */
static ts_code end_schema_field(fox *f)
{
    const ts_text key = fox_text(f, f->schema_key);
    if (!f->schema_text || key.p == NULL) {
        return TS_OK;
    }
    TS_TRY(ts_buf_put(f->ctx, &f->schema_keys, &f->schema_key, sizeof f->schema_key));
    return TS_OK;
}

static ts_code end_schema(fox *f)
{
    ts_code code = TS_OK;
    if (f->schema.at == 0) {
        return TS_OK;
    }
    for (size_t i = 0; i < f->schema_keys.n && code == TS_OK; i += sizeof(fox_name)) {
        fox_name key;
        memcpy(&key, f->schema_keys.p + i, sizeof key);
        code = put_schema(f, '\1', fox_text(f, key));
    }
    TS_STEP_IF(code, f->schema_keys.n > 0, put_schema(f, '\3', TS_TEXT_LIT("")));
    TS_STEP_IF(code, f->schema_nested, put_schema(f, '\2', TS_TEXT_LIT("")));
    return code;
}

static ts_code on_end(void *user, unsigned place)
{
    fox *f = user;
    switch (place) {
    case AT_TOP:
        f->done = f->process == 0;
        process_of(f)->complete = true;
        f->process = process_of(f)->parent;
        return TS_OK;
    case AT_META:
        process_of(f)->has_meta = true;
        return TS_OK;
    case AT_THREAD:
        thread_of(f)->tables.count = f->tables.n - thread_of(f)->tables.first;
        thread_of(f)->complete = true;
        f->in_thread = false;
        return TS_OK;
    case AT_COUNTER:
        counter_of(f)->tables.count = f->tables.n - counter_of(f)->tables.first;
        counter_of(f)->complete = true;
        f->in_counter = false;
        return TS_OK;
    case AT_SHARED:
        f->shared.count = f->tables.n - f->shared.first;
        f->shared_complete = true;
        return TS_OK;
    case AT_LIB:
        return end_lib(f);
    case AT_PAUSE:
        return end_pause(f);
    case AT_SCHEMA_FIELD:
        return end_schema_field(f);
    case AT_SCHEMA:
        return end_schema(f);
    case AT_ROW:
        column_of(f)->count++;
        return fox_put_tag(f, FOX_ROW_END);
    default:
        return TS_OK;
    }
}

/* --- values ------------------------------------------------------------------------------------
 */

static bool in_cells(const fox *f)
{
    return f->in.at == AT_COLUMN || f->in.at == AT_ROW || f->in.at == AT_STRINGS;
}

/* A cell follows. Those of a row are counted with it. */
void fox_begin_cell(fox *f)
{
    column_of(f)->count += f->in.at == AT_ROW ? 0 : 1;
}

static ts_code keep_name(fox_name *name, fox *f, ts_text t)
{
    if (f->names.n == 0) {
        TS_TRY(ts_buf_putc(f->ctx, &f->names, '\0'));
    }
    *name = (fox_name){f->names.n, t.n};
    return ts_buf_put(f->ctx, &f->names, t.p, t.n);
}

static ts_code keep_property(fox *f, ts_text value)
{
    fox_name pair[2];
    const ts_text key = ts_buf_text(&f->in.key);
    if (f->process != 0 || f->properties.n / 2 >= FOX_PROPERTIES) {
        return TS_OK;
    }
    TS_TRY(keep_name(&pair[0], f, key));
    TS_TRY(keep_name(&pair[1], f, value));
    TS_TRY(ts_vec_push(f->ctx, &f->properties, &pair[0], sizeof pair[0]));
    return ts_vec_push(f->ctx, &f->properties, &pair[1], sizeof pair[1]);
}

/* Numbers of meta; those of processes of Gecko but their beginning are as those of the first. */
static fox_number *number_to(fox *f, uint32_t to)
{
    const bool first = f->process == 0;
    switch (to) {
    case TO_START:
        return &process_of(f)->start;
    case TO_PAUSE_START:
        return &f->pause.start;
    case TO_PAUSE_END:
        return &f->pause.end;
    case TO_VERSION:
        return first ? &f->version : NULL;
    case TO_GECKO_VERSION:
        return first ? &f->gecko_version : NULL;
    case TO_INTERVAL:
        return first ? &f->interval : NULL;
    case TO_PROFILING_START:
        return first ? &f->profiling_start : NULL;
    case TO_PROFILING_END:
        return first ? &f->profiling_end : NULL;
    default:
        return NULL;
    }
}

/* A member of the thread that it has already. */
static void thread_twice(fox *f, const fox_name *name)
{
    fox_thread *t = f->in.at == AT_THREAD ? thread_of(f) : NULL;
    if (t != NULL && name != NULL && name->at != 0) {
        t->twice = true;
    }
}

static ts_code number_as_name(fox_name *name, fox *f, const ts_json_number *n)
{
    return keep_name(name, f, (ts_text){n->p, n->n});
}

static ts_code put_place(fox *f, const ts_json_number *n)
{
    TS_TRY(begin_column(f, (fox_column_id)f->in.field->flag));
    column_of(f)->placed = true;
    column_of(f)->at = n->is_int && n->i >= 0 ? (uint64_t)n->i : FOX_PLACES;
    return TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *n)
{
    fox *f = user;
    const uint32_t to = f->in.field->flag;
    fox_number *number;
    if (in_cells(f)) {
        fox_begin_cell(f);
        return fox_put_number(f, n);
    }
    if (f->in.at == AT_PLACES) {
        return put_place(f, n);
    }
    switch (to) {
    case TO_LENGTH:
        table_of(f)->has_length = n->is_int;
        table_of(f)->length = n->i;
        return TS_OK;
    case TO_LIB_START:
        f->lib.start = n->is_int ? n->i : 0;
        return TS_OK;
    case TO_LIB_END:
        f->lib.end = n->is_int ? n->i : 0;
        return TS_OK;
    case TO_PID:
        thread_twice(f, &thread_of(f)->pid);
        return number_as_name(&thread_of(f)->pid, f, n);
    case TO_TID:
        thread_twice(f, &thread_of(f)->tid);
        return number_as_name(&thread_of(f)->tid, f, n);
    case TO_COUNTER_PID:
        return number_as_name(&counter_of(f)->pid, f, n);
    case TO_COUNTER_THREAD:
        counter_of(f)->thread = n->is_int && n->i >= 0 ? n->i : FOX_NONE;
        return TS_OK;
    case TO_PROPERTY:
        return keep_property(f, (ts_text){n->p, n->n});
    default:
        number = number_to(f, to);
        if (number != NULL) {
            *number = fox_number_of(n);
        }
        return TS_OK;
    }
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    fox *f = user;
    for (size_t i = 0; i < n; i++) {
        fox_begin_cell(f);
        TS_TRY(fox_put_int(f, v[i]));
    }
    return TS_OK;
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    fox *f = user;
    if (in_cells(f)) {
        fox_begin_cell(f);
        return fox_put_tag(f, kind == TS_JSON_NULL    ? FOX_NULL
                              : kind == TS_JSON_FALSE ? FOX_FALSE
                                                      : FOX_TRUE);
    }
    if (f->in.field->flag == TO_STACK_BASED) {
        f->schema_nested = kind == TS_JSON_TRUE;
        return TS_OK;
    }
    return keep_property(f, kind == TS_JSON_NULL    ? TS_TEXT_NULL
                            : kind == TS_JSON_FALSE ? TS_TEXT_LIT("false")
                                                    : TS_TEXT_LIT("true"));
}

/* Texts that are kept as they are. */
static fox_name *name_to(fox *f, uint32_t to)
{
    if (f->process != 0 &&
        ((to >= TO_PRODUCT && to <= TO_ABI) || to == TO_TIME_UNIT || to == TO_CPU_UNIT)) {
        return NULL;
    }
    switch (to) {
    case TO_PRODUCT:
        return &f->product;
    case TO_IMPORTED_FROM:
        return &f->imported_from;
    case TO_OSCPU:
        return &f->oscpu;
    case TO_PLATFORM:
        return &f->platform;
    case TO_ABI:
        return &f->abi;
    case TO_SCHEMA:
        return &f->schema;
    case TO_SCHEMA_KEY:
        return &f->schema_key;
    case TO_TIME_UNIT:
        return &f->time_unit;
    case TO_CPU_UNIT:
        return &f->cpu_unit;
    case TO_LIB_PATH:
        return &f->lib.path;
    case TO_LIB_ID:
        return &f->lib.build_id;
    case TO_THREAD_NAME:
        return &thread_of(f)->name;
    case TO_PROCESS_NAME:
        return &thread_of(f)->process_name;
    case TO_PROCESS_TYPE:
        return &thread_of(f)->process_type;
    case TO_PID:
        return &thread_of(f)->pid;
    case TO_TID:
        return &thread_of(f)->tid;
    case TO_COUNTER_NAME:
        return &counter_of(f)->name;
    case TO_COUNTER_CATEGORY:
        return &counter_of(f)->category;
    case TO_DESCRIPTION:
        return &counter_of(f)->description;
    case TO_COUNTER_PID:
        return &counter_of(f)->pid;
    case TO_GRAPH:
        return &counter_of(f)->graph;
    case TO_COUNTER_UNIT:
        return &counter_of(f)->unit;
    case TO_LIB_DEBUG_NAME:
        return &f->lib.name;
    case TO_LIB_NAME: /* where there is no other one */
        return f->lib.name.at == 0 ? &f->lib.name : NULL;
    default:
        return NULL;
    }
}

static ts_code keep_category(fox *f, uint32_t to, ts_text t)
{
    fox_category *c = last_of(&f->categories, sizeof *c);
    fox_name name;
    if (f->process != 0) {
        return TS_OK;
    }
    TS_TRY(keep_name(&name, f, t));
    if (to == TO_CATEGORY) {
        c->name = name;
        return TS_OK;
    }
    c->subs.count++;
    return ts_vec_push(f->ctx, &f->subs, &name, sizeof name);
}

static ts_code keep_text(fox *f, ts_text t)
{
    const uint32_t to = f->in.field->flag;
    fox_name *name;
    if (in_cells(f)) {
        fox_begin_cell(f);
        return fox_put_bytes(f, FOX_TEXT, t);
    }
    switch (to) {
    case TO_CATEGORY:
    case TO_SUB:
        return keep_category(f, to, t);
    case TO_PROPERTY:
        return keep_property(f, t);
    case TO_PROCESS_TEXT:
        f->n.processes_text++;
        return TS_OK;
    case TO_SCHEMA_FORMAT:
        f->schema_text = ts_text_is(t, "unique-string") || ts_text_is(t, "flow-id") ||
                         ts_text_is(t, "terminating-flow-id");
        return TS_OK;
    case TO_WEIGHT_TYPE:
        table_of(f)->weight_type = ts_text_is(t, "tracing-ms") ? FOX_W_MS
                                   : ts_text_is(t, "bytes")    ? FOX_W_BYTES
                                                               : FOX_W_SAMPLES;
        return TS_OK;
    default:
        name = name_to(f, to);
        thread_twice(f, name);
        return name == NULL ? TS_OK : keep_name(name, f, t);
    }
}

/* The limit may have cut a character: what is left of it goes as well. */
static void drop_part(ts_buf *text)
{
    while (text->n > 0 && ((unsigned char)text->p[text->n - 1] & 0xC0) == 0x80) {
        text->n--;
    }
    text->n -= text->n > 0 && (unsigned char)text->p[text->n - 1] >= 0xC0 ? 1 : 0;
}

/* Whether the text is whole now, in f->text. */
bool fox_collect(ts_code *code, fox *f, const char *p, size_t n, unsigned flags)
{
    size_t left;
    if ((flags & TS_JSON_FIRST) != 0) {
        f->text.n = 0;
        f->text_cut = false;
    }
    left = FOX_TEXT_MAX - f->text.n;
    f->text_cut = f->text_cut || n > left;
    *code = ts_buf_put(f->ctx, &f->text, p, n < left ? n : left);
    if (*code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return false;
    }
    if (f->text_cut) {
        f->n.texts_cut++;
        drop_part(&f->text);
    }
    return true;
}

static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    fox *f = user;
    ts_code code;
    return fox_collect(&code, f, p, n, flags) ? keep_text(f, ts_buf_text(&f->text)) : code;
}

/* What is no cell has its place all the same. Nothing else that is odd says anything: versions
 * differ in what they have. */
static ts_code on_odd(void *user, unsigned kind)
{
    fox *f = user;
    (void)kind;
    if (!in_cells(f)) {
        return TS_OK;
    }
    fox_begin_cell(f);
    return fox_put_tag(f, FOX_NULL);
}

const ts_json_table fox_fields = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .number = on_number,
    .text = on_text,
    .ints = on_ints,
    .literal = on_literal,
    .odd = on_odd,
};

const fox_table *fox_table_of(const fox *f, fox_run tables, fox_kind kind)
{
    const fox_table *all = f->tables.p;
    for (size_t i = tables.first + tables.count; i > tables.first; i--) {
        if (all[i - 1].kind == kind) {
            return &all[i - 1];
        }
    }
    return NULL;
}

/* An object, or of Gecko any value but a scalar, among the data of markers. */
bool fox_is_kept(const fox *f, bool object)
{
    return f->in.skip == 0 && f->tables.n > 0 &&
           ((const fox_table *)f->tables.p)[f->tables.n - 1].kind == FOX_T_MARKERS &&
           (f->in.at == AT_ROW ||
            (f->in.at == AT_COLUMN && object &&
             ((const fox_column *)f->columns.p)[f->columns.n - 1].id == FOX_C_DATA));
}
