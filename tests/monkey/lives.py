"""The lives of a daemon on one folder: begun, ended in several ways, killed, begun again, and asked at all doors."""

import os
import random
import subprocess

from checkpoints import differences
from harness import Daemon
from straight import Straight, Wrong
from strict import Complaints, Strict, check_replies


class Lives(Straight):
    """What is told after a restart must be what was told before."""

    def __init__(self, scenario, folder):
        super().__init__(scenario, folder)
        self.chance = random.Random(scenario.seed + 2)
        self.configuration = None  # the arguments of the doors of the present life
        self.before = None  # the model and the moments when the last life ended

    def check_output(self):
        with open(os.path.join(self.folder, "output"), encoding="utf-8") as output:
            self.check_replies(output.read())

    def check_replies(self, text):
        clip = self.clip()
        complaints = Complaints()
        check_replies(complaints, text, tuple(map(float, clip.split(":"))) if ":" in clip else ())
        if complaints:
            raise Wrong(complaints)

    def clip(self):
        return self.scenario.server[1]

    def need(self, doors):
        """A life with these doors, which may be the present one."""
        if self.daemon and self.configuration == doors:
            return
        if self.daemon:
            self.end_life("SIGTERM")
        self.begin_life(doors)

    def begin_life(self, doors, stdin=subprocess.DEVNULL):
        path = os.path.join(self.folder, f"stream-{Daemon.started}.sock")
        self.start("--listen", "unix:" + path, "--replies", self.scenario.replies, *(doors or self.formatting()), stdin=stdin)
        self.door, self.configuration = "unix:" + path, doors
        if self.before:
            before, self.before = self.before, None
            wrong = differences("", before, self.bodies())
            if wrong:
                raise Wrong([f"after a restart: {difference}" for difference in wrong])

    def end_life(self, how):
        if how == "nothing":
            return
        if not self.has_inputs():
            self.before = self.bodies()
        if how == "kill -9":
            self.checkpoint()
            self.daemon.kill()
        else:
            self.stop()
        self.daemon = None

    def checkpoint(self):
        """So that a kill takes nothing that came over doors that are not exactly once."""
        answer = self.daemon.post("/v1/checkpoint")
        if answer.status != 200:
            raise Wrong([f"/v1/checkpoint: {answer.body[:200]!r}"])

    def has_inputs(self):
        return self.configuration and "--input" in self.configuration

    def kill(self):
        """Amid a portion; in half of the cases a part of it is durable."""
        if self.chance.random() < .5:
            self.checkpoint()
        self.daemon.kill()
        self.daemon = None
        self.check_sanitizers()

    def ask_everything(self):
        estimates = 0
        if self.chance.random() < .3:
            self.checkpoint()
            estimates = self.saved().estimates()
        wrong = Strict(self.daemon, self.clip(), self.scenario.questions(), estimates).ask_everything()
        if wrong:
            raise Wrong(wrong)
