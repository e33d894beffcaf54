"""Parquet and Arrow IPC files: as tables for estimators, and as CSV for a daemon."""

import io
import os
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stderr

try:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
except ImportError as error:  # the clear message is tested all the same
    pa = None
    REASON = str(error)
else:
    REASON = ""

from glimpsed import arrow


class ArrowTest(unittest.TestCase):
    def setUp(self):
        if pa is None:
            self.skipTest(REASON)
        folder = tempfile.TemporaryDirectory(prefix="glimpse-arrow-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def table(self, rows=10):
        return pa.table({"y": pa.array([n / 8 for n in range(rows)]), "a, b": pa.array([n if n % 3 else None for n in range(rows)]),
                         "sky": pa.array(["rain", 'say "hi"', None, "clear", ""] * (rows // 5)).dictionary_encode(),
                         "on": pa.array([n % 2 == 0 for n in range(rows)])})

    def files(self, table):
        paths = [self.path(name) for name in ("x.parquet", "x.arrow", "stream.arrow", "x.feather", "X.PARQUET")]
        pyarrow.parquet.write_table(table, paths[0], row_group_size=4)
        with pa.ipc.new_file(paths[1], table.schema) as file:
            file.write_table(table, max_chunksize=3)
        with pa.ipc.new_stream(paths[2], table.schema) as file:
            file.write_table(table, max_chunksize=3)
        pyarrow.feather.write_feather(table, paths[3])
        pyarrow.parquet.write_table(table, paths[4])
        return paths


class FilesTest(ArrowTest):
    def test_every_kind_of_file_is_read_whole(self):
        table = self.table()
        for path in self.files(table):
            with self.subTest(path=path):
                self.assertTrue(arrow.is_file(path))
                self.assertEqual(arrow.read(path).to_pydict(), table.to_pydict())

    def test_lines_of_csv_are_the_tables_rows(self):
        expected = (b'"y","a, b","sky","on"\n0,,"rain",true\n0.125,1,"say ""hi""",false\n0.25,2,,true\n0.375,,"clear",false\n'
                    b'0.5,4,"",true\n')
        for source in [*self.files(self.table(5)), self.table(5)]:
            self.assertEqual(b"".join(arrow.csv_pieces(source)), expected)
        self.assertEqual(b"".join(arrow.csv_pieces(self.table(5), header=False)), expected.split(b"\n", 1)[1])
        self.assertEqual(b"".join(arrow.csv_pieces(self.table(0))), expected.split(b"\n", 1)[0] + b"\n")

    def test_the_command_writes_csv_of_several_files(self):
        paths = self.files(self.table(5))[:2]
        os.rename(paths[0], self.path("part-0"))  # contents tell what it is
        run = subprocess.run([sys.executable, "-m", "glimpsed.arrow", self.path("part-0"), paths[1]], capture_output=True, check=True)
        self.assertEqual(run.stdout.count(b'"y"'), 1)
        self.assertEqual(run.stdout.count(b"\n"), 11)

    def test_what_cannot_be_read_is_told_in_one_line(self):
        pyarrow.parquet.write_table(pa.table({"z": [1]}), self.path("z.parquet"))
        pyarrow.parquet.write_table(pa.table({"z": [[1]]}), self.path("lists.parquet"))
        with open(self.path("text.arrow"), "w", encoding="utf-8") as file:
            file.write("a,b\n" * 9)
        good = self.files(self.table(5))[0]
        for arguments, told in (((self.path("text.arrow"),), "text.arrow: "), ((self.path("none.parquet"),), "none.parquet"),
                                ((good, self.path("z.parquet")), "z.parquet: its columns are ['z']"),
                                ((self.path("lists.parquet"),), "a column cannot be written as CSV"),
                                (("table.csv",), "table.csv"), ((), "usage: "), (("--help",), "usage: ")):
            with self.subTest(told=told):
                run = subprocess.run([sys.executable, "-m", "glimpsed.arrow", *arguments], capture_output=True, text=True, check=False)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(told, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)


class EstimatorsTest(ArrowTest):
    def test_a_path_is_read_as_its_table_is(self):
        import numpy as np
        from glimpsed import GlimpseClassifier, GlimpseRegressor

        table = self.table(200)
        X, y = table.drop_columns(["y"]), table.column("y").to_numpy()
        expected = GlimpseRegressor(budget=2).fit(X, y)
        for path in self.files(table):
            for learn in (lambda m, *a: m.fit(*a), lambda m, *a: m.partial_fit(*a)):
                model = learn(GlimpseRegressor(budget=2), path, "y")
                np.testing.assert_array_equal(model.coef_, expected.coef_)
                np.testing.assert_array_equal(model.predict(path), expected.predict(X))
        np.testing.assert_array_equal(GlimpseRegressor(budget=2).fit(table, "y").coef_, expected.coef_)
        words = GlimpseClassifier(budget=2).fit(self.path("x.parquet"), "on")
        self.assertEqual(words.predict(self.path("x.feather")).shape, (200,))
        with self.assertRaisesRegex(ValueError, "y='z': X has no column"):
            GlimpseRegressor(budget=2).fit(self.path("x.parquet"), "z")


class SourceTest(ArrowTest):
    def test_a_table_is_sent_from_where_the_source_is(self):
        """The first part of a table, and then all of it: each row is learned once."""
        from glimpsed import Source

        address = self.path("stream.sock")
        with open(self.path("names"), "w", encoding="utf-8") as file:
            file.write("a, b\nsky\non\n")
        daemon = subprocess.Popen([os.environ["GLIMPSE_BIN"], "--state-directory", self.path("state"), "--label", "y", "--budget",
                                   "2", "--attributes", self.path("names"), "--listen", "unix:" + address, "--log-level",
                                   "warning"], stdin=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        while not os.path.exists(address):
            self.assertIsNone(daemon.poll())
            time.sleep(0.01)
        table = self.table(20)
        self.files(table)
        for part, records in ((table.slice(0, 5), 6), (self.path("x.parquet"), 21), (table, 21)):
            with Source("unix:" + address, "rides") as source:
                source.send_table(part)
                self.assertEqual(source.finish(), records)


class WithoutPyarrowTest(unittest.TestCase):
    def test_the_command_that_installs_it_is_told(self):
        hidden = {name: sys.modules.get(name) for name in [*sys.modules] if name.split(".")[0] == "pyarrow"}
        sys.modules["pyarrow"] = None
        try:
            for read in (arrow.read, lambda path: next(arrow.csv_pieces(path))):
                with self.assertRaisesRegex(ImportError, "pip install pyarrow"):
                    read("x.parquet")
            with redirect_stderr(io.StringIO()) as told:
                self.assertEqual(arrow.main(["x.parquet"]), 1)
            self.assertIn("pip install pyarrow", told.getvalue())
        finally:
            del sys.modules["pyarrow"]
            sys.modules.update({name: module for name, module in hidden.items() if module is not None})

    def test_other_paths_are_none_of_these(self):
        for value in ("x.csv", "parquet", 5, None, b"x.parquet"):
            self.assertFalse(arrow.is_file(value))


if __name__ == "__main__":
    unittest.main(verbosity=2)
