"""Compares `skillc/_types.py` with the JSON Schemas of the operations, from which it is generated.

With UPDATE_DOCS=1 in the environment, it writes the file.
"""

import json
import keyword
import os
import re
import sys
from pathlib import Path

PACKAGES = Path(__file__).parent.parent.parent
FILE = PACKAGES / "python" / "skillc" / "_types.py"
SCHEMAS = PACKAGES / "dist" / "npm" / "schemas.json"

#: The operations, each with a name for its response if the schema contains no suitable name.
OPERATIONS = {
    "lint": None,
    "scan": "ScanResponse",
    "build": "BuildResponse",
    "outline": None,
    "search": "SearchResponse",
    "show": "ShowResponse",
    "catalog list": "SkillCatalog",
    "catalog load": "Loaded",
    "catalog search": "SearchResults",
    "registry sync": "RegistrySyncResponse",
}

#: Names for objects that schemas define inline, by class and field.
INNER = {
    ("ScanResponse", "skills"): "ScannedSkill",
    ("SearchResponse", "unmatched"): None,
    ("SearchResult", "read"): None,
}

#: Fields that the package's functions add, and optional fields that are missing from the schemas, which are kept short
#: for models.
MORE = {
    "LintFinding": {"fixable": ("Whether skc lint can fix the finding, and how safely", 'Literal["safe", "unsafe"]')},
    "BuildResponse": {"root": ("The folder with the skill's source", "str")},
    "SearchResponse": {"root": ("The folder with the skill's source", "str")},
    "ShowResponse": {"root": ("The folder with the skill's source", "str")},
}

#: Descriptions of objects that the schemas do not describe.
ABOUT = {
    "ScanResponse": "The findings of each skill, with its verdict, and how many skills have each verdict.",
    "ScannedSkill": "The findings of one skill, with its verdict.",
}

#: The command that updates the file.
UPDATE = "UPDATE_DOCS=1 cargo test -p skillc-tests --test interface"

HEAD = '''"""Types of results. Generated from the code. To update them, run

{update}
"""

from __future__ import annotations

from typing import {names}


'''

classes: "dict[str, str]" = {}


def literal(values):
    return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


def expression(schema, definitions, place):
    """Returns the type of a value; adds the classes that it needs."""
    if schema is True or not schema:
        return "Any"
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        target = definitions[name]
        if "properties" not in target:
            return expression(target, definitions, place)
        add(name, target, definitions)
        return name
    if "const" in schema:
        return literal([schema["const"]])
    if "enum" in schema:
        return literal(schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        types = [expression(one, definitions, place) for one in choices]
        if all(one.startswith("Literal[") for one in types):
            return "Literal[" + ", ".join(one[8:-1] for one in types) + "]"
        some = list(dict.fromkeys(one for one in types if one != "None"))
        union = some[0] if len(some) == 1 else f"Union[{', '.join(some)}]"
        return f"Optional[{union}]" if "None" in types else union
    kind = schema.get("type")
    if isinstance(kind, list):
        some = [expression({**schema, "type": one}, definitions, place) for one in kind if one != "null"]
        union = some[0] if len(some) == 1 else f"Union[{', '.join(some)}]"
        return f"Optional[{union}]" if "null" in kind else union
    if kind == "array":
        return f"List[{expression(schema.get('items', True), definitions, place)}]"
    if kind == "object":
        if "properties" in schema and INNER.get(place, ""):
            name = INNER[place]
            add(name, schema, definitions)
            return name
        more = schema.get("additionalProperties")
        return f"Dict[str, {expression(more, definitions, place) if isinstance(more, dict) else 'Any'}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]


def field(name, about, type_):
    about = " ".join(about.split())
    comment = f"    # {about}\n" if about else ""
    return f"{comment}    {name}: {type_}\n"


def add(name, schema, definitions):
    """Adds the class of an object. Required fields are in a separate class: Python 3.9 has no `NotRequired`."""
    if name in classes:
        return
    classes[name] = ""  # An object may contain itself.
    required, optional, functional = "", "", ""
    needed = set(schema.get("required", []))
    for key, of in schema["properties"].items():
        type_ = expression(of, definitions, (name, key))
        line = field(key, of.get("description", ""), type_)
        if not key.isidentifier() or keyword.iskeyword(key):
            if key not in needed:
                sys.exit(f"{name}: the optional field '{key}' needs another form of TypedDict")
            functional += f'"{key}": "{type_}", '
        elif key in needed:
            required += line
        else:
            optional += line
    for key, (about, type_) in MORE.get(name, {}).items():
        optional += field(key, about, type_)
    about = " ".join(ABOUT.get(name, schema.get("description", name)).split())
    about = about if about.endswith(".") else about + "."
    body = f'    """{about}"""\n\n'
    if functional:
        # For fields whose names are Python keywords, such as `pass`.
        text = f'_{name}Keywords = TypedDict("_{name}Keywords", {{{functional[:-2]}}})\n\n\n'
        if optional:
            text += f"class _{name}(_{name}Keywords):\n{required}\n\n"
            text += f"class {name}(_{name}, total=False):\n{body}{optional}"
        else:
            text += f"class {name}(_{name}Keywords):\n{body}{required}"
    elif not optional:
        text = f"class {name}(TypedDict):\n{body}{required}"
    elif not required:
        text = f"class {name}(TypedDict, total=False):\n{body}{optional}"
    else:
        text = (
            f"class _{name}(TypedDict):\n{required}\n\n"
            f"class {name}(_{name}, total=False):\n{body}{optional}"
        )
    classes[name] = text


def generated():
    schemas = json.loads(SCHEMAS.read_text())
    definitions = schemas["$defs"]
    for operation, name in OPERATIONS.items():
        response = schemas["commands"][operation]
        if operation == "lint":
            # `lint` returns a single report for one skill; the package's functions always return a list.
            add("SkillReport", definitions["SkillReport"], definitions)
        elif name is None:
            expression(response, definitions, (operation, ""))
        else:
            while "$ref" in response:
                response = definitions[response["$ref"].rsplit("/", 1)[1]]
            add(name, response, definitions)
    # A class can precede the classes that its fields use, because annotations are not evaluated.
    text = "\n\n".join(classes.values())
    used = [name for name in ("Any", "Optional", "Union") if name in re.split(r"\W", text)]
    used = sorted([*used, "Dict", "List", "Literal", "TypedDict"])
    text = HEAD.format(update=UPDATE, names=", ".join(used)) + text
    names = "".join(f'    "{name}",\n' for name in sorted(classes))
    text += f"\n\n__all__ = [\n{names}]\n\n# Fields of the requests, by operation.\nREQUESTS: Dict[str, List[str]] = {{\n"
    for operation in OPERATIONS:
        text += f'    "{operation}": {json.dumps(schemas["requests"][operation])},\n'
    return text + "}\n"


def main():
    text = generated()
    if os.environ.get("UPDATE_DOCS"):
        FILE.write_text(text)
    elif FILE.read_text() != text:
        sys.exit(f"skillc/python/skillc/_types.py is out of date: run {UPDATE}")


main()
