/* Inside of memory-plugin: its state, and the parts of a message, which memory*.c read. */
#ifndef TS_HTRACE_PLUGINS_MEMORY_MEMORY_H
#define TS_HTRACE_PLUGINS_MEMORY_MEMORY_H

#include "htrace/plugins/counters.h"

typedef struct memory_plugin {
    ts_records records;
    ts_counters of_process;
    ts_counters of_system;
    ts_message *m; /* the message under way */
    int64_t raw;   /* its time as recorded */
    int64_t ts;    /* for rows */
    bool wanted;   /* rows at that time */
    int64_t ipid;  /* the process whose mappings come */
    ts_buf text;
    ts_idmap shared; /* pss of ashmem mappings by ipid, of this message */
    ts_vec held;     /* rows of ashmem or DMA memory of this message, until their flags are known */
    ts_idmap windows; /* ipid of windows by the id of their names */
    ts_vec waiting;   /* rows of windows whose process is not known yet */
} memory_plugin;

/* What a record's text is called in data_dict; NULL (0, and `bit` in *null) when it is not known.
 */
ts_code memory_dict(int64_t *id, uint64_t *null, uint64_t bit, memory_plugin *s,
                    const ts_value *text);

/* The process of a pid with a name (NULL: none); false: the pid is not known. */
ts_code memory_process(int64_t *ipid, bool *known, memory_plugin *s, const ts_value *pid,
                       const ts_value *name);

/* Counts a record of a part; its row follows when *put. some: something is known of it. */
ts_code memory_record(bool *put, const memory_plugin *s, const char *part, bool some);

/* Values that a message may have in a field, from a name of a counter by number (memory_names.c);
 * NULL: none. */
const char *memory_system_name(int64_t key);
const char *memory_virtual_name(int64_t key);

/* Kind of a mapping, from its path and its permissions. */
int64_t memory_mapping_type(ts_text path, ts_text permissions);

/* The parts. Each is a ts_field_call with the plugin as user. */
ts_code memory_ashmem(memory_plugin *s, const uint8_t *p, size_t n);
ts_code memory_dma(memory_plugin *s, const uint8_t *p, size_t n);
ts_field_call memory_map;
ts_field_call memory_gpu;
ts_field_call memory_window;
ts_field_call memory_window_info;
ts_field_call memory_cpu_dump;
ts_field_call memory_profile;
ts_field_call memory_image;

/* Gives rows of windows their processes, at the end. */
ts_code memory_windows_end(memory_plugin *s);

#endif
