"""Nineteen operations one below the other; the eighth fails, and the program goes on."""

import ttnn


def run(x, y, wrong):
    """What to keep alive, and the message of the failure."""
    a = ttnn.relu(x)
    b = ttnn.add(a, y, memory_config=ttnn.L1_MEMORY_CONFIG)
    c = ttnn.multiply(b, b)
    d = ttnn.tanh(c)
    e = ttnn.subtract(d, y)
    f = ttnn.sigmoid(e)
    g = ttnn.exp(f)
    try:
        ttnn.add(g, wrong)
    except RuntimeError as error:
        message = str(error)
    h = ttnn.tanh(g)
    i = ttnn.add(h, y)
    j = ttnn.gelu(i)
    k = ttnn.multiply(j, y)
    m = ttnn.relu(k)
    n = ttnn.abs(m)
    o = ttnn.softmax(n, dim=-1)
    p = ttnn.neg(o)
    q = ttnn.matmul(p, y)
    r = ttnn.silu(q)
    s = ttnn.sqrt(r)
    return [a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s], message
