"""What tests need of the real ttnn-visualizer: the programs, and what a capture should look like in them."""
