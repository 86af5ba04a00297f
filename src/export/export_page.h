/* The page of --to=flame, made of web/flame by tools/mkweb.c: its data are between both parts. */
#ifndef TS_EXPORT_EXPORT_PAGE_H
#define TS_EXPORT_EXPORT_PAGE_H

#include <stddef.h>

extern const char ts_flame_page_head[];
extern const size_t ts_flame_page_head_size;
extern const char ts_flame_page_tail[];
extern const size_t ts_flame_page_tail_size;

#endif
