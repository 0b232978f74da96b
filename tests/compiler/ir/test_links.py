from astad.compiler.ir.links import Links


def test_a_link_goes_when_its_own_name_is_bound_again():
    links = Links()
    links.note("a", "g", 2.0)
    links.forget(("a",))
    assert links.of("a") is None


def test_links_by_way_of_a_name_go_when_that_is_bound_again():
    links = Links()
    links.note("a", "g", 2.0)
    links.note("b", "g", 3.0)
    links.note("c", "h", 4.0)
    links.forget(("g",))
    assert links.of("a") is None and links.of("b") is None
    assert links.of("c") == ("h", 4.0)


def test_a_link_that_was_noted_anew_leads_another_way():
    links = Links()
    links.note("a", "g", 2.0)
    links.note("a", "h", 3.0)
    links.forget(("g",))
    assert links.of("a") == ("h", 3.0)
    links.forget(("h",))
    assert links.of("a") is None


def test_what_is_no_name_has_no_link():
    links = Links()
    links.note("a", "", 1.0)
    assert links.of(1.0) is None and links.of(("a",)) is None
    assert links.of("a") == ("", 1.0)
