# Sourced by tools/quickstart: the same task with other looks. Needs work, train, examples and the programs.

# curve NAME EXAMPLES OPTION...: learns that many examples from the start, and writes NAME.csv.
curve() {
  local name=$1 most=$2
  shift 2
  "${train[@]}" | awk -v most="$most" 'NR <= most' |
    python3 tools/stream_client.py feed --stream "unix:$work/$name.stream" --http "unix:$work/$name.http" \
      --examples "$work/test.vw" --curve "$work/$name.csv" --first $FIRST |
    "$GLIMPSED" --dimension $DIMENSION --solver inline --seed 1 --format vw --listen "unix:$work/$name.stream" \
      --http "unix:$work/$name.http" --input - "$@" >"$work/$name.log" 2>&1 ||
    fail "the daemon of $name.csv ended; its log is $work/$name.log"
}

# row NAME WHAT: the end of a curve as a row.
row() {
  tail -n 1 "$work/$1.csv" | awk -F, -v what="$2" \
    '{ printf "  %-22s %6d examples %9d attributes   loss %.3f   %4.1f %% wrong\n", what, $1, $2, $3, 100 * $4 }'
}

compare() {
  title 'Beside fewer looks, uniform looks and all pixels'
  row chosen-$BUDGET "$BUDGET of $DIMENSION, chosen"
  curve uniform-$BUDGET "$examples" --budget $BUDGET --looks uniform
  row uniform-$BUDGET "$BUDGET of $DIMENSION, uniformly"
  curve chosen-$FEW "$examples" --budget $FEW
  row chosen-$FEW "$FEW of $DIMENSION, chosen"
  curve uniform-$FEW "$examples" --budget $FEW --looks uniform
  row uniform-$FEW "$FEW of $DIMENSION, uniformly"
  curve all $ALL_EXAMPLES --budget $DIMENSION
  row all "all $DIMENSION"
}
