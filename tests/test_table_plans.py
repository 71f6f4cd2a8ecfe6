"""Plans of tables: what a column becomes, from every kind of file and in every block."""

import io
import json
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from commands import said
from novikoff.data import TablePlan, feature_index, read, stream, write
from novikoff.data.formats import csv as csv_format
from novikoff.errors import DataError, FileError, ParameterError


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def csv(text, **options):
    return read(io.BytesIO(text.encode()), format="csv", **options)


def frame_of(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.integers(1, 80, n)),
            "fare": rng.standard_normal(n).round(3) * 30,
            "rooms": rng.integers(1, 9, n),
            "port": rng.choice(["S", "C", "Q"], n),
            "alone": rng.random(n) < 0.5,
            "note": [" ".join(rng.choice(["the", "dog", "barks", "Cat"], 5)) for _ in range(n)],
            "name": [f"name {i}, Mr." for i in range(n)],
            "label": rng.choice(["no", "yes"], n),
        }
    )


# ------------------------------------------------------------- one plan, many files


WISHES = [
    TablePlan(),
    TablePlan(scale=True, missing="mean"),
    TablePlan(text=["note", "name"], bits=6),
    TablePlan(categories="rooms", one_hot=2, bits=5),
]


@pytest.mark.parametrize("plan", WISHES, ids=str)
def test_every_kind_of_file_gives_the_same_rows(plan, tmp_path):
    frame = frame_of()
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_csv(tmp_path / "x.tsv", index=False, sep="\t", quoting=1)
    frame.to_parquet(tmp_path / "x.parquet", index=False)
    frame.to_feather(tmp_path / "x.arrow")
    polars.DataFrame(frame).write_parquet(tmp_path / "polars.parquet")
    found = [read(path, plan=plan) for path in sorted(tmp_path.iterdir())]
    for data in found:
        assert data.names == found[0].names
        assert np.allclose(dense(data.X), dense(found[0].X), rtol=1e-12)
        assert data.y.tolist() == frame["label"].tolist()
        assert not hasattr(plan, "columns_")  # what was given is as it was
    features = frame.drop(columns="label")
    for table in (features, polars.DataFrame(features), pyarrow.Table.from_pandas(features)):
        own = TablePlan(**plan.get_params()).fit(table)
        assert np.allclose(dense(own.transform(table)), dense(found[0].X), rtol=1e-12)
        assert own.get_feature_names_out().tolist()[: own.width] == own._own_names


@pytest.mark.parametrize("plan", WISHES, ids=str)
@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_streams_are_what_is_read_whole(plan, ending, tmp_path):
    frame, path = frame_of(), tmp_path / f"x.{ending}"
    frame["port"] = frame["port"] + "\n"  # a newline in quotes
    to = {"csv": frame.to_csv, "parquet": frame.to_parquet, "arrow": frame.to_feather}[ending]
    to(path, **({} if ending == "arrow" else {"index": False}))
    whole = read(path, plan=plan)
    for size in (1, 300, 2000):
        blocks = [*stream(path, block_bytes=size, plan=plan)]
        assert len(blocks) > 1
        assert np.array_equal(np.vstack([dense(b.X) for b in blocks]), dense(whole.X))
        half = blocks[len(blocks) // 2]
        rest = [*stream(path, block_bytes=size, plan=plan, start=half.start)]
        assert [b.next for b in rest] == [b.next for b in blocks[len(blocks) // 2 :]]
        assert np.array_equal(dense(rest[0].X), dense(half.X))


def test_it_is_what_scikit_learn_makes():
    frame = frame_of()
    ours = TablePlan(scale=True, missing="mean", text="note", bits=16)
    X = ours.fit(frame[["fare", "port", "note"]]).transform(frame[["fare", "port", "note"]])
    theirs = ColumnTransformer(
        [("n", StandardScaler(), ["fare"]), ("c", OneHotEncoder(), ["port"])]
    ).fit_transform(frame)
    assert np.allclose(X[:, : ours.width].toarray(), dense(theirs))
    words = CountVectorizer(token_pattern=r"\w+")
    counts = words.fit_transform(frame["note"]).toarray()
    for word, j in words.vocabulary_.items():
        column = ours.width + feature_index(word, "note", bits=16)
        assert np.array_equal(X[:, [column]].toarray()[:, 0], counts[:, j])
    assert X[:, ours.width :].sum() == counts.sum()


@given(st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.none()), min_size=1))
def test_numbers_and_blanks(values):
    text = "a,b,label\n" + "".join(f"{'' if v is None else repr(v)},1,x\n" for v in values)
    known = [v for v in values if v is not None]
    data = csv(text)
    if not known:
        assert data.names == ["b"]
        return
    with np.errstate(over="ignore"):
        mean = np.mean(known)
    mean = mean if np.isfinite(mean) else np.median(known)
    want = [[mean if v is None else v] + [float(v is None)] * (None in values) for v in values]
    assert dense(data.X)[:, :-1].tolist() == want
    for missing, width in (("mean", 1), ("indicator", 1 + (None in values))):
        assert csv(text, plan=TablePlan(missing=missing)).X.shape[1] == width + 1
    if None in values:
        with pytest.raises(FileError, match="found '', expected a finite number in column 'a'"):
            csv(text, plan=TablePlan(missing="error"))


@given(st.lists(st.sampled_from(["red", "green", " red", "", "NA", "blå", '"', "a;b"]), min_size=1))
def test_categories_mark_their_value(words):
    content = io.StringIO()
    pd.DataFrame({"c": words, "n": 1, "label": "x"}).to_csv(content, index=False, quoting=1)
    data = csv(content.getvalue(), plan=TablePlan(categories="c"))
    bare = [word.strip(" \t") for word in words]
    values = sorted({*bare} - {""}) + [""] * ("" in bare)
    names = [f"c={v}" if v else "c is missing" for v in values]
    assert data.names == [*names, "n"]
    assert dense(data.X).tolist() == [[float(v == w) for v in values] + [1.0] for w in bare]


# ------------------------------------------------------------- what the first rows say


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["1", "2.5", "-3e4"], "1 number"),
        (["1", "", "3"], "1 number (with blanks)"),
        (["1", " NA ", "3", "?", "nan", "NULL"], "1 number (with blanks)"),
        (["1,234.5", "7", "1,000,000"], "1 number"),
        (["true", "False", "TRUE"], "1 yes-or-no column"),
        (["yes", "no", ""], "1 yes-or-no column (with blanks)"),
        (["t", "f"], "1 yes-or-no column"),
        (["f", "f", "m"], "1 category (2 values)"),
        (["a", "b", "a"], "1 category (2 values)"),
        (["a", "", "a"], "1 category (2 values)"),
        (["", "NA"], "1 ignored: c, no values"),
        (["2020-01-31", "2021-12-01"], "1 ignored: c, dates"),
        (["31.12.2020", "01.02.2021"], "1 ignored: c, dates"),
        ([f"id-{i}" for i in range(20)], "1 category (20 values)"),
        ([f"id-{i}" for i in range(21)], "1 ignored: c, 21 different values"),
        ([f"Mr. number {i} of all" for i in range(200)], "1 ignored: c, 200 different texts"),
        ([f"id-{i % 101}" for i in range(999)], "1 hashed category (c)"),
        (["1"] * 95 + ["x"] * 5, "1 number"),
        (["1"] * 85 + ["x"] * 15, "1 category (2 values)"),
    ],
)
def test_what_becomes_of_a_column(values, told):
    plan = TablePlan().fit(pd.DataFrame({"c": values}))
    assert plan.summary() == f"1 column: {told}"


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])
def test_dates_are_days(form):
    days = pd.date_range("1999-12-25", periods=40, freq="13h")
    texts = pd.Series(days).dt.strftime(form)
    exact = pd.to_datetime(texts, format=form)
    want = (exact - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    for plan in (TablePlan(dates=True), TablePlan(dates=form)):
        X = plan.fit(pd.DataFrame({"d": texts})).transform(pd.DataFrame({"d": texts}))
        assert X[:, 0].tolist() == want.tolist()
    text = "d,label\n" + "".join(f"{d},x\n" for d in texts)
    assert csv(text, plan=TablePlan(dates=True)).X[:, 0].tolist() == want.tolist()
    with pytest.raises(FileError, match=r"found 'soon', expected a date, written as .* 'd'"):
        csv(text + "soon,x\n", plan=TablePlan(dates=True))
    stored = pd.DataFrame({"d": exact})
    assert TablePlan(dates=True).fit_transform(stored)[:, 0].tolist() == want.tolist()


def test_a_late_value_that_the_plan_does_not_know(monkeypatch):
    from novikoff.data.delimited import head

    monkeypatch.setattr(head, "LOOK", 200)
    text = "a,c,label\n" + "1,x,0\n2,y,1\n" * 40 + "3,z,0\n,x,1\nNA,q,1\n"
    data = csv(text)
    assert data.names == ["a", "c=x", "c=y"]
    assert data.unseen == Counter(c=2, a=2)
    mean = data.plan.columns_[0].mean
    assert data.X[-3:].tolist() == [[3, 0, 0], [mean, 1, 0], [mean, 0, 0]]
    with pytest.raises(FileError, match=r":85:1: found 'three', expected a finite number"):
        csv(text + "three,x,0\n")


@given(st.data())
def test_the_three_ways_to_read_a_block_agree(data):
    """Also about values that are no numbers, dates or booleans where these are expected."""
    words = ["", " ", "NA", "x", "1", " 2.5 ", "1,5", "yes", "TRUE", "2020-02-30", '"', 'a"', "é "]
    odd = st.sampled_from(words)
    rows = [["7", "a", "yes", "2020-01-01"], ["8.5", "b", "no", "2020-01-02T10:00"]] * 30
    rows += data.draw(st.lists(st.lists(odd, min_size=4, max_size=4), max_size=4))
    content = io.StringIO()
    table = pd.DataFrame(rows, columns=[*"ncbd"]).assign(label="x", more="long text", h="z")
    table.to_csv(content, index=False, quoting=data.draw(st.sampled_from([0, 1])))
    scale, results = data.draw(st.booleans()), []
    plan = TablePlan(dates=True, text="more", one_hot=2, scale=scale)
    for without in ((), ("fast_block",), ("fast_block", "arrow_block")):
        with pytest.MonkeyPatch.context() as patch:
            for name in without:
                patch.setattr(csv_format, name, lambda *_: None)
            found = csv(content.getvalue(), plan=plan, bad_lines="skip")
            results.append((dense(found.X).tobytes(), found.names, found.skipped, found.unseen))
    assert results[0] == results[1] == results[2]


# ------------------------------------------------------------- dialects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_delimiters_and_decimals_are_found_out(delimiter, decimal):
    frame = frame_of()[["age", "fare", "port", "label"]]
    quoting = 1 if delimiter == decimal else 0
    content = io.StringIO()
    frame.to_csv(content, index=False, sep=delimiter, decimal=decimal, quoting=quoting)
    known = {"decimal": decimal} if delimiter == decimal else {}
    data = csv(content.getvalue(), **known) if not known else None
    if data is None:
        with pytest.raises(ParameterError, match="must be different"):
            csv(content.getvalue(), delimiter=",", decimal=",")
        return
    assert np.allclose(dense(data.X)[:, 2], frame["fare"])
    assert [c.kind for c in data.plan.columns_] == ["number", "number", "category"]
    again = csv(content.getvalue(), delimiter=delimiter, decimal=decimal)
    assert np.array_equal(dense(again.X), dense(data.X))


def test_german_numbers():
    data = csv(
        "Preis;Menge;label\n1.234,50;1\n".replace(";1\n", ";1;a\n") + "7,5;12;b\n-0,25;3;a\n"
    )
    assert data.X.tolist() == [[1234.5, 1], [7.5, 12], [-0.25, 3]]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a;label\n0,101;x\n0,102;y\n", [0.101, 0.102]),
        ("a;label\n1,101;x\n2,205;y\n", [1.101, 2.205]),
        ("a;label\n1.101;x\n2.205;y\n", [1.101, 2.205]),
        ("a;label\n1.234.567;x\n2.205.111;y\n", [1234567, 2205111]),
        ("a;label\n1,234,567;x\n12,5;y\n12,5;y\n" + "12,5;y\n" * 20, None),
        ("a\tlabel\n1,101\tx\n2,205\ty\n", [1101, 2205]),
        ("a\tlabel\n0,101\tx\n2,205\ty\n", [0.101, 2.205]),
        ('a,label\n"1,101",x\n"12,101",y\n', [1101, 12101]),
    ],
)
def test_decimals_and_thousands(text, values):
    """Where both are possible, the delimiter decides; thousands do not begin with 0."""
    if values is None:
        with pytest.raises(FileError, match="1,234,567"):
            csv(text)
        return
    assert dense(csv(text).X)[:, 0].tolist() == values


def test_a_decimal_mark_that_is_the_delimiter():
    with pytest.raises(FileError, match="found commas between the columns, .* since decimal=','"):
        csv('a,label\n"0,5",x\n"1,5",y\n', decimal=",")


def test_blanks_that_the_mean_replaces_are_nothing_new():
    """Read in any of the three ways."""
    text = "age,label\n" + "1,a\n,b\n3,a\n" * 5
    for without in ((), ("fast_block",), ("fast_block", "arrow_block")):
        with pytest.MonkeyPatch.context() as patch:
            for name in without:
                patch.setattr(csv_format, name, lambda *_: None)
            data = csv(text, plan=TablePlan(missing="mean"))
            assert dense(data.X)[:3, 0].tolist() == [1, 2, 3]
            assert not data.unseen


def test_more_values_than_columns_allowed_are_hashed():
    port = [f"p{k}" for k in range(12)] * 2
    text = "port,label\n" + "".join(f"{p},{k % 2}\n" for k, p in enumerate(port))
    assert csv(text, plan=TablePlan(one_hot=11)).plan.columns_[0].kind == "hashed"
    assert csv(text, plan=TablePlan(one_hot=12)).plan.columns_[0].kind == "category"


def test_commands_that_drop_columns_say_so(tmp_path):
    names = "".join(f'"Dr. Number {k}, a person",{k / 7},{k % 2}\n' for k in range(30))
    (tmp_path / "x.csv").write_text("name,a,label\n" + names)
    for words in (
        ("certify", tmp_path / "x.csv"),
        ("convert", tmp_path / "x.csv", tmp_path / "x.svm"),
        ("fit", tmp_path / "x.csv", "-o", tmp_path / "m", "--progressive"),
    ):
        status, _, err = said(*words)
        assert status == 0
        assert "2 columns: 1 number, 1 ignored: name" in err


def test_a_plan_remembers_the_decimal_mark():
    """For rows that do not say; what other rows say of themselves comes first."""
    settled = csv("a;b;label\n1,5;1;x\n2,5;2;y\n").plan
    for plan in (settled, TablePlan.from_dict(settled.to_dict())):
        doubtful = csv("a;b\n1.234;2\n", plan=plan, labels="optional")
        assert doubtful.X.tolist() == [[1234, 2]]
        assert csv("a;b\n7,25;2\n", plan=plan, labels="optional").X.tolist() == [[7.25, 2]]
        assert csv("a;b\n7.25;2\n", plan=plan, labels="optional").X.tolist() == [[7.25, 2]]
        frame = pd.DataFrame({"a": ["1,5"], "b": ["2"]})
        assert plan.transform(frame).tolist() == [[1.5, 2]]


@pytest.mark.parametrize("numbers", [range(1, 31), [*range(5, 20), *range(100, 140, 2)]])
def test_what_may_be_an_index_is_said(tmp_path, numbers):
    """The index of a whole frame, and of a filtered one; not what merely increases."""
    rng = np.random.default_rng(0)
    n = len(numbers)
    frame = pd.DataFrame({"id": numbers, "a": np.sort(rng.random(n)), "b": rng.integers(0, 9, n)})
    frame.assign(label=frame["a"] > 0.5).to_csv(tmp_path / "x.csv", index=False)
    status, _, err = said("fit", tmp_path / "x.csv", "-o", tmp_path / "m")
    assert status == 0
    assert "id increases from row to row, as an index does" in err
    assert "leave it out (--ignore id)" in err
    assert err.count("increases") == 1
    _, _, err = said("fit", tmp_path / "x.csv", "-o", tmp_path / "m", "--ignore", "id")
    assert "increases" not in err


def test_categories_of_data_frames_in_arrow(tmp_path):
    """Texts that are stored once each, and numbers in them."""
    frame = pd.DataFrame({"c": ["x", "y", "x"], "n": ["1.5", "2", "3"], "label": [0, 1, 0]})
    frame.astype({"c": "category", "n": "category"}).to_parquet(tmp_path / "x.parquet")
    data = read(tmp_path / "x.parquet")
    assert data.names == ["c=x", "c=y", "n"]
    assert data.X.tolist() == [[1, 0, 1.5], [0, 1, 2], [1, 0, 3]]


def test_a_first_line_of_words_that_come_again_is_no_header():
    text = "ham\tsee you\nspam\twin now\nham\thello\n"
    assert csv(text, label=0).y.tolist() == ["ham", "spam", "ham"]
    assert csv("kind\ttext\n" + text, label="kind").y.tolist() == ["ham", "spam", "ham"]


def test_other_encodings_are_named():
    with pytest.raises(FileError, match=r"found text in UTF-16, expected UTF-8: .*iconv -f UTF-16"):
        read(io.BytesIO("a,label\n1,2\n".encode("utf-16")), format="csv")


@given(
    st.lists(
        st.lists(st.text('ab\n",; \r', max_size=5), min_size=2, max_size=2), min_size=1, max_size=8
    ),
    st.integers(1, 40),
)
def test_quoted_fields_may_have_anything(rows, size):
    """Delimiters, quotes and newlines, wherever a block ends."""
    content = io.StringIO()
    table = pd.DataFrame([["p", "q"], *rows], columns=["c", "d"]).assign(n=1, label="x")
    table.to_csv(content, index=False, quoting=1, lineterminator="\n")
    text, plan = content.getvalue(), TablePlan(categories=["c", "d"])
    whole = csv(text, plan=plan)
    bare = [word.strip(" \t") for word in table["c"]]
    assert [n.removeprefix("c=") for n in whole.names if n.startswith("c=")] == sorted(
        {*bare} - {""}
    )
    blocks = [*stream(io.BytesIO(text.encode()), format="csv", block_bytes=size, plan=plan)]
    assert np.array_equal(np.vstack([dense(b.X) for b in blocks]), dense(whole.X))
    assert blocks[-1].next.offset == len(text.encode())


# ------------------------------------------------------------- kept, and used again


def test_a_plan_is_kept_as_json_and_by_pickle():
    frame = frame_of()
    for plan in WISHES:
        fitted = TablePlan(**plan.get_params()).fit(frame)
        for again in (
            TablePlan.from_dict(json.loads(json.dumps(fitted.to_dict()))),
            pickle.loads(pickle.dumps(fitted)),
        ):
            assert again.columns_ == fitted.columns_
            assert again.summary() == fitted.summary()
            assert np.array_equal(dense(again.transform(frame)), dense(fitted.transform(frame)))


def test_columns_are_found_by_name(tmp_path):
    frame = frame_of()
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    first = read(path)
    frame[[*frame.columns[::-1]]].assign(more=1).to_csv(path, index=False)
    other = read(path, plan=first.plan)
    assert np.array_equal(dense(other.X), dense(first.X))
    frame.drop(columns=["port"]).to_csv(path, index=False)
    with pytest.raises(FileError, match="it lacks the column 'port'"):
        read(path, plan=first.plan)
    with pytest.raises(DataError, match="does not fit the plan: it lacks the column 'port'"):
        first.plan.transform(frame.drop(columns="port"))


def test_in_a_pipeline():
    frame = frame_of(n=200)
    y = frame["fare"] + 20 * (frame["port"] == "S") > 5
    model = make_pipeline(TablePlan(scale=True), LogisticRegression()).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert "port=S" in model[:-1].get_feature_names_out()


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"missing": "no"}, "missing='no' was given, but it must be one of 'indicator', 'mean'"),
        ({"one_hot": 0}, "one_hot=0 was given, but it must be a whole number, 1 or more"),
        ({"bits": 31}, "bits=31 was given, but it must be a whole number from 1 to 30"),
        ({"text": 1.5}, "text=1.5 was given, but it must be the name or number of a column"),
        ({"text": "nowhere"}, "There is no column 'nowhere': give one of 'age', 'fare'"),
        ({"dates": 3}, "dates=3 was given, but it must be True, False, or how dates are written"),
    ],
)
def test_what_no_plan_can_be(wish, message):
    with pytest.raises(ParameterError, match=message):
        TablePlan(**wish).fit(frame_of())
    with pytest.raises(ParameterError, match=message):
        csv(frame_of().to_csv(index=False), plan=TablePlan(**wish))


def test_columns_can_be_named_together(tmp_path):
    frame = frame_of()
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    assert read(path, ignore="age,port").names == read(path, ignore=["age", "port"]).names
    both = TablePlan(text="note,name", bits=5).fit(frame)
    assert both.columns_ == TablePlan(text=["note", "name"], bits=5).fit(frame).columns_
    write(tmp_path / "y.csv", np.ones((2, 2)), [0, 1], names=["a,b", "c"])
    assert read(tmp_path / "y.csv", ignore="a,b").names == ["c"]
