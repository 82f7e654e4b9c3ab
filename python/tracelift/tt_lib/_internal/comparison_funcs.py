"""How results are compared; the same functions as in tracelift.testing."""

from tracelift.testing import (
    comp_allclose,
    comp_allclose_and_pcc,
    comp_equal,
    comp_pcc,
    comp_relative_frobenius,
    comp_ulp,
)

__all__ = ["comp_allclose", "comp_allclose_and_pcc", "comp_equal", "comp_pcc", "comp_relative_frobenius", "comp_ulp"]
