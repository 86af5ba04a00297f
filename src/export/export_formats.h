/* The exports by name, for export_list.c. */
#ifndef TS_EXPORT_EXPORT_FORMATS_H
#define TS_EXPORT_EXPORT_FORMATS_H

#include "export/export.h"

extern const ts_export ts_export_folded;

#endif
