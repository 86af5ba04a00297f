# shellcheck shell=bash disable=SC2154
# --format overrides what the content says. (here: of run.sh)
small
code ts small.htrace --format=htrace -e a.db --quiet
ts small.htrace --format heapsnapshot -e b.db 2>err
status=$?
[ $status -le 1 ] || [ $status = 5 ] || fail "exit $status"
cp "$DATA/tiny/profile.cpuprofile" noext
code ts noext -e c.db --quiet
ts c.db -q - <<<'SELECT format FROM source WHERE parent_id IS NULL'
echo '-- every format on every kind of input is tried as asked, or refused with a sentence'
cp "$DATA/tiny/snapshot.heapsnapshot" a.heapsnapshot
mkflare --threads=2 --seconds=2 fl
tar --sort=name -cf fl.tar fl
tar cf nested.tar fl.tar
tar cf small.tar small.htrace
python3 "$here/formats.py" "$PROGRAM" small.htrace a.heapsnapshot noext fl fl.tar nested.tar small.tar - || fail "formats.py"
echo '-- -D reads one format'
mkdir split
cp small.htrace split/hiprofiler_data_20230804_010203_1.htrace
code ts -D split --format=htrace -e x.db --quiet --force
ts -D split --format=flare -e x.db --quiet --force 2>err
echo "exit $?"
cat err
