"""The tar files that the example `docs/examples/registry-scale` reads, without Ray."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import tarfile
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "docs" / "examples" / "registry-scale"))
import read_tar  # noqa: E402

FOLDER, FILE, PIPE = tarfile.DIRTYPE, tarfile.REGTYPE, tarfile.FIFOTYPE
HARD_LINK, LINK = tarfile.LNKTYPE, tarfile.SYMTYPE

# The name, type and content or target of an entry.
Entries = List[Tuple[str, bytes, bytes]]
MAIN = ("s/d/SKILL.md", FILE, b"main")
SCRIPT = ("s/d/run.sh", FILE, b"script")
OTHER = ("s/e/SKILL.md", FILE, b"other")


def entry(name: str, kind: bytes = FILE, content: bytes = b"", **fields: str) -> bytes:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.pax_headers = fields
    if kind in (LINK, HARD_LINK):
        info.linkname, content = content.decode(), b""
    info.size = len(content)
    header = info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
    return header + content + b"\0" * (-len(content) % 512)


def tar(entries: Entries) -> bytes:
    return b"".join(entry(*one) for one in entries) + b"\0" * 1024


def read(content: bytes) -> Tuple[Dict[str, Dict[str, bytes]], Dict[str, str]]:
    """Returns the files of the skills that can be checked, and the failures."""
    Path("a.tar").write_bytes(content)
    plan = read_tar.plan_of(Path("a.tar"))
    skills = list(read_tar.skills_of(Path("a.tar"), plan))
    # Each skill is either checked or has a failure.
    assert sorted(name for name, _ in skills) == sorted(plan.skills - plan.failures.keys())
    return dict(skills), plan.failures


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_plain_files_and_folders_are_read(home: Path, compress: Callable[[bytes], bytes]) -> None:
    long = "s/d/" + "long/" * 30 + "é.md"
    entries: Entries = [("./", FOLDER, b""), ("README", FILE, b"x"), ("s/d", FOLDER, b"")]
    entries += [MAIN, (long, FILE, b"y" * 600_000), ("s/d/in/SKILL.md", FILE, b"inner"), OTHER]
    skills, failures = read(compress(tar(entries)))
    assert not failures
    inner = {"SKILL.md": b"inner"}
    expected = {"SKILL.md": b"main", long[4:]: b"y" * 600_000, "in/SKILL.md": b"inner"}
    assert skills == {"s/d": expected, "s/d/in": inner, "s/e": {"SKILL.md": b"other"}}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_the_formats_of_tar_are_read(home: Path, form: int) -> None:
    folder = Path("tree/s/d") / ("long/" * 20)
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("a")
    Path("tree/s/d/SKILL.md").write_text("main")
    with tarfile.open("b.tar.gz", "w:gz", format=form) as archive:
        archive.add("tree", arcname=".")
    skills, failures = read(Path("b.tar.gz").read_bytes())
    assert not failures and skills == {"s/d": {"long/" * 20 + "a.md": b"a", "SKILL.md": b"main"}}


@pytest.mark.parametrize(
    "entries, failed",
    [
        ([("lib", FILE, b"x"), MAIN, ("s/d/run.sh", HARD_LINK, b"lib")], ["s/d"]),
        ([MAIN, ("s/d/run.sh", LINK, b"../lib")], ["s/d"]),
        ([MAIN, ("s/d/run.sh", PIPE, b"")], ["s/d"]),
        ([("s/d/SKILL.md", LINK, b"../x"), SCRIPT], ["s/d"]),
        ([MAIN, ("s/d/in/SKILL.md", FILE, b""), ("s/d/in/x", LINK, b"y")], ["s/d", "s/d/in"]),
        ([MAIN, ("s/d/in/SKILL.md", FILE, b""), ("s/d/x", LINK, b"y")], ["s/d", "s/d/in"]),
        ([MAIN, OTHER, SCRIPT], ["s/d"]),
        ([MAIN, ("README", FILE, b""), SCRIPT], ["s/d"]),
        ([MAIN, SCRIPT, SCRIPT], ["s/d"]),
        ([MAIN, OTHER, MAIN], ["s/d"]),
        ([MAIN, SCRIPT, ("s/d/./run.sh", FILE, b"y")], ["s/d"]),
        ([MAIN, SCRIPT, ("s/d/RUN.sh", FILE, b"y")], ["s/d"]),
        ([MAIN, ("s/d/\u00e9", FILE, b"y"), ("s/d/e\u0301", FILE, b"y")], ["s/d"]),
        ([MAIN, ("s/D/run.sh", FILE, b"y")], ["s/D", "s/d"]),
        ([MAIN, ("s/d", LINK, b"e")], ["s/d"]),
        ([MAIN, ("s\\d\\run.sh", FILE, b"y")], ["s/d"]),
        ([MAIN, ("s/d/run.sh/", FILE, b"y")], ["s/d"]),
        ([MAIN, ("s/d/caf\udce9", FILE, b"y")], ["s/d"]),
        ([MAIN, ("caf\udce9/SKILL.md", FILE, b"y")], ["caf\\udce9"]),
        ([MAIN, ("s/d/" + "a/" * 99 + "b", FILE, b"y")], ["s/d"]),
        ([MAIN, ("link", LINK, b"s/d")], ["link"]),
    ],
)
def test_what_programs_unpack_differently_fails_alone(home: Path, entries: Entries, failed: List[str]) -> None:
    last = ("z/SKILL.md", FILE, b"last")
    skills, failures = read(tar([*entries, last]))
    assert sorted(failures) == failed and skills["z"] == {"SKILL.md": b"last"}


GOOD = tar([MAIN, SCRIPT, OTHER])
FIRST = entry(*MAIN)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4" + b"x" * 2000,
        tar([("README", FILE, b"x")]),
        tar([MAIN, ("s/x/../d/run.sh", FILE, b"x")]),
        tar([MAIN, ("s\\..\\x", FILE, b"x")]),
        tar([MAIN, ("/s/d/run.sh", FILE, b"x")]),
        tar([MAIN, ("s/d/run.sh", b"Z", b"x")]),
        tar([MAIN, ("s/d/run.sh", tarfile.GNUTYPE_SPARSE, b"x")]),
        tar([MAIN, ("s/x", FOLDER, b"x" * 512)]),
        tar([MAIN, ("link", LINK, b"s/d"), ("link/run.sh", FILE, b"x")]),
        # Cut off, without the end marker, or with half of it.
        GOOD[:700],
        GOOD[:-1024],
        GOOD[:-512],
        gzip.compress(GOOD)[:-9],
        bz2.compress(GOOD)[:-9],
        lzma.compress(GOOD)[:-9],
        # Data after the end, a damaged header, a size that is not octal.
        GOOD + FIRST,
        FIRST + b"\0" * 512 + GOOD,
        FIRST + GOOD.replace(b"ustar", b"ustaR"),
        FIRST[:124] + b"\x80" + b"\0" * 10 + b"\4" + FIRST[136:] + b"\0" * 1024,
        # Several streams, or something after a stream.
        *(pack(FIRST) + pack(GOOD[len(FIRST) :]) for pack in (gzip.compress, bz2.compress, lzma.compress)),
        *(pack(GOOD) + after for pack in (gzip.compress, bz2.compress, lzma.compress) for after in (b"\0" * 4, b"x")),
        # Extended headers for the size, another name or all entries, or without an entry.
        FIRST + entry("s/e/x", content=b"x" * 512, size="0") + b"\0" * 1024,
        FIRST + entry("s/e/x", **{"GNU.sparse.name": "s/d/run.sh"}) + b"\0" * 1024,
        tarfile.TarInfo.create_pax_global_header({"path": "s/d/run.sh"}) + GOOD,
        FIRST + entry("s/e/x", comment="x")[:1024] + b"\0" * 1024,
        entry("s/e/x", comment="x")[:1024] + entry("s/e/x", comment="x")[:1024] + GOOD,
    ],
)
def test_a_tar_file_that_may_be_read_differently_is_refused(home: Path, content: bytes) -> None:
    with pytest.raises(tarfile.ReadError, match="no skill of this tar file was checked"):
        read(content)


@pytest.mark.parametrize(
    "limit, value, entries, failed",
    [
        ("MAX_BYTES", 10_000, [MAIN, ("s/d/x", FILE, b"x" * 9_997)], ["s/d"]),
        ("MAX_BYTES", 10_000, [MAIN, ("s/d/in/SKILL.md", FILE, b"x" * 5_000)], ["s/d", "s/d/in"]),
        ("MAX_FILES", 2, [MAIN, SCRIPT, ("s/d/x", FILE, b"")], ["s/d"]),
        ("MAX_TAR_BYTES", 10_000, [MAIN, ("x", FILE, b"x" * 10_000)], None),
        ("MAX_ENTRIES", 3, [MAIN, ("s/f", FILE, b"")], None),
        ("MAX_HEADER", 100, [MAIN, ("s/d/" + "x" * 200, FILE, b"")], None),
    ],
)
def test_limits(
    home: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, entries: Entries, failed: Optional[List[str]]
) -> None:
    monkeypatch.setattr(read_tar, limit, value)
    if failed is None:
        with pytest.raises(tarfile.ReadError):
            read(gzip.compress(tar(entries)))
    else:
        assert sorted(read(gzip.compress(tar(entries)))[1]) == failed
