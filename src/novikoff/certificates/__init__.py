"""Can data be separated, by how much, and the proof: searched for in floats, decided exactly.

The folder is not called by the name of its public function: a package `novikoff.separability` would
take the place of `novikoff.separability` whenever anything in it is imported.
"""
