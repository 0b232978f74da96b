"""What was kept holds the values of then, and costs nothing until someone writes."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from astad.runtime.core.versions import Versions


def test_kept_array_is_kept_by_reference_until_a_write():
    versions, a = Versions(), np.arange(3.0)
    box = versions.keep(a)
    assert box[0] is a and versions.keep(a) is box and versions.is_kept(a[1:])
    versions.writing(a)
    a[:] = 9.0
    assert box[0].tolist() == [0, 1, 2] and not versions.is_kept(a)
    later = versions.keep(a)
    assert later is not box and later[0] is a
    versions.writing(a)
    a[:] = 7.0
    assert box[0].tolist() == [0, 1, 2] and later[0].tolist() == [9, 9, 9]


def test_write_through_any_view_saves_every_view():
    a = np.arange(12.0)
    views = [a, a[2:], a.reshape(3, 4), a.reshape(3, 4).T[::-1], a[::-3], sliding_window_view(a, 4)]
    views += [
        np.broadcast_to(a[:3], (5, 3)),
        sliding_window_view(a[::-2], 2),
        np.broadcast_to(a[3:4], (2, 3)),
    ]
    versions = Versions()
    before = [view.copy() for view in views]
    boxes = [versions.keep(view) for view in views]
    versions.writing(a[5:6])
    a[:] = -1.0
    for box, old in zip(boxes, before):
        assert np.array_equal(box[0], old)


def test_equal_views_share_one_copy():
    a, versions = np.arange(10.0), Versions()
    boxes = [versions.keep(a[:4].reshape(2, 2)) for _ in range(50)]
    versions.writing(a)
    assert len({id(box[0]) for box in boxes}) == 1
    assert not np.shares_memory(boxes[0][0], a)


def test_windows_take_no_more_memory_than_they_cover():
    a, versions = np.arange(10_000.0), Versions()
    box = versions.keep(sliding_window_view(a, 1000))
    versions.writing(a)
    owner = box[0]
    while owner.base is not None:
        owner = owner.base
    assert owner.nbytes == a.nbytes and not np.shares_memory(owner, a)
    a[:] = 0.0
    assert np.array_equal(box[0][3], np.arange(3.0, 1003.0))


def test_arrays_over_foreign_memory():
    memory, versions = bytearray(16), Versions()
    box = versions.keep(np.frombuffer(memory))
    other = np.frombuffer(memory)
    versions.writing(other)
    other[0] = 1.0
    assert box[0].tolist() == [0, 0]


def test_writes_into_what_is_no_array_or_not_kept():
    versions = Versions()
    versions.writing([1.0])
    kept = versions.keep(np.ones(2))
    versions.writing([1.0])
    versions.writing(np.ones(2))
    assert kept[0].tolist() == [1, 1]


def test_dtypes_order_and_object_arrays_survive_the_copy():
    versions = Versions()
    arrays = [
        np.ones((2, 3), np.float32, order="F"),
        np.array([1 + 2j]),
        np.array(3.0),
        np.array([None, "a"], object),
    ]
    boxes = [versions.keep(a) for a in arrays]
    for a, box in zip(arrays, boxes):
        versions.writing(a)
        assert box[0] is not a and box[0].dtype == a.dtype and box[0].shape == a.shape
        assert box[0].tolist() == a.tolist()
    assert boxes[0][0].flags.f_contiguous
