#!/usr/bin/env bash
# symbols.sh SOURCE SHARED STATIC: the libraries show the functions of the header, all of them and nothing else.
set -euo pipefail
declared=$(sed -nE 's/^TST_API .*\b(tst_[a-z0-9_]+)\(.*/\1/p' "$1/include/tracestreamer.h" | sort)
[ "$(wc -l <<<"$declared")" -ge 25 ] || { echo "only $(wc -l <<<"$declared") functions found: does the pattern fit?" && exit 1; }
shared=$(nm -D --defined-only "$2" | awk '{ print $3 }' | grep -v '^__asan\|^_edata$\|^_end$\|^__bss_start$' | sort)
static=$(nm -g --defined-only "$3" | awk 'NF == 3 { print $3 }' | sort)
diff <(echo "$declared") <(echo "$shared")
diff <(echo "$declared") <(echo "$static")
echo "$(wc -l <<<"$declared") functions"
