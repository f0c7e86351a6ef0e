"""The names of the package."""

from __future__ import annotations

from . import _types
from ._api import (
    Catalog,
    Finding,
    build,
    lint,
    lint_report,
    outline,
    scan,
    search,
    show,
    sync_registry,
)
from ._errors import (
    IndexUnusableError,
    InvalidOptionError,
    PermissionDeniedError,
    SkillcError,
    SkillcWarning,
    SkillNotFoundError,
)
from ._skillc import __version__
from ._types import *  # noqa: F403

__all__ = [
    "Catalog",
    "Finding",
    "IndexUnusableError",
    "InvalidOptionError",
    "PermissionDeniedError",
    "SkillNotFoundError",
    "SkillcError",
    "SkillcWarning",
    "__version__",
    "build",
    "lint",
    "lint_report",
    "outline",
    "scan",
    "search",
    "show",
    "sync_registry",
]
__all__ += _types.__all__
