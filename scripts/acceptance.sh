# What the scripts that print a table of what must be seen have in common; each of them sources it.
stint=${STINT:-$(swift build -c release --static-swift-stdlib --show-bin-path)/stint}
[[ -x $stint ]] || { echo "${0##*/}: $stint is missing; run make build." >&2; exit 69; }
stint=$(realpath "$stint")

failed=0
# row NAME VERDICT DETAIL
row() {
  [[ $2 == ok ]] || failed=1
  printf '%-46s %-6s %s\n' "$1" "$2" "$3"
}
# count JOBS TEXT: how many lines of the journals hold it.
count() { cat "$1"/*/journal.jsonl 2>/dev/null | grep -c -- "$2" || true; }
