"""Examples in the bytes of every format, and lines that are to be refused."""

import json
import struct

TEXT = ("svmlight", "vw", "csv", "ndjson")
ROWS = ("f32", "npy")
FORMATS = (*TEXT, *ROWS)
LARGEST_SINGLE = 3.4028234663852886e38


class Example:
    """What a record says: `label` None asks for a prediction, a value None is missing; sparse where d is large."""

    def __init__(self, label, values, importance=None, tag=""):
        self.label, self.values, self.importance, self.tag = label, values, importance, tag


def number(chance, value):
    """One of the ways to write it."""
    text = repr(float(value))
    kind = chance.random()
    if kind < .9:
        return text
    if kind < .95:
        return text.upper()
    return "+" + text if value >= 0 and not text.startswith("-") else text


class Renderer:
    """Of one stream: a format, names or none."""

    def __init__(self, chance, form, dimension, names, delimiter=",", index_base=1, label_column=0):
        self.chance, self.form, self.dimension, self.names = chance, form, dimension, names
        self.delimiter, self.index_base, self.label_column = delimiter, index_base, label_column

    def stream(self, examples, refused):
        """The records of a stream: about `refused` of them are no examples."""
        records = self.opening(len(examples))
        for example in examples:
            records.append(getattr(self, self.form.replace("npy", "f32"))(example))
            # Not before a format and a width are known.
            if self.form in TEXT and self.chance.random() < refused:
                records.append(self.refused())
        return records

    def opening(self, count):
        if self.form == "npy":
            text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (count, self.dimension + 1)
            text += " " * (-(len(text) + 11) % 64) + "\n"
            return [b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()]
        if self.form == "csv" and self.names:
            names = list(map(self.quoted, self.names))
            names.insert(self.label_column, "label")
            return [(self.delimiter.join(names) + "\n").encode()]
        return []

    def quoted(self, name):
        return '"' + name.replace('"', '""') + '"'

    def number(self, value):
        return number(self.chance, value)

    def svmlight(self, example):
        fields = [] if example.label is None else [self.number(example.label)]
        fields += [f"{i + self.index_base}:{self.number(v)}" for i, v in sorted(example.values.items()) if v is not None]
        return self.line(" ".join(fields) if fields else "?")

    def vw(self, example):
        head = "" if example.label is None else self.number(example.label)
        if head and example.importance is not None:
            head += " " + repr(example.importance)
        head += f" '{example.tag}" if example.tag else " " if head else ""
        features = [f"{self.vw_name(i)}:{self.number(v)}" for i, v in sorted(example.values.items()) if v is not None]
        return self.line(head + "| " + " ".join(features))

    def vw_name(self, i):
        """Names that VW text can say; such as it cannot are numbers."""
        name = self.names[i] if self.names else ""
        return name if name and not set(name) & set(" :|\t,\"'#") else str(i)

    def csv(self, example):
        label = "" if example.label is None else self.number(example.label)
        fields = [self.csv_field(example.values.get(i, 0.0)) for i in range(self.dimension)]
        fields.insert(self.label_column, label)
        return self.line(self.delimiter.join(fields))

    def csv_field(self, value):
        if value is None:
            return self.chance.choice(["", "NA", "N/A", "null", "NULL", "?"])
        return f'"{value!r}"' if self.chance.random() < .02 else self.number(value)

    def ndjson(self, example):
        said = {} if example.label is None else {"label": example.label}
        if example.importance is not None:
            said["importance"] = example.importance
        if example.tag:
            said["tag"] = example.tag
        if len(example.values) == self.dimension and self.chance.random() < .5:
            said["values"] = [example.values[i] for i in range(self.dimension)]
        else:
            said["values"] = {self.names[i] if self.names and self.chance.random() < .5 else str(i): v
                              for i, v in example.values.items()}
        return self.line(json.dumps(said, ensure_ascii=self.chance.random() < .5))

    def f32(self, example):
        row = [self.single(example.label), *(self.single(example.values.get(i, 0.0)) for i in range(self.dimension))]
        return struct.pack(f"<{len(row)}f", *row)

    def single(self, value):
        if value is None:
            return float("nan")
        if abs(value) > LARGEST_SINGLE:
            return self.chance.choice([LARGEST_SINGLE, -LARGEST_SINGLE, float("inf")])
        return value

    @staticmethod
    def line(text):
        return text.encode() + b"\n"

    def refused(self):
        """A line that nothing is learned from: what cannot be read, blanks and comments."""
        far = 10 ** self.chance.randrange(4, 30)
        common = ["", "# a comment", "nan", "-inf", "1e999", "nonsense \u00e4", "\x00\x01"]
        own = {"svmlight": [f"1 {far}:1", "1 2:x", "1e999 1:1", "inf 1:1", "1 1:", "1 1:1 1:2", "1 0x10:1", "nan 1:1"],
               "vw": [f"1 | {far}:1", "1 | a:x", "inf | 0:1", "1 -1 | 0:1", "1 nan | 0:1", "nobar", "1 |n:1e999 0:1"],
               "csv": ["1", self.delimiter * (self.dimension + 5), "nan" + self.delimiter * self.dimension, '1"'],
               "ndjson": ['{"label": 1, "values": [1,', '{"label": NaN, "values": {}}', '{"label": 1e999, "values": {}}',
                          '{"label": 1, "values": {"0": [1]}}', f'{{"label": 1, "values": {{"{far}": 1}}}}',
                          '{"label": 1, "importance": -1, "values": {}}', '{"lable": 1}', "[]"]}
        return self.line(self.chance.choice([*own[self.form], *own[self.form], *common]))


def as_json_array(records):
    """A body of /v1/learn that is one array, of lines that are NDJSON."""
    return b"[" + b",".join(record.strip() for record in records) + b"]"
