# shellcheck shell=bash
# Traces of the kernel as text and as raw pages: the same events, the same rows; what is lost is exit code 3 with --strict.
rows() { sqlite3 "$1" 'SELECT * FROM sched_slice; SELECT * FROM thread_state; SELECT ts, dur, callid, name, depth, parent_id FROM callstack'; }
for format in ftrace sys; do
    cp "$DATA/kernel.$format" .
    code ts "kernel.$format" -e "$format.db" --strict --quiet
    rows "$format.db" >"$format.rows"
done
cmp ftrace.rows sys.rows || fail "the rows differ"
grep -c . ftrace.rows
{
    cat kernel.ftrace
    echo garbage
} >bad.ftrace
head -c 14000 kernel.sys >cut.sys
for input in bad.ftrace cut.sys; do
    code ts $input -e bad.db --strict --force --quiet
    sqlite3 bad.db "SELECT severity, code, message FROM import_issue" || fail "issues"
done
{
    echo '<!DOCTYPE html>'
    echo '<html><script class="trace-data" type="application/text">'
    cat kernel.ftrace
    echo '</script></html>'
} >page.html
code ts page.html -e page.db --quiet
rows page.db | cmp - ftrace.rows || fail "rows of the page"
code ts "$DATA/kernel.htrace.gz" -e load.db --strict --quiet
code ts load.db -q sched_latency --param limit=2
