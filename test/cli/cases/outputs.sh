# shellcheck shell=bash disable=SC2094
# No output is a file that is read, and no two outputs are one; what is refused leaves nothing and changes nothing.
small
mkdir d
for i in 1 2 3; do cp small.htrace d/hiprofiler_data_20240101_000000_$i.htrace; done
mkflare --threads=2 --seconds=3 fl
ln d/hiprofiler_data_20240101_000000_2.htrace hard
ln -s fl/summary_info.json soft
echo 'SELECT 1' >ask.sql
cp -r . ../before
refused() { # exit code 2 and the same files as before
    code ts "$@" --quiet
    diff -r --no-dereference . ../before || fail "changed: $*"
}
member=d/hiprofiler_data_20240101_000000_2.htrace
for file in fl/summary_info.json soft; do
    refused fl -e "$file" --force
    refused fl --json="$file"
    refused fl --json --log-file "$file"
done
for file in $member hard; do
    refused -D d -e "$file" --force
    refused -D d -e o.db --json="$file"
    refused -D d -e o.db --log-file "$file"
done
refused - -e small.htrace --force <small.htrace
refused - --json=./small.htrace <small.htrace
refused - -e o.db --log-file small.htrace <small.htrace
refused small.htrace -q ask.sql --json=ask.sql
refused small.htrace -q - --json=ask.sql <ask.sql
echo '-- the same file twice, also when it is not there yet'
ln -s . here
cp -P here ../before
refused small.htrace -e o.db --json=./o.db
refused small.htrace -e o.db --json=here/o.db
refused small.htrace -e o.db --log-file d/../o.db
refused small.htrace --json=o.txt --log-file here/o.txt
refused small.htrace -e o.db --json=here/o.db-journal
refused small.htrace -e o.db --format=nosuch --json=o.json --log-file o.log
echo '-- recordings of -s'
ts small.htrace -s -o d --quiet
name=$(basename d/*snapshot*)
cp d/*snapshot* ../before/d
refused small.htrace d/"$name" -s -o d --force
refused small.htrace -s -o d --force -e d/"$name"
rm d/"$name" ../before/d/"$name"
refused small.htrace -s -o d -e here/d/"$name"
code ts small.htrace -s -o d --json=d/"$name" --quiet
rm d/"$name" # tells why
echo '-- a database of ours is no member that any format reads'
ts fl -e fl/out.db --quiet || fail "beside the inputs"
ts fl -e fl/out.db --quiet || fail "beside the inputs, again"
echo '-- pipes and files that are open already are written as they are'
ts small.htrace --json=/dev/fd/3 --quiet 3>open.json && grep -c '"exit_code": 0' open.json
ts small.htrace --json=/dev/stdout --quiet | grep -c '"exit_code": 0'
ts small.htrace --json=/dev/null --log-file /dev/null --quiet
