"""A temporary home and project with skills, and a way to run `skc` in them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Bytes that are not text in any encoding that skc supports.
PIXEL = bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF, 0xFE])

ATLAS = {
    "SKILL.md": """---
name: atlas
description: Tells of rivers and lakes. Use when water is asked for.
---

# Atlas

All about water. Read [the rivers](references/rivers.md) and [the lakes](references/lakes.md).

## Rivers

Rivers run downhill. The longest is told of elsewhere.

### Sources

A river begins at a spring.

## Lakes

Lakes stand still.
""",
    "references/rivers.md": "# Long rivers\n\n## Nile\n\nThe Nile floods.\n\n## Sources\n\nOf the Nile: two.\n",
    "references/lakes.md": "# Deep lakes\n\n## Baikal\n\nBaikal is deep, and frozen in winter.\n",
    "references/åar.md": "# Åar\n\nDie Aare fließt durch Bern. 川は流れる。\n",
    "scripts/depth.sh": "#!/bin/sh\necho 1642\n",
    "assets/pixel.png": PIXEL,
}

# The number of files of a skill whose build takes long enough to be observed and cancelled.
CHAPTERS = 4000


def small(name: str) -> dict[str, str]:
    """Returns the files of a skill with a single page."""
    return {
        "SKILL.md": f"---\nname: {name}\ndescription: A page. Use when testing.\n---\n\n# {name.title()}\n\n"
        f"## Use\n\nRead it.\n"
    }


def long_book() -> dict[str, str]:
    """Returns the files of a skill that takes long to build."""
    words = "Water runs and stands, falls and freezes, and nothing of it is lost. " * 100
    chapters = {f"chapters/{n:04}.md": f"# Chapter {n}\n\n## Text\n\n{words}\n" for n in range(CHAPTERS)}
    links = "".join(f"* [{n}]({path})\n" for n, path in enumerate(chapters))
    head = "---\nname: book\ndescription: A long book. Use when testing.\n---\n\n# Book\n\n"
    return {"SKILL.md": head + links, **chapters}


def write(directory: Path, files: dict[str, str | bytes]) -> None:
    """Writes files below a directory."""
    for path, content in files.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


@dataclass(frozen=True)
class World:
    """The environment of a test: nothing outside `root` is written."""

    skc: Path
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def store(self) -> Path:
        return self.project / ".skillc" / "skills"

    @property
    def env(self) -> dict[str, str]:
        """The environment variables of every run."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "SKILLC_HOME": str(self.home),
            "SKC_NO_FSYNC": "1",
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs `skc` in the project."""
        return subprocess.run(
            [self.skc, *arguments],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def text(self, *arguments: str) -> str:
        """Runs a command that must succeed; returns its output."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"skc {arguments}: {done.stderr}"
        return done.stdout

    def json(self, *arguments: str) -> object:
        """Returns the JSON result of a command; `lint` may have findings."""
        done = self.run(*arguments, "--format", "json")
        assert done.stdout, f"skc {arguments}: {done.stderr}"
        return json.loads(done.stdout)

    def failure(self, *arguments: str) -> str:
        """Runs a command that must fail; returns its error output."""
        done = self.run(*arguments, "--format", "json")
        assert done.returncode == 1, f"skc {arguments}: {done.stdout}"
        return done.stderr.rstrip("\n")


def make_world(skc: Path, root: Path) -> World:
    """Creates a project: `atlas`, `counted` and the global `roaming` are built, `draft` and `book` are not; `broken` has
    no frontmatter, `hollow` no `SKILL.md`, `linked` a link that leads out; the standard does not allow the names `misnamed`
    and `two--dashes`."""
    world = World(skc, root)
    world.home.mkdir()
    write(world.store / "atlas", ATLAS)
    write(world.store / "book", long_book())
    write(world.store / "broken", {"SKILL.md": "# Broken\n\nNothing before the title.\n"})
    write(world.store / "counted", small("counted"))
    write(world.store / "draft", small("draft"))
    write(world.store / "hollow", {"notes.md": "# Notes\n"})
    write(world.store / "linked", small("linked"))
    write(world.store / "misnamed", small("renamed"))
    write(world.store / "two--dashes", small("two--dashes"))
    write(world.home / ".skillc" / "skills" / "roaming", small("roaming"))
    write(root, {"secret.md": "# Secret\n\nNobody may read this.\n"})
    (world.store / "linked" / "out.md").symlink_to(root / "secret.md")
    for name in ["atlas", "counted", "roaming"]:
        world.text("build", name)
    return world


def add_from_corpus(world: World, corpus: Path, names: list[str]) -> list[str]:
    """Copies real skills into the store and builds them; returns the names of those that are available."""
    added = []
    for name in names:
        found = sorted(corpus.glob(f"*/**/{name}/SKILL.md"))
        if not found:
            continue
        shutil.copytree(found[0].parent, world.store / name)
        world.text("build", name)
        added.append(name)
    return added


if __name__ == "__main__":
    made = make_world(Path(os.environ["SKC"]), Path(sys.argv[1]))
    print(json.dumps({"project": str(made.project), "env": made.env}))
