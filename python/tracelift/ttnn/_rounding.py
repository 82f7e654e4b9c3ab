"""Small arithmetic that ttnn.core shares with model code."""


def divup(a: int, b: int) -> int:
    """a / b, rounded up."""
    return (a + b - 1) // b


def roundup(a: int, b: int) -> int:
    """The least multiple of b that is not below a."""
    return divup(a, b) * b
