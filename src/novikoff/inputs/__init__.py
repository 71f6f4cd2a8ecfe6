"""From what users have to rows, class numbers and weights; what to say about bad input."""
