# shellcheck shell=bash disable=SC2034
# Functions that tools/check, tools/quickstart and tools/fetch-mnist share (sourced by bash, not run):
# installing what they need from Debian's packages, without ever removing one.

# The release of Debian that this machine runs: bookworm, trixie.
debian_release="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)" || true

# Boost 1.81 or newer: the one that is installed. Debian 12 calls 1.74 libboost-dev and has 1.81 beside it. Debian 13
# calls 1.83 libboost-dev and has 1.88 beside it.
boost_version="$(dpkg-query -W -f '${Status} ${Package}\n' 'libboost1.*-dev' 2>/dev/null |
  sed -n 's/^install ok installed libboost\(1\.8[1-9]\|1\.9[0-9]\)-dev$/\1/p' | tail -n 1)" || true
[[ -n "$boost_version" || "$debian_release" != bookworm ]] || boost_version=1.81
readonly BUILD_PACKAGES=(g++ cmake ninja-build pkg-config "libboost${boost_version}-dev"
  "libboost-json${boost_version}-dev"
  libfmt-dev libspdlog-dev libfast-float-dev libxxhash-dev prometheus-cpp-dev
  libsystemd-dev libssl-dev libeigen3-dev zlib1g-dev libzstd-dev librdkafka-dev)

# What tools/package needs beside them: pages in Markdown as manual pages, dependencies on shared libraries, Python.
readonly PACKAGE_PACKAGES=(lowdown dpkg-dev file gzip python3-dev python3-venv)

# What people get; the laboratory and the benchmarks are for who develops.
readonly QUICKSTART_TARGETS=(glimpsed glimpsectl glimpse-mnist glimpse-gen)

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "${0##*/}: $*"
  exit 1
}

# Whether the packages named are all installed.
have_packages() {
  [[ -z "$(missing_packages "$@")" ]]
}

# Those of the packages named that are not installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
      printf '%s\n' "$package"
  done
}

# Runs a command as root: as it is, or by sudo. Status 77 when neither is possible.
as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 77
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 -o Dpkg::Use-Pty=0 "$@"
}

# Once a run; package lists may be missing on a bare machine, or too old to download by.
update_lists() {
  [[ -n "${lists_updated:-}" ]] && return
  lists_updated=1
  apt_get update >/dev/null
}

# need_packages NAME...: installs those that are missing; does not touch apt when none is. Ends the script,
# with the reason, when it cannot.
need_packages() {
  local missing log
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} == 0 ]] && return
  command -v apt-get >/dev/null ||
    fail "these packages are missing, and apt-get is not there to install them: ${missing[*]}"
  if [[ "$(id -u)" != 0 ]] && ! command -v sudo >/dev/null; then
    fail "these packages are missing; install them as root: apt-get install ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  log="$(mktemp)"
  # An update that fails is told by the install that follows: the lists that are there may do.
  update_lists >"$log" 2>&1 || true
  if apt_get install -y --no-remove --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  tail -n 20 "$log" >&2
  rm -f "$log"
  explain_boost_conflict
  fail "cannot install ${missing[*]}; nothing was removed or replaced"
}

# Debian 12 has two Boosts whose headers cannot be installed together; the older may be there for a reason.
explain_boost_conflict() {
  local others
  [[ "$debian_release" == bookworm ]] || return 0
  mapfile -t others < <(
    dpkg-query -W -f '${Package} ${Status}\n' 'libboost*1.74*-dev' 'libboost-dev' 2>/dev/null |
      sed -n 's/ install ok installed$//p'
  )
  [[ ${#others[@]} == 0 ]] && return
  say "The headers of Boost 1.81, which glimpse needs, cannot be installed beside those of Boost 1.74, which"
  say "are here: ${others[*]}."
  say "Nothing was removed, because something else may need them (python3-scipy does). If nothing does,"
  say "remove them and run this again; otherwise build in a container or a chroot."
}
