"""Solver modules state formula, symbols and source; public functions say what they take and refuse."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import pytest

from pan9_gym import solver

HEADINGS = ["Formula:", "Symbols:", "Source:"]
MODULES = [found.name for found in pkgutil.walk_packages(solver.__path__, f"{solver.__name__}.")]
EXPORTS = {name: getattr(solver, name) for name in solver.__all__}
FUNCTIONS = {name: found for name, found in EXPORTS.items() if inspect.isfunction(found)}

WHOLE = """What it is.

Formula:
    a = b + c

    a is 0 where b is.

Symbols:
    a, b, c: numbers

Source:
    Derivation: this module.
"""


def sections(docstring: str | None) -> list[tuple[str, list[str]]]:
    """Each heading at the margin, with the lines that are indented under it."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in inspect.cleandoc(docstring or "").splitlines():
        if re.fullmatch(r"[A-Z]\w*:", line):
            found.append((line, []))
            inside = True
        elif line.startswith("    ") and line.strip():
            if inside:
                found[-1][1].append(line)
        elif line.strip():
            inside = False
    return found


def faults(docstring: str | None) -> list[str]:
    """What a module's docstring lacks."""
    found = [(heading, lines) for heading, lines in sections(docstring) if heading in HEADINGS]
    headings = [heading for heading, _ in found]
    if headings != HEADINGS:
        return [f"headings {headings}, not {HEADINGS}"]
    return [f"{heading} is empty" for heading, lines in found if not lines]


def described(docstring: str | None, heading: str) -> list[str]:
    """The names described in a section of a function's docstring; none where it is missing."""
    lines = dict(sections(docstring)).get(heading, [])
    return [named[1] for named in (re.match(r" {4}(\w+): \S", line) for line in lines) if named]


def refuses(function: Callable[..., Any]) -> bool:
    """Whether a function answers bad arguments, all of them `None`, with a `ValueError`."""
    entries = inspect.signature(function).parameters.values()
    try:
        function(**{entry.name: None for entry in entries if entry.default is entry.empty})
    except ValueError:
        return True
    except (AttributeError, TypeError):
        return False
    return False


def test_the_modules_of_all_exports_are_checked() -> None:
    assert {found.__module__ for found in EXPORTS.values()} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_states_formula_symbols_and_source(name: str) -> None:
    assert faults(importlib.import_module(name).__doc__) == []


def test_a_docstring_with_all_sections_has_no_fault() -> None:
    assert faults(WHOLE) == []
    assert faults(WHOLE + "\nMore text.\n") == []


@pytest.mark.parametrize(
    "docstring",
    [
        None,
        "",
        "What it is.",
        *(WHOLE.replace(heading, "Remarks:") for heading in HEADINGS),
        *(WHOLE.replace(heading, f"{heading} in short") for heading in HEADINGS),
        *(WHOLE.replace(heading, f"    {heading}") for heading in HEADINGS),
        WHOLE.replace("Formula:", "Source:", 1),
        WHOLE.replace("Formula:", "Other:").replace("Symbols:", "Formula:").replace("Other:", "Symbols:"),
        WHOLE + "\nSource:\n    Again.\n",
        WHOLE.replace("    a, b, c: numbers\n", ""),
        WHOLE.replace("    a, b, c: numbers\n", "    \n"),
        WHOLE.replace("    a, b, c: numbers\n", "a, b, c: numbers\n"),
        WHOLE.replace("    a, b, c: numbers\n", "Numbers.\n\n    a, b, c: numbers\n"),
        WHOLE.replace("    Derivation: this module.\n", ""),
    ],
)
def test_a_docstring_without_a_section_is_found(docstring: str | None) -> None:
    assert docstring != WHOLE
    assert len(faults(docstring)) == 1


@pytest.mark.parametrize("name", EXPORTS)
def test_a_public_name_has_a_docstring_of_its_own(name: str) -> None:
    found = EXPORTS[name].__doc__
    assert found
    assert not found.startswith(f"{name}("), "a dataclass without a docstring gets its signature for one"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_its_arguments(name: str) -> None:
    function = FUNCTIONS[name]
    assert described(function.__doc__, "Args:") == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_that_refuses_bad_arguments_says_so(name: str) -> None:
    function = FUNCTIONS[name]
    assert ("ValueError" in described(function.__doc__, "Raises:")) == refuses(function)


def test_what_a_function_describes_is_read() -> None:
    def silent(first: int, second: int = 0) -> None:
        """Do nothing."""
        raise ValueError(first, second)

    def spoken(first: int, second: int = 0) -> None:
        """Do something.

        Args:
            first: The first, which needs
                more: than a line.
            second: The second.

        >>> example:

        Raises:
            ValueError: If it must.
        """
        assert first + second

    assert described(silent.__doc__, "Args:") == []
    assert described(silent.__doc__, "Raises:") == []
    assert described(spoken.__doc__, "Args:") == ["first", "second"]
    assert described(spoken.__doc__, "Raises:") == ["ValueError"]
    assert refuses(silent)
    assert not refuses(spoken)
