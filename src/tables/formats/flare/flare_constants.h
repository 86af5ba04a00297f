/* What the importer of Flare and the views on its rows must agree on. tools/mkviews reads this file
 * too: each constant is a decimal number or a plain text. */
#ifndef TS_TABLES_FLARE_CONSTANTS_H
#define TS_TABLES_FLARE_CONSTANTS_H

/* source.format and source.kind of a sample directory. */
#define TS_FLARE_FORMAT "flare"
#define TS_FLARE_DIRECTORY "sample_directory"

/* Keys in source_property that tell the directories of one run of a Java VM from others. */
#define TS_FLARE_AGENT_ADDR "agent_addr"
#define TS_FLARE_SAMPLE_START "sample_start_time"

#endif
