# shellcheck shell=bash
# perf.data: rows, also compressed and without its end; --strict says when something was lost.
cp "$DATA/hiperf.data" a.data
code ts a.data -e a.db --strict --quiet
sqlite3 a.db 'SELECT callchain_id, timestamp_trace, thread_id, event_count, thread_state FROM perf_sample; SELECT thread_id, thread_name FROM perf_thread'
gzip -k a.data
code ts a.data.gz -e b.db --strict --quiet
sqlite3 b.db 'SELECT count(*) FROM perf_callchain'
head -c 1200 a.data >cut.data
code ts cut.data -e c.db --strict --quiet
sqlite3 c.db 'SELECT severity, code FROM import_issue; SELECT count(*) FROM perf_sample'
code ts a.data -e d.db --strict --quiet --time-range +5ns,
sqlite3 d.db 'SELECT timestamp_trace FROM perf_sample; SELECT DISTINCT callchain_id FROM perf_callchain'
ts a.db -q hot_methods
