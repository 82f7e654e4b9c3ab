"""Sweeps over traced configurations: the loader, sweep modules, their vectors, and what runs one vector.

Everything here works with whatever `ttnn` is installed and imports it only where an object of it is made.
"""
