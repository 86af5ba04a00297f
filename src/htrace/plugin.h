/*
 * What a plugin of .htrace recordings is to the container: a reader of the segments that have its
 * names, or of raw sections, which are not made of segments. A new plugin is one folder with one
 * such struct and one line in the list of plugins (parsers/htrace/plugin_list.def);
 * docs/architecture.md, "Plugins of .htrace".
 *
 * The container deals with framing, names, clocks, damage between segments and counts of segments;
 * a plugin with what is inside the data of its own ones.
 */
#ifndef TS_HTRACE_PLUGIN_H
#define TS_HTRACE_PLUGIN_H

#include "base/context.h"
#include "htrace/times.h"
#include "tables/store.h"

enum { TS_HTRACE_LOOK_INTO = 256 };

typedef struct ts_htrace ts_htrace;

/* One segment on its way to a plugin. */
typedef struct ts_segment {
    const char *plugin; /* canonical name ("js-memory" arrives as "arkts-plugin") */
    unsigned which;     /* its index in the plugin's names */
    uint64_t number;    /* from 1, of the segments of this name in the input */
    int64_t offset;     /* of its length prefix in the unwrapped input */
    int64_t ts;     /* outer time in ns, realtime clock as recorded; 0 when the fields are missing,
                     * TS_NO_TIME when they do not fit. In `begin` and `data` it may not be known yet */
    bool timed;     /* known at `end` and in `message`: ts was recorded */
    bool truncated; /* known there as well: data was cut or the framing broke inside */
} ts_segment;

/* The kind of a section that is not made of segments, as headers write it. */
typedef enum ts_raw_type { TS_RAW_HIPERF = 1, TS_RAW_STANDALONE = 1000 } ts_raw_type;

/* A raw section on its way to a plugin. */
typedef struct ts_raw_section {
    const char *name; /* as the plugin lists it */
    unsigned which;   /* its index in the plugin's sections */
    uint64_t number;  /* from 1, of the sections of this name in the input */
    int64_t offset;   /* of its first byte after the header, in the unwrapped input */
    uint64_t size;    /* as the header says; UINT64_MAX: up to the next header or the end */
    const ts_clock_set *clocks; /* of its own header; the times of rows are converted by those of
                                 * the host, which all plugins share */
    bool truncated;             /* known at the end: the input ends inside the section */
} ts_raw_section;

/* What the container gives a plugin; lives longer than the plugin is open. */
typedef struct ts_plugin_host {
    ts_ctx *ctx;
    ts_store *store;
    int64_t source_id;
    ts_htrace *htrace;
    const ts_clock_set *clocks; /* those known now: the same place, which is filled later */
    void *user; /* ts_htrace_config.user: what the format's reader gives all plugins (its ts_job) */
} ts_plugin_host;

/* A name of segments that a plugin reads. */
typedef struct ts_plugin_name {
    const char *name; /* canonical */
    /* 0: the data comes in pieces, through begin, data and end. Else it comes whole, through
     * `message`, when it has at most so many bytes; a larger one is recorded as segment_too_large
     * and lost. */
    uint64_t whole;
    /* May this be data of the plugin? p: its first bytes, at most TS_HTRACE_LOOK_INTO of `size`.
     * Asked when the name on the wire is damaged; NULL: such segments are not taken. */
    bool (*reads)(const uint8_t *p, size_t n, uint64_t size);
} ts_plugin_name;

/* Raw sections that a plugin reads: all of type TS_RAW_HIPERF, or those of a standalone plugin by
 * its name. */
enum { TS_RAW_MAGIC = 8 };

typedef struct ts_plugin_section {
    const char *name;
    ts_raw_type type;
} ts_plugin_section;

/* Members that a plugin has no use for are NULL. Each may stop the import with a code. */
typedef struct ts_htrace_plugin {
    const ts_plugin_name *names;       /* ends with a NULL name */
    const ts_plugin_section *sections; /* likewise */
    /* The TS_RAW_MAGIC bytes with which the data of its sections begins: one whose name is damaged
     * is taken for the first in the list. NULL: such sections are not taken. */
    const char *section_magic;
    size_t size; /* of *self, which the container makes, zeroed, and frees; 0: the plugin does */
    /* Called once for every input, whether it has segments of the plugin or not: rows and counts
     * should wait for the first of them. *self is handed to all others. */
    ts_code (*open)(void **self, const ts_plugin_host *host);
    /* The data of a segment in consecutive pieces of any size, n > 0. */
    ts_code (*begin)(void *self, const ts_segment *seg);
    ts_code (*data)(void *self, const ts_segment *seg, const uint8_t *p, size_t n);
    ts_code (*end)(void *self, const ts_segment *seg);
    /* All the data of a segment that there is; p is borrowed for the call. n may be 0. */
    ts_code (*message)(void *self, const ts_segment *seg, const uint8_t *p, size_t n);
    /* The data of a raw section in consecutive pieces of any size, n > 0. */
    ts_code (*section_begin)(void *self, const ts_raw_section *section);
    ts_code (*section_data)(void *self, const ts_raw_section *section, const uint8_t *p, size_t n);
    ts_code (*section_end)(void *self, const ts_raw_section *section);
    /* Bytes were lost between segments at this offset, or a segment of the plugin was: what went on
     * may have a gap. Called before the next segment or section that any plugin gets. */
    ts_code (*gap)(void *self, int64_t offset);
    /* The input has ended (with -D: its last file). */
    ts_code (*finish)(void *self);
    /* Frees what *self owns, and *self; also after an error, in which case finish may not have been
     * called. */
    void (*close)(void *self);
} ts_htrace_plugin;

/* Defines the plugin `ts_plugin_<name>` for the list. */
#define TS_HTRACE_PLUGIN(name)                                                                     \
    extern const ts_htrace_plugin ts_plugin_##name;                                                \
    const ts_htrace_plugin ts_plugin_##name

/*
 * --time-range for rows whose times are in `clock`: which are wanted. An offset range counts from
 * the boottime of the first header that has one, else from `first`, the time of the plugin's first
 * row. A range that cannot be related to the clock is an issue of the plugin, and all is wanted.
 */
ts_code ts_htrace_wanted(ts_span *span, const ts_plugin_host *host, const char *plugin,
                         ts_clock clock, int64_t first);

#endif
