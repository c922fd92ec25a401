"""Other frameworks on the same environments, scored exactly: each file is an example that runs by itself."""
