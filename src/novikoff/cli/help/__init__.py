"""What the command says of itself: the pages of `--help`, of learners, and completions for fish."""
