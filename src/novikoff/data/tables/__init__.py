"""Tables: which column is what (layout), what becomes of it (plan), and the rows that it makes.

A table of numbers is a matrix as it stands. Categories, texts, dates and blanks become numbers by a
`TablePlan`, which the beginning of a file settles (look) and every block is encoded by (encode).
"""
