"""Threads: what compiled code needs for them, and the same run made by several."""
