"""The lab: a web page on this machine that shows a perceptron learn. Needs the extra `lab`.

The page only displays and asks. The library computes every number on it.

| | |
|---|---|
| `link.py`, `presets.py` | points, learner, options: as a link says them, checked |
| `sheet.py` | two columns, or a projection, of a table of one's own |
| `frames.py`, `visits.py`, `verdicts.py` | from a state, or a trace, to all that is shown |
| `scripts.py` | the Python program that does the same |
| `server.py`, `guard.py` | the page on the loopback address, and who may talk to it |
| `notebook.py` | the same player in a notebook (extra `notebook`): `trace.player()` |
| `static/` | what the browser gets; `player.js` and what it imports are used by both |
"""
