"""autograd's own tests, with astad in the place of autograd: ``python -m tests.autograd_suite``."""
