#!/usr/bin/env bash
# The manual pages and the completion that scripts/make_manual.py makes of the command: a page for each verb, without
# warnings of groff where there is one, and completion that knows verbs, options and their values.
#
#   manual.sh SOURCES COMMAND
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$1/scripts/make_manual.py" "$2" "$out"

fail() { echo "$*" >&2; exit 1; }
for page in kinema kinema-body kinema-body-track kinema-stereo-calibrate kinema-devices; do
  [ -s "$out/man1/$page.1" ] || fail "there is no page $page"
done
! grep -rl 'batch.worker\|command.table' "$out" || fail 'hidden verbs are described'
grep -q '^.SH EXIT STATUS' "$out/man1/kinema-devices.1" || fail 'the page of devices lacks its exit status'
if command -v groff >/dev/null; then
  said=$(for page in "$out"/man1/*; do groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null; done)
  [ -z "$said" ] || fail "groff warns: $said"
fi

# complete WORD...: what follows after these words, of which the last is begun
complete_words() {
  bash -c 'source "$1"; shift; COMP_WORDS=(kinema "$@"); COMP_CWORD=$#; _kinema; echo "${COMPREPLY[@]}"' - \
    "$out/completion/kinema" "$@"
}
[ "$(complete_words bod)" = body ] || fail "after 'bod': $(complete_words bod)"
[ "$(complete_words body tr)" = track ] || fail "after 'body tr': $(complete_words body tr)"
[ "$(complete_words body track --parti)" = --particles ] || fail 'an option of body track is not completed'
[ "$(complete_words body track --backend cu)" = cuda ] || fail 'the values of --backend are not completed'
[ -z "$(complete_words body track --input '')" ] || fail 'names of files are not left to the shell'
! command -v fish >/dev/null || fish --no-execute "$out/completion/kinema.fish"
