"""GET /: the page comes out of the program alone, is locked to its origin, and holds no data."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import unittest

from harness import SMALL, binary, examples, ndjson
from locked_support import READER, Locked, bearer

SOURCES = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "daemon", "page")
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'")
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


# How often the whole of a history of 6,000 samples is asked for in ten looks, while one sample comes with each; then of
# another run, which has more.
WHOLE = """
import { History } from "./history.js";
globalThis.sessionStorage = { getItem: () => null };
let run = 1, now = 6000, whole = 0;
globalThis.fetch = async (path) => {
  const since = Number(/since=(\\d+)/.exec(path)?.[1] ?? 0);
  whole += since === 0;
  const examples = Array.from({ length: now - since }, (_, k) => since + k + 1);
  const columns = Object.fromEntries(/columns=([^&]*)/.exec(path)[1].split(",").map((name) => [name, examples]));
  return { ok: true, json: async () => ({ run, examples: now, promotions: 0, samples: examples.length, columns, events: [] }) };
};
const history = new History();
for (let k = 0; k < 10; ++k, ++now) await history.update("", history.ask());
const first = whole;
run = 2;
await history.update("", history.ask());
console.log(first, whole, history.columns.examples.length === now);
"""


def assets():
    """{path: bytes}, as they are in the sources."""
    found = {}
    for folder in ("assets", "vendor"):
        for name in os.listdir(os.path.join(SOURCES, folder)):
            if name in ("README.md", "LICENSE"):
                continue
            with open(os.path.join(SOURCES, folder, name), "rb") as file:
                found["/" if name == "index.html" else f"/page/{name}"] = file.read()
    return found


def modules():
    return {path: content.decode() for path, content in assets().items() if path.endswith(".js") and "uPlot" not in path}


def served():
    """{path: bytes}, as a browser gets them: styles are joined, and so are modules, of which this has none."""
    found = {path: content for path, content in assets().items() if path not in modules()}
    own = sorted(path for path in found if path.endswith(".css") and "uPlot" not in path)
    styles = [found.pop(path) for path in ("/page/uPlot.min.css", *own)]
    return {**found, "/page/page.css": b"\n".join([*styles, b""])}


class Page(Locked):
    def test_its_files_come_out_of_the_program_packed_and_once(self):
        daemon = self.start(*SMALL)
        size = 0
        script = daemon.get("/page/page.js").body
        for path, content in [*served().items(), ("/page/page.js", script)]:
            with self.subTest(path):
                plain = daemon.get(path)
                self.assertEqual((plain.status, plain.body), (200, content))
                self.assertEqual(plain.headers["Content-Type"], TYPES.get(path.rsplit(".", 1)[-1], "text/html; charset=utf-8"))
                self.assertEqual(plain.headers["Content-Security-Policy"], POLICY)
                self.assertEqual(plain.headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(plain.headers["Referrer-Policy"], "no-referrer")
                packed = daemon.request("GET", path, headers={"Accept-Encoding": "gzip, deflate, br"})
                self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                self.assertEqual(gzip.decompress(packed.body), content)
                again = daemon.request("GET", path, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
                self.assertEqual((again.status, again.body), (304, b""))
                size += len(packed.body)
        self.assertLess(size, 120_000)
        for path in ("/page/none.js", "/page/words.js", "/page/uPlot.min.css"):
            self.assertEqual(daemon.get(path).status, 404)
        self.assertEqual(daemon.post("/").status, 405)
        self.assertEqual(daemon.request("HEAD", "/").body, b"")

    def test_its_script_is_its_modules_one_after_the_other(self):
        script = self.start(*SMALL).get("/page/page.js").body.decode()
        self.assertGreater(len(modules()), 15)
        for path, content in modules().items():
            own = re.sub("^export ", "", re.split(r'^import [^;]*;\n', content, flags=re.MULTILINE)[-1], flags=re.MULTILINE)
            self.assertEqual(script.count(own), 1, path)
        self.assertTrue(script.endswith("return {  };\n})();\n"), "page.js is the last, and exports nothing")

    def test_it_names_nothing_off_its_origin_and_has_no_script_or_style_inside(self):
        own = {path: content.decode() for path, content in assets().items() if not path.startswith("/page/uPlot")}
        page = own["/"]
        for path in re.findall(r'(?:src|href)="([^"]+)"', page):
            self.assertIn(path, [*served(), "/page/page.js", "/v1/status"])
        self.assertNotRegex(page, r"<style|style=|\son\w+=|<script(?![^>]*src=)")
        for path, content in own.items():
            with self.subTest(path):
                self.assertNotRegex(content.replace("http://www.w3.org/2000/svg", ""), r"https?:|innerHTML|eval\(|//[a-z]+\.[a-z]")
                for name in re.findall(r'from "\./([^"]+)"', content):
                    self.assertIn(f"/page/{name}", own)
                self.assertLessEqual(max(map(len, content.splitlines())), 260)
                self.assertLess(len(content.splitlines()), 400)

    def test_what_is_vendored_is_what_its_page_says(self):
        with open(os.path.join(SOURCES, "vendor", "README.md"), encoding="utf-8") as page:
            rows = re.findall(r"^\| (\S+) \| \S+ \| ([0-9a-f]{64}) \|$", page.read(), re.MULTILINE)
        self.assertEqual(len(rows), 2)
        for name, checksum in rows:
            self.assertEqual(hashlib.sha256(assets()[f"/page/{name}"]).hexdigest(), checksum, name)

    def test_the_page_needs_no_token_and_all_data_does(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        self.assertEqual(self.ask(daemon, "GET", "/")[0], 200)
        self.assertEqual(self.ask(daemon, "GET", "/page/page.js")[0], 200)
        for path in ("/v1/status", "/v1/history", "/v1/model"):
            self.assertEqual(self.ask(daemon, "GET", path)[0], 401)
            self.assertIn(self.ask(daemon, "GET", path, None, bearer(READER))[0], (200, 409))

    @unittest.skipIf(shutil.which("node") is None, "there is no node")
    def test_a_long_history_is_asked_for_whole_once_and_again_of_another_run(self):
        self.write("package.json", '{"type": "module"}')
        for path, content in assets().items():
            if path in ("/page/history.js", "/page/door.js"):
                self.write(os.path.basename(path), content.decode())
        self.write("whole.js", WHOLE)
        done = subprocess.run(["node", self.path("whole.js")], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("1 2 true\n", ""))

    def test_the_picture_that_attributes_are_has_a_cell_for_each(self):
        daemon = self.start(*SMALL, "--attribute-grid", "4x1")
        self.assertEqual(daemon.get("/v1/status").json()["attribute_grid"], {"columns": 4, "rows": 1})
        daemon.stop()
        message = "glimpsed: --attribute-grid 3x2: has 6 cells and there are 4 attributes; must have one for each"
        self.assertEqual(self.refused(*SMALL, "--attribute-grid", "3x2", "--http", "unix:http.sock"), (2, message))
        table = self.write("table.csv", "a,b,c,y\n1,2,3,4\n2,3,4,5\n")
        code, said = self.refused("--label", "y", "--budget", 2, "--input", table, "--attribute-grid", "2x2", "--http", "unix:http.sock")
        self.assertEqual(code, 2)
        self.assertIn("--attribute-grid 2x2: has 4 cells and there are 3 attributes; must have one for each", said)

    def test_without_it_no_page_is_let_in(self):
        for options, status in (((), 200), (("--page", "off"), 403)):
            daemon = self.on_tcp(*options)
            own = {"Origin": f"http://127.0.0.1:{daemon.port}"}
            self.assertEqual(self.ask(daemon, "POST", "/v1/learn", ndjson(examples(3)), own)[0], status)
            self.assertEqual(self.ask(daemon, "GET", "/v1/status", None, own)[0], status)
            self.assertEqual(self.ask(daemon, "GET", "/healthz", None, own)[0], 200)
            self.assertEqual(self.ask(daemon, "POST", "/v1/learn", ndjson(examples(3)))[0], 200)

    def test_it_can_be_left_out(self):
        daemon = self.start(*SMALL, "--page", "off")
        self.assertEqual(daemon.get("/").status, 404)
        self.assertEqual(daemon.get("/page/page.js").status, 404)
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(3))).status, 200)
        self.assertEqual(self.refused(*SMALL, "--page", "off"),
                         (2, "glimpsed: --page off: has no effect without --http ADDRESS"))


if __name__ == "__main__":
    unittest.main()
