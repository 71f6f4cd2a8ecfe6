"""`novikoff fit`: its options, without what it takes to train, so that help is quick."""

from argparse import BooleanOptionalAction, Namespace

from novikoff.cli.help.about import Choose, Words, page_of
from novikoff.cli.options import (
    COUNT,
    LABEL_WEIGHT,
    SECONDS,
    SIZE,
    Kind,
    ask_reading,
    ask_shards,
    between,
    within,
)
from novikoff.cli.parser import SOME_DATA, Parser

AVERAGED = "averaged"
EPOCHS, MEMORY, EVERY = 10, 2**30, 60.0
SHARE = Kind("SHARE", "a number from 0.01 to 0.99", between(0.01, 0.99))
FOLDS = Kind("N", "a whole number from 2 to 1000", within(2, 1000))
SEED = Kind("N", "a whole number from 0 to 4294967295", within(0, 2**32 - 1))


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("data", "TRAIN", f"training {SOME_DATA}", several=True)
    output = "write the model to this file, or - for standard output"
    parser.writes("-o --output", "MODEL", output, required=True)
    ask_learning(parser)
    parser.section("parameters, and the learners that have them", ask_parameters)
    ask_sequences(parser)
    ask_reading(parser, sentences=True, work="learn", plan=True)
    ask_long_runs(parser)
    ask_shards(parser, "more than one machine (perceptron, averaged)")
    share = "weight shards equally, or by their mistakes (default: uniform)"
    parser.ask("--mixing", share, choices=("uniform", "mistakes"), rare=True)
    parser.other_page = page_of
    parser.examples = (
        "novikoff fit train.csv -o my.model",
        "novikoff fit train.csv -o my.model --label kind --learner arow --epochs 5",
        "novikoff fit --sequences train.conllu -o tagger.model",
    )


def ask_learning(parser: Parser) -> None:
    """How to learn."""
    ask = parser.ask
    learner = (
        f"algorithm (default: {AVERAGED}); `--learner list` lists all, `--learner arow --help` "
        "describes one"
    )
    ask("--learner", learner, action=Choose, choices=Words(), metavar="LEARNER")
    epochs = f"make at most N passes; stop after one without updates (default: {EPOCHS})"
    ask("--epochs", epochs, COUNT)
    # what these mean for which learner is added when the learners are imported
    margin = "also learn from correct predictions up to this margin (default: 0)"
    ask("--margin", margin, metavar="NUMBER")
    weight = "weight per label, or balanced; repeatable (default: 1)"
    ask("--class-weight", weight, LABEL_WEIGHT, action="append")
    order = "visit examples in random order (default: yes)"
    ask("--shuffle", order, action=BooleanOptionalAction, rare=True)
    ask("--seed", "seed of the random order (default: 0)", SEED)
    classes = "allow only these labels (default: any)"
    ask("--classes", classes, nargs="+", metavar="LABEL", rare=True)
    one_pass = "predict each example before learning it, in one pass"
    ask("--progressive", one_pass, action="store_true")
    window = "with --progressive, report on the last N examples (default: 1000)"
    ask("--window", window, COUNT, rare=True)
    sentences = "learn to label tokens of sentences (CoNLL, CoNLL-U)"
    ask("--sequences", sentences, action="store_true")
    ask("--holdout", "report accuracy on a held-out share, such as 0.2", SHARE)
    ask("--cv", "report accuracy by N-fold cross-validation", FOLDS)
    ask("--json", "print JSON", action="store_true", rare=True)
    plot = "draw the proof of the run, or else its progress"
    parser.writes("--plot", "PICTURE", plot)
    ask("--quiet", "print no summary and no progress", action="store_true")


def ask_parameters(parser: Parser) -> None:
    """The parameters of all learners, which must be imported for that."""
    from novikoff.cli import learners

    learners.ask_parameters(parser)


def ask_sequences(parser: Parser) -> None:
    """How to learn from sentences."""
    parser.section("sentences (with --sequences)")
    template = (
        "features of tokens: a CRF++ template, or a built-in one, tagging or chunking (default: by "
        "the number of columns)"
    )
    parser.ask("--template", template, metavar="FILE|NAME", rare=True)


def ask_long_runs(parser: Parser) -> None:
    """How to get through large files, and on after an interruption."""
    parser.section("large files and long runs")
    ask = parser.ask
    block = "read this much of the file at a time (default: 16M; for sentences, 4M)"
    ask("--block-bytes", block, SIZE, rare=True)
    memory = "keep a file up to this size in memory between passes (default: 1G)"
    ask("--memory", memory, SIZE, rare=True)
    checkpoint = "save the state of the run to this file regularly"
    parser.writes("--checkpoint", "PATH", checkpoint, text=True)
    every = f"how often to save the --checkpoint (default: {EVERY:g})"
    ask("--every", every, SECONDS, rare=True)
    ask("--resume", "resume from the checkpoint, if there is one", action="store_true")


def run(arguments: Namespace) -> int:
    """Train, and write the model."""
    from novikoff.cli.fitting import fit

    return fit(arguments)
