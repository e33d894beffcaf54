# shellcheck shell=bash
# A tree of Debian with its smallest set of packages, for the scripts beside this one (sourced, not run). `tree` is its
# folder, `release` the name of its release: that of this machine where a script says no other.

machine_release="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
release="$machine_release"

skip() {
  echo "bare_machine: skipped: $*"
  exit 77
}

need_debootstrap() {
  [[ "$(id -u)" == 0 ]] || skip 'root is needed to make a tree and to enter it'
  command -v debootstrap >/dev/null || skip 'debootstrap is not installed'
}

# The first mirror that apt has for Debian itself.
mirror() {
  apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | sed -n "s/ $machine_release\$//p" | head -n 1
}

make_tree() {
  local from="${GLIMPSE_MIRROR:-$(mirror)}"
  [[ -n "$from" ]] || skip 'apt knows no mirror of Debian; name one as GLIMPSE_MIRROR'
  mkdir -p "$tree"
  debootstrap --variant=minbase "$release" "$tree" "$from" >"$tree.log" 2>&1 ||
    skip "debootstrap failed; all it said is in $tree.log"
  # What reaches the mirror from here reaches it from there: how apt is told, and whom it trusts.
  cp -a /etc/apt/apt.conf.d/. "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true
  sed "s/$machine_release/$release/g" /etc/apt/sources.list.d/debian.sources \
    >"$tree/etc/apt/sources.list.d/debian.sources" 2>/dev/null || rm -f "$tree/etc/apt/sources.list.d/debian.sources"
}

mounted=()
leave() {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount "${mounted[i]}"; done
}
trap leave EXIT

enter() {
  mount -t proc proc "$tree/proc" && mounted+=("$tree/proc")
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts" && mounted+=("$tree/dev/pts")
  mount -t tmpfs tmpfs "$tree/dev/shm" 2>/dev/null && mounted+=("$tree/dev/shm")
  cp /etc/resolv.conf /etc/hosts "$tree/etc/" 2>/dev/null || true
}

# in_tree COMMAND: as on a machine of its own, with a usual environment.
in_tree() {
  chroot "$tree" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb bash -c "$1"
}
