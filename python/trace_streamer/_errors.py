"""Errors, by the codes that the library returns and the program ends with."""

from __future__ import annotations

from typing import Dict, List, Optional, Type


class Error(Exception):
    """What failed and why. `code` is the exit code of the program, `causes` has one cause each, outermost first."""

    code: int = 70

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code

    @property
    def causes(self) -> List[str]:
        """The lines of the message: what failed, and below it why."""
        return str(self).split("\n  because: ")


class InputError(Error):
    """An input cannot be opened or read, or none could be imported."""

    code = 1


class UsageError(Error, ValueError):
    """Wrong arguments, SQL that is wrong, or a question that the database cannot answer what is recorded."""

    code = 2


class LossError(Error):
    """strict=True was given, and data was lost."""

    code = 3


class OutputError(Error):
    """A file cannot be written."""

    code = 4


class FormatError(Error):
    """No input has a known format."""

    code = 5


class LimitError(Error):
    """A limit was reached, such as max_memory."""

    code = 6


class OutOfMemoryError(Error):
    """There is no memory left."""

    code = 7


class CancelledError(Error):
    """Trace.cancel was called."""

    code = 130


class DefectError(Error):
    """A defect of the converter; please report it."""

    code = 70


class FailureWarning(UserWarning):
    """Some of many recordings could not be read or asked."""


_CLASSES: Dict[int, Type[Error]] = {
    e.code: e
    for e in (InputError, UsageError, LossError, OutputError, FormatError, LimitError, OutOfMemoryError, CancelledError, DefectError)
}


def error_of(code: int, text: str) -> Error:
    """The error for a code; `text` has one cause a line, outermost first."""
    lines = [line for line in text.splitlines() if line.strip()]
    message = "\n  because: ".join(lines) or f"code {code}"
    return _CLASSES.get(code, Error)(message, code)
