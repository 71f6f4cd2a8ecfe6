"""Settings chosen on examples that are held out."""
