"""What is compiled: rows, the products with them, the two loops, and the log they write."""
