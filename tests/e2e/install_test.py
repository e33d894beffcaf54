"""What `cmake --install` puts where, and the example of libglimpse compiled against it."""

import os
import re
import shutil
import subprocess
import unittest

from harness import TestCase, binary

COMPILING = 300  # seconds, on a busy machine


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILING, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Install(TestCase):
    def install(self, *more):
        prefix = self.path("prefix")
        run(binary("GLIMPSE_CMAKE"), "--install", binary("GLIMPSE_BUILD"), "--prefix", prefix, *more)
        return prefix

    def files_of(self, prefix):
        return {os.path.relpath(os.path.join(folder, name), prefix)
                for folder, _, names in os.walk(prefix) for name in names}

    def test_programs_bring_their_units_configuration_manual_and_completions(self):
        prefix = self.install()
        files = self.files_of(prefix)
        wanted = {"bin/glimpsed", "bin/glimpsectl", "bin/glimpse-gen", "etc/glimpse/glimpsed.conf",
                  "lib/systemd/system/glimpsed.service", "lib/systemd/system/glimpsed.socket",
                  "lib/sysusers.d/glimpse.conf", "share/man/man8/glimpsed.8", "share/man/man5/glimpsed.conf.5",
                  "share/man/man1/glimpsectl.1", "share/bash-completion/completions/glimpsectl",
                  "share/zsh/vendor-completions/_glimpsed", "share/glimpse/alerts.yml",
                  "share/glimpse/dashboard.json", "share/doc/glimpsed/RUNBOOK.md", "share/doc/glimpsed/LOG.md"}
        self.assertEqual(wanted - files, set())
        self.assertEqual([file for file in files if file.startswith("include/") or file.endswith(".a")], [])

    def test_a_configuration_that_somebody_changed_stays(self):
        prefix = self.install()
        path = os.path.join(prefix, "etc/glimpse/glimpsed.conf")
        with open(path, "a", encoding="utf-8") as file:
            file.write("budget = 5\n")
        self.install()
        with open(path, encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("budget = 5\n"))

    def test_units_name_installed_programs_and_the_pages_about_them(self):
        files = {}
        folder = os.path.join(self.install(), "lib/systemd/system")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                files[name] = file.read()
        start = re.search(r"^ExecStart=(\S+) --config (\S+)", files["glimpsed.service"], re.MULTILINE)
        self.assertTrue(start.group(1).endswith("/bin/glimpsed") and start.group(2).endswith("/glimpse/glimpsed.conf"))
        pages = {name for text in files.values() for name in re.findall(r"man:(\S+)\(\d\)", text)}
        self.assertIn("glimpsed", pages)
        man = {os.path.basename(file).rpartition(".")[0] for file in self.files_of(self.path("prefix")) if "/man/" in file}
        if "glimpse-stream" not in man:  # lowdown was not here
            pages -= {"glimpse-stream"}
        self.assertEqual(pages - man, set())

    def example(self):
        prefix = self.install("--component", "libglimpse-dev")
        for folder, _, names in os.walk(prefix):
            if "learn.cpp" in names:
                return prefix, folder
        self.fail("the example is not installed")

    def learns(self, program):
        prediction, attributes = run(program).split()
        self.assertAlmostEqual(float(prediction), 2, delta=0.02)
        self.assertEqual(int(attributes), 15000)

    def test_the_example_is_built_by_cmake(self):
        prefix, source = self.example()
        run(binary("GLIMPSE_CMAKE"), "-G", "Ninja", "-S", source, "-B", self.path("built"), f"-DCMAKE_PREFIX_PATH={prefix}")
        run(binary("GLIMPSE_CMAKE"), "--build", self.path("built"))
        self.learns(self.path("built", "learn"))

    def test_the_example_is_built_by_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not here")
        prefix, source = self.example()
        folder = next(folder for folder, _, names in os.walk(prefix) if "glimpse.pc" in names)
        flags = run("pkg-config", "--cflags", "--libs", "glimpse", env={**os.environ, "PKG_CONFIG_PATH": folder}).split()
        run("c++", os.path.join(source, "learn.cpp"), *flags, "-o", self.path("learned"))
        self.learns(self.path("learned"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
