/*
 * The CPU side of a session: start marks and profiles. Owned by session_profile.c. Docs:
 * docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_PROFILE_H
#define TS_PARSERS_ARKTS_SESSION_PROFILE_H

#include "parsers/arkts/session/session_extract.h"

typedef struct session_profiles {
    uint64_t count;
    bool has_started;
    int64_t started_ts; /* raw */
    extract_file file;
} session_profiles;

ts_code session_open_profile(ts_session *s);

/* reason: why it is not complete; shifted: see ts_profile_end. */
ts_code session_close_profile(ts_session *s, bool has_ts, int64_t ts, const char *reason,
                              bool shifted);

#endif
