# shellcheck shell=bash
# A signal that the caller ignores stays ignored.
small
trap '' HUP TERM
mkfifo pipe
ts pipe -e out.db --quiet &
exec 3>pipe
head -c 1100 small.htrace >&3
sleep 0.3
kill -HUP $!
kill -TERM $!
tail -c +1101 small.htrace >&3
exec 3>&-
code wait $!
ts out.db -q - <<<'SELECT count(*) AS nodes FROM js_heap_nodes'
