"""What stands in the way of the daemon's files: other things under the names of checkpoints and the lock; a full disk;
options that change what the bytes of an input mean."""

import ctypes
import ctypes.util
import glob
import json
import os
import shutil
import socket
import struct
import unittest

from doors_formats_test import state_of
from harness import SMALL, TestCase, binary, csv, examples, ndjson, svmlight

LAST = "18446744073709551615"


class StateFolder(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        daemon = self.begin()
        for _ in range(2):
            daemon.post("/v1/learn", ndjson(examples(500)))
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.model = daemon.model()
        self.assertEqual(daemon.stop(), 0)

    def begin(self, *arguments, **keywords):
        return self.start(*SMALL, "--state-directory", self.state, *arguments, **keywords)

    def newest(self):
        return sorted(name for name in os.listdir(self.state) if name.endswith(".safetensors"))[-1]

    def plant(self, name, what):
        path = os.path.join(self.state, name)
        sound = os.path.join(self.state, self.newest())
        {"fifo": lambda: os.mkfifo(path), "folder": lambda: os.makedirs(os.path.join(path, "inside")),
         "dangling": lambda: os.symlink("nothing", path), "endless": lambda: os.symlink("/dev/zero", path),
         "tty": lambda: os.symlink("/dev/tty", path),
         "sound": lambda: (shutil.copy(sound, self.path("good")), os.symlink(self.path("good"), path)),
         "socket": lambda: self.bind(path), "huge": lambda: self.sparse(path, b""),
         "longer": lambda: self.sparse(path, self.content(sound)), "empty": lambda: open(path, "wb").close(),
         "header": lambda: self.sparse(path, struct.pack("<Q", 2**63) + self.content(sound)[8:])}[what]()

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def bind(self, path):
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(path)

    def sparse(self, path, beginning):
        with open(path, "wb") as file:
            file.write(beginning)
            file.truncate(1 << 40)

    def test_whatever_has_the_newest_name_is_set_aside_and_the_one_before_taken(self):
        name = "checkpoint-000000099999-1.safetensors"
        reasons = {"fifo": "it is a FIFO", "folder": "it is a directory", "dangling": "it is a symbolic link",
                   "endless": "it is a symbolic link", "tty": "it is a symbolic link", "sound": "it is a symbolic link",
                   "socket": "it is a socket", "huge": "not a glimpse checkpoint", "empty": "not a glimpse checkpoint",
                   "longer": r"it has \d+ bytes, but the arrays of its header end at \d+",
                   "header": "its header is said to have"}
        for what, reason in reasons.items():
            with self.subTest(what):
                self.plant(name, what)
                daemon = self.begin()
                daemon.wait_log(rf"set aside: {name}: {reason}")
                self.assertNotIn("not enough memory", daemon.stderr)
                self.assertEqual(daemon.model(), self.model)
                self.assertTrue(os.path.lexists(os.path.join(self.state, name + ".bad")))
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.stop(), 0)
                (shutil.rmtree if what == "folder" else os.remove)(os.path.join(self.state, name + ".bad"))

    def test_what_lies_under_the_name_of_a_temporary_file_is_not_written_to(self):
        precious = self.write("precious", "kept")
        sequence = int(self.newest().split("-")[1])
        for ahead in range(1, 4):
            name = os.path.join(self.state, f".checkpoint-{sequence + ahead:012}-1000.safetensors.tmp")
            [os.symlink, os.link, lambda _, to: os.mkfifo(to)][ahead - 1](precious, name)
        daemon = self.begin()
        self.assertEqual(daemon.model(), self.model)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(daemon.stop(), 0)
        with open(precious, encoding="ascii") as file:
            self.assertEqual(file.read(), "kept")
        self.assertFalse([name for name in os.listdir(self.state) if "tmp" in name])

    def test_a_lock_that_is_removed_by_hand_lets_no_second_daemon_in(self):
        arguments = (*SMALL, "--state-directory", self.path("locked"))
        daemon = self.start(*arguments)
        os.remove(self.path("locked", "lock"))
        status, line = self.refused(*arguments)
        self.assertEqual(status, 1)
        self.assertIn("is held by another process: another glimpsed runs on it; end that one", line)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        os.rename(self.path("locked"), self.path("moved"))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(self.refused(*arguments)[0], 1)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(self.start(*arguments).stop(), 0)

    def test_a_lock_that_is_no_file_refuses_the_start_and_is_not_opened(self):
        lock = os.path.join(self.state, "lock")
        for what in ("fifo", "folder", "dangling", "endless", "socket"):
            with self.subTest(what):
                os.remove(lock)
                self.plant("lock", what)
                status, line = self.refused(*SMALL, "--state-directory", self.state)
                self.assertEqual(status, 1)
                self.assertIn(f"{lock} is in the way: it must be a regular file", line)
                self.assertFalse(os.path.exists(os.path.join(self.state, "nothing")))
                (shutil.rmtree if what == "folder" else os.remove)(lock)
                open(lock, "wb").close()
        self.assertEqual(self.begin().model(), self.model)

    def test_a_number_at_which_counting_would_end_loses_nothing(self):
        sound = shutil.copy(os.path.join(self.state, self.newest()), self.path("sound"))
        for number in (LAST, "18446744073709551614", "99999999999999999999999"):
            with self.subTest(number):
                name = f"checkpoint-{number}-1.safetensors"
                shutil.copy(sound, os.path.join(self.state, name))
                daemon = self.begin()
                daemon.wait_log(rf"set aside: {name}: its number is above ")
                daemon.post("/v1/learn", ndjson(examples(10)))
                shutil.copy(sound, os.path.join(self.state, name))  # and while it runs
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                count = daemon.status()["examples"]
                daemon.kill()
                again = self.begin()
                self.assertEqual(again.status()["examples"], count)
                self.assertEqual(again.stop(), 0)

    def test_a_named_checkpoint_is_a_regular_file_or_a_link_to_one(self):
        self.plant("named-fifo", "fifo")
        self.plant("named-endless", "endless")
        self.plant("named-sound", "sound")
        self.plant("named-longer", "longer")
        for name, reason in (("named-fifo", "is a FIFO, not a regular file"),
                             ("named-longer", "but the arrays of its header"),
                             ("named-endless", "is a device, not a regular file")):
            status, line = self.refused(*SMALL, "--restore", os.path.join(self.state, name), "--http",
                                        "unix:" + self.path("h"))
            self.assertEqual(status, 1)
            self.assertIn(reason, line)
        self.assertEqual(self.start(*SMALL, "--restore", os.path.join(self.state, "named-sound")).model(), self.model)


class Restorable(TestCase):
    def test_whatever_was_learned_the_next_start_finds_a_state_that_it_can_restore(self):
        for number, (stream, dimension) in enumerate((("1 1:1e-200 2:1\n2 1:2e-200 2:2\n", 2),
                                                      ("1e30 1:1e30 2:-1e30\n-1e30 1:1e30 2:1e-300\n", 2),
                                                      ("1e-310 1:1e-320 2:1e-310\n", 2))):
            for algorithm in ("pairwise", "pairwise-screened", "aerr", "baseline"):
                with self.subTest(stream=stream, algorithm=algorithm):
                    options = ("--dimension", dimension, "--budget", 2, "--algorithm", algorithm, "--state-directory",
                               self.path(f"state-{number}-{algorithm}"),
                               *(("--radius", 2) if algorithm == "baseline" else ()))
                    status, _, log = self.run_to_end(*options, stdin=stream.encode() * 50)
                    # What cannot be restored is not saved, and is told.
                    self.assertEqual(status, 1 if "could not be restored, and is not saved" in log else 0, log)
                    status, _, log = self.run_to_end(*options)
                    self.assertEqual(status, 0, log)
                    self.assertNotIn("set aside", log)


@unittest.skipIf(os.environ.get("GLIMPSE_SANITIZE"), "sanitizers must be loaded first")
class FullDisk(TestCase):
    def test_a_restart_on_a_full_disk_serves_and_learns(self):
        state = self.path("state")
        faults = self.write("faults", "")
        environment = {"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"), "GLIMPSE_FAULTS": faults}
        first = self.start(*SMALL, "--state-directory", state)
        first.post("/v1/learn", ndjson(examples(100)))
        self.assertEqual(first.stop(), 0)
        for fault in ("write ENOSPC", "write EDQUOT", "fsync ENOSPC", "rename ENOSPC"):
            with self.subTest(fault):
                self.write("faults", fault)
                daemon = self.start(*SMALL, "--state-directory", state, environment=environment, ready=False)
                daemon.wait_log("HTTP door open")
                self.assertEqual(daemon.get("/readyz?for=learning").error(), "checkpoint_failed")
                daemon.wait_text("checkpoint failed, learning goes on")
                before = daemon.status()["examples"]
                self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
                self.assertEqual(daemon.post("/v1/checkpoint").status, 500)
                self.write("faults.new", "")
                os.replace(self.path("faults.new"), faults)
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.get("/readyz").status, 200)
                self.assertEqual(daemon.status()["examples"], before + 10)
                self.assertEqual(daemon.stop(), 0)

    def test_another_fault_of_the_disk_refuses_the_start_as_ever(self):
        environment = {"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"),
                       "GLIMPSE_FAULTS": self.write("faults", "fsync EIO")}
        status, line = self.refused(*SMALL, "--state-directory", self.path("state"), "--listen",
                                    f"unix:{self.path('s')}", environment=environment)
        self.assertEqual(status, 1)
        self.assertIn("Input/output error", line)


class Reading(TestCase):
    """A position in a file is of use only to who reads on as it was read before."""

    def again(self, content, before, now):
        shutil.rmtree(self.path("state"), True)
        path = self.write("examples", content)
        status, _, log = self.run_to_end(*SMALL, "--state-directory", self.path("state"), "--input", path, *before)
        self.assertEqual(status, 0, log)
        with open(path, "a", encoding="ascii") as file:
            file.write(content)
        return self.run_to_end(*SMALL, "--state-directory", self.path("state"), "--input", path, *now)

    def test_options_that_read_records_differently_are_refused_unless_somebody_insists(self):
        rows = examples(50)
        cases = ((svmlight(rows), (), ("--index-base", 0), "--index-base 1", "--index-base 0"),
                 (svmlight(rows), ("--format", "svmlight"), ("--format", "svmlight", "--index-base", 0),
                  "--index-base 1", "--index-base 0"),
                 (csv(rows), (), ("--label", "#2"), "--label=#1", "--label=#2"),
                 (csv(rows), (), ("--ignore", "#2"), "without it", "--ignore=#2"),
                 (csv(rows), (), ("--weight", "#2"), "no --weight", "--weight=#2"),
                 (csv(rows), ("--header", "no"), ("--header", "yes"), "--header no", "--header yes"),
                 (csv(rows), (), ("--task", "classes"), "--task regression", "--task classes"),
                 (csv(rows), ("--delimiter", ","), ("--delimiter", ";"), "--delimiter ','", "--delimiter ';'"),
                 # What the records showed, where the first start left it open:
                 (csv(rows), (), ("--delimiter", ";"), "--delimiter ','", "--delimiter ';'"),
                 (csv(rows), (), ("--header", "yes"), "--header no", "--header yes"),
                 (csv(rows, header=True), (), ("--header", "no"), "--header yes", "--header no"),
                 (csv(rows), ("--validate", "full"), ("--header", "yes"), "--header no", "--header yes"),
                 (csv(rows), (), ("--format", "svmlight"), "--format csv", "--format svmlight"),
                 (svmlight(rows), (), ("--format", "vw"), "--format svmlight", "--format vw"))
        for content, before, now, was, asked in cases:
            with self.subTest(before=before, now=now):
                status, _, log = self.again(content, before, now)
                self.assertEqual(status, 2, log)
                self.assertRegex(log, f"{asked}: the checkpoint's records were read (with )?{was}.*"
                                      "(insist with --schema-change allow|begin with a new --state-directory)")

    def test_the_rest_of_a_file_is_not_read_otherwise_than_its_beginning_was(self):
        rows = examples(20)
        state = ("--state-directory", self.path("state"))
        one = self.write("one", csv(rows))
        two = self.write("two", csv(rows).replace(",", ";"))
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", one, "--input", two)[0], 0)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", two, "--delimiter", ",")
        self.assertEqual(status, 1, log)
        self.assertIn("bytes were read with --delimiter ';', and this start asks for --delimiter ','", log)

    def test_a_start_by_which_nothing_is_learned_decides_nothing_and_uses_up_no_file(self):
        path = self.write("examples", csv(examples(50), header=True))
        state = ("--state-directory", self.path("state"))
        for wrong in (("--label", "z"), ("--format", "vw"), ("--delimiter", ";"), ("--task", "classes", "--format", "ndjson")):
            with self.subTest(wrong):
                shutil.rmtree(self.path("state"), True)
                for _ in range(2):
                    status, _, log = self.run_to_end(*SMALL, *state, "--input", path, *wrong)
                    self.assertEqual(status, 1, log)
                status, _, log = self.run_to_end(*SMALL, *state, "--input", path, "--label", "y")
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 50 examples", log)
        # Nor where a state was learned, and somebody insists.
        more = self.write("more", csv(examples(20), header=True))
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", more, "--label", "z", "--schema-change", "allow")[0], 1)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", more, "--label", "y")
        self.assertEqual(status, 0, log)
        self.assertIn("finished: 70 examples", log)

    def test_first_records_that_cannot_be_read_leave_no_trace_when_they_come_again(self):
        rows = csv(examples(60))
        bad = "1,\1,\1,\1,\1\n" * 5  # the label can be read
        path = self.write("examples", bad)
        state = ("--state-directory", self.path("state"))
        how = ("--format", "csv", "--header", "no")
        for _ in range(2):
            self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path, *how)[0], 1)
        self.write("examples", bad + rows)
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path, *how)[0], 0)
        kept = state_of(self.path("state"))
        straight = ("--state-directory", self.path("straight"))
        self.assertEqual(self.run_to_end(*SMALL, *straight, "--input", path, *how)[0], 0)
        self.assertEqual(kept, state_of(self.path("straight")))

    def test_options_that_mean_the_same_to_the_file_are_not(self):
        rows = examples(50)
        for content, before, now in ((csv(rows), (), ("--label", "#1")), (svmlight(rows), (), ("--label", "#3")),
                                     (svmlight(rows), (), ("--format", "svmlight")),
                                     (csv(rows), ("--format", "csv"), ("--task", "regression")),
                                     (csv(rows), ("--delimiter", ","), ("--delimiter", "auto"))):
            with self.subTest(before=before, now=now):
                status, _, log = self.again(content, before, now)
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 100 examples", log)

    def test_a_restart_reads_with_the_options_of_the_checkpoint(self):
        rows = examples(50)
        from_0 = "".join(f"{y!r} 0:{x[0]!r} 3:{x[3]!r}\n" for y, x in rows)
        with_id = "".join(f"{i},{line}\n" for i, line in enumerate(csv(rows).split()))
        for content, before in ((from_0, ("--index-base", 0)), (csv(rows), ("--label", "last")),
                                (csv(rows), ("--label", "#3", "--format", "csv")),
                                (csv(rows).replace(",", ";"), ("--delimiter", ";")),
                                (csv(rows).replace(",", ";").replace(".", ","), ("--decimal-comma",)),
                                (with_id, ("--ignore", "#1", "--label", "#2"))):
            with self.subTest(before=before):
                status, _, log = self.again(content, before, before)
                self.assertEqual(status, 0, log)
                model = state_of(self.path("state"))
                status, _, log = self.again(content, before, ())
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 100 examples", log)
                self.assertRegex(log, "info records are read as the checkpoint says: --")
                self.assertEqual(state_of(self.path("state")), model)

    def test_a_restart_without_options_of_the_learner_logs_those_of_the_checkpoint(self):
        path = self.write("examples", csv(examples(50)))
        said = "the learner's options are as the checkpoint says:"
        for number, (given, taken) in enumerate(((("--budget", 2), "--algorithm=pairwise --dimension=4 --budget=2"),
                                                 (("--budget", 3, "--half-life", 500, "--radius", 2.5, "--bias", "off"),
                                                  "--algorithm=pairwise --dimension=4 --budget=3 --radius=2.5 --bias=off --half-life=500"),
                                                 (("--algorithm", "aer", "--budget", 2, "--radius", 1, "--step", 0.5),
                                                  "--algorithm=aer --dimension=4 --budget=2 --radius=1 --step=0.5"))):
            with self.subTest(given):
                state = ("--state-directory", self.path(f"state{number}"), "--input", path)
                status, _, log = self.run_to_end(*given, *state)
                self.assertEqual((status, said in log), (0, False), log)
                status, _, log = self.run_to_end(*state, "--checkpoint-keep", 3)
                self.assertEqual((status, log.count(said)), (0, 1), log)
                self.assertIn(f"info {said} {taken}\n", log)
        status, _, log = self.run_to_end("--budget", 2, "--dimension", 4, "--state-directory", self.path("state0"), "--input", path)
        self.assertEqual((status, said in log), (0, False), log)

    def test_a_restart_takes_the_options_of_a_state_to_which_no_record_came(self):
        state = ("--state-directory", self.path("state"), "--input", "-")
        for given in (("--label", "y"), ("--label", "last"), ("--ignore", "id"), ("--delimiter", ";"), ("--decimal-comma",),
                      ("--task", "classes"), ("--index-base", "0"), ("--absent", "zero"), ("--format", "csv")):
            with self.subTest(given):
                shutil.rmtree(self.path("state"), True)
                self.assertEqual(self.run_to_end(*SMALL, *state, *given)[0], 1)  # the input has no record
                taken = f"info records are read as the checkpoint says: {'='.join((*given, 'on')[:2])}\n"
                for _ in range(2):
                    self.assertIn(taken, self.run_to_end(*SMALL, *state)[2])
        self.assertNotIn("as the checkpoint says", self.run_to_end(*SMALL, *state, "--format", "vw")[2])

    def test_the_name_of_the_column_that_is_the_label_changes_nothing(self):
        status, _, log = self.again(csv(examples(50), header=True), (), ("--label", "y"))
        self.assertEqual(status, 0, log)
        self.assertNotIn("records are read as the checkpoint says", log)

    def test_the_name_of_a_column_that_was_left_out_by_its_number_changes_nothing(self):
        with_id = "".join(f"{i},{line}\n" for i, line in enumerate(csv(examples(50), header=True).split()))
        status, _, log = self.again("id" + with_id[1:], ("--ignore", "#1", "--label", "#2"), ("--ignore", "id", "--label", "#2"))
        self.assertEqual(status, 0, log)
        self.assertIn("finished: 100 examples", log)
        self.assertNotIn("records are read as the checkpoint says", log)

    def test_a_change_that_is_allowed_holds_from_then_on(self):
        path = self.write("examples", svmlight(examples(50)))
        state = ("--state-directory", self.path("state"))
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path)[0], 0)
        change = ("--index-base", 0, "--schema-change", "allow")
        status, _, log = self.run_to_end(*SMALL, *state, "--input", "-", *change)  # nothing was read so
        self.assertEqual(status, 0, log)
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path)[0], 0)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", "-", *change, stdin=b"1 0:1 3:2\n")
        self.assertEqual(status, 0, log)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", path)
        self.assertEqual(status, 1, log)
        self.assertIn("bytes were read with --index-base 1, and this start asks for --index-base 0", log)
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path, "--schema-change", "allow")[0], 0)


class Columns(TestCase):
    """Columns of later tables are found by the names that the first header has."""

    FIRST = "y,id,a,b\n" + "".join(f"{a + 2 * b},{7 * a + b},{a},{b}\n" for a in range(9) for b in range(9))

    def learn(self, *arguments):
        path = self.write("first.csv", self.FIRST)
        state = ("--state-directory", self.path("state"))
        status, _, log = self.run_to_end("--budget", 2, *state, "--input", path, *arguments)
        self.assertEqual(status, 0, log)
        return state

    def next(self, state, content, *arguments):
        status, out, log = self.run_to_end("--budget", 2, *state, "--input", "-", *arguments, stdin=content.encode())
        return status, out.decode() if isinstance(out, bytes) else out, log

    def test_an_identifier_in_the_place_of_the_label_is_not_learned(self):
        for how in (("--label", "y", "--ignore", "id"), ("--ignore", "id"), ("--label", "#1", "--ignore", "#2")):
            with self.subTest(how=how):
                shutil.rmtree(self.path("state"), True)
                state = self.learn(*how)
                status, _, log = self.next(state, "id,a,b\n5,1,2\n6,2,3\n")  # questions
                self.assertIn("finished: 81 examples", log)
                self.assertIn("2 predictions", log)
                status, _, log = self.next(state, "id,b,y,a\n" + "3,2,5,1\n" * 5)
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 86 examples", log)
                status, _, log = self.next(state, "row,b,y,a\n" + "3,2,5,1\n" * 5, "--ignore", "row")
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 91 examples", log)

    def test_an_ignored_column_is_the_same_by_its_name_and_by_its_number(self):
        for before, now in (("#1", "id"), ("id", "#1"), ("id", "id,#1")):
            with self.subTest(before=before, now=now):
                shutil.rmtree(self.path("state"), True)
                content = "id,b,y,a\n" + "3,2,5,1\n" * 5
                path = self.write("same", content)
                options = ("--budget", 2, "--label", "y", "--state-directory", self.path("state"), "--input", path)
                self.assertEqual(self.run_to_end(*options, "--ignore", before)[0], 0)
                self.write("same", content + "4,2,5,1\n")
                status, _, log = self.run_to_end(*options, "--ignore", now)
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 6 examples", log)

    def make_earlier(self, path, columns):
        """Columns in the schema of the newest checkpoint as earlier releases wrote them, which counted from 0."""
        library = ctypes.util.find_library("xxhash")
        if not library:
            self.skipTest("libxxhash is not here, to make a checkpoint of an earlier release")
        digest = ctypes.CDLL(library).XXH3_64bits
        digest.restype, digest.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
        path = max(glob.glob(os.path.join(path, "checkpoint-*.safetensors")))
        with open(path, "rb") as file:
            content = file.read()
        size = len(content)
        for now, before in columns:
            self.assertIn(now + b"\0", content)
            content = content.replace(now + b"\0", before + b"\0")
        content = content.replace(b"columns-from=1", b"x" * (len(b"columns-from=1") + size - len(content)))
        content = content[:57] + b"0" * 16 + content[73:]
        with open(path, "wb") as file:
            file.write(content[:57] + f"{digest(content, len(content)):016x}".encode() + content[73:])

    def test_columns_of_an_earlier_release_mean_what_they_meant_and_its_command_line_says_how_they_are_given(self):
        state = self.learn("--label", "#1", "--ignore", "#2")
        self.make_earlier(state[1], ((b"label=#1", b"label=0"), (b"ignore=#2", b"ignore=1")))
        for given, hint in ((("--label", 0), "--label 0: columns count from 1 now: #1 is 'y'"),
                            (("--ignore", 1), "--ignore 1: columns count from 1 now: #2 is 'id'"),
                            (("--label", 9), "--label 9: columns count from 1 now: give #10, as --label=#10"),
                            (("--label-column", 0), "--label-column 0: is --label=#1 now, as columns count from 1"),
                            (("--categories", 1), "--categories 1: columns count from 1 now: #4 is 'b'")):
            status, _, log = self.next(state, "", *given)
            self.assertEqual((status, log.splitlines()[-1]), (2, "glimpsed: " + hint))
        status, _, log = self.next(state, "id,b,y,a\n" + "3,2,5,1\n" * 5)
        self.assertEqual(status, 0, log)
        self.assertIn("records are read as the checkpoint says: --label=#1 --ignore=#2", log)
        status, _, log = self.next(state, "id,b,y,a\n" + "3,2,5,1\n" * 5, "--label=#1", "--ignore", "id,#2")
        self.assertIn("finished: 91 examples", log)

    def test_a_weight_is_that_of_the_checkpoint_also_in_another_order_and_after_a_restart(self):
        rows = [f"{a + 2 * b},{(a + b) % 3},{a},{b}" for a in range(9) for b in range(9)]
        path = self.write("weighted.csv", "y,w,a,b\n" + "\n".join(rows) + "\n7,,1,2\n7,-1,1,2\n")
        state = ("--state-directory", self.path("state"))
        status, _, log = self.run_to_end("--budget", 2, *state, "--weight", "w", "--input", path)
        self.assertIn("label 'y' (column #1), as --label is left out (--label NAME chooses another), weight 'w' (column #2)",
                      log)
        self.assertIn("finished: 81 examples", log)
        self.assertIn("line 83: column #2 ('w'): the weight of a row with a label must be a finite number of at least 0, "
                      "and it is missing", log)
        self.assertEqual(status, 0, log)
        lines = "".join(json.dumps({"label": a + 2 * b, "importance": (a + b) % 3, "values": {"a": a, "b": b}}) + "\n"
                        for a in range(9) for b in range(9))
        other = ("--state-directory", self.path("other"))
        self.assertEqual(self.run_to_end("--budget", 2, *other, "--input", "-", stdin=lines.encode())[0], 0)
        self.assertEqual(self.start("--budget", 2, *state).get("/v1/model").json()["weights"],
                         self.start("--budget", 2, *other).get("/v1/model").json()["weights"])

    def test_what_the_model_needs_is_not_ignored(self):
        state = self.learn("--label", "y", "--ignore", "id")
        for name, what in (("a", "an attribute"), ("y", "the label"), ("#3", "an attribute"),
                           ("#1", "the label"), ("#2,#4", "an attribute")):
            status, _, log = self.next(state, "y,b\n1,2\n", "--ignore", name)
            self.assertEqual(status, 2, log)
            self.assertRegex(log, f"--ignore[ =]{name.split(',')[-1]}: is {what} of the checkpoint's model")
        status, _, log = self.next(state, "", "--label", "b")
        self.assertEqual(status, 2, log)
        self.assertIn("--label b: the checkpoint's records were read with --label y", log)

    def test_bodies_and_lines_are_read_as_before(self):
        state = self.learn("--label", "y", "--ignore", "id")
        daemon = self.start("--budget", 2, *state)
        body = "id,b,a\n5,1,2\n"
        daemon.post("/v1/learn?format=csv", body)
        self.assertEqual(daemon.status()["examples"], 81)
        daemon.post("/v1/learn?format=csv", "id,b,y,a\n5,1,4,2\n")
        refused = daemon.post("/v1/learn?format=csv", "z,b,y,a\n5,1,4,2\n")
        self.assertIn("--ignore z", str(refused.json()))
        self.assertEqual(daemon.status()["examples"], 82)

    def test_a_header_names_nothing_before_a_row_of_it_is_learned(self):
        daemon = self.start(*SMALL)
        for body in ("lorem,ipsum,dolor,sit,amet\n", "lorem,ipsum,dolor,sit,amet\n1,2,3\n1e31,1,2,3,4\n"):
            daemon.post("/v1/learn?format=csv", body)
        self.assertEqual(daemon.status()["examples"], 0)
        daemon.post("/v1/learn?format=csv", "y,a,b,c,d\n" + "1,2,3,4,5\n" * 2)
        daemon.post("/v1/learn?format=csv", "d,c,y,b,a\n1,2,3,4,5\n")
        self.assertEqual(daemon.status()["examples"], 3)

    def test_fewer_names_than_the_model_has_attributes_are_refused(self):
        names = self.write("names", "a\nb\nc\nd\n")
        options = ("--budget", 3, "--state-directory", self.path("state"), "--input", "-", "--attributes", names)
        self.assertEqual(self.run_to_end(*options, stdin=b"1,2,3,4,5\n")[0], 0)
        self.write("names", "a\nb\nc\n")
        costs = self.write("costs", "a 2\nd 3\n")
        for more in ((), ("--costs", costs)):
            status, line = self.refused(*options, *more)
            self.assertEqual(status, 2)
            self.assertIn(f"--attributes {names}: has 3 names, and the checkpoint's model has 4 attributes", line)


if __name__ == "__main__":
    unittest.main()
