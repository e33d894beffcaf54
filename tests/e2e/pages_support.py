"""Reading the commands of a page of Markdown, and what it says that they print."""

import re
import subprocess

PROMPT = "    $ "
ELISION = "..."  # a line that stands for any number of lines

# What differs from run to run, and nothing else, with what stands in its place when lines are compared.
VARYING = (
    (re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z"), "TIME"),  # when plans expire
    (re.compile(r'\b[0-9a-f]{6}-(\d+)\b'), r"NAME-\1"),  # of plans
    (re.compile(r'\bcheckpoint-\d{12}-'), r"checkpoint-NUMBER-"),  # how many were written, some of them by the clock
    # Answers are of the model that was solved for last, which one is a matter of time: their first digits agree.
    (re.compile(r"^-?\d+\.\d{12,}$"), lambda found: f"ANSWER {float(found.group()):.4g}"),
)
LOG_TIME = re.compile(r"^20\d\d-\d\d-\d\dT[\d:.]+ ")


class Command:
    """What is typed, and the lines that are shown below it, without their indent."""

    def __init__(self, page, line, text):
        self.page, self.line, self.text = page, line, text
        self.shown = []
        self.first_shown = line  # of the page's lines, from 0

    @property
    def place(self):
        return f"{self.page}:{self.line + 1}"

    @property
    def is_daemon(self):
        return self.text.rstrip().endswith("&")

    @property
    def is_refused(self):
        """The last line that is shown is a refusal."""
        return bool(self.shown) and re.match(r"(glimpsed|glimpsectl|error): ?", self.shown[-1]) is not None


def is_complete(text):
    """Whether the shell would not wait for another line."""
    check = subprocess.run(["bash", "-n"], input=text + "\n", capture_output=True, text=True, check=False)
    return check.returncode == 0 and "here-document" not in check.stderr and not text.endswith("\\")


class Lines:
    """The lines of a page, with the place that is read next."""

    def __init__(self, text):
        self.lines, self.at = text.split("\n"), 0

    def __bool__(self):
        return self.at < len(self.lines)

    def take(self):
        self.at += 1
        return self.lines[self.at - 1]

    def is_indented(self, ahead=0):
        at = self.at + ahead
        return at < len(self.lines) and self.lines[at].startswith("    ")

    def is_prompt(self, ahead=0):
        return self.is_indented(ahead) and self.lines[self.at + ahead].startswith(PROMPT)

    def take_shown(self):
        """What is shown, up to the next command or text; blank lines within belong to it."""
        shown = []
        while self:
            if self.is_indented() and not self.is_prompt():
                shown.append(self.take()[4:])
            elif shown and not self.lines[self.at].strip() and self.is_indented(1) and not self.is_prompt(1):
                shown.append("")
                self.take()
            else:
                break
        return shown


def commands_of(page, text):
    """[Command], and the first lines of indented blocks that hold none, each with its number from 1."""
    commands, others = [], []
    lines = Lines(text)
    while lines:
        if lines.is_prompt():
            command = Command(page, lines.at, lines.take()[len(PROMPT):])
            while not is_complete(command.text):
                command.text += "\n" + lines.take()[4:]
            command.first_shown = lines.at
            command.shown = lines.take_shown()
            commands.append(command)
        elif lines.is_indented() and not lines.lines[lines.at - 1].strip():
            others.append((lines.at + 1, lines.take_shown()[0].strip()))
        else:
            lines.take()
    return commands, others


def without_times(line):
    return LOG_TIME.sub("", line)


def is_same(shown, printed):
    for pattern, word in VARYING:
        shown, printed = pattern.sub(word, shown), pattern.sub(word, printed)
    return without_times(shown) == without_times(printed)


def numbers_aside(line):
    return re.sub(r"\s+", " ", re.sub(r"[0-9a-f]{64}|[-+]?\d[\d,.]*(e[-+]?\d+)?", "#", without_times(line)))


def find_segments(shown, printed, matches, is_open):
    """Where in `printed` each shown line is, None for an elision; or a sentence that says what is not there. With
    `is_open` lines may follow."""
    places, at, is_free = [], 0, False
    index = 0
    while index < len(shown):
        if shown[index] == ELISION:
            places.append(None)
            is_free = True
            index += 1
            continue
        end = index
        while end < len(shown) and shown[end] != ELISION:
            end += 1
        segment = shown[index:end]
        last = len(printed) - len(segment)
        starts = range(at, last + 1) if is_free else [at] if at <= last else []
        if end == len(shown) and is_free and not is_open:
            starts = [last] if last >= at else []
        for start in starts:
            if all(matches(wanted, printed[start + i]) for i, wanted in enumerate(segment)):
                break
        else:
            return f"nothing that is printed is as these lines: {segment}"
        places.extend(range(start, start + len(segment)))
        at, is_free, index = start + len(segment), False, end
    if at < len(printed) and not is_free and not is_open:
        return f"the page lacks these lines: {printed[at:]}"
    return places


def compare(command, printed):
    """None, or a sentence: what is printed is not what is shown."""
    if not command.shown and command.is_daemon:
        return None
    # One thread sees the end of the input while another still says what it learned from it.
    printed = [line for line in printed if line in command.shown or not line.endswith("info stopping: the input has ended")]
    found = find_segments(command.shown, printed, is_same, command.is_daemon)
    return found if isinstance(found, str) else None


def renewed(command, printed):
    """The shown lines with the numbers that are printed now; the same lines where they cannot be told apart."""
    found = find_segments(command.shown, printed, lambda shown, line: numbers_aside(shown) == numbers_aside(line),
                          command.is_daemon)
    if isinstance(found, str):
        return command.shown
    return [shown if place is None or is_same(shown, printed[place])
            else (LOG_TIME.match(shown).group(0) if LOG_TIME.match(shown) else "") + printed[place]
            for shown, place in zip(command.shown, found)]
