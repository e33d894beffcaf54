# Sourced by tools/quickstart and tools/demo, after tools/packages.sh: building, and a daemon that answers. Needs BUILD, a
# build tree; of a daemon $daemon, $http and $work/glimpsed.log.

readonly GLIMPSED=$BUILD/daemon/glimpsed GLIMPSECTL=$BUILD/tools/glimpsectl/glimpsectl
readonly MNIST=$BUILD/tools/mnist/glimpse-mnist GEN=$BUILD/tools/gen/glimpse-gen

terminal=
[[ -t 1 ]] && terminal=1

title() { printf '\n== %s\n' "$*"; }

# progress TEXT: one line that is drawn again on a terminal; elsewhere a line each time.
progress() {
  if [[ -n "$terminal" ]]; then
    printf '\r\033[K%s' "$*"
  else
    printf '%s\n' "$*"
  fi
}

end_progress() { [[ -z "$terminal" ]] || printf '\n'; }

# build PACKAGE...: what is needed to build, and the packages named, are installed where they are missing.
build() {
  title 'Building'
  need_packages "${BUILD_PACKAGES[@]}" "$@"
  mkdir -p "$BUILD"
  local log=$BUILD/quickstart.log last=0
  if ! cmake -S . -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGLIMPSE_TESTS=OFF \
    -DGLIMPSE_PRECOMPILED=ON >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    fail "cmake failed; all it said is in $log"
  fi
  # Ninja says "[done/all] what" for each step; all of it goes to the log, the count to the screen.
  set +e
  cmake --build "$BUILD" -j "$(nproc)" --target "${QUICKSTART_TARGETS[@]}" 2>&1 |
    while IFS= read -r line; do
      printf '%s\n' "$line" >>"$log"
      if [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
        if [[ -n "$terminal" ]] || ((SECONDS >= last + 5 || BASH_REMATCH[1] == BASH_REMATCH[2])); then
          progress "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps, $SECONDS s"
          last=$SECONDS
        fi
      fi
    done
  local status=${PIPESTATUS[0]}
  set -e
  end_progress
  if [[ $status != 0 ]]; then
    tail -n 40 "$log" >&2
    fail "the build failed; all it said is in $log"
  fi
}

ctl() { "$GLIMPSECTL" --server "$http" "$@"; }

wait_until_ready() {
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    ctl status >/dev/null 2>&1 && return
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$work/glimpsed.log" >&2
  fail "the daemon does not answer; its log is $work/glimpsed.log"
}

# The newest door that the daemon opened for browsers.
page_address() {
  sed -n 's/.*HTTP door open on tcp:\(.*\)$/http:\/\/\1\//p' "$work/glimpsed.log" | tail -n 1
}
