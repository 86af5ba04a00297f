/* The view that is in no list: it takes the place of its table when there are traced invocations.
 */
#ifndef TS_TABLES_VIEWS_IMPL_H
#define TS_TABLES_VIEWS_IMPL_H

extern const char ts_view_callstack[];

#endif
