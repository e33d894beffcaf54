"""The commands of the laboratory that pages show are ones that it takes."""

import glob
import os
import re
import shlex
import unittest

from glimpsed.lab.__main__ import COMMANDS, parser_of

SOURCE = os.environ["GLIMPSE_SOURCE_DIR"]
COMMAND = re.compile(r"python -m glimpsed\.lab ([a-z-]+ (?:.*\\\n)*.*)")


def commands_of(text):
    """What stands behind `python -m glimpsed.lab` in blocks of code, lines that go on joined."""
    lines = "\n".join(line for line in text.split("\n") if line.startswith("    "))
    for found in COMMAND.finditer(lines):
        yield shlex.split(found[1].replace("\\\n", " "), comments=True)


class PagesTest(unittest.TestCase):
    def test_every_command_of_every_page_is_taken(self):
        os.environ.setdefault("GLIMPSE_DATA", "/tables")
        tried = set()
        folders = ("", "lib/**/", "daemon/**/", "tools/**/")
        for page in (page for folder in folders for page in glob.glob(os.path.join(SOURCE, folder + "*.md"), recursive=True)):
            with open(page, encoding="utf-8") as file:
                for command, *arguments in commands_of(file.read()):
                    with self.subTest(page=os.path.relpath(page, SOURCE), command=command, arguments=arguments):
                        parser_of(command).parse_args(arguments)
                        tried.add(command)
        self.assertGreater(len(tried), 10)

    def test_every_command_has_a_page_of_its_own(self):
        for command in COMMANDS:
            self.assertTrue(parser_of(command).description, command)


if __name__ == "__main__":
    unittest.main()
