#!/usr/bin/env python3
"""Writes the stubs of the Python package, python/kinema/*.pyi, from the signatures and docstrings of its built module.

    PYTHONPATH=build/release/python scripts/make_stubs.py

The compiled module does not say what is in an array or a dictionary: the tables below do.
"""

import importlib
import inspect
import pathlib
import re
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "python" / "kinema"
PARTS = ("body", "face", "head", "io", "person", "stereo")

IMAGE, NUMBERS = "NDArray[np.uint8]", "NDArray[np.float32]"
GPU_IMAGE = f"{IMAGE} | GpuArray"
INPUT = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"

# arguments that the module takes as any object, by name or by "Class.method.name"
ARGUMENTS = {
    "image": IMAGE, "left": IMAGE, "right": IMAGE, "images": f"Iterable[{IMAGE}]", "frames": f"Iterable[{IMAGE}]",
    "depth": NUMBERS, "points": NUMBERS, "capsules": NUMBERS, "expected": NUMBERS, "landmarks": NUMBERS,
    "confidence": NUMBERS, "background": "NDArray[np.bool_] | NDArray[np.uint8]", "devices": "str | Sequence[int]",
    "input": INPUT, "type": "Any", "value": "Any", "traceback": "Any",
    "train.landmarks": f"Iterable[{NUMBERS}]", "refine.landmarks": f"Iterable[{NUMBERS}]",
    "calibrate.frames": f"{IMAGE} | Sequence[{IMAGE}]", "calibrate.ovals": "Sequence[float] | Sequence[Sequence[float]]",
    "Tracker.set_background.image": IMAGE,
    "Fitter.fit.image": GPU_IMAGE, "head.Tracker.track.image": GPU_IMAGE,
    "Recording.__getitem__.frames": "int",
}

# what is in the results that the module gives as object, dict, list or tuple; Any: what is None is known of a recording
NUMBER_LIST, PAIRS = "NDArray[np.float64]", f"tuple[{NUMBERS}, NDArray[np.bool_]]"
RESULTS = {
    "times": "dict[str, float]", "stages": "list[tuple[str, str]]", "expression": "dict[str, float]",
    "expression_deviation": "dict[str, float]",
    "joint": f"dict[str, {NUMBER_LIST}]", "anatomical": "dict[str, tuple[float, float]]",
    "Estimate.position": "tuple[float, float, float] | None", "body.Estimate.position": "tuple[float, float, float]",
    "body.Estimate.rotation": "tuple[float, float, float, float]",
    "head_rotation": "tuple[float, float, float, float] | None",
    "head_deviation": "tuple[float, float, float] | None", "raw_position": "tuple[float, float, float] | None",
    "oval": "tuple[float, float, float, float] | None", "cut": PAIRS, "cut_points": PAIRS, "Tracker.points": PAIRS,
    "skin": f"{NUMBERS} | None", "match": f"tuple[{NUMBERS}, {NUMBERS}]",
    "film_faces": f"list[tuple[{IMAGE}, {NUMBERS}]]", "Frame.depth": f"{NUMBERS} | Any",
    "Frame.points": f"{NUMBERS} | Any", "colour": f"{IMAGE} | Any", "left": f"{IMAGE} | Any",
    "right": f"{IMAGE} | Any", "Recording.background": f"{NUMBERS} | None", "Recording.skeleton": "pathlib.Path | None",
    "truth": "pathlib.Path | None", "Recording.__iter__": "Recording", "ColourSource.__iter__": "ColourSource",
    "PosesWriter.__enter__": "PosesWriter",
}

# functions written in Python
WRITTEN = {
    "body.track": f"def track(recording: kinema.io.Recording | {INPUT}, settings: TrackerSettings | None = ..., "
                  "backend: str = ..., threads: int = ..., devices: str | Sequence[int] | None = ..., *, "
                  "CHANGES) -> Iterator[Estimate]:",
    "to_dataframe": "def to_dataframe(estimates: Iterable[kinema.body.Estimate | kinema.head.Estimate | "
                    "kinema.face.Estimate | kinema.person.Estimate]) -> pandas.DataFrame:",
    "devices": "def devices() -> dict[str, Any]:",
}

HEAD = '''"""{doc}"""

# written by scripts/make_stubs.py
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, overload

import kinema.body
import kinema.face
import kinema.head
import kinema.io
import kinema.person
import numpy as np
from numpy.typing import NDArray
'''

GPU_ARRAY = '''

class GpuArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
'''

METHODS = ("__init__", "__call__", "__enter__", "__exit__", "__iter__", "__next__", "__len__", "__getitem__", "__bool__")


def split(text):
    """At commas outside of brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for place, letter in enumerate(text):
        if letter == "'":
            quoted = not quoted
        if quoted:
            continue
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def lookup(table, path):
    """The entry for the longest end of a path such as body.Tracker.track.depth."""
    for start in range(len(path)):
        if ".".join(path[start:]) in table:
            return table[".".join(path[start:])]
    return None


def translated(text, part, taken):
    """A type as pybind11 writes it; `taken`: of an argument, which may be any sequence."""
    text = re.sub(r"\b(typing|collections\.abc)\.", "", text)
    text = re.sub(r"\b(float|int)\[\d+\]", r"\1", text)
    text = re.sub(r"numpy\.ndarray\[numpy\.(\w+)\]", r"NDArray[np.\1]", text)
    text = text.replace("Callable[[numpy.ndarray]", f"Callable[[{IMAGE}]").replace("numpy.ndarray", "NDArray[Any]")
    text = text.replace("kinema._kinema.io._Frame", "kinema.io.Frame").replace("kinema._kinema.", "kinema.")
    text = re.sub(r"\bList\[", "Sequence[" if taken else "list[", text)
    text = text.replace("Tuple[", "Sequence[" if taken and "Tuple[float" in text else "tuple[")
    text = re.sub(r"Sequence\[float(, float)+\]", "Sequence[float]", text)
    text = re.sub(r"\bos\.PathLike\b", "str | os.PathLike[str]", text)
    text = re.sub(r"\bUnion\[.*?\]", "str | os.PathLike[str]", text) if "Union[" in text else text
    while "Optional[" in text:
        text = re.sub(r"Optional\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]", r"\1 | None", text)
    return text.replace(f"kinema.{part}.", "") if part else text


def changes(part):
    """The settings of the body by name."""
    settings = importlib.import_module("kinema.body").TrackerSettings
    lines = []
    for name, member in vars(settings).items():
        if isinstance(member, property):
            kind = translated(result_of(member.fget.__doc__), part, True)
            lines.append(f"{name}: {kind} = ...")
    return ", ".join(lines)


def result_of(doc):
    return doc.strip().splitlines()[0].rpartition(" -> ")[2].strip()


def argument(text, path, part):
    if text in ("*", "/") or text == "self":
        return text
    name, _, rest = text.partition(":")
    name = name.strip()
    if name == "self":
        return "self"
    kind, _, default = rest.partition(" = ")
    kind = kind.strip()
    known = lookup(ARGUMENTS, [*path, name]) if kind in ("object", "Iterable", "handle") else None
    if name.startswith("arg"):
        name = "__" + name
    kind = known or translated(kind, part, True)
    if default == "None" and not kind.endswith("| None"):
        kind += " | None"
    return f"{name}: {kind}" + (" = ..." if default else "")


def definition(line, path, part):
    """A line of a stub from one of a docstring: name(self: T, a: U = 1) -> V."""
    inside, _, kind = line.partition("(")[2].rpartition(" -> ")
    arguments = []
    for text in split(inside.strip()[:-1]):
        if text == "**kwargs":
            if not any(each == "*" for each in arguments):
                arguments.append("*")
            arguments.append(changes(part))
        else:
            arguments.append(argument(text, path, part))
    result = lookup(RESULTS, path) if kind in ("object", "dict", "list", "tuple") or path[-1] in RESULTS else None
    return f"def {path[-1]}({', '.join(arguments)}) -> {result or translated(kind, part, False)}:"


def documented(line, doc, indent, decorator=""):
    text = textwrap.indent(textwrap.dedent(doc).strip(), indent + "    ").strip()
    lines = [indent + decorator] if decorator else []
    if len(indent + line) > 120:  # between parentheses a line may break anywhere
        start, _, rest = line.partition("(")
        rest, _, end = rest.rpartition(") -> ")
        inner = textwrap.fill(rest, 112, initial_indent=indent + "    ", subsequent_indent=indent + "    ")
        line = f"{start}(\n{inner}\n{indent}) -> {end}"
    return lines + [indent + line, f'{indent}    r"""{text}"""' if text else f"{indent}    ..."]


def function(member, path, part, indent=""):
    key = ".".join(path)
    if key in WRITTEN:
        return documented(WRITTEN[key].replace("CHANGES", changes(part)), inspect.getdoc(member), indent)
    doc = member.__doc__
    if "Overloaded function." not in doc:
        first, _, rest = doc.partition("\n")
        return documented(definition(first, path, part), rest, indent)
    lines = []
    for version in re.split(r"\n\d+\. ", doc)[1:]:
        first, _, rest = version.partition("\n")
        lines += documented(definition(first, path, part), rest, indent, "@overload")
    return lines


def stub_of_class(kind, path, part):
    lines = ["", "", f"class {kind.__name__}:"]
    doc = textwrap.indent((kind.__doc__ or "").strip(), "    ").strip()
    lines.append(f'    r"""{doc}"""')
    for name, member in vars(kind).items():
        if isinstance(member, property):
            first, _, rest = member.fget.__doc__.strip().partition("\n")
            result = lookup(RESULTS, [*path, name]) if result_of(first) in ("object", "dict", "list", "tuple") or (
                lookup(RESULTS, [kind.__name__, name]) or name in RESULTS) else None
            result = result or translated(result_of(first), part, False)
            lines += documented(f"def {name}(self) -> {result}:", member.__doc__ or rest, "    ", "@property")
            if member.fset is not None:
                lines += [f"    @{name}.setter", f"    def {name}(self, value: {result}) -> None: ..."]
        elif name == "__init__" and not member.__doc__.startswith("__init__(self: "):
            continue  # made by the library alone
        elif callable(member) and (name in METHODS or not name.startswith("_")):
            lines += function(member, [*path, name], part, "    ")
    return lines


def stub(part):
    module = importlib.import_module(f"kinema.{part}")
    lines = [HEAD.format(doc=module.__doc__.strip())]
    if part in ("face", "head"):
        lines.append(GPU_ARRAY)
    classes = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    for name in classes:
        lines += stub_of_class(getattr(module, name), [part, name], part)
    for name in module.__all__:
        if name not in classes:
            lines += ["", "", *function(getattr(module, name), [part, name], part)]
    return "\n".join(lines) + "\n"


def package():
    import kinema

    parts = "".join(f"from kinema import {part} as {part}\n" for part in PARTS)
    lines = [f'"""{kinema.__doc__.strip()}\n"""', "", "# written by scripts/make_stubs.py", "from collections.abc import Iterable",
             "from typing import Any", "", "import kinema.body", "import pandas  # type: ignore", parts,
             "__version__: str", "", "", "class Error(Exception):", f'    """{kinema.Error.__doc__}"""']
    for name in ("devices", "to_dataframe"):
        lines += ["", "", *function(getattr(kinema, name), [name], "")]
    return "\n".join(lines) + "\n"


def main():
    for part in PARTS:
        (FOLDER / f"{part}.pyi").write_text(stub(part))
    (FOLDER / "__init__.pyi").write_text(package())


if __name__ == "__main__":
    main()
