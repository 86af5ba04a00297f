/*
 * Views that are in no list: they take the place of tables that viewers read, when common rows hold
 * what those are for. Colours in them are below TS_VIEWER_COLOURS.
 */
#ifndef TS_TABLES_VIEWS_IMPL_H
#define TS_TABLES_VIEWS_IMPL_H

extern const char ts_view_callstack[];

#endif
