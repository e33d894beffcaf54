# Sourced by tools/quickstart: what it draws. Needs work, task and the curves.

# Where looks began to be chosen, as "attributes,loss" on the curve CURVE.csv, by LOG.log of a budget.
switch_point() {
  local curve=$1 log=$2 budget=$3 since
  since="$(sed -n 's/.* phase 2 since example \([0-9]*\):.*/\1/p' "$work/$log.log" | head -n 1)"
  [[ -n "$since" ]] || return 0
  awk -F, -v at=$((since * budget)) 'NR > 1 {
    if (before != "" && $2 > at) { loss = before + ($3 - before) * log(at / x) / log($2 / x); exit }
    loss = before = $3; x = $2
    if ($2 >= at) exit
  } END { print at "," loss }' "$work/$curve.csv"
}

draw_looks() {
  title 'An average digit, and where it looked'
  ctl moments --format json --output "$work/moments.json"
  python3 tools/quickstart_parts/looks.py "$work"
}

draw_curves() {
  title 'The learning curves'
  switch_point "chosen-$BUDGET" glimpsed "$BUDGET" >"$work/switches.txt"
  switch_point "chosen-$FEW" "chosen-$FEW" "$FEW" >>"$work/switches.txt"
  gnuplot -e "folder = '$work'; many = $BUDGET; few = $FEW; all = $DIMENSION; task = '$task'" \
    tools/quickstart_parts/curves.gp | tr -d '\f'
}
