"""Learners for sequences of labels."""
