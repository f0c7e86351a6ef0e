"""Lints, scans and indexes all skills of a registry with Ray Data: see README.md.

Usage: check_registry.py INPUT OUTPUT [--shards N] [--workers N] [--no-index]

Each shard of the input becomes a folder of OUTPUT, which appears only when it is complete. A shard whose folder exists
is skipped: after an interruption, run the same command again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import skillc

Row = Dict[str, Any]

# One row per skill in an input of Parquet files.
FILES = pa.list_(pa.struct([("path", pa.string()), ("content", pa.binary())]))
INPUT = pa.schema([("id", pa.string()), ("files", FILES)])

SKILLS = pa.schema(
    [
        ("id", pa.string()),
        ("verdict", pa.string()),  # of the security scan; null if the skill cannot be read
        ("error_count", pa.int64()),
        ("warning_count", pa.int64()),
        ("failure", pa.string()),  # why the skill cannot be read
    ]
)
FINDINGS = pa.schema(
    [
        ("id", pa.string()),
        ("rule", pa.string()),
        ("severity", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("column", pa.int64()),
        ("message", pa.string()),
    ]
)

# The number of skills that a worker checks at a time, and of rows that are written at a time.
BATCH = 64

# Limits on one skill, so that no row can exhaust a worker's memory or disk.
MAX_FILES = 10_000
MAX_BYTES = 256 << 20


# Workers


def check_batch(batch: Dict[str, Any]) -> Dict[str, List[Any]]:
    """Checks a batch of skills. Returns a row for each, whatever happens to it."""
    # Ray runs one task per core: threads of skillc would only compete with other tasks.
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as work:
        # Ignore the settings of the account that the worker runs as.
        os.environ["SKILLC_HOME"] = work
        rows = [_prepared(row, Path(work)) for row in _rows(batch)]
        good = [row for row in rows if row["folder"]]
        reports = _checked(skillc.lint_report, [row["folder"] for row in good], ignore=["SET"])
        scans = _checked(lambda paths: skillc.scan(paths)["skills"], [row["folder"] for row in good])
        for row in good:
            report, scanned = reports[row["folder"]], scans[row["folder"]]
            for result in (report, scanned):
                if isinstance(result, str):
                    row["failure"] = result
            if not row["failure"]:
                row["failure"] = report.get("failure")
                row["verdict"] = scanned["verdict"]
                row["error_count"], row["warning_count"] = report["error_count"], report["warning_count"]
                found = {_key(one): one for one in report["diagnostics"] + scanned["diagnostics"]}
                row["findings"] = [
                    {name: one[name] for name in FINDINGS.names if name != "id"} for one in found.values()
                ]
    names = [*SKILLS.names, "findings", "head"]
    return {name: [row[name] for row in rows] for name in names}


def _rows(batch: Dict[str, Any]) -> Iterator[Row]:
    """Returns the rows of a batch, which is stored as columns."""
    for values in zip(*batch.values()):
        yield dict(zip(batch, values))


def _prepared(row: Row, work: Path) -> Row:
    """Returns the row of a result, without findings, and with the folder of the skill if it can be checked."""
    result: Row = {
        "id": str(row.get("id")),
        "verdict": None,
        "error_count": 0,
        "warning_count": 0,
        "failure": None,
        "findings": [],
        "folder": None,
        "head": None,
    }
    try:
        folder = row.get("folder")
        if folder is None:
            folder = _unpacked(row, work)
        result["head"] = (Path(folder) / "SKILL.md").read_bytes()[: 1 << 20]
        result["folder"] = str(folder)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        result["failure"] = f"{type(problem).__name__}: {problem}"
    return result


def _unpacked(row: Row, work: Path) -> Path:
    """Writes the files of a row into a folder. The input is not trusted: no file is written outside."""
    name = PurePosixPath(str(row["id"])).name
    if not name or name in (".", ".."):
        raise ValueError(f"the id {row['id']!r} does not end with a name")
    folder = Path(tempfile.mkdtemp(dir=work)) / name
    folder.mkdir()
    files = row["files"]
    if files is None or len(files) > MAX_FILES:
        raise ValueError("no files, or too many")
    left = MAX_BYTES
    for file in files:
        parts = PurePosixPath(file["path"]).parts
        if not parts or ".." in parts or parts[0].startswith("/") or "\0" in file["path"]:
            raise ValueError(f"the path {file['path']!r} is outside of the skill")
        left -= len(file["content"])
        if left < 0:
            raise ValueError(f"more than {MAX_BYTES} bytes")
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file["content"])
    return folder


def _checked(check: Callable[..., List[Row]], folders: List[str], **options: Any) -> Dict[str, Any]:
    """Returns the result for each folder; an error message if the check failed."""
    if not folders:
        return {}
    try:
        return dict(zip(folders, check(folders, **options), strict=True))
    except (skillc.SkillcError, ValueError) as problem:
        if len(folders) == 1:
            return {folders[0]: str(problem)}
    # At least one skill makes the check of the whole batch fail: check each skill by itself.
    one_by_one: Dict[str, Any] = {}
    for folder in folders:
        one_by_one.update(_checked(check, [folder], **options))
    return one_by_one


def _key(finding: Row) -> Tuple[Any, ...]:
    return finding["rule"], finding["file"], finding["line"], finding["column"], finding["message"]


# Input


def shard_of(name: str, shards: int) -> int:
    """Returns the shard of a skill. It is the same in each run and on each machine."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="replace")).digest()[:8], "big") % shards


def shards_of(source: Path, output: Path, count: int) -> List[Tuple[str, Callable[[], "ray.data.Dataset"]]]:
    """Returns the name of each shard, and a function that reads it."""
    if source.is_dir() and not any(source.glob("*.parquet")):
        rows: List[List[Row]] = [[] for _ in range(count)]
        for folder in sorted(path.parent for path in source.rglob("SKILL.md")):
            name = folder.relative_to(source).as_posix()
            rows[shard_of(name, count)].append({"id": name, "folder": str(folder.resolve())})
        return [
            (
                f"shard-{number:05}",
                lambda of=of: ray.data.from_items(of, override_num_blocks=-(-len(of) // BATCH)),
            )
            for number, of in enumerate(rows)
            if of
        ]
    if source.suffix == ".parquet" or source.is_dir():
        files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    else:
        files = from_tar(source, output, count)
    return [(f"shard-{file.stem}", lambda file=file: ray.data.from_arrow(batches(file))) for file in files]


def batches(file: Path) -> List[pa.Table]:
    """Reads a Parquet file, in parts that different workers can check."""
    table = readable(file)
    return [table.slice(start, BATCH) for start in range(0, max(1, table.num_rows), BATCH)]


def readable(file: Path) -> pa.Table:
    """Reads a Parquet file. A row group that is damaged becomes one row, which fails."""
    groups = []
    with pq.ParquetFile(file, page_checksum_verification=True) as reader:
        for number in range(reader.num_row_groups):
            try:
                groups.append(reader.read_row_group(number, columns=INPUT.names).cast(INPUT))
            except (pa.ArrowException, OSError) as problem:
                rows = reader.metadata.row_group(number).num_rows
                print(f"{file}: row group {number} with {rows} skills is damaged: {problem}", file=sys.stderr)
                lost = {"id": [f"{file.name}#{number}"], "files": [None]}
                groups.append(pa.table(lost, schema=INPUT))
    return pa.concat_tables(groups) if groups else INPUT.empty_table()


def from_tar(source: Path, output: Path, count: int) -> List[Path]:
    """Converts a tar file of skills, in one pass, into a Parquet file for each shard."""
    folder = output / "input"
    if not folder.exists():
        work = Path(tempfile.mkdtemp(dir=output, prefix=".input-"))
        writers: Dict[int, pq.ParquetWriter] = {}

        def write(name: Optional[str], files: List[Row]) -> None:
            if name is None:
                return
            number = shard_of(name, count)
            if number not in writers:
                writers[number] = pq.ParquetWriter(work / f"{number:05}.parquet", INPUT)
            writers[number].write_table(pa.table({"id": [name], "files": [files]}, schema=INPUT))

        with tarfile.open(source, "r|*") as archive:
            for name, files in skills_of(archive):
                write(name, files)
        for writer in writers.values():
            writer.close()
        work.rename(folder)
    return sorted(folder.glob("*.parquet"))


def skills_of(archive: tarfile.TarFile) -> Iterator[Tuple[str, List[Row]]]:
    """Returns the skills of a tar file whose files are next to each other: the folder with a SKILL.md, and its files.

    A skill is complete when a file outside of its top folder follows, so only one top folder is in memory.
    """
    held: Dict[str, bytes] = {}
    top: Optional[str] = None
    for member in archive:
        if not member.isfile():
            continue
        first = PurePosixPath(member.name).parts[0] if "/" in member.name else ""
        if first != top:
            yield from _grouped(held)
            held, top = {}, first
        content = archive.extractfile(member)
        held[member.name] = content.read() if content else b""
    yield from _grouped(held)


def _grouped(held: Dict[str, bytes]) -> Iterator[Tuple[str, List[Row]]]:
    folders = {str(PurePosixPath(path).parent) for path in held if PurePosixPath(path).name == "SKILL.md"}
    for folder in sorted(folders):
        prefix = "" if folder == "." else folder + "/"
        files = [
            {"path": path[len(prefix) :], "content": content}
            for path, content in held.items()
            if path.startswith(prefix)
        ]
        yield folder, files


# Output


def run_shard(name: str, dataset: "ray.data.Dataset", output: Path, workers: int) -> int:
    """Checks a shard, and writes its folder. Returns how many skills it has."""
    compute = ray.data.TaskPoolStrategy(size=workers)
    results = dataset.map_batches(check_batch, batch_size=BATCH, batch_format="numpy", compute=compute)
    work = Path(tempfile.mkdtemp(dir=output, prefix=f".{name}-"))
    count = 0
    try:
        with pq.ParquetWriter(work / "skills.parquet", SKILLS) as skills:
            with pq.ParquetWriter(work / "findings.parquet", FINDINGS) as findings:
                for batch in results.iter_batches(batch_size=BATCH, batch_format="pyarrow"):
                    rows = batch.to_pylist()
                    count += len(rows)
                    skills.write_table(pa.Table.from_pylist(rows, schema=SKILLS))
                    found = [{"id": row["id"], **one} for row in rows for one in row["findings"] or []]
                    findings.write_table(pa.Table.from_pylist(found, schema=FINDINGS))
                    for row in rows:
                        _write_head(work / "catalog", row)
        # Rename only after everything was written: a full disk or an interruption must not leave an incomplete folder.
        work.rename(output / name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return count


def _write_head(catalog: Path, row: Row) -> None:
    """Writes the SKILL.md of a skill for the index, unless the scan found an attack."""
    if row["head"] is None or row["verdict"] not in ("pass", "review"):
        return
    group = hashlib.sha256(row["id"].encode(errors="replace")).hexdigest()[:16]
    folder = catalog / group / PurePosixPath(row["id"]).name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_bytes(row["head"])


def index(output: Path, names: List[str]) -> None:
    """Writes an index for each shard, and one of all shards: `skc registry list --db OUTPUT/index.db`."""
    catalogs = [output / name / "catalog" for name in names]
    catalogs = [catalog for catalog in catalogs if catalog.is_dir()]
    with tempfile.TemporaryDirectory() as home:
        # By default, skillc reads at most 2,000 folders of a root.
        (Path(home) / ".skillc").mkdir()
        (Path(home) / ".skillc" / "config.toml").write_text("[catalog]\nmax_dirs = 1_000_000\n")
        os.environ["SKILLC_HOME"] = home
        for catalog in catalogs:
            db = catalog.parent / "index.db"
            if not db.exists():
                skillc.sync_registry([catalog], db=db)
        if catalogs:
            skillc.sync_registry(catalogs, db=output / "index.db")


def connect(workers: int) -> None:
    """Connects to the cluster of RAY_ADDRESS, or starts Ray on this machine."""
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False)
    else:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description="Checks all skills of a registry with Ray Data.")
    parser.add_argument("input", type=Path, help="a folder of skills, a tar file, or Parquet files")
    parser.add_argument("output", type=Path)
    parser.add_argument("--shards", type=int, default=16, help="for a folder or a tar file; do not change it later")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-index", action="store_true")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    output = options.output.resolve()
    shards = shards_of(options.input, output, options.shards)
    done = [name for name, _ in shards if (output / name).exists()]
    for name, read in shards:
        if name in done:
            continue
        if not ray.is_initialized():
            connect(options.workers)
        count = run_shard(name, read(), output, options.workers)
        print(f"{name}: {count} skills", flush=True)
    print(f"{len(shards) - len(done)} of {len(shards)} shards checked, {len(done)} were there", flush=True)
    if not options.no_index:
        index(output, [name for name, _ in shards])
    return 0


if __name__ == "__main__":
    sys.exit(main())
