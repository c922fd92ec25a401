"""The tables of `pan9 study`, one function for each."""
