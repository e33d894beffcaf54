"""The page's JavaScript and CSS pass biome's rules (style.json), the files of uPlot are those of its npm package, and the
modules are joined as they are.

Most of it wants the npm packages of package-lock.json in a folder GLIMPSE_BROWSER_MODULES; see browser_test.
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
                 *glob.glob(os.path.join(HERE, "*.js"))]
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


class Joined(TestCase):
    """The modules of the page as one script (daemon/page/join.cmake)."""

    def join(self, **modules):
        paths = [self.write(f"{name}.js", text) for name, text in modules.items()]
        script = self.write("join.cmake", f"""cmake_minimum_required(VERSION 3.25)
include({os.path.join(PAGE, 'join.cmake')})
join_modules(joined {' '.join(paths)})
file(WRITE {self.path('joined')} "${{joined}}")
""")
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, timeout=DEADLINE, check=False)
        return done.returncode == 0, re.sub(r"\s+", " ", done.stderr)

    def test_a_module_stands_after_those_that_it_imports(self):
        self.assertEqual(self.join(a='import { b, c } from "./z.js";\n\nb(c);\n',
                                   z="export function b(x) {}\n\nconst own = [1, 2]; // [;\nexport const c = `${own}`;\n"), (True, ""))
        joined = read(self.path("joined")).decode()
        self.assertIn("""
const module_z = (() => {
function b(x) {}

const own = [1, 2]; // [;
const c = `${own}`;
return { b, c };
})();

// a.js
const module_a = (() => {
const { b, c } = module_z;

b(c);
return {  };
})();
""", joined)

    def test_what_cannot_be_joined_ends_the_build(self):
        for text, words in (("export default 1;\n", "join.cmake cannot join 'export default 1;'"),
                            ("export let a = 1;\n", "cannot join 'export let a = 1;'"),
                            ("const a = 1;\nexport { a };\n", "cannot join 'export { a };'"),
                            ('import "./z.js";\n', "cannot join 'import"),
                            ('import { a as b } from "./z.js";\n', "cannot join 'const { a as b } = module_z'"),
                            ('import { a } from "./none.js";\n', "or one that is not there")):
            with self.subTest(text):
                is_joined, error = self.join(a=text, z="export const a = 1;\n")
                self.assertFalse(is_joined)
                self.assertIn(words, error)
        self.assertIn("in a circle", self.join(a='import { z } from "./z.js";\n', z='import { a } from "./a.js";\n')[1])


if __name__ == "__main__":
    unittest.main()
