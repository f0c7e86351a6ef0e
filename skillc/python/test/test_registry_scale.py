"""The example `docs/examples/registry-scale`, with Ray on this machine; only where Ray is installed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tarfile
import time
import types
from pathlib import Path

import pytest

from conftest import ATTACK, write_skill

pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "registry-scale" / "check_registry.py"


def check(*args: object, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLE, *map(str, args), "--workers", "2"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def table(output: Path, name: str) -> list[dict]:
    files = sorted(output.glob(f"shard-*/{name}.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.fixture
def registry(home: Path) -> Path:
    folder = Path.cwd() / "registry"
    for number in range(12):
        write_skill(folder / f"author-{number % 3}" / f"skill-{number}")
    write_skill(folder / "author-0" / "nameless", "description: Has no name. Use when names are missing.")
    write_skill(folder / "author-1" / "evil", body=ATTACK)
    return folder


def test_a_folder_is_checked_indexed_and_resumed(registry: Path) -> None:
    output = Path("output")
    assert "3 of 3 shards checked" in check(registry, output, "--shards", 3)
    skills = {row["id"]: row for row in table(output, "skills")}
    assert len(skills) == 14 == len(table(output, "skills"))
    assert skills["author-0/skill-0"]["verdict"] == "pass"
    found = [row["rule"] for row in table(output, "findings") if row["id"] == "author-0/nameless"]
    assert "SKL101" in found
    assert skills["author-1/evil"]["verdict"] == "review"
    listed = subprocess.run(
        [sys.executable, "-m", "skillc", "registry", "list", "--db", output / "index.db"],
        capture_output=True,
        text=True,
    )
    assert "skill-0" in listed.stdout, listed
    before = sorted((path, path.stat().st_mtime_ns) for path in output.glob("shard-*/skills.parquet"))
    assert "0 of 3 shards checked, 3 were there" in check(registry, output, "--shards", 3)
    # A new run does only the work that an interrupted run did not finish.
    lost = before.pop()[0].parent
    subprocess.run(["rm", "-r", lost], check=True)
    assert "1 of 3 shards checked, 2 were there" in check(registry, output, "--shards", 3)
    assert before == sorted(
        (path, path.stat().st_mtime_ns) for path in output.glob("shard-*/skills.parquet") if path.parent != lost
    )
    assert {row["id"]: row for row in table(output, "skills")} == skills


def test_tar_and_parquet_give_the_same_as_a_folder(registry: Path) -> None:
    check(registry, "of-folder", "--shards", 2, "--no-index")
    with tarfile.open("registry.tar.gz", "w:gz") as archive:
        for author in sorted(registry.iterdir()):
            archive.add(author, arcname=author.name)
    check("registry.tar.gz", "of-tar", "--shards", 2, "--no-index")
    check("of-tar/input", "of-parquet", "--no-index")
    sort = lambda rows: sorted(rows, key=lambda row: [str(value) for value in row.values()])
    for name in ("skills", "findings"):
        expected = sort(table(Path("of-folder"), name))
        assert sort(table(Path("of-tar"), name)) == expected
        assert sort(table(Path("of-parquet"), name)) == expected


def test_a_tar_file_that_may_be_unpacked_differently_does_not_pass(registry: Path) -> None:
    (registry / "author-0" / "skill-0" / "run.sh").symlink_to("../../lib")
    with tarfile.open("links.tar.gz", "w:gz") as archive:
        archive.add(registry, arcname=".")
    check("links.tar.gz", "links", status=1)
    skills = {row["id"]: row for row in table(Path("links"), "skills")}
    assert len(skills) == 14
    assert skills["author-0/skill-0"]["verdict"] is None and "is a link" in skills["author-0/skill-0"]["failure"]
    assert [row["id"] for row in skills.values() if row["failure"]] == ["author-0/skill-0"]
    # A second run has nothing to do, but the skill is still not checked.
    assert check("links.tar.gz", "links", status=1).startswith("0 of ")

    content = Path("links.tar.gz").read_bytes()
    Path("two.tar.gz").write_bytes(content + content)
    check("two.tar.gz", "two", status=1)
    [row] = table(Path("two"), "skills")
    assert row["id"] == "two.tar.gz" and row["verdict"] is None and "no skill of this tar file" in row["failure"]
    assert not Path("two/input").exists()


def example() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("check_registry", EXAMPLE)
    assert spec and spec.loader
    sys.path.insert(0, str(EXAMPLE.parent))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_invalid_row_fails_alone(home: Path) -> None:
    good = b"---\nname: good\ndescription: Says words. Use when needed.\n---\n\n# good\n\nWords.\n"
    files = [
        [{"path": "SKILL.md", "content": good}],
        [{"path": "../../escape", "content": b"x"}, {"path": "SKILL.md", "content": good}],
        [{"path": "README.md", "content": b"x"}],
        None,
        [{"path": "SKILL.md", "content": good}, {"path": "assets/inner/SKILL.md", "content": good}],
        [{"path": "a/" * 1500 + "x", "content": b"x"}, {"path": "SKILL.md", "content": good}],
    ]
    names = ["a/good", "a/bad", "a/none", "a/null", "a/nested", "a/deep"]
    rows = pa.table({"id": names, "files": files}, schema=example().INPUT)
    pq.write_table(rows, "part.parquet")
    check("part.parquet", "output", "--no-index", status=1)
    skills = {row["id"]: row for row in table(Path("output"), "skills")}
    assert skills["a/good"]["failure"] is None and skills["a/good"]["verdict"] == "pass"
    assert "outside of the skill" in skills["a/bad"]["failure"]
    assert skills["a/none"]["failure"] and skills["a/null"]["failure"] and skills["a/deep"]["failure"]
    assert skills["a/nested"]["failure"] is None and skills["a/nested"]["verdict"]
    assert len(skills) == 6


def write_rows(path: str, rows: list[tuple[bytes | None, list[tuple[bytes, bytes]]]], **options: object) -> None:
    """Writes a Parquet file; ids and paths need not be UTF-8. The same content is stored once."""
    files = [file for _, of in rows for file in of]
    contents = sorted({content for _, content in files})
    indices = pa.array([contents.index(content) for _, content in files], pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(contents, pa.binary()))
    paths = pa.array([path for path, _ in files], pa.binary()).view(pa.string())
    offsets = [0]
    for _, of in rows:
        offsets.append(offsets[-1] + len(of))
    lists = pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.StructArray.from_arrays([paths, column], ["path", "content"])
    )
    ids = pa.array([name for name, _ in rows], pa.binary()).view(pa.string())
    written = pa.table({"id": ids, "files": lists})
    options = {"compression": "zstd", "dictionary_pagesize_limit": 1 << 28, "store_schema": False, **options}
    with pq.ParquetWriter(path, written.schema, **options) as writer:
        writer.write_table(written)


MAIN = (b"SKILL.md", b"---\nname: good\ndescription: Says words. Use when needed.\n---\n\n# good\n\nWords.\n")


def test_a_row_of_many_bytes_files_or_folders_fails_alone(home: Path) -> None:
    large = b"x" * (8 << 20)
    rows = [
        (b"a/good", [MAIN]),
        (b"a/bytes", [MAIN, *((b"%d.md" % number, large) for number in range(1000))]),
        (b"a/files", [MAIN, *((b"%d.md" % number, b"") for number in range(10_000))]),
        (b"a/folders", [MAIN, *((b"%d/" % number + b"a/" * 97 + b"f", b"") for number in range(200))]),
        (b"a/twice", [MAIN, (b"a.md", b"x"), (b"./a.md", b"y")]),
        (b"a/case", [MAIN, (b"a.md", b"x"), (b"A.md", b"y")]),
        (b"a/latin", [MAIN, (b"caf\xe9.md", b"x")]),
        (b"a/\xe9", [MAIN]),
        (b"a" * 5000, [MAIN]),
        (None, [MAIN]),
        (b"b/good", [MAIN]),
    ]
    write_rows("part.parquet", rows)
    assert Path("part.parquet").stat().st_size < 100_000
    check("part.parquet", "output", "--no-index", status=1)
    found = {row["id"]: row for row in table(Path("output"), "skills")}
    failures = {name: row["failure"] for name, row in found.items() if row["failure"]}
    assert {name: row["verdict"] for name, row in found.items() if not row["failure"]} == {
        "a/good": "pass",
        "b/good": "pass",
    }
    expected = {
        "a/bytes": "more than 10000 files or",
        "a/files": "more than 10000 files or",
        "a/folders": "more than 10000 files and folders",
        "a/twice": "'a.md' appears twice",
        "a/case": "also as 'a.md'",
        "a/latin": "UnicodeDecodeError",
        "part.parquet#0.7": "UnicodeDecodeError",
        "part.parquet#0.8": "no id, or one of more than 4096 bytes",
        "part.parquet#0.9": "no id, or one of more than 4096 bytes",
    }
    assert failures.keys() == expected.keys()
    assert all(text in failures[name] for name, text in expected.items()), failures


@pytest.mark.parametrize("limit", ["MAX_ROWS", "MAX_VALUES", "MAX_GROUP_BYTES"])
def test_a_large_row_group_is_not_read(home: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    write_rows("part.parquet", [(b"a/good", [MAIN]), (b"b/good", [MAIN])])
    module = example()
    part = {"source": "part.parquet", "groups": [0]}
    assert [row["id"] for row in module._rows(part)] == ["a/good", "b/good"]
    monkeypatch.setattr(module, limit, 1)
    [row] = module._rows(part)
    assert row["id"] == "part.parquet#0" and "smaller row_group_size" in row["failure"]


def test_skills_that_are_on_the_disk_at_a_time_are_limited(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows("part.parquet", [(b"%d/good" % number, [MAIN, (b"a/b.md", b"x")]) for number in range(10)])
    module = example()
    part = {"source": "part.parquet", "groups": [0]}
    assert [len(batch) for batch in module._batches(part)] == [10]
    monkeypatch.setattr(module, "MAX_FILES", 10)
    assert [len(batch) for batch in module._batches(part)] == [3, 3, 3, 1]
    monkeypatch.setattr(module, "MAX_BYTES", 200)
    assert [len(batch) for batch in module._batches(part)] == [2] * 5


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_a_name_or_a_file_that_cannot_be_read_fails_alone(home: Path) -> None:
    good = write_skill(Path("skills/good"))
    for name in (b"caf\xe9", b"x.parquet"):
        folder = os.path.join(b"skills", name)
        os.mkdir(folder)
        Path(os.fsdecode(folder), "SKILL.md").write_bytes(MAIN[1].replace(b"name: good", b"name: x.parquet"))
    write_skill(Path("skills/file"))
    Path(os.fsdecode(b"skills/file/caf\xe9.md")).write_text("x")
    check("skills", "of-folder", "--shards", 2, "--no-index", status=1)
    found = {row["id"]: row for row in table(Path("of-folder"), "skills")}
    assert found.keys() == {"good", "caf\\udce9", "x.parquet", "file"}
    assert found["caf\\udce9"]["failure"] == "its name is not UTF-8"
    assert [found[name]["failure"] for name in ("good", "x.parquet")] == [None, None]

    write_rows("skills/y.parquet", [(b"a/good", [MAIN])])
    check("skills", "of-both", "--no-index", status=1)
    found = {row["id"]: row for row in table(Path("of-both"), "skills")}
    assert found.keys() == {"good", "caf\\udce9", "x.parquet", "file", "y.parquet"}
    assert found["y.parquet"]["failure"] == "a Parquet file in a folder of skills"
    assert good.is_dir()

    Path("files/folder.parquet").mkdir(parents=True)
    write_rows("files/good.parquet", [(b"a/good", [MAIN])])
    Path("files/no-footer.parquet").write_bytes(Path("files/good.parquet").read_bytes()[:-8])
    Path("files/empty.parquet").write_bytes(b"")
    pq.write_table(pa.table({"id": ["a/good"]}), "files/no-files.parquet")
    Path(os.fsdecode(b"files/caf\xe9.parquet")).write_bytes(Path("files/good.parquet").read_bytes())
    check("files", "of-files", "--no-index", status=1)
    found = {row["id"]: row for row in table(Path("of-files"), "skills")}
    names = ("folder", "no-footer", "empty", "no-files", "caf\\udce9")
    assert found.keys() == {"a/good", *(f"{name}.parquet" for name in names)}
    assert found["a/good"]["verdict"] == "pass"
    assert all("no skill of this Parquet file" in found[f"{name}.parquet"]["failure"] for name in names)


def test_a_damaged_row_group_fails_alone(home: Path) -> None:
    text = "---\nname: {0}\ndescription: Says words. Use when needed.\n---\n\n# {0}\n\nWords.\n"
    names = ["first", "second", "third"]
    files = [[{"path": "SKILL.md", "content": text.format(name).encode()}] for name in names]
    rows = pa.table({"id": names, "files": files}, schema=example().INPUT)
    options = {"row_group_size": 1, "compression": "none", "use_dictionary": False}
    options.update({"write_page_checksum": True, "write_statistics": False})
    pq.write_table(rows, "part.parquet", **options)
    content = Path("part.parquet").read_bytes()
    assert content.count(b"# second") == 1
    Path("part.parquet").write_bytes(content.replace(b"# second", b"# s\0cond"))
    check("part.parquet", "output", "--no-index", status=1)
    verdicts = {row["id"]: row["verdict"] for row in table(Path("output"), "skills")}
    assert verdicts == {"first": "pass", "part.parquet#1": None, "third": "pass"}


def test_a_killed_worker_costs_nothing(registry: Path, home: Path) -> None:
    for number in range(400):
        write_skill(registry / "many" / f"skill-{number}", body="Words.\n" * 200)
    command = [sys.executable, EXAMPLE, registry, "output", "--shards", "1", "--workers", "2", "--no-index"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    killed = False
    while child.poll() is None and not killed:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                is_worker = process.read_bytes().startswith(b"ray::MapBatches(check_parts)")
                is_ours = str(home).encode() in (process.parent / "environ").read_bytes()
            except OSError:
                continue
            if is_worker and is_ours:
                os.kill(int(process.parent.name), signal.SIGKILL)
                killed = True
                break
        time.sleep(0.01)
    child.communicate(timeout=300)
    assert child.returncode == 0
    ids = [row["id"] for row in table(Path("output"), "skills")]
    assert len(ids) == len(set(ids)) == len(list(registry.rglob("SKILL.md")))
