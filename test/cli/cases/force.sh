# shellcheck shell=bash
# A file that is not ours is not replaced without --force.
small
echo precious >out.db
code ts small.htrace -e out.db
cat out.db
code ts small.htrace -e out.db --force --quiet
ts out.db -q - <<<'SELECT count(*) AS nodes FROM js_heap_nodes'
# Input = output.
cp small.htrace copy.htrace
code ts copy.htrace -e copy.htrace --force
cmp small.htrace copy.htrace
ln -s copy.htrace link
code ts copy.htrace -e link --force
cmp small.htrace copy.htrace
