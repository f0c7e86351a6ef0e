"""Lint, scan, build and search Agent Skills.

A skill is given by its name, or by the path of its folder. Results are dictionaries whose types are in this module. A
failed call raises :class:`SkillcError`; warnings of a call are Python warnings of the category
:class:`SkillcWarning`. Calls run without the interpreter's lock, and Ctrl-C ends them.
"""

from __future__ import annotations

# Type checkers take a variable of this name for true. Importing the one of `typing` takes longer than starting `skc`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from ._public import *  # noqa: F403
    from ._public import __all__ as __all__
else:

    def __getattr__(name):
        """Loads the functions and types when the first is used: the program `skc` starts faster without them."""
        if name.startswith("_") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import _public

        globals().update({known: getattr(_public, known) for known in _public.__all__})
        globals()["__all__"] = _public.__all__
        try:
            return globals()[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
