"""The commands: a line in `COMMANDS`, and a file of the same name in this folder for each.

Such a file has `options`, which adds those of the command to its parser, and `run`, which does what
was asked and returns the exit status. So that help is quick, what does the work is imported when
it is done.
"""

COMMANDS = {
    "fit": "train a model on a file, in one pass or several",
    "predict": "print the predicted label of every example",
    "score": "count how many examples of a file a model gets right",
    "certify": "say whether data is separable, by how much, and prove it",
    "verify": "check a certificate against the data, in exact arithmetic",
    "separation": "say whether a regression model has a finite estimate; if not, why",
    "show": "say what a model is, how it was trained, and its largest weights",
    "convert": "write a model as .onnx or .csv, or examples in another format",
    "plot": "draw a model on data: its boundary, its run, its proof",
    "lab": "open a page on this machine that shows a perceptron learn",
    "completion": "print what makes a shell complete this command",
}
"""What each does, in a line."""
