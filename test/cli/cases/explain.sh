# shellcheck shell=bash
# --explain: a table, a column of one or of all, a code, an item; what is near.
ts --explain stack_sample.ts
ts --explain v_pause.dur
ts --explain itid | grep -E '^(thread|stack_sample|v_sample)\.itid'
ts --explain otlp_cut
ts --explain bytes | head -1
ts --explain runtime_pause >about
ts --tables=runtime_pause | cmp - about || fail "of a table"
echo '-- near'
code ts --explain stack_sampel.ts
code ts --explain stack_sample.tz
code ts --explain stack_samples
code ts --explain stack_sample.
code ts --explain .ts
code ts --explain zzzzzzzz
code ts --explain
