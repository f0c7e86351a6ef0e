"""Reads the skills of a tar file, but only those for which all programs unpack the same files.

This file does not use `tarfile.open`, which skips or accepts entries that other programs treat differently, and which
takes a damaged entry for the end of the file.
"""

from __future__ import annotations

import bz2
import lzma
import re
import tarfile
import unicodedata
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

# Limits on one skill, so that no skill can exhaust a worker's memory or disk. Folders count as files.
MAX_FILES = 10_000
MAX_DEPTH = 100
MAX_BYTES = 256 << 20

# Limits on a tar file: its size without compression, its entries, one extended header, memory for unpacking xz.
MAX_TAR_BYTES = 64 << 30
MAX_ENTRIES = 2_000_000
MAX_HEADER = 1 << 16
MAX_XZ_MEMORY = 128 << 20

# The sizes of a block of a tar file, and of the data that is decompressed at a time.
BLOCK = 512
CHUNK = 1 << 18

# The fields of an extended header that do not change the content of a file.
PAX_FIELDS = {b"path", b"mtime", b"atime", b"ctime", b"uid", b"gid", b"uname", b"gname", b"comment"}


class Plan(NamedTuple):
    """What to read from a tar file."""

    skills: Set[str]  # the folders with a SKILL.md
    failures: Dict[str, str]  # why a skill, or an entry outside of all skills, cannot be checked


def plan_of(source: Path) -> Plan:
    """Reads the names and sizes in a tar file. Raises `tarfile.ReadError` if it cannot be trusted for any skill."""
    names = Names()
    files: List[Tuple[str, int]] = []
    skills: Set[str] = set()
    try:
        for entry in entries(source, lambda name: False):
            names.add(entry.name, entry.is_folder)
            if entry.problem:
                names.problems.setdefault(entry.name, entry.problem)
            if not entry.is_folder:
                files.append((entry.name, entry.size))
                path = PurePosixPath(entry.name)
                if path.name == "SKILL.md":
                    skills.add(str(path.parent))
            if max(len(files), len(names.taken)) > MAX_ENTRIES:
                raise ValueError(f"more than {MAX_ENTRIES} entries")
        if not skills:
            raise ValueError("no SKILL.md")
    except (ValueError, EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.HeaderError) as problem:
        raise tarfile.ReadError(f"no skill of this tar file was checked: {problem}") from problem

    plan = Plan(skills, {})
    for name, problem_of in names.problems.items():
        for one in _skills_around(name, skills) or [name]:
            plan.failures.setdefault(one, problem_of)
    _check_groups(files, plan)
    for skill in skills:
        outermost = _skills_around(skill, skills)[-1]
        if outermost in plan.failures:
            plan.failures.setdefault(skill, plan.failures[outermost])
    return plan


def skills_of(source: Path, plan: Plan) -> Iterator[Tuple[str, Dict[str, bytes]]]:
    """Returns the files of each skill without a failure. Only one skill, with the skills in it, is in memory."""

    def outermost_of(name: str) -> Optional[str]:
        around = _skills_around(name, plan.skills)
        return around[-1] if around and around[-1] not in plan.failures else None

    groups: Dict[str, Dict[str, bytes]] = {}
    current: Optional[str] = None
    for entry in entries(source, lambda name: outermost_of(name) is not None):
        if entry.content is None:
            continue
        if outermost_of(entry.name) != current:
            yield from groups.items()
            groups, current = {}, outermost_of(entry.name)
        for skill in _skills_around(entry.name, plan.skills):
            short = entry.name if skill == "." else entry.name[len(skill) + 1 :]
            groups.setdefault(skill, {})[short] = entry.content
    yield from groups.items()


class Entry(NamedTuple):
    """An entry of a tar file."""

    name: str
    is_folder: bool
    size: int
    problem: Optional[str]  # why programs may unpack it differently
    content: Optional[bytes]


class Names:
    """The names of files, and of their folders. Two names are equal if they are the same file on macOS or Windows."""

    def __init__(self) -> None:
        self.taken: Dict[str, Tuple[str, bool]] = {}
        self.problems: Dict[str, str] = {}

    def add(self, name: str, is_folder: bool) -> None:
        for parent in list(PurePosixPath(name).parents)[:-1]:
            if not self._add_one(str(parent), True):
                raise ValueError(f"{name!r} is below {str(parent)!r}, which is not a folder")
        self._add_one(name, is_folder)

    def _add_one(self, name: str, is_folder: bool) -> bool:
        """Returns whether the name is the name of a folder."""
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if key not in self.taken:
            self.taken[key] = name, is_folder
            return is_folder
        other, is_other_folder = self.taken[key]
        if other != name or not (is_folder and is_other_folder):
            for one in (name, other):
                self.problems.setdefault(one, f"{name!r} appears twice" + (f", also as {other!r}" * (other != name)))
        return is_other_folder


def _check_groups(files: List[Tuple[str, int]], plan: Plan) -> None:
    """Adds a failure for each skill that is too large, or whose files are not next to each other."""
    current: Optional[str] = None
    complete: Set[Optional[str]] = set()
    totals: Dict[str, Tuple[int, int]] = {}
    for name, size in files:
        around = _skills_around(name, plan.skills)
        outermost = around[-1] if around else None
        if outermost != current:
            complete.add(current)
            current = outermost
        if outermost is None:
            continue
        if outermost in complete:
            plan.failures.setdefault(outermost, f"its files are not together: {name!r} follows later")
        # The files of a skill in another skill are unpacked for both of them.
        count, total = totals.get(outermost, (0, 0))
        totals[outermost] = count, total = count + len(around), total + size * len(around)
        if count > MAX_FILES or total > MAX_BYTES:
            plan.failures.setdefault(outermost, f"more than {MAX_FILES} files or {MAX_BYTES} bytes")


def _skills_around(name: str, skills: Set[str]) -> List[str]:
    """Returns the skills that a path belongs to, the outermost one last."""
    parts = name.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return [folder for folder in [*folders, "."] if folder in skills]


def entries(source: Path, is_wanted: Callable[[str], bool]) -> Iterator[Entry]:
    """Returns the entries of a tar file, with the content of the files that are wanted.

    Raises an error for everything that may change how a program reads the rest of the file.
    """
    with source.open("rb") as file:
        stream = _Stream(file)
        fields: Optional[Dict[bytes, bytes]] = None  # of the extended header before the entry
        while (header := stream.take(BLOCK)).strip(b"\0"):
            member = _header(header)
            if member.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME):
                if fields is not None or member.size > MAX_HEADER:
                    raise ValueError("two extended headers for an entry, or too long a header")
                data = stream.take(_padded(member.size))[: member.size]
                if member.type == tarfile.GNUTYPE_LONGNAME:
                    fields = {b"path": data.rstrip(b"\0")}
                elif member.type == tarfile.XHDTYPE:
                    fields = _pax(data)
                elif _pax(data).keys() - {b"comment"}:
                    raise ValueError("an extended header for all entries")
                continue
            fields = fields or {}
            name = fields[b"path"].decode("utf-8", "surrogateescape") if b"path" in fields else member.name
            # Windows treats a backslash as a slash.
            path = PurePosixPath(name.replace("\\", "/"))
            if not name or path.is_absolute() or ".." in path.parts or "\0" in name:
                raise ValueError(f"the name {name!r} may leave the folder")
            if b"size" in fields or any(field.startswith(b"GNU.") for field in fields):
                raise ValueError(f"{name!r} has two sizes or names")
            # Other types may rename the next entry, or continue a file.
            if member.type not in b"\x0001234567K" or member.size and member.type in b"123456":
                raise ValueError(f"{name!r} has the type {member.type!r}, or content without being a file")
            is_file = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
            problem = None
            if not is_file and not member.isdir():
                problem = f"{name!r} is a link or a special file"
            elif is_file and (name.endswith("/") or not path.parts):
                problem = f"{name!r} is not the name of a file"
            elif "\\" in name or len(path.parts) > MAX_DEPTH:
                problem = f"{name!r} has a backslash, or is in too many folders"
            elif _shown(name) != name:
                problem = f"{name!r} is not UTF-8"
            elif fields.keys() - PAX_FIELDS:
                problem = f"{name!r} has the fields {sorted(fields.keys() - PAX_FIELDS)} in an extended header"
            content = None
            if is_file and not problem and is_wanted(str(path)):
                content = stream.take(_padded(member.size))[: member.size]
            else:
                stream.skip(_padded(member.size))
            yield Entry(_shown(str(path)), member.isdir(), member.size, problem and _shown(problem), content)
            fields = None
        if fields is not None:
            raise ValueError("an extended header without an entry")
        if stream.take(BLOCK).strip(b"\0"):
            raise ValueError("data follows its end")
        while rest := stream.more():
            if rest.strip(b"\0"):
                raise ValueError("data follows its end")


def _header(block: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    # Programs read sizes in other forms, and the second part of a name in other formats, differently.
    if not re.fullmatch(rb" *[0-7]+[ \0]*", block[124:136]):
        raise ValueError(f"the size of {member.name!r} is not an octal number")
    if block[257:263] != b"ustar\0" and block[345:500].strip(b"\0"):
        raise ValueError(f"{member.name!r} has data in unused fields")
    return member


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _pax(data: bytes) -> Dict[bytes, bytes]:
    """Returns the fields of an extended header. Each is a line `LENGTH NAME=VALUE`."""
    fields: Dict[bytes, bytes] = {}
    while data:
        field = re.match(rb"([1-9][0-9]{0,6}) ([^=\0\n]+)=", data)
        length = int(field[1]) if field else 0
        if not field or length <= field.end() or data[length - 1 : length] != b"\n" or field[2] in fields:
            raise ValueError("a damaged extended header, or one with a field twice")
        fields[field[2]] = data[field.end() : length - 1]
        data = data[length:]
    return fields


def _shown(text: str) -> str:
    """Escapes what is not UTF-8."""
    return text.encode(errors="backslashreplace").decode()


class _Stream:
    """Reads a file that is not compressed, or that is exactly one gzip, bzip2 or xz stream.

    If a file has several streams, some programs read only the first one.
    """

    def __init__(self, file: BinaryIO) -> None:
        start = file.read(6)
        file.seek(0)
        self.file, self.buffer, self.left = file, bytearray(), MAX_TAR_BYTES
        self.decompressor: Any = None
        if start.startswith(b"\x1f\x8b"):
            self.decompressor = zlib.decompressobj(wbits=31)
        elif start.startswith(b"BZh"):
            self.decompressor = bz2.BZ2Decompressor()
        elif start == b"\xfd7zXZ\0":
            self.decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY)

    def take(self, size: int) -> bytes:
        """Returns exactly this number of bytes."""
        while len(self.buffer) < size:
            more = self._next()
            if not more:
                raise EOFError("the tar file is cut off")
            self.buffer += more
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.take(min(size, CHUNK)))

    def more(self) -> bytes:
        """Returns the next bytes, or none at the end."""
        data = bytes(self.buffer) or self._next()
        self.buffer.clear()
        return data

    def _next(self) -> bytes:
        data = self._decompressed() if self.decompressor else self.file.read(CHUNK)
        self.left -= len(data)
        if self.left < 0:
            raise ValueError(f"more than {MAX_TAR_BYTES} bytes")
        return data

    def _decompressed(self) -> bytes:
        while not self.decompressor.eof:
            # zlib returns input that it has not used yet, bz2 and lzma keep it.
            data = getattr(self.decompressor, "unconsumed_tail", b"")
            if not data and getattr(self.decompressor, "needs_input", True):
                data = self.file.read(CHUNK)
                if not data:
                    raise EOFError("the compressed data is cut off")
            content: bytes = self.decompressor.decompress(data, CHUNK)
            if content:
                return content
        if self.decompressor.unused_data or self.file.read(1):
            raise ValueError("data follows the compressed stream")
        return b""
