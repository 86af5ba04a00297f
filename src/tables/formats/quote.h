/* Text made of tokens: names of files for each.h, and constants inside descriptions. */
#ifndef TS_TABLES_QUOTE_H
#define TS_TABLES_QUOTE_H

#define TS_QUOTE(tokens) #tokens
/* The same with the value of a macro. */
#define TS_QUOTE_VALUE(macro) TS_QUOTE(macro)

#endif
