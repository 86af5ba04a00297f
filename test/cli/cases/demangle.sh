# shellcheck shell=bash
# Names of C++ and Rust as they are written, of the exports and of diff; what is none stays, and so does the database.
printf '%s\n' 'main;_ZN1a1bEv;_RNvC6_123foo3bar 3' 'main;f 1' '_ZN3fooC1Ei;_Zbad;_RNvNtNtCs1234_7mycrate3foo3bar3baz 5' >in.folded
printf '%s\n' 'main;_ZN1a1bEv 9' >other.folded
ts in.folded -e out.db --quiet
ts other.folded -e other.db --quiet
ts out.db --to=folded -o - --demangle
ts out.db --to=folded -o -
ts out.db --to=speedscope --demangle -o - | grep -o '"name":"a::b()"'
ts diff out.db other.db --by=method --demangle --quiet --output=csv | cut -d, -f1 | sort
ts out.db --quiet --demangle -q "SELECT name FROM stack_method ORDER BY id" --output=csv
ts out.db --quiet --demangle -q "SELECT 'main;_ZN1a1bEv;_Z;_RNvC6_123foo3bar' AS stack, NULL AS none, 3 AS n, '_ZN1a1bEv;' AS last, ';_ZN1a1bEv' AS first, x'5f5a4e31613162457600' AS bytes" --output=json
ts out.db --quiet --demangle -q folded_stacks --output=tsv
ts -e x.db in.folded --demangle
