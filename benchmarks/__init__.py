"""What we claim to be fast, beside the peers, as ratios from one run."""
