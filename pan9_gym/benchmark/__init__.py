"""What the exact answers cost: time and memory against their budgets, and against OpenSpiel's algorithms.

`pan9 benchmark solver` prints both tables. Nothing here is a test: times depend on the machine.
"""
