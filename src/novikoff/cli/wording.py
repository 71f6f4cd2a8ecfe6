"""What the library says of its parameters, in the words of the command.

The library speaks Python to those who write Python. `tests/test_command_options.py` sees to it that
every sentence here is one that the library says.
"""

import re

from novikoff.cli.options import NOT_HERE, PARAMETERS, flag

SENTENCES = {
    "give n_features, and zero_based as True or False": (
        "give --n-features N, and --zero-based or --no-zero-based"
    ),
    "(label='name', or label=-1 for the last), or labels='optional'": (
        "(--label NAME, or --label -1 for the last)"
    ),
    "have sample_weight 0: weigh some": "have a weight of 0: weigh some",
    "give a positive sample_weight or class_weight to some": (
        "give a positive weight, or --class-weight, to some"
    ),
    "or use budget=None": "or leave --budget out",
    ", or budget=None": ", or leave --budget out",
    "leave sample_weight out": "leave the weights out",
    "leave class_weight out": "leave --class-weight out",
    "times sample_weight is past": "times the weight is past",
    "A step of eta0 times the weights": "A step of --eta0 times the weights",
    "give a larger budget, or a finite C": "give a larger --budget, or a finite --C",
    "Give a finite C for a soft margin. (The certificate is in this error's `separability`.)": (
        "Give a finite --C for a soft margin. (`novikoff certify` writes the proof.)"
    ),
    "Give a direction u all the same, or learn with slack > 0.": (
        "Learn with --slack, or draw --kind progress."
    ),
    "Set binarize to the level above": "Give --binarize, the level above",
    "give a level of at least 0, or a dense array": "give a level of at least 0, or a table",
    "Choose two of them, or wrap the learner in sklearn.multiclass.OneVsRestClassifier.": (
        "Choose two of them."
    ),
    " (sklearn.preprocessing.MaxAbsScaler), or the step": ", or the step (--eta0)",
    "class_weight has ": "--class-weight has ",
    "with resume=True.": "with --resume.",
    "Start again, with a checkpoint to go on from.": (
        "Start again, with --checkpoint to have something to go on from."
    ),
    "or leave resume out to start anew.": "or leave --resume out to start anew.",
}
READERS = (
    *("format", "label", "weight", "ignore", "n_features", "zero_based", "bits"),
    *("n_jobs", "block_bytes"),
)
NAMES = {name: flag(name) for name in (*READERS, *(p.name for p in PARAMETERS))} | NOT_HERE
GIVEN = re.compile(rf"\b({'|'.join(NAMES)})=('([^']*)'|[^\s,:;)]+)")


def as_command(text: str) -> str:
    """A sentence of the library, in the words of the command."""
    for ours, theirs in SENTENCES.items():
        text = text.replace(ours, theirs)
    return GIVEN.sub(lambda m: f"{NAMES[m[1]]} {m[2] if m[3] is None else m[3]}", text)
