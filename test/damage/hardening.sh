#!/usr/bin/env bash
# hardening.sh PROGRAM: an optimised build is position independent, has RELRO with immediate binding, no executable stack,
# the stack protector and fortified calls. SECURITY.md promises it.
set -euo pipefail
program=$1
bad=0
need() { # what, text, pattern
    grep -q -- "$3" <<<"$2" || {
        echo "WRONG: no $1"
        bad=1
    }
}
header=$(readelf -W -h "$program")
segments=$(readelf -W -l "$program")
dynamic=$(readelf -W -d "$program")
symbols=$(readelf -W --dyn-syms "$program")
need "position independent executable" "$header" 'Type: *DYN'
need "PIE flag" "$dynamic" 'FLAGS_1.*PIE'
need "RELRO" "$segments" 'GNU_RELRO'
need "immediate binding" "$dynamic" 'BIND_NOW\|FLAGS_1.*NOW'
need "GNU_STACK" "$segments" 'GNU_STACK'
need "stack protector" "$symbols" '__stack_chk_fail'
need "fortified calls" "$symbols" '__\(mem\|str\|[v]*[s]*n*printf\|fprintf\)[a-z]*_chk'
if grep -q 'GNU_STACK.* RWE' <<<"$segments"; then
    echo "WRONG: the stack is executable"
    bad=1
fi
if grep -q 'LOAD.* RWE' <<<"$segments"; then
    echo "WRONG: a segment can be written and run"
    bad=1
fi
if grep -q 'RPATH\|RUNPATH\|TEXTREL' <<<"$dynamic"; then
    echo "WRONG: RPATH or text relocations"
    bad=1
fi
[ $bad = 0 ] && echo "all as promised"
exit $bad
