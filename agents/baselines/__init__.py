"""The field's baselines for games of two roles: trainers behind one interface, scored exactly by the solver.

`interface` says what a trainer is, `registry` lists them, `runner` scores and keeps what they learn, and
`python -m agents.selfplay` runs one.
"""
