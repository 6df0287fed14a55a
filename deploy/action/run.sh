#!/usr/bin/env bash
# Runs a campaign against a solver and fails on a bug that the file of bugs does not have. Used by action.yml, and by
# itself: AUSPEX_SOLVER=z3@5.4.0 AUSPEX_TIME=1m bash deploy/action/run.sh
set -uo pipefail

: "${AUSPEX_SOLVER:?name the solver under test in AUSPEX_SOLVER}"
time=${AUSPEX_TIME:-5m}
bugs=${AUSPEX_BUGS:-auspex-bugs.toml}
out=${AUSPEX_OUT:-auspex-ci}
read -r -a more <<<"${AUSPEX_ARGUMENTS:-}"

arguments=(ci --solver "$AUSPEX_SOLVER" --time "$time" --out "$out")
arguments+=(--junit "$out.junit.xml" --sarif "$out.sarif")
if [ -f "$bugs" ]; then
  arguments+=(--bugs "$bugs")
else
  echo "no file $bugs: every bug is new"
fi

auspex "${arguments[@]}" ${more[@]+"${more[@]}"}
code=$?

# A report for the page of the run.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -d "$out" ]; then
  bugs_option=()
  if [ -f "$bugs" ]; then bugs_option=(--bugs "$bugs"); fi
  {
    echo "## Auspex: $AUSPEX_SOLVER, $time"
    echo
    echo '```text'
    auspex bugs "$out" ${bugs_option[@]+"${bugs_option[@]}"}
    echo '```'
  } >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
