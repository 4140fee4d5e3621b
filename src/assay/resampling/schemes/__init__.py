"""Schemes that split rows into training and test sets, their text form, and the guideline that chooses one."""
