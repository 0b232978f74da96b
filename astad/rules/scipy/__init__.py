"""Rules of SciPy, read when it has been imported."""
