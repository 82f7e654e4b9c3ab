"""Lists of operations, as the original's modules keep them."""

from tracelift import _ttnn

_NAMES = """
    abs acos acosh asin asinh atan atan2 atanh bitwise_not cbrt ceil celu clamp clip cos cosh deg2rad digamma elu eqz erf
    erfc erfinv exp exp2 expm1 fill floor frac geglu gelu gez glu gtz hardshrink hardsigmoid hardswish hardtanh heaviside
    i0 identity isfinite isinf isnan isneginf isposinf leaky_relu lez lgamma log log10 log1p log2 log_sigmoid logical_not
    logit ltz mish multigammaln neg nez polygamma prelu rad2deg reciprocal reglu relu relu6 relu_max relu_min round rsqrt
    selu sigmoid sigmoid_accurate sign signbit silu sin sinh softplus softshrink softsign sqrt square swiglu swish tan
    tanh tanhshrink threshold tril triu trunc
""".split()

TTNN_ELTWISE_UNARY_CPP_FUNCTIONS = [
    _ttnn.operations()[f"ttnn.{name}"] for name in _NAMES if f"ttnn.{name}" in _ttnn.operations()
]
