/*
 * Names of plugins: those that are known, those found in this input with their counts. Owned by
 * plugin_names.c. Docs: docs/formats.md, ".htrace container".
 */
#ifndef TS_HTRACE_PLUGIN_NAMES_H
#define TS_HTRACE_PLUGIN_NAMES_H

#include "htrace/plugin_host.h"

enum {
    TS_HTRACE_NAME = 255,          /* bytes of a plugin's name that are looked at */
    TS_HTRACE_SHOWN = 4 * 255 + 8, /* bytes of such a name with every byte escaped */
    TS_HTRACE_PLUGINS = 256,       /* names that are counted one by one */
    TS_HTRACE_PLUGINS_MAX = TS_HTRACE_PLUGINS + 64 /* all further known ones, and the others */
};

/* What is known of a plugin by its name alone. */
typedef struct ts_plugin_known {
    const char *name;      /* on the wire */
    const char *canonical; /* the name that plugins see */
    const char *event;     /* where it counts in stat */
    bool alias;            /* an older name, worth a note */
} ts_plugin_known;

/* A plugin found in this input. */
typedef struct ts_plugin {
    char *name;               /* canonical, fit to be shown; owned */
    const char *event;        /* in stat */
    ts_reader *reader;        /* NULL: not decoded */
    const ts_plugin_name *as; /* the reader's name for it */
    bool is_ftrace;           /* its result may hold the clocks */
    bool is_config;           /* has no time of its own */
    bool is_settings;         /* of a plugin that is decoded: nothing of it is missing */
    bool alias_noted;
    int64_t first_offset;
    ts_tally *segments; /* NULL while scanning ahead */
    ts_tally *bytes;
} ts_plugin;

typedef struct ts_names {
    ts_plugin *plugins; /* owned; TS_HTRACE_PLUGINS_MAX entries, so that none ever moves */
    size_t count;
    ts_plugin *last_plugin;
    size_t last_len; /* its name on the wire, as most segments have the same as the one before */
    char last[TS_HTRACE_NAME];
} ts_names;

ts_code ts_names_open(ts_htrace *h);
void ts_names_free(ts_htrace *h);

/* NULL when the name is not known. */
const ts_plugin_known *ts_plugin_find(const char *name, size_t n);

/* The known plugin that is decoded whose name this may be although one letter or two bits differ.
 */
const ts_plugin_known *ts_plugin_guess(const ts_htrace *h, const char *name, size_t n);

/* The plugin of this name (n > 0), made when new. over: the name was longer and was cut. */
ts_code ts_plugin_get(ts_plugin **out, ts_htrace *h, const char *name, size_t n, bool over);

#endif
