"""The theorems as functions, and Novikoff's proof carried out on a run."""
