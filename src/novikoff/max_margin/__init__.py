"""The widest separator: `estimator.py` has `MaxMargin`, the other files how it is found."""
