#!/usr/bin/env python3
"""Lists names that two sources of one folder give to functions in their unnamed namespaces.

Builds from nothing compile the sources of a folder together (tests/precompiled.cmake). There such functions overload
each other: a call may quietly mean that of another file where its parameters fit better. So each name is used once.
Usage: helper_names.py SOURCE_DIRECTORY. Exit status: 0 no name is used twice, 1 some are."""
import collections
import pathlib
import re
import sys

ALONE = re.compile(r"_kernel|/gradient_|_(test|test_support|main)\.cpp$")  # compiled alone, or in no library
FUNCTION = re.compile(r"(?:[\w:]\S* )*?[A-Za-z_][\w:<>,*&\[\] ]*?[ *&](\w+)\(")
GROUPS = [(r"lib/(base|compression|json|sampling|stats)$", "lib/base"), (r"(lib|tools)/(\w+)(/.*)?$", r"\1/\2"), (r"daemon(/.*)?$", "daemon")]


def group_of(folder):
    for pattern, group in GROUPS:
        if found := re.match(pattern, folder):
            return found.expand(group)
    return folder


def helpers(text):
    """The functions of unnamed namespaces, by name."""
    inside = False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and (found := FUNCTION.match(line)) and not line.startswith(("template", "using", "constexpr int ")):
            yield found[1]


def main(root):
    uses = collections.defaultdict(set)
    for source in sorted(root.glob("**/*.cpp")):
        path = source.relative_to(root).as_posix()
        if path.startswith(("daemon/", "lib/", "tools/")) and not ALONE.search(path):
            for name in helpers(source.read_text()):
                uses[group_of(str(pathlib.PurePosixPath(path).parent)), name].add(path)
    twice = {key: paths for key, paths in uses.items() if len(paths) > 1}
    for (_, name), paths in sorted(twice.items()):
        print(f"{name}() is in unnamed namespaces of {' and '.join(sorted(paths))}: give one of them another name")
    print(f"{len(uses)} names in {len({group for group, _ in uses})} folders, {len(twice)} used twice")
    return 1 if twice or not uses else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
