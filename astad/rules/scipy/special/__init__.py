"""Rules of scipy.special, a file for each family."""
