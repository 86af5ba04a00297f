# shellcheck shell=bash
# A run whose result is an answer or a file says one line of itself; --verbose says all.
small
ts small.htrace -q 'SELECT 1 AS one' 2>err
sed -E 's/[0-9.]+ s;/N s;/' err
ts small.htrace --report 2>&1 >report | sed -E 's/[0-9.]+ s;/N s;/'
ts "$DATA/tiny/profile.cpuprofile" --to=folded -o x.folded 2>&1 | sed -E 's/[0-9.]+ s;/N s;/'
ts small.htrace -q 'SELECT 1 AS one' --verbose 2>&1 | grep -E '^  (format|sources)'
ts small.htrace -e out.db -q 'SELECT 1 AS one' 2>&1 | grep -E '^  (format|sources)'
ts small.htrace -q 'SELECT 1 AS one' --quiet
ts out.db -q 'SELECT 1 AS one'
echo '-- an input that is none'
echo hello >bad.txt
code ts small.htrace bad.txt -q 'SELECT 1 AS one' 2>err
sed -E 's/[0-9.]+ s;/N s;/' err
code ts small.htrace bad.txt -e two.db --strict --quiet
code ts small.htrace bad.txt -e two.db --quiet
