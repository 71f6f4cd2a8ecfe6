"""Delimited text (CSV): its records, what its beginning says (head), and its faults (careful)."""
