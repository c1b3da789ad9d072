"""What a record may hold, as a JSON Schema, and what is wrong with one, in a line with the cure."""

from collections.abc import Callable, Collection
from dataclasses import MISSING, fields
from typing import Any

from fastjsonschema import JsonSchemaValueException

TYPES: dict[Any, dict[str, Any]] = {
    str: {"type": "string", "minLength": 1},
    int: {"type": "integer"},
    float: {"type": "number"},
    tuple[str, ...]: {"type": "array", "items": {"type": "string", "minLength": 1}},
    tuple[dict, ...]: {"type": "array", "items": {"type": "object"}},
}
WRITE = {
    **{"string": "a text", "integer": "a whole number", "number": "a number"},
    **{"array": "a list, as `[…]`", "object": "a mapping, as `key: value`"},
}
SHOWN = 60  # characters of a value that is wrong


def mapping(properties: dict[str, dict], required: list[str], **rules: Any) -> dict[str, Any]:
    """Return the schema of a mapping that has no other keys."""
    closed = {"type": "object", "additionalProperties": False, "required": required}
    return {**closed, "properties": properties, **rules}


def form(
    record: type, some: Collection[str] = (), required: list[str] | None = None, /, **rules: dict
) -> dict[str, Any]:
    """Return the schema of a dataclass's fields.

    Args:
        record: the dataclass.
        some: the fields that may be there, if not all.
        required: those that must be there, if not all that have no default.
        rules: what else a field is held to, in the words of JSON Schema; `description` is the cure.
    """
    allowed = [field for field in fields(record) if not some or field.name in some]
    types = {field.name: TYPES.get(field.type, {}) for field in allowed}
    properties = {name: kind | rules.get(name, {}) for name, kind in types.items()}
    needed = [field.name for field in allowed if field.default is MISSING]
    return mapping(properties, needed if required is None else required)


def problem(value: Any, check: Callable) -> tuple[str, str, str] | None:
    """Return the first thing that is wrong with a value: its key, the reason and the cure.

    Args:
        value: a record.
        check: its schema, as `fastjsonschema.compile` returns it.
    """
    try:
        check(value)
    except JsonSchemaValueException as error:
        return explain(error)
    return None


def explain(error: JsonSchemaValueException) -> tuple[str, str, str]:
    """Return the key, the reason and the cure of an error."""
    key, where = "".join(error.path[1:2]), (error.name or "").removeprefix("data").lstrip(".")
    inside = f" in `{where}`" if key else ""
    if error.rule in ("additionalProperties", "required"):
        allowed = error.definition["properties"]
        for name in set(error.value) - set(allowed):
            cure = f"known are {', '.join(sorted(allowed))}."
            return key or str(name), f"unknown key `{name}`{inside}", cure
        name = next(name for name in error.definition["required"] if name not in error.value)
        return key, f"no `{name}`{inside}", "add it."
    cure = error.definition.get("description", error.message)
    if error.rule == "type":
        cure = f"write {WRITE[error.rule_definition]}."
    elif error.rule == "enum":
        cure = f"it is one of {', '.join(map(str, error.rule_definition))}."
    text = repr(error.value)
    text = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return key, f"`{where}` is {text}" if where else f"the record is {text}", cure
