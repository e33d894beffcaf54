"""Tables and lines as people have them, and not as they are thought to be: each is told with its mend."""

import gzip
import unittest

from wrong_support import B, D, L, NO_HEADER, NPY, SVMLIGHT, TABLE, Row, WrongStarts

PRICE, LABEL = "2 ('price')", "3 (the label, 'cnt')"  # columns, as they are told
DECIMAL_OR_THOUSANDS = ("have a decimal comma or divide thousands: --decimal-comma where it is decimal; else write "
                        "thousands without it")


def no_number(what, row, column, field, mend):
    """A table of hours, prices and the label, all of whose rows are `row`: a field is told, with its mend."""
    return Row(what, (*B, *L), "hour,price,cnt\n" + f"{row}\n" * 9, 2,
               f"glimpsed: stdin: column #{column}: '{field}' is no number: {mend}")


def ambiguous(what, row, column, field):
    """The same, where a comma may be decimal or not."""
    return Row(what, (*B, *L), "hour,price,cnt\n" + f"{row}\n" * 9, 2,
               f"glimpsed: stdin: column #{column}: '{field}' may {DECIMAL_OR_THOUSANDS}")


ROWS = (
    # The label and the columns.
    Row("the label is misspelt", (*B, "--label", "cn"), TABLE, 2,
        "glimpsed: stdin: --label cn: the header has no such column; did you mean 'cnt'?"),
    Row("the label has another case", (*B, "--label", "CNT"), TABLE, 2,
        "glimpsed: stdin: --label CNT: the header has no such column; did you mean 'cnt'?"),
    Row("the label is not in the table", (*B, "--label", "price"), TABLE, 2,
        "glimpsed: stdin: --label price: the header has no such column; it has 'hour', 'temp', 'rain', 'cnt'"),
    Row("the label's number counts from 0, as it once did", (*B, "--label", 3), TABLE, 2,
        "glimpsed: stdin: --label 3: columns count from 1 now: #4 is 'cnt'"),
    Row("the label's number is beyond the row", (*B, "--label", "#5"), TABLE, 2,
        "glimpsed: stdin: --label=#5: a row has 4 columns, which count from 1"),
    Row("the label is counted from the end, as in Python", (*B, "--label", "-1"), TABLE, 2,
        "glimpsed: stdin: --label -1: the header has no such column; it has 'hour', 'temp', 'rain', 'cnt', and the "
        "last is called last as well"),
    Row("the label is a name, and the table has no header", (*B, "--label", "cnt"), NO_HEADER, 2,
        "glimpsed: stdin: --label cnt: the table has no header that says which column this is: give its number, from "
        "1, as --label=#4, or --header yes where the first row is one"),
    Row("a header is said to be none", (*B, "--label", "last", "--header", "no"), TABLE, 2,
        "glimpsed: stdin: the first row, 'hour,temp,rain,cnt', has words above numbers: it is a header, and "
        "--header no says that there is none"),
    Row("what is ignored is misspelt", (*B, *L, "--ignore", "tmp"), TABLE, 2,
        "glimpsed: stdin: --ignore tmp: the header has no such column; did you mean 'temp'?"),
    Row("the label is ignored", (*B, *L, "--ignore", "cnt"), TABLE, 2,
        "glimpsed: stdin: --ignore cnt: is the label's column: leave it out of --ignore, or give another --label"),
    Row("everything is ignored", (*B, *L, "--ignore", "hour,temp,rain"), TABLE, 2,
        "glimpsed: stdin: the header leaves no attribute beside the label and what is ignored: leave less out with "
        "--ignore"),
    Row("pandas wrote its index, which has no name", (*B, *L), ",hour,cnt\n0,1,2\n1,3,4\n", 2,
        "glimpsed: stdin: column #1 has no name in the header: --ignore=#1 leaves it out (pandas writes its index so)"),
    Row("two columns have the same name", (*B, *L), "a,b,a,cnt\n1,2,3,4\n", 2,
        "glimpsed: stdin: columns #1 and #3 are both called 'a': --ignore=#3 leaves one out"),
    Row("the label's name is there twice", (*B, *L), "a,cnt,cnt\n1,2,3\n", 2,
        "glimpsed: stdin: --label cnt: 2 columns are called so: #2 and #3: give --label=#2"),
    Row("one column alone", (*B, *L), "cnt\n3\n4\n", 2,
        "glimpsed: stdin: the first row, 'cnt', has one field, and a label and attributes are needed: --delimiter "
        "C says what divides them"),
    Row("one attribute, and an algorithm that chooses", (*B, *L, "--algorithm", "aerr"), "hour,cnt\n3,1\n4,2\n", 2,
        "glimpsed: --dimension 1: must be at least 2 for aerr, which chooses among attributes; of one, "
        "online-ridge, online-lasso, pairwise or apple learns"),
    # Delimiters.
    Row("the delimiter is another", (*B, *L, "--delimiter", ","), TABLE.replace(",", ";"), 2,
        "glimpsed: stdin: the first row, 'hour;temp;rain;cnt', has one field: --delimiter ';' divides it"),
    Row("svmlight is said to be a table", (*B, "--format", "csv"), "1 1:0.5 3:2\n2 1:0.7 2:4\n", 2,
        "glimpsed: stdin: the first row, '1 1:0.5 3:2', is no table but svmlight: --format svmlight reads it"),
    Row("vw is said to be a table", (*B, "--format", "csv"), "1 | a:0.5 b\n2 | a:0.7 c\n", 2,
        "glimpsed: stdin: the first row, '1 | a:0.5 b', is no table but vw: --format vw reads it"),
    Row("fields are divided by what divides nothing", (*B, *L), TABLE.replace(",", "%"), 2,
        "glimpsed: stdin: the first row, 'hour%temp%rain%cnt', has one field, and a label and attributes are "
        "needed: --delimiter C says what divides them"),
    Row("semicolons where rows are told to have commas", (*B, *D, "--delimiter", ","), NO_HEADER.replace(",", ";"), 1,
        "stdin: line 1: row has 1 fields; a model of dimension 3 needs 4 (label and attributes) or 3 (attributes "
        "alone, to get a prediction): its fields seem to be divided by ';': --delimiter ';'"),
    Row("14 columns are read as 12 attributes and a label",
        ("--dimension", 12, "--budget", 5), "1,2,3,4,5,6,7,8,9,0,1,2,3,4\n" * 9, 1,
        "stdin: line 1: row has 14 fields, which with their label are of dimension 13; a model of dimension 12 "
        "needs 13 (label and attributes) or 12 (attributes alone, to get a prediction)"),
    Row("rows have a field more than the header", (*B, *L), "hour,temp,cnt\n" + "1,2,3,4\n" * 9, 2,
        "glimpsed: stdin: column #1 has no name in the header: --ignore=#1 leaves it out (pandas writes its index so)"),
    # What is in a field.
    Row("decimals have points, and commas are asked for",
        (*B, *L, "--decimal-comma"), "hour;temp;cnt\n" + "1;2.5;3\n" * 9, 2,
        "glimpsed: stdin: column #2 ('temp'): '2.5' is no number: with --decimal-comma a comma is decimal, and no "
        "point"),
    ambiguous("thousands have commas", '1,2,"3,000"', LABEL, "3,000"),
    ambiguous("thousands of an attribute have commas", '1,"3,000",2', PRICE, "3,000"),
    Row("thousands come later", (*B, *L), "hour,price,cnt\n1,999,2\n" + '1,"3,000",2\n' * 9, 2,
        f"glimpsed: stdin: column #{PRICE}: '3,000' may {DECIMAL_OR_THOUSANDS}"),
    Row("labels of thousands in JSON", (*B,), '{"label": "3,000", "values": [1, 2]}\n' * 9, 2,
        "glimpsed: stdin: 'label': '3,000' may have a decimal comma or divide thousands: --decimal-comma where it is decimal; "
        "else write thousands without it"),
    no_number("numbers have base 16", "1,0x1f,2", PRICE, "0x1f", "write numbers with base 10"),
    no_number("numbers are formulas of Excel", '1,="5",2', PRICE, '="5"', 'write numbers without =""'),
    Row("a number has a zero byte", (*B, *L), "hour,price,cnt\n" + "1,5\0,2\n" * 9, 2,
        "glimpsed: stdin: column #2 ('price'): '5\\x00' has control characters: it is damaged"),
    Row("the budget does not allow one example", (*B, *L, "--total-budget", 1), TABLE, 1,
        "the budget is spent: 0 attributes were bought for 0, and 0 for 0 are promised to open plans; further labelled "
        "examples are skipped until a restart with a larger --total-budget or --total-cost"),
    Row("the label holds dates", (*B, *L), "day,temp,cnt\n" + "1,2,2026-11-24\n" * 9, 2,
        f"glimpsed: stdin: column #{LABEL} holds dates or times, as '2026-11-24': --label NAME or last says which "
        "column the label is"),
    Row("dates do not show the month", (*B, *L), "day,temp,cnt\n" + "1/2/2026,2,3\n" * 9, 2,
        "glimpsed: stdin: column #1 ('day') holds dates or times, as '1/2/2026', which do not show whether the day or the "
        "month stands first: leave it out with --ignore day, or write 2026-01-31"),
    Row("all labels are missing", (*B, *L), "hour,temp,cnt\n" + "1,2,\n" * 9, 1,
        "nothing was learned: none of 9 records had a label; --label says which column of a table it is"),
    Row("all labels are NaN", (*B, *L), "hour,temp,cnt\n" + "1,2,NaN\n" * 9, 1,
        "stdin: line 2: column #3 ('cnt'): label 'NaN' is not a finite number: leave the field empty or write NA where it "
        "is missing"),
    Row("all values are NaN", (*B, *L), "hour,temp,cnt\n" + "nan,nan,3\n" * 9, 1,
        "nothing was learned: all examples were skipped: 9 in all, 9 of them as values were missing"),
    # Formats.
    Row("the format is misspelt", (*B, *L, "--format", "cvs"), TABLE, 2,
        "glimpsed: --format cvs: must be one of auto, svmlight, vw, csv, ndjson, f32, npy, arff"),
    Row("lines of svmlight do not tell the dimension", (*B,), SVMLIGHT, 2,
        "glimpsed: stdin: svmlight does not tell how many attributes there are, as what is 0 is left out of a "
        "line: give --dimension D, or --attributes FILE with their names"),
    Row("lines of vw do not tell the dimension", (*B,), "1 | hour:3 temp:2\n" * 9, 2,
        "glimpsed: stdin: vw does not tell how many attributes there are, as what is 0 is left out of a line: give "
        "--dimension D, or --attributes FILE with their names"),
    Row("indices of svmlight count from 0", (*B, *D), "1 0:1 2:1\n" * 9, 1,
        "stdin: line 1: index 0 is out of range: this model has dimension 3, so svmlight indices run from 1 to 3; "
        "where they run from 0: --index-base 0"),
    Row("an index of svmlight is beyond the dimension", (*B, *D), "1 1:1 4:1\n" * 9, 1,
        "stdin: line 1: index 4 is out of range: this model has dimension 3, so svmlight indices run from 1 to 3"),
    Row("a table is read as svmlight", (*B, *D, "--format", "svmlight"), NO_HEADER, 1,
        "stdin: line 1: label '0,0.0,0,0' is not a finite number: of a table say --format csv"),
    Row("lines of svmlight are read as a table", (*B, *D, "--format", "csv"), SVMLIGHT, 1,
        "nothing was learned: none of 39 records had a label; --label says which column of a table it is"),
    Row("rows of f32 do not tell the dimension", (*B, "--format", "f32"), b"1234" * 9, 2,
        "glimpsed: stdin: f32 does not tell how many attributes there are: give --dimension D; a row has the label "
        "and D attributes"),
    Row("an npy file, and nobody says so", (*B,), NPY, 2,
        "glimpsed: stdin: this is an npy file: --format npy"),
    Row("gzip is given as npy", (*B, "--format", "npy"), gzip.compress(b"1,2,3\n" * 9, mtime=0), 2,
        "glimpsed: stdin: no .npy file of version 1 to 3: it begins with '1,2,3\\x0a1,'; without --format npy it "
        "is looked at"),
    Row("an npy array of doubles", (*B, "--format", "npy"), NPY.replace(b"<f4", b"<f8"), 2,
        "glimpsed: stdin: the .npy array is of '<f8'; rows must be of '<f4': save array.astype('<f4')"),
    Row("an npy array of another width", ("--dimension", 4, *B, "--format", "npy"), NPY, 1,
        "stdin: line 1: the .npy array has the shape '(2, 3)'; a model of dimension 4 needs (rows, 5): the label, "
        "NaN to get a prediction, and the attributes"),
    Row("objects of JSON are flat", (*B,), '{"hour": 1, "cnt": 3}\n' * 9, 2,
        "glimpsed: stdin: no object has the key 'label', which is the label: --label NAME says which key it is; the "
        "first has 'hour', 'cnt'"),
    Row("an object of JSON has keys for others", (*B,), '{"id": 7, "label": 3, "values": {"hour": 1}}\n' * 9, 2,
        "glimpsed: stdin: unknown key 'id': an example has the keys label, importance, tag and values: --ignore 'id' "
        "passes it over"),
    Row("NaN stands in JSON", (*B,), '{"label": 3, "values": {"hour": NaN}}\n' * 9, 2,
        "glimpsed: stdin: the first object is not valid JSON at byte 33: NaN is no JSON: write null where a value is "
        "missing"),
    Row("an object of JSON has another name",
        (*B, "--attributes", "names.txt"), '{"label": 1, "values": {"hour": 3, "tmp": 4}}\n' * 9, 1,
        "stdin: line 1: no attribute is called 'tmp'; did you mean 'temp'?"),
    Row("an object of JSON goes over several lines",
        (*B,), '{\n "label": 1,\n "values": {"hour": 3, "temp": 4}\n}\n', 2,
        "glimpsed: stdin: the first object is not valid JSON: incomplete JSON: each line is an example, but this "
        "object goes on: jq -c . makes it one line"),
    Row("a JSON array of examples in one line",
        (*B,), '[{"label": 1, "values": {"hour": 3, "temp": 4}}, {"label": 2, "values": {"hour": 3, "temp": 4}}]\n', 2,
        "glimpsed: stdin: several examples stand in one line, and each needs its own: jq -c '.[]' makes lines of an "
        "array"),
    Row("a JSON array of examples over several lines",
        (*B,), '[\n  {\n    "label": 1,\n    "values": {"hour": 3, "temp": 4}\n  }\n]\n', 2,
        "glimpsed: stdin: the first object is not valid JSON: incomplete JSON: each line is an example, but this "
        "array goes on: jq -c '.[]' makes a line of each of its elements"),
    # No tables at all.
    Row("an empty input", (*B, *L), "", 1,
        "glimpsed: nothing was learned: the input has no record, and nothing else tells how many attributes there "
        "are (--dimension D)"),
    Row("an empty input, and the dimension is given", (*B, *D), "", 1,
        "nothing was learned: the input has no record"),
    Row("a header alone", (*B, *L), "hour,temp,rain,cnt\n", 1,
        "nothing was learned: the input has no record"),
    Row("an Excel file", (*B, *L), b"PK\x03\x04\x14\x00\x06\x00" + bytes(range(256)) * 9, 2,
        "glimpsed: stdin: this is a zip file, as Excel's .xlsx is: save the table as CSV, or unzip it"),
    Row("an Excel file, and the dimension is given", (*B, *D), b"PK\x03\x04\x14\x00\x06\x00" + bytes(range(256)) * 9, 1,
        "stdin: line 1: this is a zip file, as Excel's .xlsx is: save the table as CSV, or unzip it"),
    Row("a Parquet file", (*B, *L), b"PAR1\x15\x04\x15\x10" + bytes(range(256)) * 9, 2,
        "glimpsed: stdin: this is a Parquet file: python3 -m glimpsed.arrow FILE.parquet | glimpsed reads it"),
    Row("a web page in place of the file", (*B, *L), "<!DOCTYPE html>\n<html><body>404: not found</body></html>\n", 2,
        "glimpsed: stdin: this is a web page, as servers send where there is no file: look at it, and load it again"),
    Row("a file that xz wrote", (*B, *L), b"\xfd7zXZ\x00\x00\x04" + bytes(99), 2,
        "glimpsed: stdin: this is compressed by xz: xz -dc FILE | glimpsed reads it"),
    Row("gzip data that is cut short", (*B, *L), gzip.compress((TABLE + NO_HEADER * 999).encode(), mtime=0)[:-9], 1,
        "stdin: ends amid its gzip data: it is cut short"),
)


class Inputs(WrongStarts):
    def test_every_wrong_input_is_told_with_its_mend(self):
        self.check_rows(ROWS)


if __name__ == "__main__":
    unittest.main()
