"""A run of a scenario in one life, over HTTP alone, of which nobody asks anything before the end."""

import json
import os
import random
import subprocess

import harness
from checkpoints import newest, read_checkpoint
from harness import Daemon
from scenario import body_of
from strict import Complaints, Strict, parse


class Wrong(Exception):
    """What a scenario showed: complaints. `portion`: behind which."""

    def __init__(self, complaints, portion=None):
        super().__init__("; ".join(complaints))
        self.complaints, self.portion = list(complaints), portion


class OptionsRefused(Exception):
    """The options do not go together: the scenario is none."""


class Straight:
    """One life without doors but HTTP."""

    def __init__(self, scenario, folder):
        self.scenario, self.folder = scenario, folder
        self.state = os.path.join(folder, type(self).__name__)
        self.daemon = None
        self.plans = []  # what was planned, to be compared
        self.counts = []  # what was learned behind each portion
        for name, text in scenario.learner.files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def start(self, *doors, stdin=subprocess.DEVNULL):
        arguments = [*self.scenario.learner.arguments(self.folder), *self.scenario.server, "--state-directory", self.state, *doors]
        with open(os.path.join(self.folder, "output"), "ab") as output:
            self.daemon = Daemon(self.folder, *arguments, stdin=stdin, stdout=output, ready=False)
        try:
            self.daemon.wait_ready()
        except AssertionError as error:
            if self.daemon.process.poll() == 2:
                raise OptionsRefused(self.last_words()) from error
            raise Wrong([f"does not start: {self.last_words()}"]) from error

    def last_words(self):
        lines = self.daemon.stderr.strip().splitlines()
        return lines[-1] if lines else ""

    def stop(self):
        status = self.daemon.stop()
        self.check_sanitizers()
        if status != 0:
            raise Wrong([f"ends with status {status} after SIGTERM: {self.last_words()}"])

    def check_sanitizers(self):
        if harness.SANITIZERS:
            try:
                harness.check_sanitizer_reports()
            except AssertionError as error:
                raise Wrong([str(error)]) from error

    def discard(self):
        if self.daemon:
            self.daemon.discard()

    def formatting(self):
        return [argument for arguments in self.scenario.formatting().values() for argument in arguments]

    def learn(self, portion):
        """All of it in one request. A source, a file or a pipe that begins with records that are refused has nothing until
        one is not: so what is one of them in the other run is a source here."""
        if portion.door == "ask":
            return self.ask_and_tell(portion, "")
        body, form = body_of(portion)
        source = f"&source=p{portion.number}&from=0" if "source" in portion.door or portion.door in ("file", "stdin") else ""
        self.post(f"/v1/learn?format={form}{source}", body)
        return None

    def post(self, path, body, allowed=(200,)):
        try:
            answer = self.daemon.post(path, body)
        except OSError as error:
            raise Wrong([f"{path}: {error!r}; {self.last_words()}"]) from error
        # A body of which nothing can be read is answered with 400.
        if answer.status not in (*allowed, 400):
            raise Wrong([f"{path}: status {answer.status}: {answer.body[:200]!r}"])
        return answer

    def ask_and_tell(self, portion, durable):
        """Plans are asked for, three in one request, some among a part of the attributes. Most are told one after another."""
        chance = random.Random(self.scenario.seed + portion.number)
        for begin in range(0, len(portion.examples), 3):
            some = portion.examples[begin:begin + 3]
            question = {"count": len(some)}
            if chance.random() < .2:
                question["available"] = sorted(chance.sample(range(self.scenario.learner.dimension), 2))
            answer = self.post("/v1/ask" + durable, json.dumps(question), (200, 409))
            if answer.status != 200:
                continue
            plans = parse(answer.body)["plans"]
            self.plans += [plan["attributes"] for plan in plans]
            complaints = Complaints()
            for plan, example in zip(plans, some):
                complaints.finite("/v1/ask: cost", plan["cost"], 0)
                fate = chance.random()
                if fate < .05:
                    self.daemon.request("DELETE", "/v1/plans/" + plan["id"])
                elif fate < .95:
                    self.tell(plan, example, durable)
            if complaints:
                raise Wrong(complaints, portion)

    def tell(self, plan, example, durable):
        told = {"id": plan["id"], "label": example.label, "values": [example.values.get(i, 0) for i in plan["attributes"]]}
        if example.importance is not None:
            told["importance"] = example.importance
        parse(self.post("/v1/tell" + durable, json.dumps(told), (200, 400, 404, 409, 422)).body)

    def live(self):
        """(checkpoint, model, moments) in the end."""
        self.start(*self.formatting())
        for portion in self.scenario.portions:
            self.learn(portion)
            self.count()
        bodies = self.bodies()
        self.stop()
        return self.saved(), bodies

    def count(self):
        status = self.daemon.status()
        self.counts.append({name: status[name] for name in ("examples", "examples_skipped_missing", "examples_out_of_range",
                                                            "examples_diverged", "attributes_revealed", "names", "cost_spent")})

    def bodies(self):
        strict = Strict(self.daemon, "off", ([], []))
        strict.model()
        strict.moments()
        strict.bodies.setdefault("model", {"unreadable": strict.wrong[:1]})
        if self.scenario.learner.solves:
            # Skipped examples and those of importance 0 call for no new solution, which counts them all the same.
            for name in ("examples", "attributes_revealed"):
                strict.bodies["model"].pop(name, None)
        return strict.bodies

    def saved(self):
        checkpoint = read_checkpoint(newest(self.state))
        complaints = checkpoint.infinite()
        if complaints:
            raise Wrong(complaints)
        return checkpoint
