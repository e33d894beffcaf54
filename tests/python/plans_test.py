"""Plans: what is asked for and told in process, also through checkpoints to a daemon and back."""

import os
import pickle
import signal
import unittest

from glimpsed import Client, GlimpseClassifier, GlimpseRegressor
from package_support import PackageTest, linear_set

COSTS = {"age": 1, "sex": 1, "bilirubin": (7.27, "blood"), "sgot": (7.27, "blood"), "protime": (8.3, "blood"), "@blood": 2.1}
NAMES = [name for name in COSTS if name != "@blood"]


class PlansTest(PackageTest):
    def test_what_is_told_is_learned(self):
        X, y = linear_set(1500, 6)
        model = GlimpseRegressor(budget=3)
        for row, label in zip(X, y):
            plan = model.ask(features=6)[0]
            self.assertEqual(model.tell(plan, label, row[list(plan.attributes)]), "learned")
        self.assertEqual(model.examples_learned_, 1500)
        self.assertGreater(model.score(X, y), 0.95)

    def test_costs_limit_what_is_bought(self):
        model = GlimpseRegressor(budget=5, costs=COSTS, budget_cost=19)
        plans = model.ask(50, features=NAMES)
        self.assertTrue(all(plan.cost <= 19 for plan in plans))
        prices = {name: price if isinstance(price, int) else price[0] for name, price in COSTS.items() if name != "@blood"}
        for plan in plans:
            blood = 2.1 if set(plan.names) & {"bilirubin", "sgot", "protime"} else 0
            self.assertAlmostEqual(plan.cost, sum(prices[name] for name in plan.names) + blood)
        with self.assertRaisesRegex(ValueError, "no attribute 'weight'"):
            GlimpseRegressor(costs={"weight": 1}).ask(features=NAMES)

    def test_values_come_by_name_in_any_order_and_may_be_refused(self):
        model = GlimpseClassifier(budget=2)
        first, second, third = model.ask(3, features=NAMES, classes=["well", "ill"])
        self.assertEqual(model.tell(first, "ill", dict(zip(reversed(first.names), (1.0, 2.0)))), "learned")
        self.assertEqual(model.tell(first, "ill", [1.0, 2.0]), "duplicate")
        self.assertEqual(model.tell(second.id, "well", [None, 2.0]), "learned")
        with self.assertRaisesRegex(ValueError, "must be of the plan's attributes"):
            model.tell(third, "well", {third.names[0]: 1})
        with self.assertRaisesRegex(ValueError, "3 values, but the plan has 2"):
            model.tell(third, "well", [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "the class"):
            model.tell(third, "dead", [1, 2])
        model.abandon(third)
        with self.assertRaisesRegex(RuntimeError, "was abandoned"):
            model.tell(third, "well", [1, 2])
        with self.assertRaises(LookupError):
            model.tell("000000-77", "well", [1, 2])
        expired = model.ask(ttl=-1)[0]
        with self.assertRaisesRegex(RuntimeError, "has expired"):
            model.tell(expired, "well", [1, 2])
        self.assertTrue(set(model.ask(available=["age", "sgot"])[0].names) <= {"age", "sgot"})

    def test_how_many_plans_is_bounded(self):
        model = GlimpseRegressor(budget=2)
        for count in (-1, 10**9, 1.5, "x"):
            with self.subTest(count=count), self.assertRaisesRegex(ValueError, f"count={count!r}: must be"):
                model.ask(count, features=NAMES)
        self.assertEqual(len(model.ask(2, features=NAMES)), 2)

    def test_words_that_say_missing_are_refusals(self):
        X, y = linear_set(50, 3)
        models = [GlimpseRegressor(budget=2), GlimpseRegressor(budget=2)]
        for row, label in zip(X, y):
            for model, refused in zip(models, ("NA", None)):
                plan = model.ask(features=3)[0]
                model.tell(plan, label, [float(row[plan.attributes[0]]), refused])
        self.assertEqual(models[0].attributes_revealed_, 50)
        self.assertEqual(models[0].coef_.tolist(), models[1].coef_.tolist())

    def test_plans_outlive_pickles_and_go_to_a_daemon(self):
        model = GlimpseRegressor(budget=2)
        plans = model.ask(3, features=NAMES)
        copy = pickle.loads(pickle.dumps(model))
        self.assertEqual(copy.tell(plans[0], 1.0, [1, 2]), "learned")
        os.mkdir(self.path("state"))
        copy.save(self.path("state"))
        daemon = self.start_daemon("--budget", "2", "--http", "unix:" + self.path("http"), "--serve")
        with Client("unix:" + self.path("http"), retries=8) as client:
            self.assertEqual(client.tell(plans[1].id, label=2.0, values=[3, 4]).status, "learned")
            given = client.ask(1, ttl="1h")[0]
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(30), 0)
        loaded = GlimpseRegressor.load(self.path("state"))
        self.assertEqual(loaded.examples_learned_, 2)
        self.assertEqual(loaded.tell(plans[1], 2.0, [3, 4]), "duplicate")
        self.assertEqual(loaded.tell(plans[2], 2.0, [3, 4]), "learned")
        self.assertEqual(loaded.tell(given.id, 2.0, [3, 4]), "learned")


if __name__ == "__main__":
    unittest.main()
