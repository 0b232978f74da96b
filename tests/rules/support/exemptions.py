"""Which checks of the harness a rule is not asked, and why: there is no other place to leave one
out.

A key is the name of a rule, or the beginning of several names where it ends in ``*``.
"""

from __future__ import annotations

from astad.rules.formula import Rule

__all__ = ["EXEMPT", "REFUSED_SECOND", "WORK_SPACE", "reason"]

_SEARCH = "SciPy's search ends 1e-4 from the root: rules/scipy/special/test_noncentral.py"
_SECOND = "every argument of it is refused: SciPy's values are not accurate enough"
_SINGLE = "SciPy itself gives nan in single precision, or does not come to an end"
_KERNEL = (
    "a kernel that no program names, of one layout and precision: asked as SciPy calls it, "
    "in tests/runtime/scipy/test_kernels.py, tests/rules/scipy and the tables of calls"
)
_OURS = (
    "what texts call where they say that nothing comes to an operand: None and zeros are one: "
    "tests/rules/test_kinks.py, tests/api/higher/test_second_derivatives_at_zeros.py"
)
_SETS = "equal numbers are one, and which are equal is no matter of degree"
_ORDER = "the order of the entries in memory is part of what it computes"
_KERNELS = ("scipy.interpolate._*", "scipy.ndimage._*", "scipy.special._*")

WORK_SPACE = {"scipy.interpolate._dfitpack.splint": 1}
"""Which of the results of a rule is work space, that takes no cotangent."""

EXEMPT: dict[str, dict[str, str]] = {
    "cases": {
        "np.generic.swapaxes": "it raises for every number",
        **dict.fromkeys(
            [
                f"scipy.special.{kind}_rad2{ending}"
                for kind in ("pro", "obl")
                for ending in ("", "_cv")
            ],
            _SECOND,
        ),
    },
    "differences": {
        **dict.fromkeys(
            ("scipy.special.ncfdtridfd", "scipy.special.ncfdtridfn", "scipy.special.ncfdtrinc"),
            _SEARCH,
        ),
        "scipy.interpolate._dfitpack.splint": "its second result is work space: "
        "tests/programs/test_splines_of_fitpack.py",
    },
    "precision": {
        "np.generic.view": "a view as a number of another size raises",
        **dict.fromkeys(
            ("scipy.special.mathieu_*", "scipy.special.pro_*", "scipy.special.obl_*"), _SINGLE
        ),
    },
    "layouts": {
        **dict.fromkeys(_KERNELS, _KERNEL),
        **dict.fromkeys(
            (
                "np.ravel",
                "np.reshape",
                "np.ndarray.flatten",
                "np.ndarray.reshape",
                "np.ndarray.ravel",
            ),
            _ORDER,
        ),
    },
    "public": {
        **dict.fromkeys(_KERNELS, _KERNEL),
        **dict.fromkeys(("astad.rules.kinks.*", "astad.rules.safe.*"), _OURS),
    },
    "second": {
        "astad.rules.numpy.linalg.singular_adjugate": "of a matrix of a low rank with equal "
        "singular values it is nan",
        **dict.fromkeys(_KERNELS[:2], "a kernel that writes into what it is given"),
        **dict.fromkeys(
            ("scipy.special.ncfdtridfd", "scipy.special.ncfdtridfn", "scipy.special.ncfdtrinc"),
            _SEARCH,
        ),
    },
    "zeros": {
        **dict.fromkeys(("np.intersect1d", "np.setdiff1d", "np.setxor1d", "np.union1d"), _SETS),
        "np.median": "equal numbers are ties: which of them is in the middle changes beside them",
        "scipy.special.hyp2f1": "c = 0 is a pole, but where a, b or z is 0 as well: a limit along "
        "one way, which has no slopes in others",
        "scipy.special.nctdtridf": "where t is 0 the distribution function is the same for every "
        "df: there is no root, and SciPy's search ends at a bound",
        "scipy.special.nctdtrinc": "SciPy's root is at t of 1e-4 that of 0, to the last digit: "
        "rules/scipy/special/test_noncentral.py",
        "scipy.special.tklmbda": "SciPy takes lmbda for 0 from -1e-4 to 1e-4: differences of what "
        "reads its value are not those of the function: rules/scipy/special/test_fits.py",
        **dict.fromkeys(
            [
                f"scipy.special.{kind}_{name}1_cv"
                for kind in ("pro", "obl")
                for name in ("ang", "rad")
            ],
            "a cv of 0, or with a c of 0, is not that of m, n and c, and what SciPy makes of it "
            "does not satisfy the equation: rules/scipy/special/test_separated.py",
        ),
        "np.linalg.pinv": "of a matrix of which a singular value is cut off the rule is that of a "
        "constant rank: it has the first derivative alone",
        "scipy.linalg.fractional_matrix_power": "of a real matrix whose power is complex; second "
        "derivatives of it are refused in programs",
        "scipy.signal._sigtools._medfilt2d": "equal numbers are ties, and windows have many",
        "np.lib.scimath.power": "a fractional power of 0: differences tell little",
        "np.poly": "of complex roots that are 0 the result turns real",
        "astad.rules.numpy.linalg.singular_adjugate": "its third derivative by the singular "
        "vectors is nan where two values are equal, with a warning",
    },
}
"""By check: ``cases`` (it has none), ``differences`` of pullback and tangent, ``precision``,
``layouts`` (Fortran, strides, negative strides), ``public`` (through `gradient` and `pullback`),
``second`` derivatives, those with exact ``zeros`` among the operands."""

REFUSED_SECOND: dict[str, str] = {
    **dict.fromkeys(
        ("scipy.special.mathieu_a", "scipy.special.mathieu_b"),
        "the function whose mean square it is has no derivative in q",
    ),
    **dict.fromkeys(
        ("scipy.special.pro_cv", "scipy.special.obl_cv"),
        "the function whose mean square it is has no derivative in c",
    ),
    **dict.fromkeys(
        [f"scipy.special.{name}{ending}" for ending in ("", "_all") for name in (
            "legendre_p", "assoc_legendre_p", "sph_legendre_p", "sph_harm_y",
        )],
        "with derivatives asked of SciPy, which gives two of them",
    ),
}  # fmt: skip
"""Rules of which some second derivative is an error of astad, and why."""


def reason(rule: Rule, check: str) -> str:
    """Why the rule is not asked this check; empty if it is."""
    for name, why in EXEMPT[check].items():
        if rule.name == name or (name.endswith("*") and rule.name.startswith(name[:-1])):
            return why
    return ""
