# shellcheck shell=bash
# Nothing is kept, and names that one directory has for another have nowhere to go: the second gets them late.
mkflare --threads=2 --seconds=3 --methods=50 named
mkflare --threads=2 --seconds=3 --methods=50 bare
rm bare/method_info.*
for order in 'bare named' 'named bare'; do
    # shellcheck disable=SC2086
    code ts $order --json=out.json --quiet
    grep -o '"exit_code": *[0-9]*' out.json
    mkdir -p dir
    # shellcheck disable=SC2086
    code ts $order -s -o dir --quiet
done
