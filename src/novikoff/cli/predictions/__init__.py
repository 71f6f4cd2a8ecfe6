"""Predictions for programs: the columns of an answer, and the files that they are written to."""
