"""The page's JavaScript and CSS pass biome's rules (style.json), and the files of uPlot are those of its npm package.

Wants the npm packages of package-lock.json in a folder GLIMPSE_BROWSER_MODULES; see browser_test.
"""

import glob
import json
import os
import re
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary

MODULES = os.path.abspath(os.environ.get("GLIMPSE_BROWSER_MODULES") or "none")
SOURCES = binary("GLIMPSE_SOURCE_DIR")
HERE = os.path.join(SOURCES, "tests", "e2e", "page")
PAGE = os.path.join(SOURCES, "daemon", "page")
BIOME = os.path.join(MODULES, ".bin", "biome")
MISSING = [name for name in (BIOME, os.path.join(MODULES, "uplot")) if not os.path.exists(name)]


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


@unittest.skipIf(MISSING, f"GLIMPSE_BROWSER_MODULES is not a folder with {', '.join(map(os.path.basename, MISSING))}")
class Style(TestCase):
    def complaints(self, *files):
        done = subprocess.run([BIOME, "lint", f"--config-path={os.path.join(HERE, 'style.json')}", "--error-on-warnings",
                               "--reporter=github", "--max-diagnostics=100", *files],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        told = re.findall(r"title=lint/(\S+?),file=(\S+?),line=(\d+).*?::(.*)", done.stdout)
        # It must have read them: an error of its own is no verdict.
        self.assertEqual(done.returncode != 0, bool(told), done.stdout + done.stderr)
        return told

    def test_the_files_of_the_page_pass(self):
        files = [*glob.glob(os.path.join(PAGE, "assets", "*.js")), *glob.glob(os.path.join(PAGE, "assets", "*.css")),
                 os.path.join(HERE, "look.js")]
        self.assertGreater(len(files), 8)
        self.assertEqual(self.complaints(*files), [])

    def test_what_is_wrong_is_seen(self):
        for code, rule in (("export const a = missing;", "correctness/noUndeclaredVariables"),
                           ('import { ask } from "./door.js";', "correctness/noUnusedImports"),
                           ("const a = 1;\nexport const b = 2;", "correctness/noUnusedVariables"),
                           ("export const is = (a) => a == 1;", "suspicious/noDoubleEquals"),
                           ("export const run = (a) => eval(a);", "security/noGlobalEval")):
            with self.subTest(rule):
                self.assertEqual([one[0] for one in self.complaints(self.write("wrong.js", code + "\n"))], [rule])

    def test_what_is_vendored_is_the_package_that_its_page_names(self):
        page = read(PAGE, "vendor", "README.md").decode()
        rows = re.findall(r"^\| (\S+) \| (dist/\S+) \| [0-9a-f]{64} \|$", page, re.MULTILINE)
        self.assertEqual(len(rows), 2)
        for name, path in [*rows, ("LICENSE", "LICENSE")]:
            self.assertEqual(read(PAGE, "vendor", name), read(MODULES, "uplot", path), name)
        locked = json.loads(read(HERE, "package-lock.json"))["packages"]["node_modules/uplot"]
        self.assertIn(f"`uplot` {locked['version']} ", page)
        self.assertIn(f"`{locked['integrity']}`", page)
        self.assertEqual(json.loads(read(MODULES, "uplot", "package.json"))["version"], locked["version"])


if __name__ == "__main__":
    unittest.main()
