"""The frontmatter of stubs, read by PyYAML: the same values as in the source."""

from pathlib import Path

import pytest
import yaml

from world import World, write

PARTS = (Path(__file__).parents[1] / "fields.yaml").read_text(encoding="utf-8").split("# next\n")

# With this many fields, a stub has room for lists and maps only in flow style (in brackets).
FULL = 36


def block(text: str) -> str:
    """Returns the lines between the two delimiters of a file."""
    lines = text.removeprefix("\ufeff").splitlines()
    return "\n".join(lines[1 : lines.index("---", 1)]) + "\n"


def same(world: World, name: str) -> None:
    """Compares a stub with its source, types and order included."""
    source = block((world.store / name / "SKILL.md").read_text(encoding="utf-8"))
    stub = block((world.project / ".skillc/runtime" / name / "SKILL.md").read_text(encoding="utf-8"))
    wanted, found = yaml.safe_load(source), yaml.safe_load(stub)
    first = {key: wanted.pop(key) for key in ("name", "description")}
    assert repr(found) == repr({**first, **wanted})


@pytest.mark.parametrize("count", [0, FULL], ids=["lines", "brackets"])
@pytest.mark.parametrize("part", range(len(PARTS)))
def test_every_notation_reads_back_the_same(world: World, tmp_path: Path, part: int, count: int) -> None:
    extra = "".join(f"more{n}: {n}\n" for n in range(count - len(yaml.safe_load(PARTS[part]))))
    # Use a separate world: clients that list the skills of the shared world do not expect these fields.
    own = World(world.skc, tmp_path)
    write(own.store / "fields", {"SKILL.md": f"---\nname: fields\ndescription: d\n{PARTS[part]}{extra}---\n# T\n"})
    own.text("build", "fields")
    same(own, "fields")


def test_real_skills_read_back_the_same(world: World, real_skills: list[str]) -> None:
    for name in real_skills:
        same(world, name)
