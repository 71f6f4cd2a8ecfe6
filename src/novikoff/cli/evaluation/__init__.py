"""How good a model is, or will be: rates, held-out examples, probabilities."""
