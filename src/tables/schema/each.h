/* Includes every schema file in creation order; macros that the includer did not define are empty.
 * No include guard: it is included once for each thing that is made from the schema. */
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
#include "tables/schema/compat.def"
#include "tables/schema/own.def"
#include "tables/schema/flare.def"
#include "tables/schema/cloud.def"
#include "tables/schema/stack_totals.def"
#undef TS_TABLE
#undef TS_INT
#undef TS_REAL
#undef TS_STR
#undef TS_KEY
#undef TS_TABLE_END
