"""Every door that tells numbers, read strictly: each number is finite, and nothing is null where a number is promised.

What is found wrong is collected, not raised: several doors often say the same.
"""

import csv
import io
import json
import math
import re
import struct

ROUNDING = 1e-9


class Complaints(list):
    """What is wrong, as "door: what"."""

    def finite(self, what, value, least=-math.inf, most=math.inf):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.append(f"{what} is {value!r}, no number")
        elif not math.isfinite(value):
            self.append(f"{what} is {value!r}")
        elif not least <= value <= most:
            self.append(f"{what} is {value!r}, not from {least:g} to {most:g}")
        else:
            return True
        return False

    def text(self, what, text, least=-math.inf, most=math.inf):
        """A number as text. Python's float() takes more than numbers."""
        if not re.fullmatch(r"-?\d+(\.\d*)?([eE][-+]?\d+)?", text):
            self.append(f"{what} is {text[:40]!r}, no number")
            return None
        return float(text) if self.finite(what, float(text), least, most) else None


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def parse(body):
    return json.loads(body, parse_constant=refuse_constant)


class Strict:
    """Asks a daemon at all doors. `clip` is what it was started with, `questions` what to predict, `estimates` of how many
    estimates its losses are at least."""

    def __init__(self, daemon, clip, questions, estimates=0):
        self.daemon, self.clip, self.estimates = daemon, clip, estimates
        self.rows, self.parts = questions
        self.wrong = Complaints()
        self.bodies = {}

    def json(self, what, method, path, body=None, allowed=(200,)):
        answer = self.daemon.request(method, path, body)
        if answer.status == 409 and b'"whole_examples_only"' in answer.body:
            return None  # products of attributes are not known from a part of these
        if answer.status not in allowed:
            self.wrong.append(f"{what}: status {answer.status}: {answer.body[:200]!r}")
            return None
        try:
            return parse(answer.body)
        except ValueError as error:
            self.wrong.append(f"{what}: {error}")
            return None

    def ask_everything(self):
        """The complaints; afterwards `bodies` has the model and the moments."""
        status = self.status()
        self.model()
        self.moments()
        self.metrics()
        if status:
            self.predictions(status)
            self.partial(status)
            self.choices(status)
        ready = self.daemon.get("/readyz")
        # A step that is too large for the data is a model of no use, and said so.
        if ready.status != 200 and b'"diverged"' not in ready.body:
            self.wrong.append(f"/readyz: {ready.body[:200]!r}")
        return self.wrong

    # --- what is told of the learner ---

    def status(self):
        status = self.json("/v1/status", "GET", "/v1/status")
        if status is None:
            return None
        optional = {"attribute_grid", "fleet", "look_at_best", "best_attributes", "best_since", "best_waiting", "beyond_range_attribute", "frozen_classes", "label_variance", "r2", "r2_error", "recent_r2", "recent_r2_error", "label_min", "label_max", "progressive_loss", "progressive_loss_error", "recent_loss", "recent_loss_error", "progressive_loss_share", "recent_loss_share",
                    *(f"{of}_{kind}{error}" for of in ("held_out", "frozen") for kind in ("loss", "recent_loss", "r2", "recent_r2") for error in ("", "_error")),
                    *(f"{of}{kind}" for of in ("", "recent_", "held_out_", "held_out_recent_", "frozen_", "frozen_recent_") for kind in ("rmse", "r2_estimate", "mean_absolute_error", "median_absolute_error")),
                    "progressive_loss_estimate", "recent_loss_estimate",
                    "drift_examples", "total_budget", "total_cost", "model_examples", "model_age_seconds", "solve_seconds",
                    "checkpoint_age_seconds", "checkpoint_name", "checkpoint_error", "checkpoint_pause_seconds",
                    "checkpoint_duration_seconds", "model_served_examples", "model_excess", "model_excess_error",
                    "products", "product_parents", "product_expansions", "products_lacking", "promoted_checkpoint", "classes", "held_out_classes"}
        r2 = {"r2", "recent_r2", "held_out_r2", "held_out_recent_r2", "frozen_r2", "frozen_recent_r2"}
        signed = {"label_min", "label_max", "progressive_loss_estimate", "recent_loss_estimate", "r2_estimate", "recent_r2_estimate", "model_excess", *r2}
        for name, value in status.items():
            if isinstance(value, (str, list, dict, bool)) or (value is None and name in optional):
                continue
            self.wrong.finite(f"/v1/status: {name}", value, -math.inf if name in signed else 0, 1 if name in r2 else math.inf)
        self.promised(status)
        if status["checkpoint_error"] or status["checkpoint_failures"]:
            self.wrong.append(f"/v1/status: checkpoint_error {status['checkpoint_error']}")
        return status

    def promised(self, status):
        """Losses have an error from two estimates on, whose number the checkpoint knows."""
        if (status["label_min"] is None) != (status["label_max"] is None):
            self.wrong.append("/v1/status: label_min and label_max are not both null")
        low, high = status["label_min"] or 0, status["label_max"] or 0
        largest = max(abs(low), abs(high))
        if low < high and largest < 1e-70:  # squares of such losses are no numbers
            if (status["progressive_loss"], status["progressive_loss_error"]) != (None, None):
                self.wrong.append(f"/v1/status: a loss is told of labels of at most {largest}")
            return
        if self.estimates >= 2:
            self.wrong.finite("/v1/status: progressive_loss_error of two estimates or more", status["progressive_loss_error"], 0)
        if self.estimates >= 2 and status["drift_alarms"] == 0:
            self.wrong.finite("/v1/status: recent_loss_error of two estimates or more", status["recent_loss_error"], 0)

    def model(self):
        model = self.json("/v1/model", "GET", "/v1/model?fresh=true")
        if model is None:
            return
        self.bodies["model"] = {name: value for name, value in model.items() if name != "age_seconds"}
        self.wrong.finite("/v1/model: bias", model["bias"])
        for i, weight in enumerate(model["weights"]):
            if not self.wrong.finite(f"/v1/model: weights[{i}]", weight):
                break
        rows = list(csv.reader(io.StringIO(self.daemon.get("/v1/model?format=csv").body.decode())))
        for name, _, text, *_ in rows[1:]:
            if self.wrong.text(f"/v1/model in csv: weight of {name}", text) is None:
                break
        told = [model["bias"], *model["weights"]]
        if len(rows) != len(told) + 1:
            self.wrong.append(f"/v1/model in csv: {len(rows)} rows")
        self.safetensors(told)

    def safetensors(self, told):
        data = self.daemon.get("/v1/model?format=safetensors").body
        length = int.from_bytes(data[:8], "little")
        header = parse(data[8:8 + length])
        header.pop("__metadata__", None)
        for name, tensor in header.items():
            if name not in ("weights", "bias"):
                continue  # bounds may be infinite; attributes, and how many of them a product has
            begin, end = tensor["data_offsets"]
            numbers = struct.unpack(f"<{(end - begin) // 8}d", data[8 + length + begin:8 + length + end])
            for i, number in enumerate(numbers):
                if not self.wrong.finite(f"/v1/model in safetensors: {name}[{i}]", number):
                    break
            if name == "weights" and len(numbers) == len(told) - 1 and [0 + w for w in numbers] != [0 + w for w in told[1:]]:
                self.wrong.append("/v1/model in safetensors: other weights than in json")

    def moments(self):
        moments = self.json("/v1/moments", "GET", "/v1/moments")
        if moments is None:
            return
        self.bodies["moments"] = moments
        total = 0
        for row in moments["moments"]:
            where = f"/v1/moments: attribute {row['attribute']}:"
            sound = [self.wrong.finite(f"{where} count", row["count"], 0),
                     self.wrong.finite(f"{where} mean", row["mean"]),
                     self.wrong.finite(f"{where} second_moment", row["second_moment"], 0),
                     self.wrong.finite(f"{where} max_abs", row["max_abs"], 0),
                     self.wrong.finite(f"{where} probability", row["probability"], 0, 1)]
            if not all(sound):
                return
            total += row["probability"]
        if total > 1 + ROUNDING * len(moments["moments"]) or total < 1 - 1e-6:
            self.wrong.append(f"/v1/moments: probabilities sum up to {total!r}")
        rows = list(csv.reader(io.StringIO(self.daemon.get("/v1/moments?format=csv").body.decode())))
        for row in rows[1:]:
            for name, text in zip(rows[0][2:], row[2:]):
                if self.wrong.text(f"/v1/moments in csv: {name} of {row[0]}", text) is None:
                    return

    def metrics(self):
        for line in self.daemon.get("/metrics").body.decode().splitlines():
            if not line.startswith("#"):
                name, _, text = line.rpartition(" ")
                self.wrong.text(f"/metrics: {name}", text)

    # --- predictions ---

    def bounds(self, status):
        if ":" in self.clip:
            low, high = map(float, self.clip.split(":"))
            return low, high
        if self.clip == "auto" and status["label_min"] is not None:
            return status["label_min"], status["label_max"]
        return -math.inf, math.inf

    def predictions(self, status):
        for number, row in enumerate(self.rows):
            answer = self.json("/v1/predict", "POST", "/v1/predict", json.dumps({"values": row}))
            for prediction in answer["predictions"] if answer else []:
                self.wrong.finite(f"/v1/predict: prediction of question {number}", prediction, *self.bounds(status))

    def partial(self, status):
        for part in self.parts:
            answer = self.json("/v1/predict of a part", "POST", "/v1/predict", json.dumps({"known": part}))
            if answer is None:
                continue
            for prediction in answer["predictions"]:
                self.wrong.finite("/v1/predict of a part: prediction", prediction, *self.bounds(status))
            for error in answer["standard_errors"]:
                self.standard_error("/v1/predict of a part: standard error", error, status)

    def standard_error(self, what, error, status):
        """Null while nothing tells of errors: those of the later examples, which are not quite the recent ones."""
        if error is not None:
            self.wrong.finite(what, error, 0)
        elif (status["recent_loss"] or 0) > 4 * (status["recent_loss_error"] or math.inf):
            self.wrong.append(f"{what} is null beside a loss of {status['recent_loss']!r} +- {status['recent_loss_error']!r}")

    def choices(self, status):
        what = "/v1/ask for a prediction"
        for part in self.parts[:2]:
            answer = self.json(what, "POST", "/v1/ask", json.dumps({"for": "prediction", "known": part, "count": 3}))
            if answer is None:
                continue
            self.wrong.finite(f"{what}: prediction", answer["prediction"], *self.bounds(status))
            self.wrong.finite(f"{what}: cost", answer["cost"], 0)
            last = answer["standard_error"]
            self.standard_error(f"{what}: standard error", last, status)
            for choice in answer["choices"]:
                self.wrong.finite(f"{what}: cost of a choice", choice["cost"], 0)
                error = choice["standard_error"]
                self.standard_error(f"{what}: standard error of a choice", error, status)
                # It is computed with a part of the ridge alone, so it may rise a little (PARTIAL.md). It is the root of
                # a difference of squares, which are known to some 1e-13 of the label's.
                rounding = 3e-7 * 2 * max(abs(status["label_min"] or 0), abs(status["label_max"] or 0))
                if error is not None and last is not None and error > 2 * last + rounding:
                    self.wrong.append(f"{what}: the standard error rises from {last!r} to {error!r}")
                last = error


def check_replies(wrong, text, bounds):
    """Replies of a stream: numbers, perhaps with a tag behind, lines about errors, and what a source is told."""
    for line in text.splitlines():
        if re.match(r"error: |(resume|durable) \d+$", line):
            continue
        wrong.text("reply of a stream", line.split(" ")[0] if line else line, *bounds)
