"""daemon/operations/LOG.md has every line that the daemon logs as a warning or an error, as the source formats it."""

import os
import re
import unittest

from harness import binary

DAEMON = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "daemon")
# Calls that log; what is told is the first text between quotation marks behind them.
CALL = re.compile(r"(?:spdlog::(?:warn|error|critical|log)|\b\w+_\.warn|(?:if|once)_memory_allows|"
                  r"\bnote_(?:timeout|malformed|unread|memory_trouble|refusal|trouble))\(")
LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*')
# Those that pass on a text of others, by file and what stands in the brackets. The page says of each what it passes on.
PASSED_ON = {
    ("entrance.cpp",
     'head.method, shortened(head.path), refusal->status == 401 ? "no token that is known" : "forbidden"'),
    ("entrance.cpp", 'what, token ? "unknown token" : "no token"'), ("glimpsed_main.cpp", "sentence"),
    ("service.cpp", "sentence"), ("service.cpp", "reason"), ("service.cpp", "why"),
    ("startup.cpp", "c.state_directory, warning"), ("startup.cpp", "name, first.remarks[i]"), ("learner_watch.cpp", "divergence(s"), ("log_sink.cpp", "message"),
    ("listener.cpp", "address_, what"), ("http_session.cpp", "name(), message"),
    ("stream_connection.cpp", "feed_->door->name, *error"),
}


def whole_call(text, begin):
    """What stands in the brackets that open before `begin`."""
    depth, at, quoted = 1, begin, False
    while depth:
        if text[at] == "\\" and quoted:
            at += 1
        elif text[at] == '"':
            quoted = not quoted
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[begin:at - 1]


def shape(text):
    """With … in place of all that varies."""
    text = re.sub(r"\{[^}]*\}", "…", text)
    return re.sub(r"…(?:…)+", "…", text).strip()


def logged():
    """(file, shape) of each line, and (file, arguments) of those that pass on a text."""
    lines, passed = set(), set()
    for folder, _, names in os.walk(DAEMON):
        for name in sorted(names):
            if not name.endswith((".cpp", ".h")) or name.endswith("_test.cpp"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            for call in CALL.finditer(text):
                inside = whole_call(text, call.end())
                found = LITERALS.search(inside)
                told = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(0))) if found else ""
                if re.search(r"[a-z]{3}", re.sub(r"\{[^}]*\}", "", told)):
                    lines.add((name, shape(told)))
                elif found:
                    passed.add((name, re.sub(r"\s+", " ", inside[found.end():].strip(" ,)\n"))))
    return lines, passed


class LogPage(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(DAEMON, "operations", "LOG.md"), encoding="utf-8") as file:
            self.page = file.read()
        self.page = self.page.split("## Of note")[0]
        self.told = {shape(line) for line in re.findall(r"^\| `([^`]+)`", self.page, re.MULTILINE)}

    def test_every_warning_and_error_of_the_source_is_on_the_page(self):
        lines, _ = logged()
        self.assertGreater(len(lines), 40)
        self.assertEqual(sorted((name, line) for name, line in lines if line not in self.told), [])

    def test_the_page_has_no_line_that_the_daemon_does_not_log(self):
        everything, unknown = "", []
        for folder, _, names in os.walk(DAEMON):
            for name in names:
                if name.endswith((".cpp", ".h")) and not name.endswith("_test.cpp"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        everything += re.sub(r'"\s*\n\s*"', "", file.read())
        for line in sorted(self.told):
            for part in re.split("…", line):
                if part.strip() not in everything:
                    unknown.append((part, line))
        self.assertEqual(unknown, [])

    def test_lines_that_pass_on_a_text_are_those_that_are_known(self):
        _, passed = logged()
        self.assertEqual(passed, PASSED_ON, "say on the page what they pass on, and add them here")

    def test_each_line_has_its_meaning_and_its_mend(self):
        rows = re.findall(r"^\| `[^`]+`.*$", self.page, re.MULTILINE)
        bare = [row for row in rows if len([cell for cell in row.strip("|").split(" | ") if cell.strip()]) != 3]
        self.assertEqual(bare, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
