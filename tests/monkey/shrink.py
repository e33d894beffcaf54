"""A failing scenario made small: fewer records and options, in one life over HTTP, as long as the same complaint comes."""

import os
import shutil
import tempfile

import harness
from checkpoints import newest, read_checkpoint
from rendering import as_json_array
from straight import OptionsRefused, Straight, Wrong
from strict import Strict

TRIES = 100  # lives of the daemon
SHOWN = 12  # records that are printed


class Trial(Straight):
    """One life that is sent these (format, records) and asked everything."""

    def run(self, streams, arguments):
        self.start_with(arguments)
        try:
            for form, records in streams:
                self.daemon.post(f"/v1/learn?format={form}", as_json_array(records) if form == "json" else b"".join(records))
            clip = self.scenario.server[1]
            self.post("/v1/checkpoint", b"")
            checkpoint = read_checkpoint(newest(self.state))
            asked = Strict(self.daemon, clip, self.scenario.questions(), checkpoint.estimates()).ask_everything()
            return [*asked, *checkpoint.infinite()]
        except (OSError, AssertionError) as error:
            return [f"{type(error).__name__}; {self.last_words()}"]
        finally:
            self.discard()
            shutil.rmtree(self.state, True)

    def start_with(self, arguments):
        self.daemon = harness.Daemon(self.folder, *arguments, *self.formatting(), "--state-directory", self.state, ready=False)
        try:
            self.daemon.wait_ready()
        except AssertionError as error:
            raise OptionsRefused(self.last_words()) from error


def kind(complaint):
    """Where it was: the same wherever the numbers are others."""
    return complaint.split(" is ")[0].split("[")[0].split(":")[0:2]


class Shrinker:
    def __init__(self, scenario, wrong, folder):
        self.scenario, self.folder = scenario, folder
        self.wanted = [kind(complaint) for complaint in wrong.complaints]
        self.tries = 0
        last = wrong.portion.number if wrong.portion else len(scenario.portions)
        self.streams = []
        for portion in scenario.portions[:last + 1]:
            if portion.door != "ask":
                self.streams.append(("json" if portion.door == "http array" else portion.form, portion.records))
        self.options = dict(scenario.learner.options)

    def shows(self, streams, options):
        """The complaint, when it is one of those that are looked for."""
        self.tries += 1
        if self.tries > TRIES:
            return None
        learner, kept = self.scenario.learner, self.scenario.learner.options
        learner.options = options
        try:
            arguments = [*learner.arguments(self.folder), "--clip", self.scenario.server[1]]
            found = Trial(self.scenario, self.folder).run(streams, arguments)
        except (OptionsRefused, Wrong):
            return None
        finally:
            learner.options = kept
        of_stream = ["reply of a stream"] in self.wanted  # which shows at another door here
        return next((complaint for complaint in found if of_stream or kind(complaint) in self.wanted), None)

    def shrink(self):
        """The lines of a report; none where it does not show in one life."""
        complaint = self.shows(self.streams, self.options)
        if complaint is None:
            return ["  (not shown by the same records in one life over HTTP)"]
        self.drop_streams()
        self.drop_records()
        self.drop_options()
        complaint = self.shows(self.streams, self.options) or complaint
        return self.report(complaint)

    def accept(self, streams):
        if self.shows(streams, self.options) is None:
            return False
        self.streams = streams
        return True

    def drop_streams(self):
        for i in reversed(range(len(self.streams))):
            if len(self.streams) > 1:
                self.accept(self.streams[:i] + self.streams[i + 1:])

    def drop_records(self):
        """Halves, quarters, … of each stream; what it begins with stays, as it says what the rest is."""
        for i in range(len(self.streams)):
            form, records = self.streams[i]
            header = 1 if form == "npy" or (form == "csv" and self.scenario.names) else 0
            size = (len(records) + 1) // 2
            while size >= 1 and self.tries < TRIES:
                begin = header
                while begin < len(records) and self.tries < TRIES:
                    fewer = records[:begin] + records[begin + size:]
                    if fewer and self.accept([*self.streams[:i], (form, fewer), *self.streams[i + 1:]]):
                        records = fewer
                    else:
                        begin += size
                size //= 2

    def drop_options(self):
        for name in list(self.options):
            if name in ("algorithm", "dimension", "budget"):
                continue
            fewer = {key: value for key, value in self.options.items() if key != name}
            if self.shows(self.streams, fewer) is not None:
                self.options = fewer

    def report(self, complaint):
        """The options, and the records where there are few, else a folder that has them."""
        words = " ".join([*(f"--{name} {value}" for name, value in self.options.items()),
                          *map(str, Trial(self.scenario, self.folder).formatting())])
        count = sum(len(records) for _, records in self.streams)
        made = [f"  smaller, {count} records: {complaint}",
                f"    glimpsed {words} --clip {self.scenario.server[1]} --http unix:h.sock"]
        if count <= SHOWN and all(len(record) < 400 for _, records in self.streams for record in records):
            made += [f"    POST /v1/learn?format={form}: {record!r}" for form, records in self.streams for record in records]
            return made
        kept = tempfile.mkdtemp(prefix=f"glimpse-monkey-{self.scenario.seed}-")
        for i, (form, records) in enumerate(self.streams):
            with open(os.path.join(kept, f"{i}.{form}"), "wb") as file:
                file.write(as_json_array(records) if form == "json" else b"".join(records))
        for name in self.scenario.learner.files:
            shutil.copy(os.path.join(self.folder, name), kept)
        return [*made, f"    bodies of POST /v1/learn?format=… in {kept}"]


def shrink(scenario, wrong, folder):
    return Shrinker(scenario, wrong, folder).shrink()



