"""Calls that run a function of the user, loops over elements, and classes with protocols."""

import numpy as np
from numpy import emath

o = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])


class Log(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kw):
        ins = [i.view(np.ndarray) if isinstance(i, Log) else i for i in inputs]
        if out is not None:
            kw["out"] = tuple(i.view(np.ndarray) if isinstance(i, Log) else i for i in out)
        r = getattr(ufunc, method)(*ins, **kw)
        return r.view(Log) if isinstance(r, np.ndarray) else r


class Unit:
    def __init__(self, a, u=1):
        self.a = a
        self.u = u

    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        if method != "__call__":
            return NotImplemented
        return Unit(ufunc(*[i.a if isinstance(i, Unit) else i for i in inputs], **kw), self.u)

    def __array_function__(self, func, types, args, kwargs):
        args = [i.a if isinstance(i, Unit) else i for i in args]
        return Unit(func(*args, **kwargs), self.u)


class Sub(np.ndarray):
    pass


class Fin(np.ndarray):
    def __new__(cls, a, info=None):
        o = np.asarray(a).view(cls)
        o.info = info
        return o

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)


class Mix(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, v):
        self.v = np.asarray(v)

    def __array__(self, dtype=None, copy=None):
        return self.v

    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        r = getattr(ufunc, method)(*[i.v if isinstance(i, Mix) else i for i in inputs], **kw)
        return Mix(r) if not isinstance(r, tuple) else tuple(map(Mix, r))


NAMESPACE = "numpy (functions and protocols)"

CALLS: dict[str, tuple[str, ...]] = {
    "vectorize": (
        "np.vectorize(lambda a: a*a)(x)",
        "np.vectorize(lambda a,b: a*b)(x,o)",
        "np.vectorize(lambda a,b: a*b)(x[:3,None],x[:2])",
        "np.vectorize(lambda a: a*a,otypes=[float])(x)",
        "np.vectorize(lambda a: a*a,otypes='d')(x)",
        "np.vectorize(lambda a: (a,a*a))(x)",
        "np.vectorize(lambda a: (a,a*a),otypes=[float,float])(x)",
        "np.vectorize(lambda a,p: a**p,excluded=['p'])(x,p=2)",
        "np.vectorize(lambda p,a: np.polyval(p,a),excluded=[0])(x[:3],x[3:])",
        "np.vectorize(lambda p,a: np.polyval(p,a),excluded={0})(x[:3],x[3:])",
        "np.vectorize(np.dot,signature='(n),(n)->()')(x.reshape(3,3),x[:3])",
        "np.vectorize(np.convolve,signature='(n),(m)->(k)')(np.eye(4),x[:3])",
        "np.vectorize(lambda v: v/v.sum(),signature='(n)->(n)')(x.reshape(3,3))",
        "np.vectorize(lambda v: (v.sum(),v*v),signature='(n)->(),(n)')(x.reshape(3,3))",
        "np.vectorize(lambda a,b=2.0: a*b)(x)",
        "np.vectorize(lambda a,b=2.0: a*b)(x,b=x[0])",
        "np.vectorize(lambda a: a if a>0.5 else a*a)(x)",
        "np.vectorize(lambda a: a*a,cache=True)(x)",
        "np.vectorize(np.sin)(x)",
        "np.vectorize(float)(x)",
        "np.vectorize(lambda a: 2)(x)*x",
        "np.vectorize(lambda a: a*1j)(x)",
        "f=np.vectorize(lambda a,b: a*b)\nf.__call__(x,x)",
        "np.vectorize(np.outer,signature='(n),(m)->(n,m)',otypes=[float])(x.reshape(3,3),x[:2])",
    ),
    "apply_along_axis": (
        "np.apply_along_axis(np.sum,0,x.reshape(3,3))",
        "np.apply_along_axis(np.cumsum,-1,x.reshape(3,3))",
        "np.apply_along_axis(lambda v: v*v[0],1,x.reshape(3,3))",
        "np.apply_along_axis(lambda v,a: v*a,1,x.reshape(3,3),x[0])",
        "np.apply_along_axis(lambda v,a=1: v*a,1,x.reshape(3,3),a=x[0])",
        "np.apply_along_axis(np.diag,-1,x.reshape(3,3))",
        "np.apply_along_axis(np.outer,0,x.reshape(3,3),x[:2])",
        "np.apply_along_axis(sorted,1,x.reshape(3,3))",
        "np.apply_along_axis(lambda v: v[v>0.3][:1],1,x.reshape(3,3))",
        "np.apply_along_axis(np.mean,1,x[:8].reshape(2,2,2))",
        "np.apply_along_axis(lambda v: np.interp(0.4,o[:3],v),1,x.reshape(3,3))",
        "np.apply_along_axis(np.max,0,x)",
        "np.apply_along_axis(lambda v: float(v[0]*v[1]),1,x.reshape(3,3))",
    ),
    "apply_over_axes": (
        "np.apply_over_axes(np.sum,x[:8].reshape(2,2,2),[0,2])",
        "np.apply_over_axes(np.mean,x[:8].reshape(2,2,2),1)",
        "np.apply_over_axes(np.max,x[:8].reshape(2,2,2),(0,-1))",
        "np.apply_over_axes(np.cumsum,x[:8].reshape(2,2,2),[0,1])",
    ),
    "piecewise": (
        "np.piecewise(x,[x<0.3,x>=0.3],[lambda v:v*v,lambda v:2*v])",
        "np.piecewise(x,[x<0.3],[lambda v:v*v,lambda v:-v])",
        "np.piecewise(x,[x<0.3,x>0.6],[1.0,lambda v:-v,lambda v:v**3])",
        "np.piecewise(x,[x<0.5],[lambda v,a:v*a,lambda v,a: v+a],x[0])",
        "np.piecewise(x,[x<0.5],[lambda v,a=1:v*a],a=x[0])",
        "np.piecewise(x[0],[x[0]<0.5,True],[lambda v:v*v,lambda v:-v])",
        "np.piecewise(x.reshape(3,3),[x.reshape(3,3)>0.4],[lambda v:v*v])",
        "np.piecewise(x[0],x[0]>0,[lambda v:v*v])",
        "np.piecewise(x,[x<0.5,x>=0.5],[x[0],x[1]])",
    ),
    "from": (
        "np.fromiter(np.nditer(x),float)",
        "np.fromiter(((v, v * v) for v in x), dtype=(float, 2))",
        "np.fromiter([x[:3], x[3:6]], (float, 3))",
        "np.fromfunction(lambda i,j: i*x[0]+j*x[1],(2,3))",
        "np.fromfunction(lambda i: x[i]*i,(5,),dtype=int)",
        "np.frompyfunc(lambda a,b:a*b,2,1)(x,o)",
        "np.frompyfunc(lambda a:(a,a*a),1,2)(x)",
        "np.frompyfunc(lambda a:a*a,1,1)(x).astype(float)",
        "np.frompyfunc(lambda a,b:a+b,2,1).at(x*1.0,[0],2.0)",
        "np.frompyfunc(lambda a,b:a*b,2,1)(x[:3,None],x[:2])",
        "np.frompyfunc(lambda a:a*a,1,1)(x[0])",
        "np.frompyfunc(lambda a,b:a*b,2,1).reduce(x)",
        "np.frompyfunc(lambda a,b:a*b,2,1).accumulate(x)",
        "np.frompyfunc(lambda a,b:a+b,2,1).outer(x[:3],x[:2])",
        "np.frompyfunc(lambda a,b:a*b,2,1,identity=1).reduce(x.reshape(3,3),axis=0)",
        "np.fromiter((v*v for v in x),float)",
        "np.fromiter([v for v in x],float,count=4)",
        "np.fromiter(map(lambda v:v*2,x),dtype=float)",
        "np.fromiter(x,float)",
        "np.fromiter((v for v in x),dtype=complex)",
        "np.fromiter(x.flat,float)",
        "np.array(list(map(float,x)))",
        "np.array([float(v) for v in x])",
        "np.array(tuple(x))",
        "np.array([*x])",
        "np.asarray([x,x])",
        "np.array([x[0],[1.0][0]])",
    ),
    "iter": (
        "[float(v)*2 for v in np.nditer(x)]",
        "[a*b for a,b in np.nditer([x,o])]",
        "s=0.0\nfor v in np.nditer(x.reshape(3,3),order='F'):\n    s=s*0.5+v\ns",
        "s=0.0\nfor a,b in np.nditer([x[:3,None],x[:2]]):\n    s=s*0.5+a*b\ns",
        "y=np.zeros(9)\nfor i,v in np.ndenumerate(x):\n    y[i]=v*v\ny",
        "s=0.0\nfor (i,j),v in np.ndenumerate(x.reshape(3,3)):\n    s=s+v*i*j\ns",
        "s=0.0\nfor i in np.ndindex(3,3):\n    s=s+x.reshape(3,3)[i]**2\ns",
        "[v for v in x.flat]",
        "y=x.flat\n[next(y),next(y)]",
        "y=x.flat\ny[2]",
        "list(np.ndenumerate(x))[2][1]",
        "np.nested_iters(x.reshape(3,3),[[0],[1]])[1].operands[0].sum() if False else x",
    ),
    "emath": (
        "emath.sqrt(x-0.5)",
        "emath.logn(2,x)",
        "emath.logn(x+1,x)",
        "emath.power(x-0.5,0.3)",
        "emath.power(x,x-0.5)",
        "emath.power(x-0.5,2)",
        "emath.arccos(3*x)",
        "emath.arcsin(3*x)",
        "emath.sqrt(x)",
        "emath.arccos(x)",
        "emath.log(-x[0])",
        "emath.sqrt(x*1j)",
        "emath.power(-1.5,x)",
    ),
    "subclass": (
        "np.sin(x.view(Log)).view(np.ndarray)",
        "(x.view(Log)*2+x).sum()",
        "np.add.reduce(x.view(Log))",
        "np.add(x.view(Log),1.0,out=np.zeros(9))",
        "np.multiply.outer(x.view(Log),o).sum()",
        "np.sum(x.view(Log)**2)",
        "np.sin(Unit(x)).a",
        "np.sum(Unit(x)).a",
        "(np.add(Unit(x),x)).a",
        "np.concatenate(Unit(x)) if False else np.cumsum(Unit(x)).a",
        "np.mean(Unit(x*x)).a",
        "(x.view(Sub)*2)",
        "np.sum(x.view(Sub))",
        "x.view(Sub)[2:4]",
        "x.view(Sub)@x",
        "np.exp(x.view(Sub)).sum()",
        "np.asarray(x.view(Sub))**2",
        "(Fin(x,info=3)*2).info*x",
        "(Fin(x,info=3)*2).sum()",
        "Fin(x)[1:3]",
        "y=Fin(x*1.0)\ny[0]=x[1]\ny*y",
        "y=Fin(x*1.0)\ny*=y\ny",
        "(Mix(x)*2+Mix(x)).v",
        "np.sin(Mix(x)).v",
        "(2-Mix(x)).v",
        "(x*Mix(x)).v",
        "np.sum(Mix(x)) if False else np.add.reduce(Mix(x)).v",
        "np.asarray(Mix(x)*Mix(x))",
        "(Mix(x)**2/x).v",
        "divmod(Mix(x),0.2)[1].v",
        "(-Mix(x)).v",
        "abs(Mix(x)).v",
        "(Mix(x)@x).v",
        "np.multiply.at(Mix(x).v*1,[0],2)",
        "np.dot(Mix(x),x)",
        "np.sum(Mix(x))",
        "(np.float64(2)*Mix(x)).v",
        "(x[0]*Mix(x)).v",
        "(o@Mix(x)).v",
        "np.concatenate([Unit(x),Unit(x)]).a if False else np.sum(Unit(x),axis=0).a",
        "np.dot(Unit(x),x).a",
        "np.dot(Unit(x),x[0]).a",
        "np.clip(Unit(x),0.3,x[1]).a",
        "np.add.reduce(Mix(x),axis=0).v",
        "np.multiply.outer(Mix(x),x[:2]).v",
        "(o*Unit(x)).a if False else np.multiply(o,Unit(x)).a",
        "np.sum(Mix(x)).v",
        "np.where(mask,Unit(x),0.0).a",
        "np.linalg.norm(Unit(x)).a",
        "np.sum(x.view(Log))",
        "np.mean(x.view(Log))",
        "np.std(x.view(Log))",
        "(x*x.view(Log))",
    ),
}
REFUSED_CALLS: dict[str, tuple[str, ...]] = {
    "iter": (
        "y=x*1.0\nfor v in np.nditer(y,op_flags=['readwrite']):\n    v[...]=2*v\ny",
        "t=np.nditer(x,flags=['multi_index'])\ns=0.0\nfor v in t:\n    s+=v*t.multi_index[0]\ns",
        "it=np.nditer(x)\ns=0.0\nwhile not it.finished:\n    s=s+it[0]\n    it.iternext()\ns",
        "it=np.nditer([x,None])\nfor a,b in it:\n    b[...]=a*a\nit.operands[1]",
        "s=0.0\nfor v in np.nditer(x,flags=['external_loop']):\n    s=s+np.sum(v*v)\ns",
        "s=0.0\nfor a,b in np.broadcast(x[:3,None],x[:2]):\n    s=s*0.5+a*b\ns",
        "sum([v * v for v in np.nditer(x,op_dtypes=[complex],flags=['buffered'])])",
        "it=np.nditer([x,o],[],[['readonly'],['readonly']])\nsum(a*b for a,b in it)",
    ),
}
NO_SECOND = dict.fromkeys(CALLS, "made of functions whose second order is asked")
