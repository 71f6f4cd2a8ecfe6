"""The geometry of a data set: hyperplanes, margins, and the bounds they imply."""
