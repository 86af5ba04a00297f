# shellcheck shell=bash
# The jobs of docs/ci.md, for builds that are alike, slower and broken.
python3 "$SOURCE/test/cli/ci_examples.py" "$PROGRAM" "$SOURCE" || fail ci_examples
