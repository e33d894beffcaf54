"""Options, files, configurations and doors that are wrong: each is told in one line, with its mend."""

import subprocess
import unittest

from harness import DEADLINE, binary
from wrong_support import B, D, L, SVMLIGHT, TABLE, Row, WrongStarts

ROWS = (
    # Options.
    Row("no budget", (*L,), TABLE, 2,
        "glimpsed: --budget: is needed: how many attributes of each example to look at, from 2, or all of them (--budget all)"),
    Row("a budget of 0", ("--budget", 0, *L), TABLE, 2,
        "glimpsed: --budget 0: must be a whole number from 1 to 2147483648"),
    Row("a budget of 1", ("--budget", 1, *L), TABLE, 2,
        "glimpsed: --budget 1: must be at least 2: a product is of two attributes"),
    Row("a budget beyond the attributes", ("--budget", 9, "--dimension", 3, *L), TABLE, 2,
        "glimpsed: --budget 9: must be at most --dimension 3"),
    Row("a dimension of 0", (*B, "--dimension", 0), SVMLIGHT, 2,
        "glimpsed: --dimension 0: must be a whole number from 1 to 2147483648"),
    Row("an option is misspelt", ("--budgt", 2, *L), TABLE, 2,
        "glimpsed: unrecognised option '--budgt'; did you mean '--budget'?"),
    Row("an option has one dash", ("-budget", 2, *L), TABLE, 2,
        "glimpsed: unrecognised option '-budget'; did you mean '--budget'?"),
    Row("an option without its dashes", ("budget", 2, *L), TABLE, 2,
        "glimpsed: argument 'budget': there is no such file; options begin with --, and one that is on or off takes "
        "no value here; did you mean '--budget'?"),
    Row("an option lacks its value", (*L, "--budget"), TABLE, 2,
        "glimpsed: the required argument for option '--budget' is missing"),
    Row("a file that is not there", (*B, *L, "no-table.csv"), "", 1,
        "glimpsed: --input no-table.csv: No such file or directory"),
    Row("the algorithm is misspelt", (*B, *L, "--algorithm", "pairwis"), TABLE, 2,
        "glimpsed: --algorithm pairwis: must be one of aerr, ddaerr, two-phase-ddaerr, online-ridge, aelr, ddaelr, "
        "two-phase-ddaelr, online-lasso, aer, baseline, pairwise, pairwise-screened, apple"),
    Row("a step for a learner that has none", (*B, *L, "--algorithm", "pairwise", "--step", 0.1), TABLE, 2,
        "glimpsed: --step 0.1: has no effect on baseline and pairwise, which solve for their weights: leave it "
        "out, or choose another --algorithm"),
    Row("checkpoints without a folder", (*B, *L, "--checkpoint-every", "30s"), TABLE, 2,
        "glimpsed: --checkpoint-every 30s: has no effect without --state-directory DIR"),
    Row("a size with a blank", (*B, *L, "--queue", "16 MB"), TABLE, 2,
        "glimpsed: --queue 16 MB: must be a size such as 4096, 64KiB, 16MiB or 2GiB"),
    # Files.
    Row("the input is a folder", (*B, *L, "--input", "folder"), "", 1,
        "glimpsed: --input folder: is a directory"),
    Row("the input is not there", (*B, *L, "--input", "tabel.csv"), "", 1,
        "glimpsed: --input tabel.csv: No such file or directory"),
    Row("the names are divided by commas", (*B, "--attributes", "commas.txt"), TABLE, 2,
        "glimpsed: --attributes commas.txt: has one line, 'hour,temp,rain': a name has a line of its own"),
    Row("the names are fewer than the columns", (*B, *L, "--attributes", "few.txt"), TABLE, 1,
        "stdin: line 1: the header has a column 'rain' that is no attribute of this model and not the label: leave it "
        "out with --ignore rain"),
    Row("a price of an attribute that is not there",
        (*B, "--attributes", "names.txt", "--costs", "costs.txt", "--budget-cost", 3), SVMLIGHT, 2,
        "glimpsed: --costs costs.txt: line 2: no attribute is called 'tmp'; did you mean 'temp'?"),
    Row("a checkpoint to restore is not there", (*B, *D, "--restore", "none.safetensors"), SVMLIGHT, 1,
        "glimpsed: --restore none.safetensors: cannot open none.safetensors: No such file or directory"),
    # The configuration file.
    Row("the configuration is not there", ("--config", "none.conf"), TABLE, 2,
        "glimpsed: --config none.conf: cannot be read"),
    Row("an option of the configuration is misspelt", ("--config", "misspelt.conf"), TABLE, 2,
        "glimpsed: misspelt.conf: line 3: unrecognised option 'labell'; did you mean 'label'?"),
    Row("a line of the configuration is of YAML", ("--config", "yaml.conf"), TABLE, 2,
        "glimpsed: yaml.conf: line 1: 'budget: 2' is not 'name = value'"),
    Row("a value of the configuration is a word", ("--config", "word.conf"), TABLE, 2,
        "glimpsed: word.conf: line 2: --budget two: must be a whole number from 1, all, or a percentage such as 10%"),
    Row("options of the configuration contradict", ("--config", "contradicts.conf"), TABLE, 2,
        "glimpsed: contradicts.conf: line 3: --step 0.1: has no effect on baseline and pairwise, which solve for "
        "their weights: leave it out, or choose another --algorithm"),
    # Doors.
    Row("a port alone", (*B, *D, "--http", "9318"), "", 2,
        "glimpsed: --http 9318: must be tcp:HOST:PORT, unix:PATH or systemd:NAME"),
    Row("a door for everybody", (*B, *D, "--http", "0.0.0.0:9318"), "", 1,
        "glimpsed: --http tcp:0.0.0.0:9318: cannot listen: is no loopback address; --allow-remote allows others, "
        "and needs --token-file FILE"),
    Row("a door for everybody, without tokens", (*B, *D, "--http", "0.0.0.0:9318", "--allow-remote"), "", 2,
        "glimpsed: --allow-remote on: needs --token-file FILE: who comes from elsewhere must prove who it is"),
    Row("the path of a socket is too long", (*B, *D, "--listen", "unix:" + "x" * 120), "", 2,
        "glimpsed: --listen "
        "unix:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: "
        "a socket's path is at most 107 bytes long"),
    Row("a socket in a folder that is not there", (*B, *D, "--listen", "unix:none/stream.sock"), "", 1,
        "glimpsed: --listen unix:none/stream.sock: cannot listen: No such file or directory"),
    Row("a door, and nobody says the dimension", (*B, "--http", "unix:http.sock"), None, 2,
        "glimpsed: --dimension: is needed, as there is no checkpoint, no --attributes file and no --input to tell "
        "it"),
)


class Starts(WrongStarts):
    def test_every_wrong_start_is_told_with_its_mend(self):
        self.check_rows(ROWS)

    def test_the_help_is_there_by_both_names(self):
        for option in ("-h", "--help"):
            done = subprocess.run([binary("GLIMPSE_BIN"), option], capture_output=True, timeout=DEADLINE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"glimpsed table.csv --label price --budget 5", done.stdout)


if __name__ == "__main__":
    unittest.main()
