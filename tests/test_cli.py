"""The command line: what it promises, checked from outside."""

import inspect
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import novikoff
from commands import command, done, killed, run, same_files
from forks import Popen, python
from novikoff import cli, separability
from novikoff.cli import parser, patience
from novikoff.cli.commands import COMMANDS
from novikoff.cli.learners import ALL, BY_WORD, NO_OPTIONS, given as parameters_given
from novikoff.cli.options import flag, option
from novikoff.cli.parser import build
from novikoff.cli.progress import Bar
from novikoff.cli.signals import Terminated
from novikoff.data import load as bundled, planted, read, write
from novikoff.learners import DUALS
from novikoff.store import load_with_extra, save
from terminals import on_a_terminal

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Examples in several forms: separable ones, and noisy ones."""
    folder = tmp_path_factory.mktemp("files")
    X, y, *_ = planted(3000, 20, margin=0.02, seed=0)
    write(folder / "clean.svm", X.round(3), y)
    random = np.random.default_rng(0)
    noisy = np.where(random.random(len(y)) < 0.1, -y, y)
    write(folder / "noisy.svm", X.round(3), noisy)
    write(folder / "noisy.svm.gz", X.round(3), noisy)
    X, y, names = bundled("sonar")
    write(folder / "sonar.csv", X, y, names=list(names))
    return folder


# ------------------------------------------------------------- the table of options


def test_every_learner_has_its_word():
    words = {word: learner.__name__ for word, learner in BY_WORD.items()}
    assert words == {
        "perceptron": "Perceptron",
        "averaged": "AveragedPerceptron",
        "voted": "VotedPerceptron",
        "pocket": "Pocket",
        "winnow": "Winnow",
        "balanced-winnow": "BalancedWinnow",
        "passive-aggressive": "PassiveAggressive",
        "second-order": "SecondOrderPerceptron",
        "arow": "AROW",
        "scw": "SCW",
        "kernel": "KernelPerceptron",
        "romma": "Romma",
        "max-margin": "MaxMargin",
    }
    assert tuple(BY_WORD.values()) == (*novikoff.learners.LEARNERS, *DUALS, novikoff.MaxMargin)


@pytest.mark.parametrize("word", BY_WORD)
def test_every_parameter_is_an_option(word):
    fit = build(complete=True).parsers()["fit"]
    told = {o: a.help for a in fit._actions for o in a.option_strings}
    for name in inspect.signature(BY_WORD[word]).parameters:
        if name not in NO_OPTIONS:
            assert word in having(told[flag(name)]), name


def having(told):
    """The learners for which help says that they have a parameter."""
    found = set()
    for listed in re.findall(r"\[([^]]+)\]", told):
        words = set(re.split(r"[\s,]+", listed.removeprefix("all but ")))
        assert words <= {*ALL}
        found |= {*ALL} - words if listed.startswith("all but ") else words
    return found


@pytest.mark.parametrize("word", BY_WORD)
def test_defaults_can_be_given(folder, tmp_path, word):
    """What the command reads from its words is what the learner has by itself."""
    learner = BY_WORD[word]
    words = []
    for name, parameter in learner._parameters.items():
        if name not in NO_OPTIONS and parameter.default is not None:
            words += option(name, parameter.default).split()
    given = build().parse_args(["fit", "x", "-o", "m", "--learner", word, *words])
    found = parameters_given(given)
    ours = {name: p.default for name, p in learner._parameters.items() if name in found}
    assert found == ours
    assert {name: type(value) for name, value in found.items()} == {
        name: type(value) for name, value in ours.items()
    }


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS)])
def test_help_is_quick(words):
    """Only `fit --help-all` and that of a learner say what learners say of themselves."""
    program = (
        "import sys\nfrom novikoff.cli import main\n"
        "try: main([*sys.argv[1:], '--help'])\nexcept SystemExit: pass\n"
        "assert not {'numpy', 'numba', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    program = [sys.executable, "-c", program, *words]
    helped = subprocess.run(program, check=True, capture_output=True, text=True)
    assert " ".join(["usage: novikoff", *words]) in helped.stdout


def test_a_command_is_a_file_and_a_line():
    folder = ROOT / "src" / "novikoff" / "cli" / "commands"
    assert {path.stem for path in folder.glob("*.py")} == {"__init__", *COMMANDS}


def test_every_command_is_documented():
    page = (ROOT / "docs" / "command.md").read_text()
    for name in COMMANDS:
        assert f"novikoff {name}" in page
    for status in ("0", "1", "2", "3", "4", "5", "130", "143"):
        assert re.search(rf"^\| {status} \|", page, re.M)


# ------------------------------------------------------------- fit, predict, score


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted"])
def test_from_a_file_to_predictions(folder, tmp_path, learner):
    model, data = tmp_path / "model", folder / "noisy.svm"
    done("fit", data, "-o", model, "--learner", learner, "--epochs", 3)
    loaded = novikoff.load(model)
    X, y, *_ = read(data)
    printed = done("predict", model, data).split()
    assert [float(word) for word in printed] == loaded.predict(X).tolist()
    right = int((loaded.predict(X) == y).sum())
    told = json.loads(done("score", model, data, "--json"))
    assert (told["examples"], told["right"], told["accuracy"]) == (3000, right, right / 3000)
    assert f"{right:,} of 3,000 right" in done("score", model, data)
    assert right > 1800  # the last hyperplane of a noisy run may be a poor one
    lines = done("predict", model, data, "--scores").splitlines()
    scores = [float(line.split("\t")[1]) for line in lines]
    assert scores == loaded.decision_function(X).tolist()


def test_one_block_is_one_pass_of_the_library(folder, tmp_path):
    data, model = folder / "noisy.svm", tmp_path / "model"
    options = ("--epochs", 4, "--no-shuffle", "--learner", "perceptron", "--eta0", 0.5)
    done("fit", data, "-o", model, *options)
    X, y, *_ = read(data)
    with pytest.warns(novikoff_warning()):
        same = novikoff.Perceptron(max_iter=4, shuffle=False, eta0=0.5).fit(X, y)
    ours = novikoff.load(model)
    assert ours.mistakes_.tolist() == same.mistakes_.tolist()
    assert ours.coef_.tobytes() == same.coef_.tobytes()
    assert ours.intercept_.tobytes() == same.intercept_.tobytes()


def novikoff_warning():
    from sklearn.exceptions import ConvergenceWarning

    return ConvergenceWarning


def test_a_run_that_ends_proves_its_bound(folder, tmp_path):
    model = tmp_path / "model"
    options = ("--learner", "perceptron", "--epochs", 100, "--block-bytes", "20K")
    finished = run("fit", folder / "clean.svm", "-o", model, *options)
    assert "none in the last; no order of these examples can force more than" in finished.stderr
    assert finished.stdout == ""
    X, y, *_ = read(folder / "clean.svm")
    loaded = novikoff.load(model)
    assert loaded.converged_
    assert (loaded.predict(X) == y).all()
    ends = novikoff.separability(
        np.hstack([X.toarray(), np.ones((3000, 1))]), y, fit_intercept=False
    ).margin
    assert 0 < loaded.margin_.lower <= ends.upper
    assert ends.lower <= loaded.margin_.upper
    assert loaded.n_mistakes_ <= loaded.mistake_bound_


def test_the_model_depends_on_the_file_and_the_options_alone(folder, tmp_path):
    fit = ("fit", folder / "noisy.svm", "--epochs", 3, "--block-bytes", "16K", "--quiet", "-o")
    done(*fit, tmp_path / "one")
    done(*fit, tmp_path / "two", "--n-jobs", 1, "--memory", "1K")
    assert same_files(tmp_path / "one", tmp_path / "two")
    done("fit", folder / "noisy.svm.gz", *fit[2:], tmp_path / "three")
    with (folder / "noisy.svm").open("rb") as file:
        known = ("--n-features", 20, "--no-zero-based")
        done("fit", "-", *fit[2:], tmp_path / "four", *known, stdin=file)
    done(*fit, tmp_path / "five", "--seed", 1)
    for other in ("three", "four"):
        assert same_files(tmp_path / "one", tmp_path / other)
    assert not same_files(tmp_path / "one", tmp_path / "five")


def test_tables_by_name(folder, tmp_path):
    data, model = folder / "sonar.csv", tmp_path / "model"
    finished = run("fit", data, "-o", model, "--learner", "max-margin")
    assert "margin 0.00108045313 to 0.00108045314, 59 examples" in finished.stderr
    names = list(bundled("sonar")[2])
    assert list(novikoff.load(model).feature_names_in_) == names
    assert "208 of 208 right" in done("score", model, data)
    shown = done("show", model, "--top", 2)
    assert "MaxMargin of" in shown
    weights = shown.split("the largest:\n")[1].splitlines()[:2]
    assert all(line.split()[0] in names for line in weights)
    rows = [line.split(",") for line in data.read_text().splitlines()]
    swapped = tmp_path / "swapped.csv"
    swapped.write_text("\n".join(",".join([*row[1::-1], *row[2:]]) for row in rows))
    assert done("predict", model, swapped) == done("predict", model, data)
    swapped.write_text("\n".join(",".join(row[1:]) for row in rows))
    finished = run("predict", model, swapped)
    assert finished.returncode == 3
    assert "swapped.csv: it lacks the column 'band_1'" in finished.stderr


def test_vowpal_wabbit_text_from_end_to_end(tmp_path):
    lines = [
        f"{1 if k % 2 else -1} |animal {'legs wings' if k % 2 else 'fins'}:2" for k in range(50)
    ]
    (tmp_path / "train.vw").write_text("\n".join(lines))
    done("fit", tmp_path / "train.vw", "-o", tmp_path / "model", "--bits", 10)
    assert novikoff.load(tmp_path / "model").feature_hash_ == {"bits": 10}
    unlabelled = "|animal legs\n|animal fins\n"
    out = done("predict", tmp_path / "model", "-", "--format", "vw", input=unlabelled)
    assert out == "1\n-1\n"


def test_winnow_and_slack(tmp_path):
    X = (np.random.default_rng(0).random((200, 30)) < 0.2).astype(float)
    y = np.where(X[:, [1, 5]].any(axis=1), 1, -1)
    write(tmp_path / "or.svm", sparse.csr_array(X), y)
    done(
        "fit", tmp_path / "or.svm", "-o", tmp_path / "model", "--learner", "winnow", "--epochs", 50
    )
    assert novikoff.load(tmp_path / "model").converged_
    done(
        "fit",
        tmp_path / "or.svm",
        "-o",
        tmp_path / "model",
        "--learner",
        "perceptron",
        "--slack",
        1,
    )
    assert novikoff.load(tmp_path / "model").slack == 1


# ------------------------------------------------------------- what is wrong is said


def test_a_bad_line_ends_the_run_and_nothing_is_written(folder, tmp_path):
    lines = (folder / "noisy.svm").read_text().splitlines()
    lines[1999] = "1 3:0.5 2:1"
    bad, model = tmp_path / "bad.svm", tmp_path / "model"
    bad.write_text("\n".join(lines))
    for more in ((), ("--block-bytes", "16K", "--n-features", 20, "--no-zero-based")):
        finished = run("fit", bad, "-o", model, *more)
        assert finished.returncode == 3
        assert re.match(rf"novikoff: {re.escape(str(bad))}:2000:9: found ", finished.stderr)
        assert "Traceback" not in finished.stderr
        assert not model.exists()
        assert finished.stdout == ""
    finished = run("fit", bad, "-o", model, "--bad-lines", "skip", "--epochs", 2)
    assert finished.returncode == 0
    assert "1 bad line was left out; the first:\n" in finished.stderr
    assert ":2000:9: found" in finished.stderr
    assert load_with_extra(model)[1]["bad_lines"] == 1
    assert "bad lines    1 was left out" in done("show", model)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("fit", "nowhere", "-o", "m"), 3, "nowhere: cannot be opened"),
        (("fit", "{clean}", "-o", "missing/m"), 4, "missing"),
        (("fit", "{clean}", "-o", "/dev/full"), 4, "the disk is full"),
        (
            ("fit", "{clean}", "-o", "m", "--C", "3"),
            2,
            "--C is an option of passive-aggressive, scw, max-margin",
        ),
        (("fit", "{clean}", "-o", "m", "--eta0", "-1"), 2, "--eta0 -1 was given, but it must be"),
        (("fit", "{clean}", "-o", "m", "--eta0", "x"), 2, "must be a finite number above 0."),
        (("fit", "{clean}", "-o", "m", "--epochs", "0"), 2, "whole number of at least 1"),
        (("fit", "{clean}", "-o", "m", "--learner", "winnow"), 3, "0/1 features"),
        (("fit", "-", "-o", "m"), 3, "found no examples"),
        (
            ("fit", "-", "-o", "m", "--format", "svmlight"),
            2,
            "give --n-features, and --zero-based or --no-zero-based",
        ),
        (
            ("predict", "{clean}", "{clean}"),
            3,
            "This is not a model file: it begins with the text '",
        ),
        (
            ("fit", "{clean}", "-o", "m", "--lerner", "voted"),
            2,
            "Did you mean --learner? (`novikoff fit --help`",
        ),
        (("show", "m", "more"), 2, "arguments: more. (`novikoff show --help` lists"),
        (("fit", "{clean}", "-o", "/proc/x.model"), 4, "takes no files. Choose another"),
        (("score", "nowhere", "{clean}"), 3, "nowhere: No such file"),
        (("verify", "{clean}", "{clean}"), 3, "clean.svm"),
        (("convert", "{clean}", "clean.doc"), 2, "doc"),
        ((), 2, "COMMAND"),
    ],
)
def test_errors_are_sentences(folder, tmp_path, words, status, told):
    words = [word.format(clean=folder / "clean.svm") for word in words]
    finished = run(*words, cwd=tmp_path)
    assert finished.returncode == status, finished.stderr
    assert told in finished.stderr
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""
    assert not list(tmp_path.iterdir())


def test_one_label_only(tmp_path):
    (tmp_path / "one.svm").write_text("1 1:2\n1 2:3\n")
    finished = run("fit", tmp_path / "one.svm", "-o", tmp_path / "m")
    assert finished.returncode == 3
    assert "found only one label, 1: a classifier needs examples of two" in finished.stderr
    (tmp_path / "three.svm").write_text("1 1:2\n2 2:3\n3 1:1\n")
    for more in (("--learner", "winnow", "--binarize", 0), ("--classes", 1, 2)):
        finished = run("fit", tmp_path / "three.svm", "-o", tmp_path / "m", *more)
        assert finished.returncode == 3
        assert "three.svm:3: found the label 3, expected 1 or 2" in finished.stderr
    assert not (tmp_path / "m").exists()


def test_a_full_disk_leaves_the_old_model(folder, tmp_path):
    model = tmp_path / "model"
    done("fit", folder / "clean.svm", "-o", model, "--epochs", 1)
    before = model.read_bytes()

    def no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    cache = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    words = command("fit", folder / "clean.svm", "-o", model, "--epochs", 2)
    pipe = {"stderr": subprocess.PIPE, "text": True}
    finished = subprocess.run(words, check=False, preexec_fn=no_room, env=cache, **pipe)
    assert finished.returncode == 4, finished.stderr
    assert str(model) in finished.stderr
    assert model.read_bytes() == before
    assert list(tmp_path.iterdir()) == [model]


# ------------------------------------------------------------- pipes and terminals


def test_it_composes_with_other_commands(folder, tmp_path):
    model, data = tmp_path / "model", folder / "noisy.svm"
    done("fit", data, "-o", model, "--quiet")
    line = f"{python()} -m novikoff predict {model} {data} | head -n 1"
    piped = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, check=False)
    assert piped.stdout in (b"1\n", b"-1\n")
    assert piped.stderr == b""
    quiet = run("fit", data, "-o", model, "--quiet")
    assert quiet.stderr == quiet.stdout == ""


def test_a_progress_bar_on_a_terminal_only(folder, tmp_path):
    words = ("fit", folder / "noisy.svm", "-o", tmp_path / "model", "--block-bytes", "16K")
    text, status = on_a_terminal(words)
    assert status == 0
    assert re.search(r"epoch \d+/10", text)
    assert re.search(r"B/s, [\d,]+ mistakes\]", text)
    assert "\r" not in run(*words).stderr
    assert "mistakes]" not in on_a_terminal((*words, "--quiet"))[0]


@pytest.mark.parametrize("end", [".gz", ".xz", ".zst"])
def test_a_progress_bar_knows_how_far_a_compressed_file_is(folder, tmp_path, monkeypatch, end):
    """In bytes of the file itself, of which all are read by the end of each pass."""
    X, y, *_ = read(folder / "noisy.svm")
    names = [tmp_path / f"{part}.svm{end}" for part in "ab"]
    for name, rows in zip(names, (slice(0, 1000), slice(1000, None)), strict=True):
        write(name, X[rows], y[rows])
    totals, places = [], []

    def start(self, total, initial, **_):
        totals.append(total)
        self.bar = SimpleNamespace(n=initial)

    monkeypatch.setattr(Bar, "start", start)
    monkeypatch.setattr(Bar, "show", lambda self, done, *_: places.append(done))
    words = ("-o", tmp_path / "model", "--block-bytes", "16K", "--epochs", 3)
    done("fit", *names, *words)
    size = sum(name.stat().st_size for name in names)
    assert totals == [3 * size]
    assert places == sorted(places)
    assert {size, 2 * size, 3 * size} <= {*places}
    done("fit", folder / "noisy.svm", *words, "--memory", "1")
    assert totals[1] == 3 * (folder / "noisy.svm").stat().st_size == places[-1]


# ------------------------------------------------------------- stopping and going on


LONG = ("--epochs", 6, "--block-bytes", "8K", "--quiet")


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted"])
def test_killed_within_a_write_and_gone_on_with(folder, tmp_path, learner):
    data = folder / "noisy.svm"
    fit = ("fit", data, "--learner", learner, *LONG)
    done(*fit, "-o", tmp_path / "undisturbed")
    model, checkpoint = tmp_path / "model", tmp_path / "checkpoint"
    more = ("-o", model, "--checkpoint", checkpoint, "--every", 0)
    random = np.random.default_rng(len(learner))
    for place in ("fsync", "replace", "fsync"):
        finished = killed(place, random.integers(2, 40), *fit, *more, "--resume")
        assert finished.returncode == -signal.SIGKILL, finished.stderr
        assert not model.exists()
    done(*fit, *more, "--resume")
    assert same_files(model, tmp_path / "undisturbed")
    assert not checkpoint.exists()


def test_killed_at_any_moment_and_gone_on_with(folder, tmp_path):
    data = folder / "noisy.svm"
    fit = ("fit", data, *LONG)
    start = time.monotonic()
    done(*fit, "-o", tmp_path / "undisturbed", "--checkpoint", tmp_path / "c", "--every", 0)
    took = time.monotonic() - start
    more = ("-o", tmp_path / "model", "--checkpoint", tmp_path / "checkpoint", "--every", 0)
    random = np.random.default_rng(0)
    times = int(os.environ.get("NOVIKOFF_KILLS", "4"))
    for _ in range(times):
        process = Popen(command(*fit, *more, "--resume"), stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.5, 1.0) * took)
        process.kill()
        process.wait()
        if process.returncode == 0:
            break
    done(*fit, *more, "--resume")
    assert same_files(tmp_path / "model", tmp_path / "undisturbed")


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_between_blocks_and_says_how_to_go_on(folder, tmp_path, sent, status):
    fit = ("fit", folder / "noisy.svm", "--epochs", 40, *LONG[2:])
    done(*fit, "-o", tmp_path / "undisturbed")
    model, checkpoint = tmp_path / "model", tmp_path / "model.checkpoint"
    words = (*fit, "-o", model)
    often = ("--checkpoint", checkpoint, "--every", 0.05)
    started = Popen(command(*words, *often), stderr=subprocess.PIPE, text=True)
    while not checkpoint.exists():  # now it is in the midst of an epoch, or between two
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(sent)
    _, said = started.communicate(timeout=120)
    assert started.returncode == status
    assert re.search(r"stopped in epoch \d+ after [\d,]+ of its examples, at line [\d,]+", said)
    assert "--resume" in said
    assert not model.exists()
    assert checkpoint.exists()
    done(*words, "--resume")
    assert same_files(model, tmp_path / "undisturbed")


def test_a_run_that_is_drawn_can_be_gone_on_with(folder, tmp_path):
    fit = ("fit", folder / "clean.svm", *LONG, "--plot", tmp_path / "p.png")
    done(*fit, "-o", tmp_path / "undisturbed")
    picture = (tmp_path / "p.png").read_bytes()
    (tmp_path / "p.png").unlink()
    more = ("-o", tmp_path / "model", "--checkpoint", tmp_path / "checkpoint", "--every", 0)
    finished = killed("replace", 40, *fit, *more)
    assert finished.returncode == -signal.SIGKILL, finished.stderr
    assert not (tmp_path / "p.png").exists()
    done(*fit, *more, "--resume")
    assert same_files(tmp_path / "model", tmp_path / "undisturbed")
    assert (tmp_path / "p.png").read_bytes() == picture


def test_a_checkpoint_of_another_run_is_refused(folder, tmp_path):
    data, checkpoint = folder / "noisy.svm", tmp_path / "checkpoint"
    fit = ("fit", data, *LONG, "-o", tmp_path / "model", "--checkpoint", checkpoint, "--every", 0)
    killed("replace", 9, *fit)
    before = checkpoint.read_bytes()
    for other, then in (
        (("--eta0", "2.0"), "--eta0 1.0"),
        (("--seed", "5"), "--seed 0"),
        (("--epochs", "7"), "--epochs 6"),
        (("--no-fit-intercept",), "--fit-intercept"),
        (("--block-bytes", "4096"), "--block-bytes 8192"),
        (("--class-weight", "1=2"), "no --class-weight"),
        (("--n-features", "21"), "--n-features 20"),
        (("--learner", "voted"), "--learner averaged"),
    ):
        finished = run(*fit, "--resume", *other)
        assert finished.returncode == 2
        now = " ".join(other)
        assert f"was written by a run with {then}, but this one has {now}: " in finished.stderr
    assert checkpoint.read_bytes() == before
    for words in (("predict", checkpoint, data), ("show", checkpoint)):
        finished = run(*words)
        assert finished.returncode == 2
        assert "is a checkpoint of a run that has not ended" in finished.stderr


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("epoch", "2"), ("offset", 1.5), ("line", -1), ("messages", [3]), ("skipped", True)],
)
def test_a_checkpoint_with_anything_else_in_it_is_refused(folder, tmp_path, name, wrong):
    """Its checksums are as they should be: somebody wrote it so."""
    path = tmp_path / "checkpoint"
    fit = ("fit", folder / "noisy.svm", *LONG, "-o", tmp_path / "m", "--checkpoint", path)
    killed("replace", 9, *fit, "--every", 0)
    model, extra = load_with_extra(path)
    extra["checkpoint"]["position"][name] = wrong
    save(model, path, extra=extra)
    finished = run(*fit, "--every", 0, "--resume")
    assert finished.returncode == 3
    assert "checkpoint: the checkpoint is damaged" in finished.stderr


def test_a_file_larger_than_memory_takes_the_memory_of_a_block(tmp_path):
    random = np.random.default_rng(0)
    lines = [
        f"{random.choice([-1, 1])} " + " ".join(f"{j}:{v:.6f}" for j, v in enumerate(row, 1))
        for row in random.random((2000, 40))
    ]
    text = "\n".join(lines) + "\n"
    small, large = tmp_path / "small.svm", tmp_path / "large.svm"
    small.write_text(text)
    with large.open("w") as file:
        for _ in range(60):
            file.write(text)
    assert large.stat().st_size > 50e6
    program = (
        "import resource, sys\nfrom novikoff.cli import main\nstatus = main(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\nsys.exit(status)"
    )

    def peak(data):
        words = (
            "fit",
            data,
            "-o",
            tmp_path / "m",
            "--epochs",
            2,
            "--block-bytes",
            "1M",
            "--memory",
            "1M",
            "--quiet",
        )
        out = subprocess.run(
            [sys.executable, "-c", program, *map(str, words)],
            capture_output=True,
            text=True,
            check=True,
        )
        return int(out.stdout) * 1024

    assert peak(large) - peak(small) < 25e6


# ------------------------------------------------------------- certificates and conversions


def test_certificates(tmp_path):
    xor, gate = tmp_path / "xor.svm", tmp_path / "and.svm"
    xor.write_text("0\n1 1:1\n1 2:1\n0 1:1 2:1\n")
    gate.write_text("0\n0 1:1\n0 2:1\n1 1:1 2:1\n")
    assert done("certify", xor, "--save", tmp_path / "c").startswith(
        "inseparable\nproof      4 examples"
    )
    assert done("certify", gate).startswith("separable\nmargin     0.35355339 to 0.353553391")
    assert done("verify", tmp_path / "c", xor) == "inseparable: the proof holds\n"
    finished = run("verify", tmp_path / "c", gate)
    assert finished.returncode == 1
    assert finished.stdout == "inseparable: the proof DOES NOT hold\n"
    told = json.loads(done("certify", xor, "--json"))
    assert told["verdict"] == "inseparable"
    assert json.loads((tmp_path / "c").read_text()) == told
    assert "the bias" in done("certify", gate)
    assert "the bias" not in done("certify", gate, "--no-fit-intercept")


def test_conversions(folder, tmp_path):
    model = tmp_path / "model"
    done("fit", folder / "noisy.svm", "-o", model)
    done("convert", model, tmp_path / "m.csv")
    done("convert", model, tmp_path / "m.onnx")
    assert (tmp_path / "m.csv").read_text().startswith("feature,weight\n")
    assert (tmp_path / "m.onnx").stat().st_size > 100
    for ending in ("vw", "npz", "svm.gz"):
        target = tmp_path / f"again.{ending}"
        done("convert", folder / "noisy.svm", target)
        if ending != "vw":
            assert done("score", model, target) == done("score", model, folder / "noisy.svm")
        else:
            assert read(target).X.shape[0] == 3000


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_completion(shell):
    script = done("completion", shell)
    assert "certify" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


# ------------------------------------------------------------- nothing is lost


def test_files_that_are_read_are_not_written(folder, tmp_path):
    data = tmp_path / "x.svm"
    data.write_bytes((folder / "clean.svm").read_bytes())
    before = data.read_bytes()
    for words in (
        ("fit", data, "-o", data),
        ("fit", data, "-o", tmp_path / "m", "--checkpoint", data),
        ("fit", data, "-o", tmp_path / "m", "--checkpoint", tmp_path / "m"),
        ("certify", data, "--save", data),
        ("convert", data, data),
        ("plot", data, data, "-o", tmp_path / "x.png"),
        ("fit", data, "-o", tmp_path / "m.png", "--plot", tmp_path / "m.png"),
    ):
        finished = run(*words)
        assert finished.returncode == 2, words
        assert "is named twice, but what a command reads and what it writes" in finished.stderr
    notes = tmp_path / "notes"
    notes.write_text("mine")
    finished = run("fit", data, "-o", tmp_path / "m", "--checkpoint", notes)
    assert finished.returncode != 0
    assert notes.read_text() == "mine"
    assert data.read_bytes() == before
    assert not (tmp_path / "m").exists()


def test_labels_are_printed_whole(tmp_path):
    data = tmp_path / "x.svm"
    data.write_text("1000001 1:1\n1000002 2:1\n")
    done("fit", data, "-o", tmp_path / "m")
    assert done("predict", tmp_path / "m", data) == "1000001\n1000002\n"


@pytest.mark.parametrize("more", [("--learner", "max-margin"), ("--slack", 1), ()])
def test_indices_keep_their_base(tmp_path, more):
    (tmp_path / "train.svm").write_text("1 0:1\n1 2:1\n-1 1:1\n")
    (tmp_path / "test.svm").write_text("1 2:1\n-1 1:1\n")
    more = more if "max-margin" in more else (*more, "--epochs", 50)
    done("fit", tmp_path / "train.svm", "-o", tmp_path / "m", *more)
    done("fit", tmp_path / "train.svm", "-o", tmp_path / "n", "--n-jobs", 1, *more)
    assert same_files(tmp_path / "m", tmp_path / "n")
    assert "2 of 2 right" in done("score", tmp_path / "m", tmp_path / "test.svm")


def test_skipped_lines_are_always_told(folder, tmp_path):
    done("fit", folder / "clean.svm", "-o", tmp_path / "m", "--epochs", 1)
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\nnonsense\n-1 2:1\n")
    for words in (("predict", tmp_path / "m", bad), ("certify", bad), ("convert", bad, "y.npz")):
        finished = run(*words, "--bad-lines", "skip", cwd=tmp_path)
        assert finished.returncode == 0, finished.stderr
        assert "1 bad line was left out; the first:" in finished.stderr


def test_a_file_that_was_changed_is_not_gone_on_with(folder, tmp_path):
    data, checkpoint = tmp_path / "x.svm", tmp_path / "checkpoint"
    data.write_bytes((folder / "noisy.svm").read_bytes())
    fit = ("fit", data, *LONG, "-o", tmp_path / "m", "--checkpoint", checkpoint, "--every", 0)
    killed("replace", 5, *fit)
    data.write_bytes(data.read_bytes()[::-1])
    finished = run(*fit, "--resume", "--n-features", 20, "--no-zero-based")
    assert finished.returncode == 2
    assert "was written by a run on other data" in finished.stderr


def test_sorted_labels_and_bad_beginnings(folder, tmp_path):
    lines = sorted((folder / "noisy.svm").read_text().splitlines())
    data = tmp_path / "sorted.svm"
    data.write_text("\n".join(["nonsense"] * 2000 + lines) + "\n")
    options = ("--bad-lines", "skip", "--block-bytes", "8K", "--epochs", 2)
    more = ("--checkpoint", tmp_path / "c", "--every", 0)
    done("fit", data, "-o", tmp_path / "m", *options)
    done("fit", data, "-o", tmp_path / "n", *options, *more)
    assert same_files(tmp_path / "m", tmp_path / "n")


def test_tables_without_labels(tmp_path):
    (tmp_path / "train.csv").write_text("a,kind,w\n1,cat,1\n2,dog,2\n-1,cat,1\n3,dog,1\n")
    (tmp_path / "test.csv").write_text("a\n5\n-5\n")
    (tmp_path / "bare.csv").write_text("5\n-5\n")
    options = ("--label", "kind", "--weight", "w", "--epochs", 50)
    done("fit", tmp_path / "train.csv", "-o", tmp_path / "m", *options)
    assert done("predict", tmp_path / "m", tmp_path / "test.csv") == "dog\ncat\n"
    assert " of 4 right" in done("score", tmp_path / "m", tmp_path / "train.csv")


@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt, 130), (Terminated, 143)])
def test_stopped_while_it_is_importing(monkeypatch, stop, status):
    """Importing takes a second, in which somebody may change their mind."""

    def interrupted(name):
        raise stop

    monkeypatch.setattr(parser, "import_module", interrupted)
    ran = run("fit", "train.csv", "-o", "m")
    assert (ran.returncode, ran.stderr) == (status, "novikoff: stopped; nothing was written.\n")


def test_a_row_that_counts_for_nothing_is_not_there(tmp_path):
    """A frequency table, in which the rows of count 0 contradict the others."""
    (tmp_path / "t.csv").write_text("a,count,label\n0,3,no\n0,0,yes\n1,2,yes\n1,0,no\n")
    words = (tmp_path / "t.csv", "--weight", "count")
    assert done("certify", *words, "--save", tmp_path / "c").startswith("separable")
    assert "separable: the proof holds" in done("verify", tmp_path / "c", *words)
    assert "none in the last" in run("fit", *words, "-o", tmp_path / "m").stderr
    assert done("certify", tmp_path / "t.csv", "--ignore", "count").startswith("inseparable")
    shards = done("certify", *words, "--cluster", "local", "--workers", 1)
    assert shards.startswith("separable")


def test_a_search_for_a_proof_says_what_it_does_and_whether_it_succeeded(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text("a,b,label\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    assert run("certify", tmp_path / "x.csv").stderr == ""
    told = Event()
    monkeypatch.setattr(patience, "MOMENT", 0.0)
    monkeypatch.setattr(patience, "say", lambda text: (cli.say(text), told.set()))
    waiting = lambda *rows, **options: told.wait(60) and separability(*rows, **options)  # noqa: E731
    monkeypatch.setattr(novikoff, "separability", waiting)
    finished = run("certify", tmp_path / "x.csv", "--budget", "1e-9")
    assert finished.returncode == 1
    assert finished.stdout.startswith("undecided\n")
    assert "novikoff: looking for a proof, for 1e-09 seconds at most (--budget)" in finished.stderr


def test_a_long_search_says_how_far_it_is(monkeypatch):
    said, twice = [], threading.Event()

    def say(text):
        said.append(text)
        if len(said) > 2:
            twice.set()

    monkeypatch.setattr(patience, "MOMENT", 0.0)
    monkeypatch.setattr(patience, "EVERY", 0.01)
    monkeypatch.setattr(patience, "say", say)
    with patience.reassuring(60.0):
        assert twice.wait(30)
    assert said[0] == "looking for a proof, for 60 seconds at most (--budget)"
    assert said[1] == "looking for a proof: 0 of 60 seconds"
