/* Includes the tables of every format in creation order; macros that the includer did not define
 * are empty. No include guard: it is included once for each thing that is made from the schema. */
#include "tables/formats/quote.h"
#ifndef TS_TOPIC
#define TS_TOPIC(n, h, d)
#endif
#ifndef TS_TABLE
#define TS_TABLE(t, c, d)
#endif
#ifndef TS_INT
#define TS_INT(t, c, u, n, d)
#endif
#ifndef TS_REAL
#define TS_REAL(t, c, u, n, d)
#endif
#ifndef TS_STR
#define TS_STR(t, c, u, n, d)
#endif
#ifndef TS_KEY
#define TS_KEY(t, c, d)
#endif
#ifndef TS_TABLE_END
#define TS_TABLE_END(t)
#endif
#ifndef TS_EVENT
#define TS_EVENT(f, e, s, c, r)
#endif
/* clang-format off */
#define TS_DECLARED(format) TS_QUOTE(tables/formats/format/tables.def)
/* clang-format on */
#include "tables/formats/each.h"
#undef TS_DECLARED
#undef TS_TOPIC
#undef TS_TABLE
#undef TS_INT
#undef TS_REAL
#undef TS_STR
#undef TS_KEY
#undef TS_TABLE_END
#undef TS_EVENT
