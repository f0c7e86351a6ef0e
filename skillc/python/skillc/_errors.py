"""Errors and warnings, with the codes that ``skc`` prints."""

from __future__ import annotations

from typing import Optional


class SkillcError(Exception):
    """A call failed.

    ``code`` is the code of the error, such as ``E001``; ``hint``, if any, says what to do.
    """

    code: str
    message: str
    hint: Optional[str]

    def __init__(self, code: str, message: str, hint: Optional[str] = None) -> None:
        # All arguments are passed on, so that the error can be pickled.
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        first = f"{self.message} [{self.code}]"
        return f"{first}\n{self.hint}" if self.hint else first


class SkillNotFoundError(SkillcError, LookupError):
    """There is no such skill (E001, E010, E060, E061)."""


class IndexUnusableError(SkillcError):
    """The skill is not built, or has changed since (E002)."""


class PermissionDeniedError(SkillcError):
    """The skill may not be loaded or imported (E062 to E065)."""


class InvalidOptionError(SkillcError, ValueError):
    """An argument is invalid (E004, E100)."""


class SkillcWarning(UserWarning):
    """A problem that did not stop a call. The text begins with its code."""


_CLASSES: dict[str, type[SkillcError]] = {
    "E001": SkillNotFoundError,
    "E002": IndexUnusableError,
    "E004": InvalidOptionError,
    "E010": SkillNotFoundError,
    "E060": SkillNotFoundError,
    "E061": SkillNotFoundError,
    "E062": PermissionDeniedError,
    "E063": PermissionDeniedError,
    "E064": PermissionDeniedError,
    "E065": PermissionDeniedError,
    "E100": InvalidOptionError,
}


def error(code: str, message: str, hint: Optional[str] = None) -> SkillcError:
    """Returns the error with this code."""
    return _CLASSES.get(code, SkillcError)(code, message, hint)
