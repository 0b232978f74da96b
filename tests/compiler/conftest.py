"""The check of the compiler's tests: every form of a derivative, against the others and
differences.
"""

import pytest

from .forms import check_forms


@pytest.fixture
def forms_agree():
    """``forms_agree(fn, *args)``: generic pair, specialised pair, fused form, differences."""
    return check_forms
