"""Cotangents as values: zero, one, sum, shape."""
