"""The `pan9` command: what the solver knows, as tables on the terminal or as JSON, CSV and Markdown."""
