# shellcheck shell=bash
# QD-3: inputs that take no time are no division by zero; the header alone is a recording without segments.
small
for n in 0 1 8 1023 1024 1025; do
    head -c $n small.htrace >cut.htrace
    ts cut.htrace -e out.db >stdout 2>stderr
    status=$?
    [ ! -s stdout ] && [ $status -lt 8 ] || fail "$n bytes: exit $status"
    ! grep -qiE '(inf|nan)( |$)' stderr || fail "$n bytes: $(cat stderr)"
    [ $status != 0 ] || echo "$n bytes are imported"
done
