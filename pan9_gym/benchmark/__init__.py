"""What things cost: the engine's speed and memory beside its peers, and the exact answers' time and memory.

`pan9 bench` prints the first, `pan9 bench solver` the second. Nothing here is a test: times depend on the
machine.
"""
