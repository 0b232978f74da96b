"""Private names inside classes."""

import gast

from astad.compiler.frontend.mangle import mangle

TEXT = """
def f(self, __a):
    global __g
    import __m, __p.q
    from m import __n
    def __h(): pass
    return self.__b, __a, f(__k=1), self.__init__, __n
"""


def test_every_private_name_but_keywords():
    tree = gast.parse(TEXT)
    mangle(tree, "_Walk")
    names = {getattr(node, "id", None) for node in gast.walk(tree)} - {None}
    assert names == {"self", "_Walk__a", "f", "_Walk__n"}
    call = next(node for node in gast.walk(tree) if isinstance(node, gast.Call))
    assert call.keywords[0].arg == "__k"
    body = tree.body[0].body
    assert body[0].names == ["_Walk__g"]
    assert [alias.name for alias in body[1].names] == ["_Walk__m", "__p.q"]
    assert [(alias.name, alias.asname) for alias in body[2].names] == [("__n", "_Walk__n")]
    assert body[3].name == "_Walk__h"


def test_outside_of_classes_nothing_changes():
    tree = gast.parse(TEXT)
    mangle(tree, None)
    assert gast.dump(tree) == gast.dump(gast.parse(TEXT))
