# shellcheck shell=bash
# Questions of the user: from the folders of TRACE_STREAMER_SQL, then from that of the settings, by name.
small
ts small.htrace -e out.db --quiet
mkdir -p home/.config/trace_streamer/sql config/trace_streamer/sql first second
unset XDG_CONFIG_HOME
export HOME=$PWD/home
printf -- '-- Question:   How many nodes are there?\n-- Topic:      mine\n-- Needs:      js_heap_nodes (heaps)\n-- Report:     5 Nodes of mine\n' >first/my_nodes.sql
printf -- '-- Parameters: least  least size (default 0)\n-- Columns:    nodes\n' >>first/my_nodes.sql
echo 'SELECT count(*) AS nodes FROM js_heap_nodes WHERE self_size >= ifnull(:least, 0);' >>first/my_nodes.sql
echo "SELECT 'second' AS place;" >second/my_place.sql
echo "SELECT 'settings' AS place;" | tee home/.config/trace_streamer/sql/my_place.sql >home/.config/trace_streamer/sql/my_home.sql
echo "SELECT 'config' AS place;" >config/trace_streamer/sql/my_config.sql
echo "SELECT 'mine' AS shipped;" >first/threads.sql
echo '-- without the variable'
code ts out.db -q my_home
code ts out.db -q my_nodes
export TRACE_STREAMER_SQL=$PWD/first::$PWD/second
echo '-- with it'
ts out.db -q my_nodes
ts out.db -q my_nodes.sql --param least=1000
code ts out.db -q my_nodes --param most=1
ts out.db -q my_place
ts out.db -q my_home
echo '-- the shipped one is the one of its name'
code ts out.db -q threads
ts --questions | grep -A 2 -E '^(mine|own):'
ts --questions=my_nodes | head -1
ts out.db --report | grep -A 2 'Nodes of mine'
echo '-- settings elsewhere'
XDG_CONFIG_HOME=$PWD/config ts out.db -q my_config
code env XDG_CONFIG_HOME="$PWD/config" "$PROGRAM" out.db -q my_home
echo '-- folders that are not there'
export TRACE_STREAMER_SQL=$PWD/none
code ts out.db -q my_nodes
ts out.db -q my_place
