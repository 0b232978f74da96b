"""Numbers that leave the program as text, bytes or files, and come back.

`texts.py` follows them, `text_calls.py` holds calls that may ask the user's code meanwhile,
`open_files.py` files that wait to be written.
"""
