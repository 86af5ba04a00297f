# shellcheck shell=bash
# --with-times fills what otherwise stays empty so that equal inputs give equal bytes.
small
for zone in UTC Asia/Tokyo; do
    env TZ=$zone LC_ALL=de_DE.UTF-8 "$PROGRAM" small.htrace -e "${zone##*/}.db" --quiet
done
cmp UTC.db Tokyo.db || fail "time zones matter"
ts small.htrace -e t.db --with-times --sync --quiet
ts t.db -q - <<<"SELECT name, value <> '' AS filled FROM meta WHERE name IN ('output_name', 'runtime') ORDER BY name"
ts UTC.db -q - <<<"SELECT name, value <> '' AS filled FROM meta WHERE name IN ('output_name', 'runtime') ORDER BY name"
