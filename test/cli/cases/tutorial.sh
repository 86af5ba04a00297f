# shellcheck shell=bash
# Every command of the tutorials and of howto.md prints what they say. After a change: test/cli/tutorial.py docs/tutorial.md --write.
mkdir bin
ln -s "$PROGRAM" bin/trace_streamer
# pandas is a package of the system's Python, which may be another one.
python3 -c 'import pandas' 2>/dev/null || { [ -x /usr/bin/python3 ] && ln -s /usr/bin/python3 bin/python3; }
for page in "$SOURCE"/docs/tutorial*.md "$SOURCE/docs/howto.md"; do
    name=$(basename "$page" .md)
    mkdir "$name"
    ln -s "$SOURCE/test" "$name/test"
    (cd "$name" && PATH=$OLDPWD/bin:$PATH python3 "$SOURCE/test/cli/tutorial.py" "$page") || fail "$name"
done
python3 "$SOURCE/tools/make-cloud-recording.py" made.tar.gz
ts made.tar.gz -e made.db --quiet && ts "$DATA/recording-cloud.tar.gz" -e stored.db --quiet
for table in cloud_call cloud_tag stack_slice cloud_suspend; do
    [ "$(sqlite3 made.db "SELECT * FROM $table")" = "$(sqlite3 stored.db "SELECT * FROM $table")" ] || fail "$table"
done
