"""Calls of the names of scipy.special: each argument that has a derivative, real and complex."""

import numpy as np
from scipy import special

K = np.array([0, 1, 2, 3, 1, 2, 0, 5, 4])
Z = "x + 0.3j * x[::-1]"
Y = "x[::-1]"

ONE = ("special.{0}(x)", "special.{0}(x.reshape(3, 3).T[::-1]) * x[:3]", "special.{0}(x[0] * x[1])")
ENTIRE = (*ONE, "special.{0}(2.0 - 3 * x)")
BOTH = (*ONE, f"special.{{0}}({Z})")
TWO = (f"special.{{0}}(x, {Y})", "special.{0}(x[0], x.reshape(3, 3))", "special.{0}(x[:3], 0.7)")
FIRST = ("special.{0}(x, K)", "special.{0}(x.reshape(3, 3)[:, :1], K[:4])")
ORDERED = (
    "special.{0}(3 * x, 2 * x[::-1])",
    "special.{0}(1.5, x)",
    "special.{0}(K, x)",
    "special.{0}(2, 2 * x.reshape(3, 3).T)",
)
SECOND = (*ORDERED, f"special.{{0}}(0.5, {Z})")
COUNTED = ("special.{0}(2, x)", "special.{0}(K, x)", "special.{0}(K[:4], 2 * x[0])")
THREE = (
    f"special.{{0}}(x, {Y}, 0.3 + 0.5 * x)",
    "special.{0}(x[:3, None], 1 + x[3:6], 0.4)",
    "special.{0}(0.7, 1.3, x)",
)
LAST = (
    "special.{0}(x, 1 + x[::-1], 2 * x)",
    "special.{0}(1.3, 0.7, x)",
    "special.{0}(1.3, np.array([[0.7], [1.2]]), x[:4])",
)
FOURTH = (
    "special.{0}(x, 1 + x[::-1], 2 + x, 0.5 * x)",
    "special.{0}(1.3, 0.7, 2.2, 0.5 * x)",
    "special.{0}(K, 1.3, 1.7, x)",
)
POLYNOMIAL = (
    "special.{0}(K, x)",
    "special.{0}(3, 2 * x.reshape(3, 3) - 1)",
    f"special.{{0}}(2, {Z})",
)
BOTH_OF = ("special.{0}(2 + x, 0.5 * x[::-1])", *POLYNOMIAL)
WEIGHED = (
    "special.{0}(3 * x, 1 + x[::-1], x)",
    "special.{0}(K, 0.7, x)",
    "special.{0}(3, np.array([[0.3], [1.2]]), x[:4])",
)
SPHERICAL = (
    "special.{0}(2, x)",
    "special.{0}(K, x, derivative=True)",
    f"special.{{0}}(K, {Z})",
)
PRIMED = ("special.{0}(1.5, x, 2)", "special.{0}(2, x.reshape(3, 3))", "special.{0}(K, x, n=1)")
GROUPS = {
    ENTIRE: """erf erfc dawsn ndtr log_ndtr expit log_expit exp2 exp10 expm1 cosm1 exprel sindg
        cosdg tandg j0 j1 i0 i1 it2struve0 itmodstruve0 itstruve0 softplus sinc rgamma
        erfcx erfi itairy""",
    ONE: """erfcinv erfinv ndtri logit entr cbrt log1p gamma gammaln beip ber bei berp ker kei kerp
        keip k0 k1 k0e k1e y0 y1 ellipk ellipe ellipkm1 exp1 expi kolmogorov kolmogi zetac cotdg
        itj0y0 iti0k0 it2j0y0 it2i0k0 kelvin modfresnelp modfresnelm airye multigammaln""",
    BOTH: """wofz loggamma psi digamma spence wrightomega airy fresnel sici shichi""",
    TWO: """xlogy xlog1py rel_entr kl_div huber pseudo_huber boxcox boxcox1p inv_boxcox inv_boxcox1p
        powm1 owens_t beta betaln poch binom gammainc gammaincc gammaincinv gammainccinv chdtr
        chdtrc chdtri chdtriv stdtr stdtrit ellipkinc ellipeinc agm elliprc ellipj tklmbda
        pdtrik""",
    SECOND: "jv yv iv kv hankel1 hankel2 hankel1e hankel2e kve",
    (*ONE, "special.{0}(2.2 - 3 * x)"): "i0e i1e",
    ORDERED: "jve yve ive struve modstruve",
    COUNTED: "yn kn expn polygamma pdtr pdtrc pdtri",
    SPHERICAL: "spherical_jn spherical_yn spherical_in spherical_kn",
    PRIMED: "jvp yvp ivp kvp h1vp h2vp",
    THREE: """betainc betaincc betaincinv betainccinv fdtr fdtrc fdtri gdtr gdtrc gdtria gdtrix
        btdtria elliprd elliprf elliprg voigt_profile radian chndtr""",
    LAST: "hyp1f1 hyperu wright_bessel log_wright_bessel",
    FOURTH: "hyp2f1 eval_jacobi",
    FOURTH[1:]: "eval_sh_jacobi",
    BOTH_OF: """eval_chebyt eval_chebyu eval_chebyc eval_chebys eval_sh_chebyt eval_sh_chebyu""",
    BOTH_OF + POLYNOMIAL[:1]: "eval_legendre eval_sh_legendre eval_laguerre",
    POLYNOMIAL[:2]: "eval_hermite eval_hermitenorm",
    WEIGHED: "eval_gegenbauer eval_genlaguerre",
}
CALLS = {
    name: tuple(call.format(name) for call in calls)
    for calls, names in GROUPS.items()
    for name in names.split()
}
del CALLS["radian"], CALLS["multigammaln"]
COUNTS = ("special.{0}(2, 5, x)", "special.{0}(K, 9, x)")
SPHEROIDS = ("special.{0}(1, 2, 1.5, {1})", "special.{0}(0, 3, 0.7, {1})")
MATHIEU = ("special.{0}(2, 1.3, 40 * x)", "special.{0}(1, -0.6, 40 * x)")
MODIFIED = ("special.{0}(2, 1.3, x)", "special.{0}(1, 0.6, x)")


def _put(calls, names, *more):
    for name in names.split():
        CALLS[name] = tuple(call.format(name, *more) for call in calls)


_put(COUNTS, "bdtr bdtrc bdtri nbdtr nbdtrc nbdtri")
_put(MATHIEU, "mathieu_cem mathieu_sem")
_put(MODIFIED, "mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2")
_put(("special.{0}(2, x)", "special.{0}(K[1:4], 3 * x[:3])"), "mathieu_a mathieu_b")
_put(("special.{0}(1.5, x)", "special.{0}(0.5, 2 * x[::-1])"), "pbdv pbvv pbwa")
_put(SPHEROIDS, "pro_ang1 obl_ang1 obl_rad1", "x")
_put(SPHEROIDS, "pro_rad1", "1.2 + x")
_put(("special.{0}(1, 2, 1.5, {1}, x)",), "pro_ang1_cv", "special.pro_cv(1, 2, 1.5)")
_put(("special.{0}(1, 2, 1.5, {1}, x)",), "obl_ang1_cv obl_rad1_cv", "special.obl_cv(1, 2, 1.5)")
_put(("special.{0}(1, 2, 1.5, {1}, 1.2 + x)",), "pro_rad1_cv", "special.pro_cv(1, 2, 1.5)")
_put(("special.{0}(1, 2, x)", "special.{0}(0, 3, 1 + x)"), "pro_cv obl_cv")
_put(
    ("special.{0}(3, x)", "special.{0}(2, x.reshape(3, 3), diff_n=1)"), "legendre_p legendre_p_all"
)
_put(
    ("special.{0}(3, 1, x)", "special.{0}(2, 1, x.reshape(3, 3), diff_n=1)"),
    "assoc_legendre_p assoc_legendre_p_all sph_legendre_p sph_legendre_p_all",
)
_put(
    ("special.{0}(3, 1, x, 2 * x[::-1])", "special.{0}(2, 1, x[:3], 0.4, diff_n=1)"),
    "sph_harm_y sph_harm_y_all",
)
# SciPy finds the inverses of ncfdtr in its parameters to about 1e-4 only: they weigh little here.
CALLS |= {
    "bernoulli": ("special.bernoulli(8) * x",),
    "euler": ("special.euler(8) * x",),
    "gammasgn": ("special.gammasgn(x)", "special.gammasgn(2 - 5 * x)"),
    "round": ("special.round(x)", "special.round(5 * x)"),
    "assoc_laguerre": ("special.assoc_laguerre(x, 3, 1.5)",),
    "bdtrik": ("special.bdtrik(x, 9.5, 0.4)", "special.bdtrik(0.6, 7 + x, 0.3 + 0.2 * x[::-1])"),
    "bdtrin": ("special.bdtrin(3.0, x, 0.4)", "special.bdtrin(2 + x, 0.4, 0.3 + 0.2 * x[::-1])"),
    "besselpoly": ("special.besselpoly(x, 1.0 + x, 2.0 * x)", "special.besselpoly(x, 0.5, K)"),
    "chndtridf": ("special.chndtridf(2 + x, 0.3, 0.5 + x[::-1])",),
    "chndtrinc": ("special.chndtrinc(4 + x, 2 + 0.1 * x[::-1], 0.3)",),
    "chndtrix": ("special.chndtrix(x, 3 + x[::-1], 2 * x)", "special.chndtrix(0.3, 2.0, 9 * x)"),
    "comb": ("special.comb(5 + x, 2 * x[::-1])", "special.comb(7.3, 3 * x.reshape(3, 3))"),
    "diric": ("special.diric(x, 5)", "special.diric(3 * x.reshape(3, 3), 4)"),
    "elliprj": (
        f"special.elliprj(x, {Y}, 0.5 + x, 2 * x)",
        "special.elliprj(1.0, x[:3], 2.0, -x[3:6])",
    ),
    "factorial": ("special.factorial(x)", "special.factorial(3 * x.reshape(3, 3))"),
    "fdtridfd": ("special.fdtridfd(2 + x, 0.3, 0.5 + 0.1 * x[::-1])",),
    "hyp0f1": ("special.hyp0f1(0.3 + x, x[::-1])", f"special.hyp0f1(0.7, {Z})"),
    "jn": ("special.jn(2, x)", "special.jn(K, 3 * x)"),
    "log_softmax": ("special.log_softmax(x)", "special.log_softmax(x.reshape(3, 3), axis=0)"),
    "logsumexp": (
        "special.logsumexp(x)",
        "special.logsumexp(x.reshape(3, 3), axis=1, b=x[:3])",
        "special.logsumexp(x.reshape(3, 3), axis=0, keepdims=True)",
        "special.logsumexp(x, b=x - 0.9, return_sign=True)",
        f"special.logsumexp({Z})",
    ),
    "lambertw": ("special.lambertw(x)", "special.lambertw(x, 1)", f"special.lambertw({Z}, -1)"),
    "lpmv": ("special.lpmv(1, 2 + x, x[::-1])", "special.lpmv(K[:3], 3, x.reshape(3, 3))"),
    "multigammaln": ("special.multigammaln(2 + x, 3)", "special.multigammaln(3.0 + x[0], 2)"),
    "nbdtrik": (
        "special.nbdtrik(0.3 + 0.5 * x, 5.5, 0.4)",
        "special.nbdtrik(0.8, 4 + x, 0.3 + 0.1 * x[0])",
    ),
    "nbdtrin": ("special.nbdtrin(3.0, x, 0.4)", "special.nbdtrin(2 + x, 0.4, 0.3 + 0.2 * x[::-1])"),
    "ncfdtr": (
        "special.ncfdtr(3 + x, 5.0, x[::-1], 0.5 + x)",
        "special.ncfdtr(3.0, 5 + x, 9 * x, 2.0)",
    ),
    "ncfdtri": (
        "special.ncfdtri(3 + x, 5.0, x[::-1], x)",
        "special.ncfdtri(3.0, 5 + x, 9 * x, 0.3)",
    ),
    "nctdtr": (
        "special.nctdtr(3 + x, x[::-1], 2 * x - 1)",
        "special.nctdtr(20.0, 2 * x[:3, None], x[3:])",
    ),
    "nctdtrinc": ("special.nctdtrinc(3 + x, 0.4, x)",),
    "nctdtrit": (
        "special.nctdtrit(3 + x, x[::-1], x)",
        "special.nctdtrit(20.0, 2 * x[:3, None], x[3:])",
    ),
    "ndtri_exp": ("special.ndtri_exp(-x)", "special.ndtri_exp(-30 * x.reshape(3, 3))"),
    "nrdtrimn": ("special.nrdtrimn(x, 1 + x[::-1], 2 * x)",),
    "nrdtrisd": ("special.nrdtrisd(x, 0.6 + 0.3 * x[::-1], 2 + x)",),
    "perm": ("special.perm(5 + x, 2 * x[::-1])", "special.perm(7.3, 3 * x.reshape(3, 3))"),
    "radian": ("special.radian(x, 20 + x, 5 * x[::-1])",),
    "gdtrib": (
        "special.gdtrib(x[:3, None], 0.4, 1 + x[3:6])",
        "special.gdtrib(0.7, 0.2 + 0.5 * x, 1.3)",
    ),
    "btdtrib": ("special.btdtrib(x[:3, None], 0.4, x[3:6])", "special.btdtrib(0.7, x, 0.3)"),
    "smirnov": ("special.smirnov(3, x)", "special.smirnov(K + 1, x)"),
    "smirnovi": ("special.smirnovi(3, x)", "special.smirnovi(K + 1, x)"),
    "ncfdtridfd": ("special.ncfdtridfd(2 + x, 0.5, 0.2, 0.9)",),
    "ncfdtridfn": ("x + 1e-3 * special.ncfdtridfn(0.3 * x + 0.1, 8.0, 2.0, 0.3)",),
    "ncfdtrinc": ("x + 1e-3 * special.ncfdtrinc(2 + x, 6.0, 0.3, 1.6)",),
    "nctdtridf": ("special.nctdtridf(0.55, 0.5, 0.7 + 0.1 * x)",),
    "legendre": ("special.legendre(3)(x)", "special.legendre(4)(x.reshape(3, 3))"),
    "jacobi": ("special.jacobi(3, 0.7, 1.3)(x)",),
    "hermite": ("special.hermite(3)(x)",),
    "chebyt": ("special.chebyt(3)(x)",),
    "genlaguerre": ("special.genlaguerre(3, 0.5)(x)",),
    "roots_legendre": ("np.sum(special.roots_legendre(4)[0] ** 2) * x",),
    "jn_zeros": ("special.jv(2, special.jn_zeros(2, 9) * x)",),
    "factorial2": ("special.factorial2(x, extend='complex')",),
    "factorialk": ("special.factorialk(x, 3, extend='complex')",),
    "stirling2": ("special.stirling2(4, 2) * x",),
    "riccati_jn": ("special.riccati_jn(3, x[0])",),
    "riccati_yn": ("special.riccati_yn(3, x[0])",),
    "pbdv_seq": ("special.pbdv_seq(2, x[0])",),
    "pbvv_seq": ("special.pbvv_seq(2, x[0])",),
    "ellip_harm": ("special.ellip_harm(5, 8, 1, 1, 2 + x[0])",),
    "softmax": ("special.softmax(x)", "special.softmax(x.reshape(3, 3), axis=0) ** 2"),
    "stdtridf": ("special.stdtridf(0.7 + 0.1 * x, 1.3)",),
    "zeta": (
        "special.zeta(2 + x, 0.5 + x[::-1])",
        "special.zeta(4 * x - 3.0)",
        "special.zeta(1.5, x)",
    ),
}
NO_SECOND = dict.fromkeys(CALLS, "derivatives of derivatives are not taken")
REFUSED = {"ellip_harm": "no rule: the derivative of Lame's functions is not at hand"}
