"""Parameters of statements and questions: texts for the library and the program, values for SQLite."""

from __future__ import annotations

import math
import operator
import re
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import UsageError
from ._options import _time_of

# A text of this form is bound as a number, by the library, by the program, and so here.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?\Z")
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def _text_of(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        text = value
    elif isinstance(value, datetime):
        text = _time_of(name, value)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"the parameter {name} is {value!r}, which cannot be bound")
        text = repr(value)
    elif hasattr(value, "__index__"):
        number = operator.index(value)
        if not _LEAST <= number <= _MOST:
            raise UsageError(f"the parameter {name} has more than 64 bits: {number}")
        text = str(number)
    elif isinstance(value, (list, tuple)):
        text = ",".join(_text_of(name, v) for v in value)
    elif hasattr(value, "__float__"):  # numbers of NumPy
        return _text_of(name, float(value))
    else:
        raise UsageError(f"the parameter {name} is a number or a text, not {type(value).__name__}")
    if "\0" in text:
        raise UsageError(f"the parameter {name} has a zero byte")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"the parameter {name} is not text that UTF-8 has") from None
    return text


def params_of(given: Optional[Mapping[str, Any]], more: Mapping[str, Any]) -> Dict[str, str]:
    """Texts by names. None is left out: it is NULL, or what the question has as its default. The keyword `from_`
    is `from`, which Python keeps for itself."""
    found: Dict[str, str] = {}
    words = {name[:-1] if name.endswith("_") else name: value for name, value in more.items()}
    for names in (given or {}, words):
        for name, value in names.items():
            if value is not None:
                found[name] = _text_of(name, value)
    return found


def bound(text: str) -> Union[int, float, str]:
    """What is bound for the text of a parameter."""
    found = _NUMBER.match(text)
    if found is None:
        return text
    if any(found.groups()):
        return float(text)
    number = int(text)
    return number if _LEAST <= number <= _MOST else float(text)


def printed(number: Union[int, float]) -> str:
    """A number as SQLite prints it."""
    if isinstance(number, int):
        return str(number)
    if math.isinf(number):
        return "Inf" if number > 0 else "-Inf"
    mantissa, e, exponent = f"{number:.15g}".partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + e + exponent


def widest(values: Sequence[Any], declared: Optional[type] = None) -> Optional[type]:
    """The type that takes all values: int, float, str or bytes; None when there is none but NULL."""
    kinds = {type(v) for v in values} | {declared}
    for kind in (bytes, str, float, int):
        if kind in kinds:
            return kind
    return None


def widened(values: Sequence[Any], kind: type) -> List[Any]:
    """The values as that type, which `widest` gave for them; others are a TypeError."""
    if {type(v) for v in values} <= {kind, type(None)}:
        return list(values)
    return [v if v is None or type(v) is kind else _as(v, kind) for v in values]


def _as(value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if kind in (str, bytes) and type(value) in (int, float):
        value = printed(value)
    if kind is bytes and type(value) is str:
        return value.encode("utf-8", "replace")
    if type(value) is kind:
        return value
    raise TypeError(f"{type(value).__name__} among {kind.__name__}")
