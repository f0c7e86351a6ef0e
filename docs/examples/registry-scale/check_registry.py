"""Lints, scans and indexes all skills of a registry with Ray Data: see README.md.

Usage: check_registry.py INPUT OUTPUT [--shards N] [--workers N] [--no-index]

Each shard of the input becomes a folder of OUTPUT, which appears only when it is complete. A shard whose folder exists
is skipped: after an interruption, run the same command again. The exit status is 1 if a skill could not be checked.
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
import pyarrow.compute as pc
import pyarrow.parquet as pq
import ray
import skillc

import read_tar
from read_tar import MAX_BYTES, MAX_DEPTH, MAX_FILES

Row = Dict[str, Any]

# One row per skill in an input of Parquet files.
FILES = pa.list_(pa.struct([("path", pa.string()), ("content", pa.binary())]))
INPUT = pa.schema([("id", pa.string()), ("files", FILES)])
# Why a row cannot be checked. Only Parquet files that were made from a tar file have this column.
FAILURE = pa.field("failure", pa.string())

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

# The number of skills that are checked at a time, and the number that a worker gets as one part of a shard. A part
# should take a few seconds, because Ray needs a moment to give a worker the next one.
BATCH = 128
PART = 16 * BATCH

# Limits on a row group of a Parquet file: of its rows, of its files, of its bytes without compression, of an id.
MAX_ROWS = 1 << 20
MAX_VALUES = 10 << 20
MAX_GROUP_BYTES = 4 << 30
MAX_ID = 4096


# Workers


def check_parts(batch: pa.Table, output: str) -> Dict[str, List[Any]]:
    """Checks parts of shards, and writes their results. Returns the name of each shard, and numbers of skills."""
    # Ray runs one task per core: threads of skillc would only compete with other tasks.
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    results: Dict[str, List[Any]] = {"shard": [], "count": [], "failed": []}
    for part in batch.to_pylist():
        count, failed = _check_part(part, Path(output) / part["shard"])
        for name, value in (("shard", part["shard"]), ("count", count), ("failed", failed)):
            results[name].append(value)
    return results


def _check_part(part: Row, output: Path) -> Tuple[int, int]:
    """Writes a row for each skill of a part, whatever happens to the skill."""
    paths = {table: output / table / f"{part['number']:06}.parquet" for table in ("skills", "findings")}
    # If a worker is killed, another one writes these files again.
    written = {table: path.with_name(f".{path.name}") for table, path in paths.items()}
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    count = failed = 0
    with pq.ParquetWriter(written["skills"], SKILLS) as skills:
        with pq.ParquetWriter(written["findings"], FINDINGS) as findings:
            for batch in _batches(part):
                rows = _check_batch(batch)
                count += len(rows)
                failed += sum(row["failure"] is not None for row in rows)
                skills.write_table(pa.Table.from_pylist(rows, schema=SKILLS))
                found = [{"id": row["id"], **one} for row in rows for one in row["findings"]]
                findings.write_table(pa.Table.from_pylist(found, schema=FINDINGS))
                for row in rows:
                    _write_head(output / "catalog", row)
    for table, path in paths.items():
        written[table].replace(path)
    return count, failed


def _batches(part: Row) -> Iterator[List[Row]]:
    """Reads the skills of a part. The skills of a batch are on the disk at the same time."""
    batch: List[Row] = []
    weight = 0.0
    for row in _rows(part):
        files = row.get("files") or []
        # Each part of a path may be a folder of its own.
        count = sum((file["path"] or "").count("/") + 1 for file in files)
        added = max(count / MAX_FILES, sum(len(file["content"] or b"") for file in files) / MAX_BYTES)
        if batch and (len(batch) == BATCH or weight + added > 1):
            yield batch
            batch, weight = [], 0.0
        batch.append(row)
        weight += added
    if batch:
        yield batch


def _rows(part: Row) -> Iterator[Row]:
    if part["groups"] is None:
        for row in part["rows"]:
            yield {**row, "folder": os.path.join(part["source"], row["id"])}
        return
    columns = columns_of(pq.read_schema(part["source"]), pq.read_metadata(part["source"]))
    # Content that is stored once for many files also stays in memory once, until the size of a skill is known.
    with pq.ParquetFile(
        part["source"], read_dictionary=columns, pre_buffer=False, page_checksum_verification=True
    ) as reader:
        for group in part["groups"]:
            about = reader.metadata.row_group(group)
            name = f"{Path(part['source']).name}#{group}"
            try:
                _check_group(about, columns)
                for number, batch in enumerate(reader.iter_batches(BATCH, row_groups=[group], columns=columns)):
                    yield from _rows_of(batch, name, number * BATCH)
            except (pa.ArrowException, OSError, ValueError) as problem:
                lost = f"this row group with {about.num_rows} skills is too large or damaged: {problem}"
                yield {"id": name, "failure": lost}


def _check_group(group: pq.RowGroupMetaData, columns: List[str]) -> None:
    chunks = [group.column(number) for number in range(group.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in columns]
    if group.num_rows > MAX_ROWS or any(chunk.num_values > MAX_VALUES for chunk in chunks):
        raise ValueError(f"more than {MAX_ROWS} skills or {MAX_VALUES} files: write it with a smaller row_group_size")
    if sum(chunk.total_uncompressed_size for chunk in chunks) > MAX_GROUP_BYTES:
        raise ValueError(f"more than {MAX_GROUP_BYTES} bytes: write it with a smaller row_group_size")


def _rows_of(batch: pa.RecordBatch, name: str, start: int) -> Iterator[Row]:
    """Returns the rows of a batch. Only copies the files of skills that are within the limits."""
    ids, lists = batch.column("id"), batch.column("files")
    files = lists.flatten()
    paths, contents = (files.flatten()[files.type.get_field_index(field)] for field in ("path", "content"))
    sizes, id_sizes = pc.add(_lengths(paths), _lengths(contents)), _lengths(ids).to_pylist()
    end = 0
    for index, count in enumerate(pc.list_value_length(lists).to_pylist()):
        begin, end = end, end + (count or 0)
        row: Row = {"id": f"{name}.{start + index}"}
        try:
            if not 0 < id_sizes[index] <= MAX_ID:
                raise ValueError(f"no id, or one of more than {MAX_ID} bytes")
            row["id"] = ids[index].as_py()
            if FAILURE.name in batch.schema.names:
                row["failure"] = batch.column(FAILURE.name)[index].as_py()
            if end - begin > MAX_FILES or (pc.sum(sizes[begin:end]).as_py() or 0) > MAX_BYTES:
                raise ValueError(f"more than {MAX_FILES} files or {MAX_BYTES} bytes")
            found = zip(paths[begin:end].to_pylist(), contents[begin:end].to_pylist())
            row["files"] = [{"path": path, "content": content} for path, content in found]
        except ValueError as problem:
            row["failure"] = f"{type(problem).__name__}: {problem}"
        yield row


def _lengths(column: pa.Array) -> pa.Array:
    if isinstance(column, pa.DictionaryArray):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
    else:
        lengths = pc.binary_length(column)
    return pc.fill_null(lengths.cast(pa.int64()), 0)


def _check_batch(batch: List[Row]) -> List[Row]:
    with tempfile.TemporaryDirectory() as work:
        # Ignore the settings of the account that the worker runs as.
        os.environ["SKILLC_HOME"] = work
        rows = [_prepared(row, Path(work)) for row in batch]
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
    return rows


def _write_head(catalog: Path, row: Row) -> None:
    """Writes the SKILL.md of a skill for the index, unless the scan found an attack."""
    if row["head"] is None or row["verdict"] not in ("pass", "review"):
        return
    group = hashlib.sha256(row["id"].encode(errors="replace")).hexdigest()[:16]
    folder = catalog / group / PurePosixPath(row["id"]).name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_bytes(row["head"])


def _prepared(row: Row, work: Path) -> Row:
    """Returns the row of a result, without findings, and with the folder of the skill if it can be checked."""
    result: Row = {
        "id": str(row.get("id")),
        "verdict": None,
        "error_count": 0,
        "warning_count": 0,
        "failure": row.get("failure"),
        "findings": [],
        "folder": None,
        "head": None,
    }
    if result["failure"]:
        return result
    try:
        folder = row.get("folder")
        if folder is None:
            folder = _unpacked(row, work)
        main = Path(folder) / "SKILL.md"
        if main.is_symlink() or not main.is_file():
            raise ValueError("SKILL.md is not a regular file")
        with main.open("rb") as file:
            result["head"] = file.read(1 << 20)
        result["folder"] = str(folder)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        result["failure"] = _shown(f"{type(problem).__name__}: {problem}")
    return result


def _unpacked(row: Row, work: Path) -> Path:
    """Writes the files of a row into a folder. The input is not trusted: no file is written outside."""
    name = PurePosixPath(str(row["id"])).name
    if not name or name in (".", ".."):
        raise ValueError(f"the id {row['id']!r} does not end with a name")
    folder = Path(tempfile.mkdtemp(dir=work)) / name
    folder.mkdir()
    files = row["files"]
    if not files:
        raise ValueError("no files")
    names = read_tar.Names()
    for file in files:
        parts = PurePosixPath(file["path"]).parts
        if not parts or len(parts) > MAX_DEPTH or ".." in parts or parts[0].startswith("/") or "\0" in file["path"]:
            raise ValueError(f"the path {file['path']!r} is outside of the skill")
        names.add("/".join(parts), False)
        if names.problems:
            raise ValueError(next(iter(names.problems.values())))
        if len(names.taken) > MAX_FILES:
            raise ValueError(f"more than {MAX_FILES} files and folders")
    for file in files:
        path = folder.joinpath(file["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as written:
            written.write(file["content"])
    return folder


def _checked(check: Callable[..., List[Row]], folders: List[str], **options: Any) -> Dict[str, Any]:
    """Returns the result for each folder; an error message if the check failed."""
    if not folders:
        return {}
    try:
        # A skill may contain other skills, which have results of their own.
        results = {one["path"]: one for one in check(folders, **options)}
        return {folder: results[folder] for folder in folders}
    except (skillc.SkillcError, ValueError, KeyError) as problem:
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


def shards_of(source: Path, output: Path, count: int) -> Dict[str, List[Row]]:
    """Returns the parts of each shard. What cannot be read is a row with a failure."""
    if source.is_dir():
        files = sorted(source.glob("*.parquet"))
        rows = rows_of(source)
        # In a folder of skills, a folder with such a name is a skill.
        if rows or not files:
            rows += [_failed(file.name, "a Parquet file in a folder of skills") for file in files if file.is_file()]
            return shards_of_rows(source, rows, count)
    elif source.suffix == ".parquet":
        files = [source]
    else:
        try:
            files = from_tar(source, output, count)
        except tarfile.ReadError as problem:
            return {"shard-input": parts(source, [[_failed(source.name, str(problem))]], None)}
    shards: Dict[str, List[Row]] = {}
    for file in files:
        name = f"shard-{_shown(file.stem)}"
        while name in shards:
            name += "-"
        try:
            if not file.is_file() or _shown(file.name) != file.name:
                raise ValueError("not a file, or its name is not UTF-8")
            shards[name] = parts(file, None, groups_of(file))
        except (pa.ArrowException, OSError, ValueError) as problem:
            failure = f"no skill of this Parquet file was checked: {problem}"
            shards[name] = parts(file.parent, [[_failed(file.name, failure)]], None)
    return shards


def rows_of(source: Path) -> List[Row]:
    """Returns a row for each skill of a folder. Links to folders are not followed."""
    rows: List[Row] = []

    def not_read(problem: OSError) -> None:
        rows.append(_failed(os.path.relpath(problem.filename, source), f"this folder cannot be read: {problem}"))

    for folder, folders, files in os.walk(source, onerror=not_read):
        if "SKILL.md" in files + folders:
            name = Path(folder).relative_to(source).as_posix()
            is_utf8 = _shown(name) == name
            rows.append({"id": name, "failure": None} if is_utf8 else _failed(name, "its name is not UTF-8"))
    return sorted(rows, key=lambda row: str(row["id"]))


def shards_of_rows(source: Path, rows: List[Row], count: int) -> Dict[str, List[Row]]:
    shards: Dict[int, List[Row]] = {}
    for row in rows:
        shards.setdefault(shard_of(row["id"], count), []).append(row)
    return {
        f"shard-{number:05}": parts(source, [of[start : start + PART] for start in range(0, len(of), PART)], None)
        for number, of in sorted(shards.items())
    }


def _failed(name: str, failure: str) -> Row:
    return {"id": _shown(name), "failure": _shown(failure)}


def _shown(text: str) -> str:
    """Escapes what is not UTF-8: Parquet files cannot contain it."""
    return text.encode(errors="backslashreplace").decode()


def parts(source: Path, rows: Optional[List[List[Row]]], groups: Optional[List[List[int]]]) -> List[Row]:
    """Returns the parts of a shard: rows with folders in `source` as ids, or row groups of the file `source`."""
    count = len(groups if rows is None else rows)
    return [
        {
            "number": number,
            "source": str(source.resolve()),
            "rows": rows[number] if rows else None,
            "groups": groups[number] if groups else None,
        }
        for number in range(count)
    ]


def columns_of(schema: pa.Schema, metadata: pq.FileMetaData) -> List[str]:
    """Returns the columns of a Parquet file that are read, as Parquet calls them: `files.list.element.path`."""
    if not {"id", "files"} <= set(schema.names):
        raise ValueError("it needs the columns id and files")
    paths = [metadata.schema.column(number).path for number in range(metadata.num_columns)]
    return [
        path
        for path in paths
        if path in ("id", FAILURE.name) or path.startswith("files.") and path.endswith((".path", ".content"))
    ]


def groups_of(file: Path) -> List[List[int]]:
    """Returns the row groups of a Parquet file, in parts that different workers can check."""
    metadata = pq.read_metadata(file)
    columns_of(pq.read_schema(file), metadata)
    all_groups: List[List[int]] = []
    rows = PART
    for group in range(metadata.num_row_groups):
        if rows >= PART:
            all_groups.append([])
            rows = 0
        all_groups[-1].append(group)
        rows += metadata.row_group(group).num_rows
    return all_groups


def from_tar(source: Path, output: Path, count: int) -> List[Path]:
    """Converts a tar file of skills into a Parquet file for each shard. The first pass reads only names and sizes."""
    folder = output / "input"
    if not folder.exists():
        plan = read_tar.plan_of(source)
        work = Path(tempfile.mkdtemp(dir=output, prefix=".input-"))
        schema = INPUT.append(FAILURE)
        writers: Dict[int, pq.ParquetWriter] = {}

        def write(row: Row) -> None:
            number = shard_of(row["id"], count)
            if number not in writers:
                writers[number] = pq.ParquetWriter(work / f"{number:05}.parquet", schema)
            writers[number].write_table(pa.Table.from_pylist([row], schema=schema))

        for name, failure in plan.failures.items():
            write({"id": name, "failure": failure})
        for name, files in read_tar.skills_of(source, plan):
            write({"id": name, "files": [{"path": path, "content": content} for path, content in files.items()]})
        for writer in writers.values():
            writer.close()
        work.rename(folder)
    return sorted(folder.glob("*.parquet"))


# Output


def run(shards: Dict[str, List[Row]], output: Path, workers: int) -> Iterator[Tuple[str, int, int]]:
    """Checks shards, and writes a folder for each. Returns the name of each shard as soon as it is complete, the number
    of its skills, and how many of them could not be checked."""
    work = Path(tempfile.mkdtemp(dir=output, prefix=".run-"))
    left = {name: len(of) for name, of in shards.items()}
    counts = {name: [0, 0] for name in shards}
    all_parts = [{"shard": name, **part} for name, of in shards.items() for part in of]
    try:
        for name in [name for name, of in shards.items() if not of]:
            complete(work / name, output / name)
            yield name, 0, 0
        if all_parts:
            if not ray.is_initialized():
                connect(workers)
            # The workers read and write the files, so only names and numbers pass through this process.
            results = ray.data.from_items(all_parts, override_num_blocks=len(all_parts)).map_batches(
                check_parts,
                fn_kwargs={"output": str(work)},
                batch_size=1,
                batch_format="pyarrow",
                compute=ray.data.TaskPoolStrategy(size=workers),
            )
            for row in results.iter_rows():
                name = row["shard"]
                counts[name] = [counts[name][0] + row["count"], counts[name][1] + row["failed"]]
                left[name] -= 1
                if not left[name]:
                    complete(work / name, output / name)
                    yield name, *counts[name]
    finally:
        shutil.rmtree(work, ignore_errors=True)


def complete(work: Path, output: Path) -> None:
    """Joins the results of all parts of a shard."""
    work.mkdir(exist_ok=True)
    for table, schema in (("skills", SKILLS), ("findings", FINDINGS)):
        with pq.ParquetWriter(work / f"{table}.parquet", schema) as writer:
            for part in sorted((work / table).glob("[!.]*.parquet")):
                writer.write_table(pq.read_table(part, schema=schema))
        shutil.rmtree(work / table, ignore_errors=True)
    # Rename only after everything was written: a full disk or an interruption must not leave an incomplete folder.
    work.rename(output)


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
    # The other nodes of a cluster may not have this file.
    ray.cloudpickle.register_pickle_by_value(read_tar)
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
    if not options.input.exists():
        parser.error(f"{options.input} does not exist")
    options.output.mkdir(parents=True, exist_ok=True)
    output = options.output.resolve()
    shards = shards_of(options.input, output, options.shards)
    left = {name: of for name, of in shards.items() if not (output / name).exists()}
    for name, count, failed in run(left, output, options.workers):
        print(f"{name}: {count} skills" + (f", {failed} could not be checked" if failed else ""), flush=True)
    print(f"{len(left)} of {len(shards)} shards checked, {len(shards) - len(left)} were there", flush=True)
    if not options.no_index:
        index(output, list(shards))
    failures = [pq.read_table(output / name / "skills.parquet", columns=["failure"])["failure"] for name in shards]
    failed = sum(len(column) - column.null_count for column in failures)
    if failed:
        print(f"{failed} rows have a failure", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
