"""Mutation testing: which single changes to the compiler's passes do the tests not notice?"""
