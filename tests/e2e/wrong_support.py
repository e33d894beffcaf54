"""What people do wrong at their first start: rows of what it is, how it comes about, and what they are told."""

import os
import re
import struct
import subprocess
from typing import NamedTuple

from harness import DEADLINE, TestCase, binary

TABLE = "hour,temp,rain,cnt\n" + "".join(f"{i % 24},{i * 7 % 30 / 2},{i % 3},{i * 3 % 50}\n" for i in range(40))
NO_HEADER = TABLE.split("\n", 1)[1]
SVMLIGHT = "".join(f"{i % 5} 1:{i % 3} 3:{i % 7}\n" for i in range(40))
NPY = (b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".ljust(0x75) + b"\n" +
       struct.pack("<6f", 1, 2, 3, 4, 5, 6))

FILES = {
    "names.txt": "hour\ntemp\nrain\n", "commas.txt": "hour,temp,rain\n", "few.txt": "hour\ntemp\n",
    "costs.txt": "hour 1\ntmp 2\nrain 3\n", "misspelt.conf": "budget = 2\n\nlabell = cnt\n", "yaml.conf": "budget: 2\n",
    "word.conf": "label = cnt\nbudget = two\n", "contradicts.conf": "budget = 2\nalgorithm = pairwise\nstep = 0.1\n",
}

B = ("--budget", 2)
D = ("--dimension", 3)
L = ("--label", "cnt")


class Row(NamedTuple):
    what: str  # is wrong
    arguments: tuple
    stdin: object  # text or bytes through a pipe; None: /dev/null
    status: int
    message: str  # the first line that is a warning, an error or a refusal, without its time and level


class WrongStarts(TestCase):
    """For tests with rows, which check_rows() plays."""

    def told(self, row):
        """(exit status, the lines of warnings, errors and refusals)."""
        given = {"stdin": subprocess.DEVNULL}
        if row.stdin is not None:
            given = {"input": row.stdin if isinstance(row.stdin, bytes) else row.stdin.encode()}
        done = subprocess.run([binary("GLIMPSE_BIN"), *map(str, row.arguments)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=DEADLINE, cwd=self.folder, check=False, **given)
        told = re.compile(r"20\S+ (warning|error) |(?=glimpsed: )")
        lines = done.stderr.decode(errors="replace").splitlines()
        return done.returncode, [told.sub("", line, count=1) for line in lines if told.match(line)]

    def check_rows(self, rows):
        for name, content in FILES.items():
            self.write(name, content)
        os.mkdir(self.path("folder"))
        for row in rows:
            with self.subTest(row.what):
                status, lines = self.told(row)
                self.assertEqual((status, lines[0] if lines else None), (row.status, row.message))
                if status == 1 and not row.message.startswith("glimpsed: "):
                    self.assertRegex(lines[-1], "^nothing was learned: |: it is cut short$")
