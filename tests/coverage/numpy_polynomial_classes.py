"""Calls of the classes of numpy.polynomial."""

import numpy as np
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial

NAMESPACE = "numpy.polynomial"

o = np.linspace(0.3, 2.9, 9)
CLASSES = (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)


def calls_of(K):
    """Calls of one of the classes."""
    return (
        f"{K}(x[:4]).coef",
        f"{K}(x[:4])(0.7)",
        f"{K}(x[:4])(x[4:])",
        f"{K}([1,2,3.])(x)",
        f"{K}([1,2,3.])(x.reshape(3,3))",
        f"{K}(x[:4], domain=[0,2])(x[4:])",
        f"{K}(x[:4], domain=[0,2], window=[-2,1])(x[4:])",
        f"{K}(x[:4], domain=x[4:6], window=[-2,1])(x[6:])",
        f"({K}(x[:4])+{K}(x[4:])).coef",
        f"({K}(x[:4])-{K}(x[4:])).coef",
        f"({K}(x[:4])*{K}(x[4:])).coef",
        f"({K}(x[:4])*2+x[1]).coef",
        f"(2*{K}(x[:4])).coef",
        f"(2+{K}(x[:4])).coef",
        f"(2-{K}(x[:4])).coef",
        f"(-{K}(x[:4])).coef",
        f"(+{K}(x[:4])).coef",
        f"({K}(x[:4])**2).coef",
        f"({K}(x[:4])**3)(0.3)",
        f"({K}(x[:4])//{K}(x[5:7])).coef",
        f"({K}(x[:4])%{K}(x[5:7])).coef",
        f"q,r=divmod({K}(x[:4]),{K}(x[5:7]))\n(q.coef,r.coef)",
        f"({K}(x[:4])/x[5]).coef",
        f"{K}(x[:4]).deriv().coef",
        f"{K}(x[:5]).deriv(2)(x[6:])",
        f"{K}(x[:4]).integ().coef",
        f"{K}(x[:4]).integ(2,k=[x[4],x[5]],lbnd=x[6]).coef",
        f"{K}(x[:4],domain=[0,3]).integ(1,lbnd=0.5)(x[5])",
        f"{K}(x[:4]).roots()",
        f"{K}(np.array([-1,0.2,1])+0.2*x[:3]).roots()",
        f"{K}.fromroots(x[:3]).coef",
        f"{K}.fromroots(x[:3])(x[4])",
        f"{K}.fromroots(x[:3],domain=None).coef",
        f"{K}.fit(o,x,3).coef",
        f"{K}.fit(o,x,3)(0.4)",
        f"{K}.fit(x,o,2)(0.4)",
        f"{K}.fit(o,x,[0,2],domain=[0,3]).coef",
        f"{K}.fit(o,x,3,w=x).coef",
        f"{K}.fit(o,x,3,domain=[]).coef",
        f"{K}.fit(o,x,3).convert().coef",
        f"{K}(x[:4]).convert(kind=Polynomial).coef",
        f"{K}(x[:4]).convert(kind=Chebyshev).coef",
        f"{K}(x[:4]).convert(kind=Legendre, domain=[0,2]).coef",
        f"{K}(x[:4]).convert(kind=Hermite).coef",
        f"{K}(x[:4]).convert(kind=Laguerre).coef",
        f"{K}(x[:4]).convert(domain=[0,2])(0.4)",
        f"{K}(x[:4]).linspace(5)[1]",
        f"{K}(x[:4],domain=x[4:6]).linspace(5)",
        f"{K}(x[:4]).linspace(4,domain=[0,x[3]])",
        f"{K}(x[:4],domain=x[4:6]).mapparms()",
        f"{K}(x[:4]).cutdeg(2).coef",
        f"{K}(x[:4]).truncate(2).coef",
        f"{K}(x[:4]).trim().coef",
        f"{K}(x[:4]).trim(0.3).coef",
        f"{K}(x[:4]).copy().coef",
        f"{K}(x[:4]).degree()*x[0]",
        f"{K}.basis(3)(x)",
        f"{K}.identity()(x)",
        f"{K}.cast({K}(x[:3])).coef",
        f"{K}.cast(Polynomial(x[:3])).coef",
        f"p={K}(x[:4])\nlist(p)",
        f"len({K}(x[:4]))*x[1]",
        f"{K}(x[:4])[2] if False else {K}(x[:4]).coef[2]",
        f"{K}(x[:4])({K}(x[4:6])).coef",
        f"p={K}(x[:4])\np.coef[1]=x[7]\np(0.3)",
        f"p={K}(x[:4])\np+={K}(x[:2])\np.coef",
        f"{K}(x[:4]*(1+2j))(0.7)",
        f"np.array([{K}(x[:4])(v) for v in x[4:]])",
        f"({K}(x[:4])=={K}(x[:4]))*x[0]",
    )


CALLS: dict[str, tuple[str, ...]] = {each.__name__: calls_of(each.__name__) for each in CLASSES}
NO_SECOND = dict.fromkeys(CALLS, "made of functions whose second order is asked")
