# shellcheck shell=bash
# Exit code 6 for limits, with the name of what was too much; 7 cannot be made here without one.
head -c 3000000 /dev/zero | gzip >zeros.gz
code ts "$DATA/recording-cpuprofile.htrace.gz" -e out.db --max-memory 64K --quiet 2>err
tail -1 err | sed -E 's/[0-9]+/N/g' >&2
code ts "$DATA/recording-cpuprofile.htrace.gz" -e out.db --max-memory 1G --quiet
code ts out.db -q "SELECT length(hex(zeroblob(40000000)))" --max-memory 20M 2>err
tail -1 err | sed -E 's/[0-9]+/N/g' >&2
rm out.db err
ts "$DATA/recording-cpuprofile.htrace.gz" -e out.db --max-inflate 10K --quiet --strict 2>err
status=$?
[ $status = 3 ] || [ $status = 6 ] || fail "--max-inflate: exit $status"
