"""The commands: a line in `GROUPS`, and a file of the same name in this folder for each.

Such a file has `options`, which adds those of the command to its parser, and `run`, which does what
was asked and returns the exit status. So that help is quick, what does the work is imported when
it is done.
"""

GROUPS = {
    "train and use models": {
        "fit": "train a model on a file of examples or sentences",
        "predict": "print the predicted label of every example",
        "score": "count the examples of a file that a model predicts correctly",
        "show": "describe a model: its training, its largest weights, its boundary",
        "plot": "draw a model on data: its boundary, its run, its proof",
        "convert": "convert a model to .onnx or .csv, or examples to another format",
    },
    "decide and prove": {
        "certify": "decide whether data is separable, by what margin, with a proof",
        "verify": "check a certificate against the data, in exact arithmetic",
        "separation": "decide whether a regression model has a finite estimate",
    },
    "more": {
        "lab": "open a page on this machine that shows a perceptron learn",
        "completion": "print a completion script for bash, zsh, fish or tcsh",
    },
}
"""What each does, in a line, by what it is for."""
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
EXAMPLE = "novikoff fit train.csv -o my.model"
"""What help shows of all this."""
