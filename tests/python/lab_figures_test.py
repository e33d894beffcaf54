"""Figures of the papers: their data, and small ones made from end to end."""

import json
import unittest
from unittest import mock

from glimpsed.lab import figures
from glimpsed.lab.experiment import Point
from glimpsed.lab.figures import FIGURES, by_rank, curves_of, data_of, find, pairs_csv, points_of
from glimpsed.lab.tuning import Tuning
from lab_support import LabTest, rows_of


def figure(name):
    return find(name)[0]


class FigureTest(unittest.TestCase):
    def test_names_are_unique_and_the_beginning_of_names_means_all_of_them(self):
        names = [one.name for one in FIGURES]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([one.name for one in find("ks15-1")], ["ks15-1a", "ks15-1b", "ks15-1c", "ks15-1d"])
        self.assertEqual([one.name for one in find("ks15-3")], ["ks15-3"])
        self.assertEqual(find("other"), [])
        self.assertEqual(find("all"), list(FIGURES))

    def test_every_curve_is_tuned_except_aers_thirty_passes_and_the_pairwise_learner(self):
        for one in FIGURES:
            for curve in curves_of(one, Tuning()):
                self.assertEqual(curve.tuning is None, curve.label in ("AER 30 passes", "Pairwise"), curve.label)
                self.assertEqual(curve.tuning is not None and curve.tuning.in_hindsight, "in hindsight" in curve.label)
        adagrad = {curve.label: curve.tuning.step_prefix for curve in curves_of(figure("ks14-7"), Tuning())}
        self.assertEqual((adagrad["AERR"], adagrad["AERR AdaGrad"]), ("", "adagrad:"))

    def test_every_figure_with_a_two_phased_curve_has_the_papers_beside_the_librarys(self):
        for one in FIGURES:
            curves = {curve.label: curve for curve in curves_of(one, Tuning()) if "AdaGrad" not in curve.label}
            for own in [label for label in curves if label.startswith("Two-Phased")]:
                label = own.removesuffix("as written (KS15)").removesuffix("(glimpse)")
                ours, papers = curves[f"{label}(glimpse)"], curves[f"{label}as written (KS15)"]
                self.assertEqual(papers.method.algorithm, f"{ours.method.algorithm}-as-written")
                self.assertEqual((papers.tuning, papers.method.options["budget"]), (ours.tuning, ours.method.options["budget"]))
            self.assertEqual(any("as written" in label for label in curves), one.name.startswith(("ks14", "ks15")), one.name)

    def test_curves_against_attributes_end_where_the_budgeted_learners_have_seen_all_examples(self):
        points = points_of(figure("ks15-3"), 11552)
        self.assertEqual(points.prefixes(57, 11552)[-1], 11552)
        self.assertEqual(points.prefixes(784, 11552)[-1], 11552 * 57 // 784)
        self.assertEqual(points_of(figure("css10-2"), 100).prefixes(4, 100), [10, 20, 40, 62, 100])
        self.assertEqual(points_of(figure("css10-table"), 100).prefixes(4, 100), [100])

    def test_css10_draws_a_tenth_as_test_set_again_with_every_seed_and_tables_need_their_folder(self):
        options = data_of(figure("css10-2"))
        self.assertEqual((options.test_share, options.split_seed), (0.1, None))
        with mock.patch.dict("os.environ"):
            figures.os.environ.pop("GLIMPSE_DATA", None)
            with self.assertRaisesRegex(ValueError, "GLIMPSE_DATA must name the folder of covtype"):
                data_of(figure("ks14-5"))
            figures.os.environ["GLIMPSE_DATA"] = "/tables"
            self.assertEqual((data_of(figure("ks14-5")).data, data_of(figure("ks14-5")).positive), ("/tables/covtype.csv.gz", 2))

    def test_the_table_over_pairs_has_the_median_over_pairs_of_the_mean_over_splits(self):
        def point(loss):
            return [Point(10, 5, 9, 0, 9, 1), Point(20, 5, loss, 0, loss / 10, 2)]
        ranked = by_rank({"AER 0-1": point(0.5), "AER 0-2": point(0.1), "AER 1-2": point(0.3), "Ridge 0-1": point(0.2)})
        self.assertEqual([(p.examples, p.mean) for p in ranked["AER"]], [(1, 0.1), (2, 0.3), (3, 0.5)])
        self.assertEqual(pairs_csv(ranked).splitlines()[1:], ["AER,0.3,0.03,3", "Ridge,0.2,0.02,1"])


class MakingTest(LabTest):
    def test_a_small_one_is_written_and_again_without_a_run_from_what_was_kept(self):
        arguments = ["figure", "ks15-1d", "--examples", "300", "--seeds", "2", "--cv", "2", "--radii", "1,4", "--steps", "0.01,0.1", "--jobs", "2",
                     "--output-directory", self.path("figures")]
        self.lab(*arguments)
        names = ["ks15-1d.csv", "ks15-1d-summary.csv", "ks15-1d-choices.csv", "ks15-1d.svg", "ks15-1d.png"]
        first = {name: self.read(f"figures/{name}") for name in names}
        rows = rows_of(first["ks15-1d.csv"].decode())
        self.assertEqual([*dict.fromkeys(row["algorithm"] for row in rows)], ["AERR", "Two-Phased DDAERR (glimpse)", "Two-Phased DDAERR as written (KS15)", "DDAERR", "Online ridge", "Offline ridge"])
        self.assertEqual({row["seed"] for row in rows}, {1, 2})
        choices = rows_of(first["ks15-1d-choices.csv"].decode())
        self.assertEqual([*choices[0]], ["algorithm", "seed", "radius", "step", "phase1_radius", "phase1_step", "held_out_loss_ratio"])
        self.assertIn(choices[0]["radius"], (1, 4))
        self.assertIn(choices[1]["phase1_step"], (0.01, 0.1))
        self.assertIn(b"<svg", first["ks15-1d.svg"])
        self.assertEqual(first["ks15-1d.png"][:4], b"\x89PNG")
        kept = self.read("figures/ks15-1d.jobs/results.jsonl")
        self.lab(*arguments)
        self.assertEqual(self.read("figures/ks15-1d.jobs/results.jsonl"), kept)
        self.assertEqual({name: self.read(f"figures/{name}") for name in names}, first)
        self.lab(*arguments[:-1], self.path("other"), "--jobs", "1")
        self.assertEqual({name: self.read(f"other/{name}") for name in names}, first)
        self.assertTrue(all(set(json.loads(line)) == {"key", "job", "result"} for line in kept.splitlines()))

    def test_pairwise_beside_rivals_in_hindsight_has_a_table_of_attributes_needed(self):
        self.lab("figure", "pairwise-ridge-2", "--examples", "150", "--seeds", "2", "--jobs", "2", "--output-directory", self.folder)
        rows = rows_of(self.read("pairwise-ridge-2-attributes.csv").decode())
        self.assertEqual([row["rival"] for row in rows], ["DDAERR in hindsight", "Online ridge in hindsight"])

    def test_an_unknown_name_is_refused_and_list_has_all(self):
        self.assertIn("`python -m glimpsed.lab list`", self.lab("figure", "other", status=2))
        from glimpsed.lab.__main__ import main
        with mock.patch("builtins.print") as printed:
            self.assertEqual(main(["list"]), 0)
        self.assertEqual(len(printed.call_args_list), len(FIGURES) + 9)


if __name__ == "__main__":
    unittest.main()
