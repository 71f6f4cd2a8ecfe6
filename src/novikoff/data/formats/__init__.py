"""The formats of files that examples are read from and written to, a file each."""
