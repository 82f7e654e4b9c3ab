"""Parametrised tests are named by what they test, so that a failure says what failed and a name can be run again.

These look at every test of the session they run in: at all of them only where the whole suite runs.
"""

import re


def test_no_parameter_is_only_numbered(request):
    """pytest numbers what it has no name for: `arguments3`. conftest.py names values by their text."""
    numbered = [
        item.nodeid
        for item in request.session.items
        if hasattr(item, "callspec")
        and any(re.search(rf"(^|-){name}[0-9]+(-|$)", item.callspec.id) for name in item.callspec.params)
    ]
    assert numbered == []


def test_no_name_has_an_address(request):
    assert [item.nodeid for item in request.session.items if re.search(r"0x[0-9a-f]{6,}", item.nodeid)] == []
