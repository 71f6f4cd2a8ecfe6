"""What `--help` prints: it fits on a screen, leaves nothing out, and its examples work."""

import re
import shlex
import shutil
import subprocess
import sys
from argparse import SUPPRESS, BooleanOptionalAction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from commands import done, run, said
from novikoff.cli.commands import COMMANDS, EXAMPLE, GROUPS
from novikoff.cli.commands.fit import EPOCHS, EVERY, MEMORY
from novikoff.cli.data_file import BLOCK_BYTES
from novikoff.cli.help.about import ABOUT, listed, page
from novikoff.cli.help.pages import invocation, plain, usage
from novikoff.cli.learners import ALL, BY_WORD, SEQUENCES, choices_of, nearest, options_of
from novikoff.cli.options import flag
from novikoff.cli.parser import build
from novikoff.cli.tagger import BLOCK_BYTES as OF_SENTENCES
from novikoff.parameters import CLASS_WEIGHT

TABLE = (Path(__file__).parent.parent / "docs" / "learners.md").read_text()
PARSERS = build(complete=True).parsers()
with pytest.MonkeyPatch.context() as patch:
    patch.setenv("COLUMNS", "80")
    PAGES = {
        "novikoff --help": build().format_help(),
        "fit --learner list": listed(),
        **{f"{name} --help": p.page(everything=False) for name, p in PARSERS.items()},
        **{f"{name} --help-all": p.page(everything=True) for name, p in PARSERS.items()},
        **{f"fit --learner {word} --help": page(word) for word in ALL},
    }


def asked(*words):
    status, out, err = said(*words)
    assert (status, err) == (0, "")
    return out


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


# ------------------------------------------------------------- pages


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_into_80_columns(name):
    assert PAGES[name].isascii()
    assert max(map(len, PAGES[name].splitlines())) <= 80
    assert not re.search(r"\[\d", PAGES[name])  # a default is (default: 10), everywhere
    assert len(re.findall("default", PAGES[name])) == len(
        re.findall(r"default:|default,", PAGES[name])
    )


def test_the_help_of_fit_fits_on_a_screen_and_has_what_most_people_need():
    out = asked("fit", "--help")
    assert len(out.splitlines()) <= 45
    assert out.startswith("usage: novikoff fit TRAIN... -o MODEL [options]\n")
    most = "output learner epochs label ignore format n-jobs quiet margin class-weight checkpoint"
    for option in (*most.split(), "resume", "help-all"):
        assert f"--{option} " in out, option


@pytest.mark.parametrize("name", COMMANDS)
def test_all_help_lists_every_option_and_the_short_one_those_that_are_not_rare(name):
    parser = PARSERS[name]
    short, everything = PAGES[f"{name} --help"], PAGES[f"{name} --help-all"]
    for action in parser._actions:
        if action.help == SUPPRESS:
            continue
        line = re.compile(rf"^  {re.escape(invocation(action))}(?:  |$)", re.M)
        assert line.search(everything), action
        assert bool(line.search(short)) == (action.dest not in parser.rare), action
        told = " ".join(plain(action.help).split())
        assert told in " ".join(everything.split()), action
    assert ("--help-all" in short) == bool(parser.rare)
    assert (short == everything) != bool(parser.rare)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_what_the_parsers_say(name):
    assert asked(name, "-h") == asked(name, "--help") == said(name, "x", "--help", "--bogus")[1]
    assert asked(name, "--help-all", "--help") == PAGES[f"{name} --help-all"]
    assert asked(name, "--help").splitlines()[0] == usage(PARSERS[name])
    assert said(name, "--", "--help")[0] != 0  # it is the name of a file


def test_a_parser_that_has_imported_the_learners_says_more():
    """Only where there is more to say than in the help that is quick."""
    short = asked("fit", "--help")
    options = re.findall(r"^  (-.*?)(?:  |$)", short, re.M)
    assert options == re.findall(r"^  (-.*?)(?:  |$)", PAGES["fit --help"], re.M)
    for name in ("margin", "class_weight"):
        parameter = ALL["perceptron"]._parameters[name]
        told = " ".join(short.split())
        assert parameter.short in told
        assert f"{parameter.short} (default: 0)" in told or "(default:" in parameter.short


def test_abbreviations_ask_for_help_too():
    assert asked("fit", "--help-a") == PAGES["fit --help-all"]
    assert said("fit", "--hel")[0] == 2  # which of both?


def test_a_narrow_terminal_has_narrow_pages(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    words = asked("certify", "--help")
    sentences = [line for line in words.splitlines() if not line.startswith("  novikoff")]
    assert max(map(len, sentences)) <= 60
    assert sentences[4:] != PAGES["certify --help"].splitlines()[4:]


def test_the_overview_groups_the_commands():
    out = asked("--help")
    assert len(out.splitlines()) <= 45
    assert [name for group in GROUPS.values() for name in group] == [*COMMANDS]
    for title, group in GROUPS.items():
        lines = out.split(f"\n{title}:\n")[1].split("\n\n")[0].splitlines()
        assert [line.split()[0] for line in lines] == [*group]
    assert f"example:\n  {EXAMPLE}\n" in out


def test_defaults_are_those_of_the_command():
    told = {o: a.help for a in PARSERS["fit"]._actions for o in a.option_strings}
    for option, default in {
        "--epochs": EPOCHS,
        "--every": f"{EVERY:g}",
        "--memory": f"{MEMORY >> 30}G",
        "--block-bytes": f"{BLOCK_BYTES >> 20}M; for sentences, {OF_SENTENCES >> 20}M",
    }.items():
        assert f"(default: {default})" in told[option]
    for parser in PARSERS.values():
        for action in parser._actions:
            if isinstance(action.default, float | int) and not isinstance(action.default, bool):
                said_to_be = float(re.search(r"\(default: ([\d.e-]+)", action.help)[1])
                assert said_to_be == action.default


# ------------------------------------------------------------- learners


@pytest.mark.parametrize("word", ALL)
def test_the_help_of_a_learner_has_its_parameters(word):
    chosen = [word] if word == SEQUENCES else ["--learner", word]
    out = asked("fit", *chosen, "--help")
    assert out == asked("fit", "--help", *chosen) == asked("fit", "x", "-h", "=".join(chosen))
    train = "TRAIN" if word == SEQUENCES else "TRAIN..."
    assert out.startswith(f"usage: novikoff fit {train} -o MODEL {' '.join(chosen)} [options]\n")
    section = out.split("\nparameters:\n")[1].split("\n\n")[0]
    entries = [" ".join(entry.split()) for entry in re.split(r"\n(?=  -)", section)]
    assert len(entries) == len(options_of(word))
    for entry, (name, parameter) in zip(entries, options_of(word).items(), strict=True):
        if parameter.kind.is_flag:
            assert entry.startswith(f"--[no-]{flag(name)[2:]} ")
            assert entry.endswith(f"(default: {'yes' if parameter.default else 'no'})")
            continue
        assert entry.startswith(f"{flag(name)} ")
        assert "default: " in entry
        if parameter.default is not None:
            assert (
                re.search(rf"default: {parameter.default:g}\)", entry)
                if isinstance(parameter.default, float)
                else entry.endswith(f"default: {parameter.default})")
            )
        assert entry.split()[1] == "|".join(choices_of(parameter)) or not choices_of(parameter)
        if parameter.kind is not CLASS_WEIGHT:
            assert {word for word in parameter.words if word} <= {*re.split(r"[ |]", entry)}
        bounds = re.findall(r"[\d.]+", parameter.kind.expected)
        for bound in bounds if not parameter.kind.choices else ():
            assert re.search(rf"\(.*\b{re.escape(bound)}\b.*; default:", entry), bound


def test_every_learner_is_told_of():
    assert [*ABOUT] == [*ALL]
    lines = listed().splitlines()[1 : 1 + len(ABOUT)]
    assert [line.split()[0] for line in lines] == [*ABOUT]
    assert listed() == asked("fit", "--learner", "list") == asked("fit", "x", "--learner=list")
    for word, about in ABOUT.items():
        assert f"{word} " in listed()
        assert about.line in listed()


def test_the_list_of_learners_is_quick():
    program = (
        "import sys\nfrom novikoff.cli import main\n"
        "try: main(['fit', '--learner', 'list'])\nexcept SystemExit: pass\n"
        "assert not {'numpy', 'numba', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert printed.stdout.decode() == listed()


def test_a_value_that_an_option_does_not_take_is_an_error():
    status, _, err = said("fit", "x", "-o", "m", "--sequences=x")
    assert status == 2
    assert err.startswith("novikoff: argument --sequences: ignored explicit argument 'x'.")


@pytest.mark.parametrize("word", ALL)
def test_bounds_are_those_of_the_table_of_learners(word):
    rows = [row for row in TABLE.splitlines() if row.startswith(f"| `{ALL[word].__name__}` |")]
    assert bool(rows) == bool(ABOUT[word].bound)
    for row in rows:
        bound = row.split(" | ")[2]
        assert {*re.findall(r"\w+_bound", bound)} == {*re.findall(r"\w+_bound", ABOUT[word].bound)}
        assert ("none is known" in bound) == (ABOUT[word].bound == "none is known")
        assert "Mistake bound: " in page(word)


@given(word=st.sampled_from([w for w in BY_WORD if len(w) > 4]), data=st.data())
def test_a_learner_with_a_wrong_letter_is_found(word, data):
    at = data.draw(st.integers(0, len(word) - 1))
    wrong = word[:at] + data.draw(st.sampled_from(["", "q", word[at] * 2])) + word[at + 1 :]
    assert nearest(wrong) == word


@pytest.mark.parametrize("word", BY_WORD)
def test_a_learner_may_be_called_as_in_python(word):
    assert nearest(BY_WORD[word].__name__) == word


def test_an_unknown_learner_is_said():
    for words in (("x", "-o", "m"), ("--help",)):
        status, out, err = said("fit", *words, "--learner", "perceptrn")
        assert (status, out) == (2, "")
        assert err == (
            "novikoff: --learner perceptrn was given, but there is no such learner. Did you mean "
            "perceptron? `novikoff fit --learner list` lists the learners.\n"
        )
    assert "mean" not in said("fit", "x", "-o", "m", "--learner", "zzzz")[2]


# ------------------------------------------------------------- examples


def examples_of(text):
    """The examples of a page, one or more."""
    _, title, rest = re.split(r"\n\n(examples?:)\n", text)
    lines = [line.strip() for line in rest.split("\n\n")[0].splitlines()]
    assert title == ("example:" if len(lines) == 1 else "examples:")
    return lines


SHOWN = {name: examples_of(text) for name, text in PAGES.items() if text != listed()}
EXAMPLES = sorted({(name.split()[0], line) for name, lines in SHOWN.items() for line in lines})


def words_of(line):
    """The words that the command is given, without what the shell is told."""
    line = re.sub(r"^source <\((.*)\)$", r"\1", line)
    words = shlex.split(line)
    assert words[0] == "novikoff"
    return words[1 : words.index(">") if ">" in words else None]


def test_every_page_has_examples_of_its_command():
    assert len(SHOWN) == len(PAGES) - 1
    for name, lines in SHOWN.items():
        assert 1 <= len(lines) <= 3, name
        assert all(words_of(line)[0] == name.split()[0] for line in lines if "fit" in name), name


@pytest.mark.parametrize(("command", "line"), EXAMPLES)
def test_examples_are_understood(tmp_path, monkeypatch, command, line):
    monkeypatch.chdir(tmp_path)
    parsed = build().parse_args(words_of(line))
    assert parsed.command == command or command == "novikoff"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with all that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    rows = [(i, (i * 7) % 5, i) for i in range(1, 13)]
    table = [f"{a},{b},{n},{int(a > 6)},{int(a > 6)}" for a, b, n in rows]
    for name in ("train.csv", "test.csv"):
        (folder / name).write_text("\n".join(["a,b,id,kind,label", *table]) + "\n")
    unlabelled = [line.rpartition(",")[0] for line in ["a,b,id,kind,label", *table]]
    (folder / "new.csv").write_text("\n".join(unlabelled) + "\n")
    (folder / "train.svm").write_text("1 1:1\n-1 2:1\n")
    trial = [f"{int(i * 5 % 7 < 3)},{i % 6},{'uvw'[i % 3]},{i % 4}" for i in range(24)]
    (folder / "trial.csv").write_text("\n".join(["cured,dose,clinic,visits", *trial]) + "\n")
    tokens = [
        f"{k}\t{form}\t_\t{tag}" + "\t_" * 6
        for k, (form, tag) in enumerate([("dogs", "NOUN"), ("bark", "VERB")], 1)
    ]
    for name in ("train.conllu", "test.conllu"):
        (folder / name).write_text("\n".join([*tokens, "", *tokens, "", ""]))
    fit = ("fit", folder / "train.csv", "--quiet", "-o")
    done(*fit, folder / "my.model")
    done(*fit, folder / "recorded.model", "--learner", "perceptron", "--epochs", 99, "--record")
    done("fit", "--sequences", folder / "train.conllu", "-o", folder / "tagger.model", "--quiet")
    done("certify", folder / "train.csv", "--save", folder / "train.proof")
    return folder


NOT_RUN = ("lab",)
"""The page would stay open."""


@pytest.mark.heavy
@pytest.mark.parametrize("line", [line for name, line in EXAMPLES if name not in NOT_RUN])
def test_examples_work(prepared, tmp_path, line):
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    finished = run(*words_of(line), cwd=folder)
    assert "Traceback" not in finished.stderr
    assert finished.returncode == 0, finished.stderr


# ------------------------------------------------------------- fish


@pytest.fixture(scope="module")
def script():
    return done("completion", "fish")


def test_fish_is_told_of_every_command_and_option(script):
    lines = [shlex.split(line.replace("\\'", "")) for line in script.splitlines() if "'" in line]
    lines = [line for line in lines if line[0] == "complete"]
    top = {line[6] for line in lines if line[4:6] == ["__novikoff_is", "-a"]}
    assert top == {*COMMANDS}
    for name, parser in PARSERS.items():
        here = [line for line in lines if line[4] == f"__novikoff_is {name}"]
        long = {line[i + 1] for line in here for i, word in enumerate(line) if word == "-l"}
        assert long == {
            o[2:]
            for a in parser._actions
            for o in a.option_strings
            if o.startswith("--") and a.help != SUPPRESS
        }
        for action in parser._actions:
            if action.help == SUPPRESS or not action.option_strings:
                continue
            [line] = [w for w in here if action.option_strings[-1].lstrip("-") in w]
            alone = action.nargs == 0 or isinstance(action, BooleanOptionalAction)
            assert ("-r" in line) == (not alone and action.nargs != "?"), action
            assert ("-F" in line) == (action.dest in parser.files() or action.dest == "template")
            assert ("-a" in line) == (bool(action.choices) and not alone), action


@pytest.fixture(scope="module")
def complete(script, tmp_path_factory):
    """What fish offers for a line: each word, and what it says of it."""
    if not shutil.which("fish"):
        pytest.skip("needs fish")
    folder = tmp_path_factory.mktemp("fish")
    (folder / "n.fish").write_text(script)
    (folder / "train.csv").write_text("")
    how = {"cwd": folder, "capture_output": True, "text": True, "check": True}
    subprocess.run(["fish", "-n", "n.fish"], **how)

    def complete(line):
        words = f"source n.fish; complete -C {shlex.quote(line)}"
        found = subprocess.run(["fish", "-c", words], **how)
        assert found.stderr == ""
        return dict(line.partition("\t")[::2] for line in found.stdout.splitlines())

    return complete


def test_fish_completes(complete):
    assert complete("novikoff ") == COMMANDS
    assert {*complete("novikoff fit --le")} == {"--learner"}
    learners = complete("novikoff fit --learner ")
    assert {*learners} == {*BY_WORD, "list"}
    assert learners["arow"] == ABOUT["arow"].line
    assert {*complete("novikoff plot --kind pro")} == {"proof", "progress"}
    assert {*complete("novikoff fit --no-shuf")} == {"--no-shuffle"}
    assert {*complete("novikoff completion ")} == {"bash", "zsh", "fish", "tcsh"}


def test_fish_completes_files_where_files_are_read_or_written(complete):
    for line in ("fit tr", "fit train.csv -o tr", "show x --data tr", "fit --template tr"):
        assert {*complete(f"novikoff {line}")} == {"train.csv"}, line
    for line in ("lab tr", "fit --epochs tr", "fit --learner tr", "completion tr", "tr"):
        assert "train.csv" not in complete(f"novikoff {line}"), line


def test_a_file_called_as_a_command_is_a_file_for_fish(complete):
    assert {*complete("novikoff show lab --to")} == {"--top"}
