# shellcheck shell=bash
# redact: levels, keys, what stays, what is refused; unredact.
cat >stacks.txt <<'EOF'
main;com.example.shop.Basket.add;/srv/shop/basket.ts:12 7
main;com.example.shop.Basket.total;java.util.List.size 3
EOF
ts stacks.txt -e plain.db --quiet
code ts redact plain.db -e red.db --redact-key=key
[ "$(stat -c %a key)" = 600 ] || fail "the key is not for its owner alone"
[ "$(wc -c <key)" = 33 ] || fail "the key is no key"
grep -qaE 'basket|Basket|com[.]example|srv|stacks.txt' red.db && fail "texts are in the redacted database"
sqlite3 red.db "PRAGMA integrity_check" "SELECT value FROM meta WHERE name = 'redacted'" "SELECT count(*) FROM stack_method"
echo "--- equal keys, equal bytes; other keys, other bytes"
ts redact plain.db -e again.db --redact-key=key --quiet
cmp red.db again.db
ts stacks.txt -e at_once.db --redact=all --redact-key=key --quiet
cmp red.db at_once.db
ts redact stacks.txt -e other.db --quiet
cmp -s red.db other.db && fail "another key gives the same bytes"
echo "--- levels"
ts redact plain.db -e strings.db --redact=strings --quiet
sqlite3 strings.db "SELECT name FROM stack_method ORDER BY id LIMIT 2" "SELECT path FROM source WHERE parent_id IS NULL"
ts redact plain.db -e names.db --redact=names --quiet
sqlite3 names.db "SELECT path FROM source WHERE parent_id IS NULL"
ts redact plain.db -e kept.db --redact-keep='^java\.' --redact-keep=MAIN --quiet
sqlite3 kept.db "SELECT name FROM stack_method WHERE name GLOB '*a*' AND name IN ('main', 'java.util.List.size') ORDER BY 1"
echo "--- diff"
ts stacks.txt -e plain2.db --quiet
sed 's/ 7$/ 9/' stacks.txt >more.txt
ts more.txt -e more.db --quiet
ts redact more.db -e more_red.db --redact-key=key --quiet
# Numbers of a text stay as they are.
ts diff plain.db more.db --by=method --output=tsv --quiet | sed 's/ts:12/ts/' >right
ts diff red.db more_red.db --by=method --output=tsv --quiet | ts unredact more.db --redact-key=key | sed 's/ts:[0-9]*/ts/' >translated
cmp right translated
echo "--- unredact"
token=$(sqlite3 red.db "SELECT name FROM stack_method WHERE name GLOB '*:*'")
ts unredact plain.db --redact-key=key "$token"
echo "--- what is not of this program"
cp plain.db mine.db
sqlite3 mine.db "CREATE TABLE secret(a); INSERT INTO secret VALUES('hunter2hunter2'); CREATE VIEW mine AS SELECT 'hunter2hunter2' AS a; UPDATE process SET pid = 'hunter2hunter2' WHERE id = 0"
code ts redact mine.db -e mine_red.db 2>&1
grep -qa hunter2 mine_red.db && fail "a table of another program is in the redacted database"
echo "--- with --index and --viewer"
for way in recording-timeline.htrace.gz recording-cpuprofile.htrace.gz; do
    ts "$DATA/$way" -e viewed.db --index --viewer=edge-names,stacks --quiet --force
    ts redact viewed.db -e apart.db --redact-key=viewed.key --quiet --force
    ts "$DATA/$way" -e at_once.db --index --viewer=edge-names,stacks --redact=all --redact-key=viewed.key --quiet --force
    cmp apart.db at_once.db || fail "$way: redacted at the conversion it is another database"
    for db in viewed apart; do sqlite3 $db.db "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name" >$db.schema; done
    cmp viewed.schema apart.schema || fail "$way: another schema"
    grep -c '^index' apart.schema
done
ts "$DATA/recording-cpuprofile.htrace.gz" -e input.db --viewer=recording-cpuprofile.htrace.gz --redact=all --quiet
ts "$DATA/recording-cpuprofile.htrace.gz" -e input_plain.db --viewer=recording-cpuprofile.htrace.gz --quiet
[ "$(sqlite3 input.db 'SELECT * FROM trace_range')" = "$(sqlite3 input_plain.db 'SELECT * FROM trace_range')" ] || fail "another range"
echo "--- keys that are none"
code ts unredact plain.db --redact-key=nokey x
printf 'abc\n' >short
code ts redact plain.db -e bad.db --redact-key=short
printf '%033d\n' 0 >long
code ts redact plain.db -e bad.db --redact-key=long
printf '0123456789abcdef0123456789abcdeg\n' >hex
code ts redact plain.db -e bad.db --redact-key=hex
mkdir dir
code ts redact plain.db -e bad.db --redact-key=dir
code ts redact plain.db -e bad.db --redact-key=none/key
[ ! -e bad.db ] || fail "bad.db was made"
echo "--- usage"
code ts redact plain.db
code ts redact plain.db -e plain.db
code ts redact plain.db -e bad.db --redact=some
code ts redact plain.db -e bad.db --redact-keep='('
code ts redact plain.db -e bad.db --redact-keep=
code ts unredact plain.db x
code ts stacks.txt -e bad.db --redact-key=key
code ts stacks.txt --redact=all
code ts stacks.txt -e bad.db --redact=all --json
code ts redact more.txt none.txt -e bad.db
code ts redact none.txt -e bad.db
sqlite3 mine.db "PRAGMA user_version = 1"
code ts redact mine.db -e bad.db 2>&1 | sed 's/schema, not [0-9]*/schema, not N/'
[ ! -e bad.db ] || fail "bad.db was made"
