# shellcheck shell=bash
# A word in first place: help and version, what a verb does not take, abbreviations that mean one option of this verb.
ts help | cmp - <(ts --help) || fail help
ts version | cmp - <(ts --version) || fail version
ts help -h | cmp - <(ts help help) || fail "help of help"
code ts help nosuch
code ts help diff serve
code ts version diff
code ts serve x.db --strict --index
code ts serve x.db --index
code ts serve x.db --json=x
code ts serve x.db --threads 0
code ts serve x.db --port 65536
code ts serve - -
code ts diff a b --strict
code ts diff a b -l D
code ts diff a b --tables
code ts diff a b --listen 1
code ts diff a b -o x
code ts diff a b --limit
code ts diff a b --exprot-db x
code ts diff a b --li 1 --li 2
code ts sample 1 --seconds=1
code ts sample -e x.db
code ts sample name -e x.db
code ts sample 1 2 -e x.db
code ts upgrade a
code ts upgrade a -e b --index
code ts upgrade a b -e c
code ts x.db --lim 1
code ts version --index
small
mv small.htrace version
ts ./version -q "SELECT count(*) FROM js_heap_files" --quiet --output=tsv
