"""`novikoff fit`: its options. What it does is in `novikoff.cli.fitting`."""

from argparse import Namespace

from novikoff.cli.learners import BY_WORD, ask_parameters
from novikoff.cli.options import COUNT, SECONDS, SIZE, Kind, ask_reading, ask_shards, within
from novikoff.cli.parser import Parser

AVERAGED = "averaged"
EPOCHS, MEMORY, EVERY = 10, 2**30, 60.0
SEED = Kind(None, "a whole number from 0 to 4294967295", within(0, 2**32 - 1))


def options(parser: Parser) -> None:
    """What can be asked."""
    ask = parser.ask
    train = (
        "a file of examples, or for --sequences of sentences, or - for standard input; for "
        "--cluster, 'shards/*.svm' as well"
    )
    parser.reads("data", "TRAIN", train)
    output = "where to write it; - is standard output"
    parser.writes("-o --output", "MODEL", output, required=True)
    ask("--learner", "[averaged]", choices=tuple(BY_WORD))
    ask("--epochs", "passes at the most; fewer if one changes nothing [10]", COUNT)
    ask("--seed", "of the random order [0]", SEED)
    classes = "all labels there are; without this, any label that comes is a class"
    ask("--classes", classes, nargs="+", metavar="LABEL")
    one_pass = "one pass: predict every example, then learn it, and print how well that goes"
    ask("--progressive", one_pass, action="store_true")
    ask("--window", "of --progressive, how many examples to tell of at a time [1000]", COUNT)
    plot = "draw the proof of the run, or if the data has no separator, its progress"
    parser.writes("--plot", "PICTURE", plot)
    ask_parameters(parser)
    parser.section("sequences of labels (tagging, chunking)")
    sentences = "TRAIN has sentences, one token a line with its label (CoNLL, CoNLL-U)"
    ask("--sequences", sentences, action="store_true")
    template = (
        "the features of tokens: a template of CRF++, or a built-in one, tagging or chunking "
        "[by the number of columns]"
    )
    ask("--template", template, metavar="FILE|NAME")
    width = "; of sentences, hash features into so many columns"
    ask_reading(parser, sentences=True, width=width, plan=True)
    parser.section("large files and long runs")
    ask("--block-bytes", "how much of the file to take at a time [16M; sentences 4M]", SIZE)
    memory = "keep a file that takes no more than this in memory between epochs [1G]"
    ask("--memory", memory, SIZE)
    checkpoint = "write down where the run is, to go on from there"
    parser.writes("--checkpoint", "PATH", checkpoint, text=True)
    ask("--every", "how often [60]", SECONDS)
    ask("--resume", "go on from the checkpoint, if there is one", action="store_true")
    ask("--quiet", "no summary and no progress on standard error", action="store_true")
    ask_shards(parser, "more than one machine (perceptron, averaged)")
    share = "what the share of a shard in the mixed weights goes by [uniform]"
    ask("--mixing", share, choices=("uniform", "mistakes"))


def run(arguments: Namespace) -> int:
    """Train, and write the model."""
    from novikoff.cli.fitting import fit

    return fit(arguments)
