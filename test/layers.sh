#!/usr/bin/env bash
# layers.sh SOURCE: the rules between the layers (docs/architecture.md), checked on the text of src/.
#
# - a layer includes only itself and layers below it: base, wire, json, sampler and symbols (not each other), input, tables, htrace and parsers, model, analysis, export, session, fleet, serve and lib (not each other), mcp, cli and wasm (not each other);
# - parsers/<a> never includes parsers/<b>, but for parsers/shared, which includes none, nor the list of all; nothing includes a header of a format; htrace/plugins/<a> likewise;
# - sqlite3.h in tables, serve and cli only, microhttpd.h and wslay.h in serve only, curl.h in fleet only; nothing prints or ends the program outside cli;
# - memory comes through the allocator of base/alloc.c; names of source files are unique;
# - sinks are made by ts_sink_of, in the tests as well, and none lacks a required call.
# - every hash table is keyed;
# - no table's name in the page writer and in sample_rows.c: what they know of tables comes from their declarations.
set -u
cd "$1/src" || exit 1
example=$PWD/../test/new_format/src # a format that CONTRIBUTING.md shows; steps are written there as in src
bad=0
complain() {
    echo "$*"
    bad=1
}

level() { # layer; sets $level, since a process for each of thousands of lines would take half a minute
    case $1 in
    base) level=0 ;;
    wire | json | sampler | symbols) level=1 ;;
    input) level=2 ;;
    tables) level=3 ;;
    htrace) level=4 ;;
    parsers) level=5 ;;
    model) level=6 ;;
    analysis) level=7 ;;
    export) level=8 ;;
    session) level=9 ;;
    fleet | serve | lib) level=10 ;;
    mcp) level=11 ;;
    cli | wasm) level=12 ;;
    *) level=none ;;
    esac
}

mapfile -t files < <(find . -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sed 's|^\./||' | sort)
[ ${#files[@]} -gt 20 ] || complain "only ${#files[@]} files found: wrong folder?"

while IFS=: read -r file included; do
    layer=${file%%/*}
    other=${included%%/*}
    [ "$other" != "$included" ] || continue # "x.pb-c.h" and the like
    level "$layer"
    a=$level
    level "$other"
    b=$level
    if [ "$b" = none ]; then
        complain "$file: includes $included, which is in no layer"
    elif [ "$b" -gt "$a" ] || { [ "$b" -eq "$a" ] && [ "$layer" != "$other" ]; }; then
        complain "$file: $layer must not include $included"
    fi
    case $file:$included in
    parsers/*/*:parsers/*/*)
        mine=${file#parsers/}
        theirs=${included#parsers/}
        [ "${mine%%/*}" = "${theirs%%/*}" ] || [ "${theirs%%/*}" = shared ] || complain "$file: a parser must not include $included"
        ;;
    htrace/plugins/*/*:htrace/plugins/*/*)
        mine=${file#htrace/plugins/}
        theirs=${included#htrace/plugins/}
        [ "${mine%%/*}" = "${theirs%%/*}" ] || complain "$file: a plugin must not include $included"
        ;;
    htrace/*:htrace/plugins/*/*) complain "$file: a plugin stands in its list only, not in $included" ;;
    parsers/*:parsers/*/*) complain "$file: a format is in its list only, not in $included" ;;
    parsers/*/*:parsers/registry.h) complain "$file: a parser must not know other formats" ;;
    model/*:input/* | model/*:htrace/* | model/*:parsers/*) complain "$file: the model must not include $included" ;;
    esac
done < <(grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' "${files[@]}" |
    sed -E 's/:[^"]*"([^"]+)"/:\1/')

# Code without comments and texts, so that words in them do not count: a copy of all files.
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
find . -type d -exec mkdir -p "$code/{}" \;
perl -e '
    undef $/;
    my $target = shift;
    for my $file (@ARGV) {
        open my $in, "<", $file or die $file;
        my $text = <$in>;
        $text =~ s{("(?:\\.|[^"\\])*"|\x27(?:\\.|[^\x27\\])+\x27)|/\*.*?\*/|//[^\n]*}
            {my $t = defined $1 ? "" : $&; defined $1 ? "\"\"" : "\n" x ($t =~ tr/\n//)}gsex;
        open my $out, ">", "$target/$file" or die $file;
        print $out $text;
    }' "$code" "${files[@]}"
[ "$(find "$code" -type f | wc -l)" = ${#files[@]} ] || complain "not all files could be read"
except() { # regular expression of paths: the other files
    printf '%s\n' "${files[@]}" | grep -vE "^($1)"
}
forbid() { # regular expression of paths to which it does not apply, extended regular expression, what it means
    local hits
    hits=$(cd "$code" && except "$1" | xargs grep -nE "$2" | head -5)
    [ -z "$hits" ] || complain "$3:"$'\n'"$hits"
}
before='(^|[^A-Za-z0-9_>.])'
hits=$(except 'tables/|serve/|cli/' | xargs grep -nE '#[[:space:]]*include[[:space:]]*<sqlite3')
[ -z "$hits" ] || complain "includes sqlite3.h: $hits"
hits=$(except 'serve/' | xargs grep -nE '#[[:space:]]*include[[:space:]]*<(microhttpd|wslay)')
[ -z "$hits" ] || complain "includes libraries of serve: $hits"
hits=$(except 'fleet/' | xargs grep -nE '#[[:space:]]*include[[:space:]]*<curl')
[ -z "$hits" ] || complain "includes the library of fleet: $hits"
# (serve/api/workers.c ends the processes that it has forked.)
forbid 'cli/|serve/api/workers\.c' "$before(printf|puts|putchar|perror|vprintf|exit|_exit|_Exit|abort|quick_exit|assert) *\(" \
    "prints or ends the program"
forbid 'cli/' "$before(stdout|stderr)([^A-Za-z0-9_]|$)" "uses the standard streams"
forbid 'base/alloc\.c$|base/context\.c$' \
    "$before(malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign|alloca) *\(" \
    "allocates without base/alloc.h"

# The names that rows.h and schema.h make of tables, and tables themselves.
names=$(cat tables/formats/*/*.def | sed -nE 's/^TS_TABLE\(([A-Za-z0-9_]+),.*/\1/p' | sort -u)
[ "$(wc -w <<<"$names")" -ge 100 ] || complain "only $(wc -w <<<"$names") tables found: does the pattern still fit?"
named=$(cd "$code" && grep -nE "(^|[^A-Za-z0-9_])((TS_T|TS_N|TS_C|ts_row|ts_put)_)?($(paste -sd'|' <<<"$names"))(__[A-Za-z0-9_]+)?([^A-Za-z0-9_]|\$)" \
    tables/page_* tables/sample_rows.c)
[ -z "$named" ] || complain "the page writer names a table:"$'\n'"$named"
# In texts too, of names that are no words.
named=$(perl -0777 -pe 's{/\*.*?\*/}{}gs' tables/page_* tables/sample_rows.c |
    grep -E "\".*\<($(grep '_' <<<"$names" | paste -sd'|'))\>.*\"")
[ -z "$named" ] || complain "the page writer has a table's name in a text:"$'\n'"$named"

# Only ts_sink_of makes a sink, and each set of calls that it is given has those that are required.
made=$(cd .. && grep -nE '\(ts_sink\) *\{|\.sink = \{|ts_sink [a-z_]+ = \{' -r src test tools --include='*.c' --include='*.h' |
    grep -v '^src/tables/sink\.h:.*return (ts_sink){\.self = self, \.calls = \*calls};$')
[ -z "$made" ] || complain "a sink that ts_sink_of has not made:"$'\n'"$made"
sinks=$(cd .. && grep -lr 'ts_sink_calls' src test tools --include='*.c' --include='*.h' | xargs perl -0777 -ne '
    while (/ts_sink_calls\)? *(?:\w+ = )?\{(.*?)\}/gs) {
        my $calls = $1;
        next if $calls =~ /ts_sink_put_call \*put;/;
        my @missing = grep { $calls !~ /\.$_\s*=\s*(?!NULL)\w/ } qw(put complete release amend);
        print "$ARGV: ", @missing ? "lacks @missing" : "complete", "\n";
    }')
grep -q 'lacks' <<<"$sinks" && complain "a sink without a required call:"$'\n'"$(grep 'lacks' <<<"$sinks")"
[ "$(grep -c complete <<<"$sinks")" -ge 7 ] || complain "only $(wc -l <<<"$sinks") sinks found: does the pattern still fit?"
# Whoever makes an input must not be able to choose which of its numbers and texts collide: a file with a hash table takes
# its hash from base/hash.h with the key of the run. The rows that are reserved are found by rowids, which the program gives
# itself in their order; waiting words of events, known beginnings of lines and recent paths of calls have one slot each, in which another takes their place: nothing
# is searched. base/index.c gets hashes from its users, which are looked at.
unkeyed='base/hash\.h$|tables/page_reserved\.c$|parsers/ftrace/order/ftrace_dense\.c$|parsers/ftrace/text/ftrace_text_known\.c$|parsers/cloud/paths\.h$'
forbid "$unkeyed" '0x9[eE]37|0x[cC]6[aA]4|0x[fF]{2}51|16777619|0x01000193|0x100000001[bB]3|2654435761|5381|[*] *(31|33|37|131)[^0-9]' \
    "looks like a hash without a key"
mapfile -t tables < <(cd "$code" && except "$unkeyed" | grep '\.c$' | grep -vx base/index.c | xargs grep -lE 'slots\[[^]]*\]|ts_index_(search|find) *\(')
keyless=$(cd "$code" && grep -LE '(ts_hash_(begin|number)|ts_node_hash) *\(' "${tables[@]}")
[ -z "$keyless" ] || complain "a table of slots without ts_hash_begin, ts_hash_number or ts_node_hash: $keyless"
[ ${#tables[@]} -ge 6 ] || complain "only ${#tables[@]} files with hash tables found: does the pattern still fit?"

# Steps that may fail are written with TS_TRY, TS_STEP and TS_NEED (base/result.h), not in other words.
steps=$(cd "$code" && { except 'base/result\.h$'; find "$example" -type f 2>/dev/null; } | grep -E '\.[ch]$' | xargs perl -0777 -ne '
    sub found { my ($at) = @_; my $line = 1 + (substr($_, 0, $at) =~ tr/\n//); print "$ARGV:$line\n"; }
    found($-[0]) while /\n( *)if \(([\w>.*-]+) == TS_OK\) \{\n +\2 = [^;]*;\n\1\}\n/g;
    found($-[0]) while /\n( *)if \(\((\w+) = [^|&{};]*\) != TS_OK\) \{\n +return \2;\n\1\}\n/g;
    found($-[0]) while /\n( *)(?:ts_code )?(\w+) = [^;{}]*;\n\1if \(\2 != TS_OK\) \{\n +return \2;\n\1\}\n/g;
    found($-[0]) while /([\w>.*-]*code) == TS_OK(?: &&[^;?]*)?\s+\? [^;]*: \1;/g;
    found($-[0]) while /\n( *)if \(([^\n{}|&]|&(?!&))* == NULL\) \{\n +return [\w>.-]+->error\.code;\n\1\}\n/g;
    while (/^\{\n(.*?)^\}\n/gms) { # a code that no step needs
        my ($body, $at) = ($1, $-[0]);
        my $uses = () = $body =~ /\bcode\b/g;
        my $tries = () = $body =~ /\bTS_TRY_INTO\(code,\s/g;
        my $declared = () = $body =~ /^ +ts_code code;\n/gm;
        found($at) if $tries > 0 && $declared > 0 && $uses == $tries + $declared;
    }
    ')
[ -z "$steps" ] || complain "a step that is not written as base/result.h says:"$'\n'"$steps"

doubles=$(printf '%s\n' "${files[@]}" | grep -E '\.[ch]$' | sed 's|.*/||' | sort | uniq -d)
[ -z "$doubles" ] || complain "names that stand for two files: $doubles"
exit $bad
