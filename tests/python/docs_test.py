"""The examples of the package's page and of its modules print what they say; and its types are sound."""

import contextlib
import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import unittest

import glimpsed
import glimpsed._core

SOURCE = os.path.join(os.environ["GLIMPSE_SOURCE_DIR"], "tools", "python")


class DocsTest(unittest.TestCase):
    def test_the_page_prints_what_it_says(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="glimpse-python-"))
        self.enterContext(contextlib.chdir(folder))
        with open("rides.csv", "w", encoding="utf-8") as file:
            file.write("rides,day,sky,price\n")
            for n in range(600):
                sky, price = ("rain", "clear", "clouds")[n % 3], n % 40
                file.write(f"{60 - 25 * (sky == 'rain') - price},2024-01-{n % 28 + 1:02},{sky},${price}.00\n")
        path = os.path.dirname(os.environ["GLIMPSE_BIN"]) + os.pathsep + os.environ["PATH"]
        subprocess.run([os.environ["GLIMPSECTL_BIN"], "fit", "rides.csv", "--label", "rides"], check=True, capture_output=True,
                       env={**os.environ, "PATH": path})
        failed, tried = doctest.testfile(os.path.join(SOURCE, "README.md"), module_relative=False)
        self.assertGreater(tried, 20)
        self.assertEqual(failed, 0)

    def test_so_do_the_modules(self):
        tried = 0
        for module in pkgutil.walk_packages(glimpsed.__path__, "glimpsed."):
            if module.name.startswith("glimpsed.client") or module.name == "glimpsed._core":
                continue  # the client's are against a daemon: client_test.py
            with self.subTest(module=module.name):
                results = doctest.testmod(importlib.import_module(module.name))
                self.assertEqual(results.failed, 0)
                tried += results.attempted
        self.assertGreater(tried, 15)

    def test_types(self):
        result = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "glimpsed"], cwd=SOURCE,
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_stub_has_what_the_extension_has(self):
        with open(os.path.join(SOURCE, "glimpsed", "_core.pyi"), encoding="utf-8") as file:
            stub = file.read()
        for kind in ("Rows", "Columns", "Session", "Beginning"):
            for name in vars(getattr(glimpsed._core, kind)):
                if not name.startswith("_"):
                    self.assertRegex(stub, rf"\b{name}\b", kind)


if __name__ == "__main__":
    unittest.main()
