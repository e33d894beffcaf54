"""Tables in Markdown, on standard output and, where wanted, into a file."""

import datetime
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path


class Report:
    """Prints as it goes, so that what was measured before an error is not lost."""

    def __init__(self, markdown=None, verbose=False):
        self.file = open(markdown, "w", encoding="utf-8") if markdown else None
        self.verbose = verbose or sys.stderr.isatty()

    def progress(self, text):
        if self.verbose:
            print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)

    def line(self, text=""):
        for file in (sys.stdout, self.file):
            if file:
                print(text, file=file, flush=True)

    def heading(self, text):
        self.line(f"\n## {text}\n")

    def table(self, columns, rows):
        self.line("| " + " | ".join(columns) + " |")
        self.line("|---" * len(columns) + "|")
        for row in rows:
            self.line("| " + " | ".join(map(str, row)) + " |")


def middle_and_spread(numbers, digits=2):
    """"median (lowest – highest)"."""
    if not numbers:
        return ""
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f} – {max(numbers):.{digits}f})"


def count(number):
    return f"{number:,.0f}"


def machine():
    """One line: processor, memory, system, date; and the commit, where there is one."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    commit = subprocess.run(["git", "-C", Path(__file__).parent, "describe", "--always", "--dirty"], capture_output=True,
                            text=True, check=False).stdout.strip()
    day = datetime.datetime.now(datetime.timezone.utc).date()
    return (f"{model}, {os.cpu_count()} processors, {memory:.0f} GiB; Linux {platform.release()}; {day}"
            + (f"; commit {commit}" if commit else ""))
