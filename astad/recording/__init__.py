"""What one run of a program did, as a straight text without objects: the form of last resort.

A program whose kinds cannot be told from its text (objects, callbacks, ``with``, strings, queues,
code of libraries) is run once by an interpreter of its Wengert list (`interpreter.py`). Its values
are Python's own; a number is followed by its identity, never wrapped. What comes of it is a
function of the numbers that went in, one operation a line (`recording.py`), and two sorts of tests:

- at its head, that all that the run has read from outside is there still (`outside.py`),
- in its text, that each question about a number is answered as it was.

Where a test fails, the function is left with nothing done, and the pair answers. So what is
recorded costs time where it does not fit, and never a wrong number. What the run writes outside
(`writes.py`) is done behind the text. What cannot be told to run the same way again (other changes
of what is outside, prints, random numbers, unknown compiled code) is not recorded.

`operations.py`, `attributes.py` and `calls.py` are the operations of the language. What is called
is looked up by what it is: `ruled_calls.py` has functions with a rule, `method_calls.py`,
`class_calls.py` and `function_calls.py` what else is compiled and known, `repeatable.py` what may
be known of functions of the user's with rules. `equivalents.py` writes builtins that call back or
compare in Python; `straight.py` makes the two functions; `line_by_line.py` a gradient of the text
that need not wait for the compiler.
"""
