# shellcheck shell=bash
# --format overrides what the content says.
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
for format in $(ts --format=list | cut -d' ' -f1); do
    for input in small.htrace a.heapsnapshot noext fl fl.tar nested.tar small.tar -; do
        status=0
        ts "$input" --format="$format" -e x.db --quiet --force <small.htrace 2>err || status=$?
        found=$(head -n 1 err)
        [ $status != 0 ] || found=$(sqlite3 x.db "SELECT group_concat(DISTINCT format) FROM source WHERE parent_id IS NULL;
            SELECT group_concat(DISTINCT severity) FROM import_issue WHERE severity IN ('data_loss', 'error')" | tr '\n' ' ')
        echo "$format $input: $status $found"
        case $status in
        0 | 5) ;;
        *) fail "$format $input: exit $status" ;;
        esac
    done
done
echo '-- -D reads one format'
mkdir split
cp small.htrace split/hiprofiler_data_20230804_010203_1.htrace
code ts -D split --format=htrace -e x.db --quiet --force
ts -D split --format=flare -e x.db --quiet --force 2>err
echo "exit $?"
cat err
