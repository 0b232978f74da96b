"""What code does that no record shows, and how it is noticed.

In reading order: `writing_code.py` (may it write?), `unrecorded.py` (what it stores),
`out_of_sight.py` (what values hold where a rule does not look), `severed.py` and `escapes.py` (what
a part hands on, and leaves behind), `foreign_iterators.py`, `filled_buffers.py`, `memos.py`
(numbers under keys), `debuggers.py` (callers that are looked for), `harmless.py` (records that
write nothing).
"""
