"""The verdict over shards, wherever they are: its certificate, and how that is checked."""
