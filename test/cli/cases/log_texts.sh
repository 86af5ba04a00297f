# shellcheck shell=bash
# Logs as text; what is lost is exit code 3 with --strict, and the year of dates can be given.
printf '02-29 10:00:01.250 20 21 I T1: b\n02-29 10:00:00.5 20 20 F T2: a\n' >hilog.txt
printf '{"domain_":"P","name_":"X","time_":12000}\n' >events.txt
code ts hilog.txt -e a.db --strict --quiet
sqlite3 a.db 'SELECT seq, ts, pid, tid, level, tag, context FROM log; SELECT severity, code, message FROM import_issue'
code ts hilog.txt -e b.db --format hilog-text:year=2024 --quiet
sqlite3 b.db 'SELECT ts FROM log'
code ts hilog.txt -e b.db --format hilog-text:year=24 --quiet
code ts events.txt -e c.db --strict --quiet
sqlite3 c.db 'SELECT id, ts, contents FROM hisys_all_event'
for file in hilog events; do
    echo garbage >>$file.txt
    code ts $file.txt -e d.db --strict --force --quiet
    sqlite3 d.db 'SELECT DISTINCT code FROM import_issue'
done
