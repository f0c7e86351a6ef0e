"""The part of the package that is written in Rust."""

from os import PathLike
from typing import Optional, Sequence, Union

__version__: str

def call(
    operation: str,
    request: str,
    directory: Optional[Union[str, PathLike[str]]] = None,
) -> str:
    """Calls an operation with a JSON request; returns a JSON answer."""

def run(args: Sequence[str], program: Optional[str] = None) -> int:
    """Runs ``skc``; returns its exit status."""

def schemas() -> str:
    """Returns the JSON Schemas of requests and responses, by operation, as JSON."""
