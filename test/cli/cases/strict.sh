# shellcheck shell=bash
# --strict: exit code 3 and a published database when data was lost; 0 otherwise.
small
code ts small.htrace -e whole.db --strict --quiet
size=$(stat -c %s small.htrace)
head -c $((size - 30)) small.htrace >cut.htrace
code ts cut.htrace -e cut.db --quiet
rm cut.db
code ts cut.htrace -e cut.db --strict --quiet 2>err
grep -o "exit code 3 because of --strict" err
ts cut.db -q - <<<"SELECT count(*) > 0 AS recorded FROM import_issue WHERE severity IN ('data_loss', 'error')"
ts cut.htrace -e cut.db 2>&1 | grep -o 'damage was recorded'
ts cut.htrace -e cut.db --strict --quiet --json 2>/dev/null | grep -E '"(exit_code|output)"'
