# shellcheck shell=bash
# Standard input, pipes and several inputs.
small
ts small.htrace -e file.db --quiet
ts - -e stdin.db --quiet <small.htrace || fail stdin
cat -- small.htrace | tee /dev/null | ts - -e pipe.db --quiet || fail pipe
ts <(cat small.htrace) -e fd.db --quiet || fail "process substitution"
for db in file stdin pipe fd; do
    ts $db.db -q - <<<'SELECT count(*) AS nodes, sum(self_size) AS bytes FROM js_heap_nodes' >$db.rows
    cmp file.rows $db.rows || fail "$db"
done
cat file.rows
gzip -k small.htrace
ts small.htrace small.htrace.gz "$DATA/tiny/profile.cpuprofile" -e three.db --quiet || fail three
ts three.db -q - <<<'SELECT path, format FROM source WHERE parent_id IS NULL ORDER BY id'
