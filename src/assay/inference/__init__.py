"""How certain a number is: intervals, standard errors and comparisons, from influence values and from resampling."""
