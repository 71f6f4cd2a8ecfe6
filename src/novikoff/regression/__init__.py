"""Has a regression model a finite estimate? Separation, for every model whose rows make a cone."""
