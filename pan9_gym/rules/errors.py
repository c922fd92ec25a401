"""Bad input becomes one line that names the source, the field, the value and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


class ConfigError(ValueError):
    """A rule sheet, a training config or an argument says something impossible."""


def closest(word: str, known: Iterable[str]) -> str:
    """`" (did you mean 'x'?)"` where a known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def validated(model: type[Model], data: dict[str, Any], source: str) -> Model:
    """Build `model` from `data`, or say on one line per fault what is wrong with it.

    Raises:
        ConfigError: Naming `source`, the field, the value and what is allowed.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = [_fault(model, dict(entry)) for entry in error.errors(include_url=False)]
        raise ConfigError("\n".join(f"{source}: {fault}" for fault in faults)) from None


def _fault(model: type[BaseModel], entry: dict[str, Any]) -> str:
    if entry["type"] in {"extra_forbidden", "invalid_key"}:
        return _unknown_key(model, [str(part) for part in entry["loc"]])
    location = [str(part) for part in entry["loc"] if not _is_branch_label(str(part))]
    field = ".".join(location)
    message = str(entry["msg"]).removeprefix("Value error, ")
    if entry["type"] == "model_type":
        message = f"must be a mapping; keys allowed: {', '.join(_fields_beside(model, [*location, '']))}"
    if entry["type"] == "missing":
        return f"field {field!r} is missing"
    if not location:
        return message
    return f"field {field!r} has the value {entry['input']!r}: {message}"


def _unknown_key(model: type[BaseModel], location: list[str]) -> str:
    known = _fields_beside(model, location)
    allowed = ", ".join(known) or "none"
    return f"unknown key {'.'.join(location)!r}{closest(location[-1], known)}; allowed: {allowed}"


def _is_branch_label(part: str) -> bool:
    """Whether pydantic put this part there to name a branch of a union or a validator, not a field."""
    return "[" in part or part in {"frozenset", "int", "constrained-int", "literal"}


def _fields_beside(model: type[BaseModel], location: list[str]) -> list[str]:
    """The field names that are allowed where the unknown key stands."""
    current: type[BaseModel] = model
    for name in location[:-1]:
        annotation = current.model_fields[name].annotation if name in current.model_fields else None
        inner = [part for part in (annotation, *getattr(annotation, "__args__", ())) if _is_model(part)]
        if not inner:
            return sorted(current.model_fields)
        current = inner[0]
    return list(current.model_fields)


def _is_model(part: object) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)
