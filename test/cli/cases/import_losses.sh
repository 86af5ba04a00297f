# shellcheck shell=bash
# What is not in the tables has the name of its plugin; settings of a plugin that is decoded are no loss.
mkhtrace -o plugins.htrace --plugin cpu-plugin_config:20 --plugin made-up-plugin:40 --plugin made-up-plugin_config:30 \
    --snapshot "$DATA/tiny/snapshot.heapsnapshot"
ts plugins.htrace -q import_losses --verbose 2>summary
sed -n '/not decoded/,/^  [a-z]/p' summary | sed '$d'
# A recording without parts of its own is no input with 0 recordings.
ts "$DATA/kernel.ftrace" -e kernel.db 2>&1 | grep sources
# Every plugin of the list is named.
ts --info | sed -n '/^plugins/,/^  (/p'
