"""
An update on a sequence
=======================

Every label at every step, with its score. The right labels of the sentence gain what is on their
path, and the best wrong ones lose it; what is on both paths stays as it was.
"""

from novikoff import SequencePerceptron
from novikoff.plots import LatticeDisplay

sentences = ["the", "old", "man", "runs"], ["a", "man", "runs"], ["the", "old", "sleep"]
tags = ["DET", "ADJ", "NOUN", "VERB"], ["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]
features = [[{"word": word} for word in sentence] for sentence in sentences]
trace = SequencePerceptron(record=True, shuffle=False).fit(features, tags).trace_
lattice = LatticeDisplay.from_trace(trace, 5, steps=sentences[int(trace.example[4])])
