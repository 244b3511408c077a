"""The reference of the site: pages of the command, of the C++ headers, of the Python modules and of the examples."""

import ast
import collections
import json
import pathlib
import re
import shutil
import subprocess
from xml.etree import ElementTree

import notebook
from pages import ROOT, toctree

# of include/kinema, by subject; a header that is in none of them fails the build of the site
HEADERS = {
    "Bodies": ["body_tracker", "foreground", "skeleton", "anatomical_angles", "poses", "body_filter", "body_smoother", "body"],
    "One person": ["person_tracker", "head_pose", "expression_tracker", "face_observer", "face_observation"],
    "Faces": ["face_tracker", "face", "face_model", "face_refine"],
    "Heads": ["head_tracker", "head_calibration", "head_classifier", "head"],
    "Frames": ["recording", "source", "stereo", "lens_check", "files"],
    "Beneath": ["camera", "image", "picture", "grey", "points", "geometry", "compute", "backend", "gpu_memory", "stage_time",
                "one_euro", "error"],
}

NAMESPACES = ("kinema", "kinema::body", "kinema::face", "kinema::head", "kinema::person", "kinema::io", "kinema::stereo")


def escaped(text):
    """Words of a help text as Markdown shows them unchanged; options in the type of code."""
    text = re.sub(r"([\\`*_<>\[\]|#$])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z0-9-]*)", r"`\1`", text)


# ---- the command

def option_entry(option):
    label = ", ".join(f"`{name}`" for name in option["names"]) or f"`{option['position']}`"
    if option.get("value") and option["names"]:
        label += f" *{escaped(option['value'])}*"
    text = escaped(option["help"])
    if "default" in option:
        text += f" (default: {escaped(option['default'])})"
    if option.get("required"):
        text += " (required)"
    return f"{label}\n: {text}\n"


def verb_page(words, verb):
    """What `--help` and the manual page of a verb say."""
    positions = "".join(f" [{option['position']}]" for option in verb["options"] if "position" in option)
    call = " ".join(words) + (" VERB" if verb["verbs"] else "") + " [OPTIONS]" + positions
    lines = [f"# {' '.join(words)}", "", escaped(verb["help"]), "", "```text", call, "```", ""]
    groups = {}
    for option in verb["options"]:
        groups.setdefault(option["group"], []).append(option)
    for group, options in groups.items():
        lines += [f"## {group}", ""] + [option_entry(option) for option in options]
    if "footer" in verb:
        lines += ["## Notes", "", "```text", verb["footer"].strip(), "```", ""]
    return "\n".join(lines) + "\n"


def add_command(site, command):
    table = json.loads(subprocess.run([command, "command-table"], check=True, capture_output=True).stdout)
    listed, names = [], []

    def add(words, verb):
        name = "-".join(words)
        if verb["verbs"]:
            for inner in verb["verbs"]:
                add([*words, inner["name"]], inner)
            return
        site.write(f"command/{name}.md", verb_page(words, verb))
        listed.append(f"[`{' '.join(words)}`]({name}.md)\n: {escaped(verb['help'])}\n")
        names.append(name)

    add(["kinema"], table)
    site.write("command/index.md", "\n".join([
        "# The command", "", "What `--help` prints, verb by verb. `--backend`, `--devices`, `--threads`, `--seed` and `--json` mean the",
        "same everywhere. Exit status 0: success; 2: the call or its input is wrong, and one line says where and how to correct it;",
        "1: the run failed.", "", *listed]) + toctree(names))


# ---- C++

def introduction(header):
    """The comment at the beginning of a header: what it is and where it stands."""
    lines = []
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return escaped("\n".join(lines))


def page_of_subject(subject):
    return subject.lower().replace(" ", "-")


def location(element):
    place = element.find("location")
    return pathlib.Path(place.get("file")).stem, int(place.get("line"))


def declarations(xml):
    """What each header declares, as (line, kind, name) in the order of their lines. Members of classes are with their class."""
    found = {}
    for path in sorted((xml / "xml").glob("*.xml")):
        if not path.name.startswith(("namespace", "class", "struct")):
            continue
        compound = ElementTree.parse(path).getroot().find("compounddef")
        name = compound.findtext("compoundname")
        if compound.get("kind") == "namespace":
            overloads = collections.Counter(member.findtext("name") for member in compound.iter("memberdef"))
            for member in compound.iter("memberdef"):
                header, line = location(member)
                kind = member.get("kind")
                named = f"{name}::{member.findtext('name')}"
                if kind == "function" and overloads[member.findtext("name")] > 1:
                    named += member.findtext("argsstring")
                found.setdefault(header, []).append((line, kind, named))
        elif name.rpartition("::")[0] in NAMESPACES:  # nested ones are shown with the class around them
            header, line = location(compound)
            found.setdefault(header, []).append((line, compound.get("kind"), name))
    return {header: sorted(entries) for header, entries in found.items()}


def made_readable(xml):
    """Leaves out initial values that Sphinx cannot read: designated initialisers."""
    for path in (xml / "xml").glob("*.xml"):
        text = path.read_text()
        readable = re.sub(r"<initializer>[^<]*\{\s*\.[^<]*(?:<[^>]*>[^<]*)*?</initializer>", "", text)
        if readable != text:
            path.write_text(readable)


def add_headers(site, xml):
    """Pages of the public headers by subject, from what Doxygen reads in them; its XML goes to the folder `xml`."""
    folder = ROOT / "include" / "kinema"
    known = {name for names in HEADERS.values() for name in names}
    headers_found = {path.stem for path in folder.glob("*.h")} - {"kinema"}
    if known != headers_found:
        raise SystemExit(f"scripts/docs_site/reference.py: HEADERS and include/kinema differ in {sorted(known ^ headers_found)}")
    shutil.rmtree(xml, ignore_errors=True)
    xml.mkdir(parents=True)
    settings = (pathlib.Path(__file__).parent / "Doxyfile").read_text()
    settings += f"\nINPUT = {folder}\nSTRIP_FROM_PATH = {ROOT / 'include'}\nOUTPUT_DIRECTORY = {xml}\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL)
    made_readable(xml)
    declared = declarations(xml)
    listed, names = [], []
    for subject, headers in HEADERS.items():
        name = page_of_subject(subject)
        lines = [f"# {subject} in C++", ""]
        for header in headers:
            lines += [f"## kinema/{header}.h", "", introduction(folder / f"{header}.h"), ""]
            for _, kind, named in declared.get(header, []):
                members = [":members:", ":undoc-members:"] if kind in ("class", "struct") else []
                lines += [f"```{{doxygen{kind}}} {named}", *members, "```", ""]
        site.write(f"cpp/{name}.md", "\n".join(lines))
        listed.append(f"[{subject}]({name}.md)\n: " + ", ".join(f"`{header}.h`" for header in headers) + "\n")
        names.append(f"{subject} <{name}>")
    site.write("cpp/index.md", "\n".join([
        "# C++", "", "`#include <kinema/kinema.h>` for all of it, or the header that declares what you need. Wrong input throws",
        "`kinema::Error` with one line; the library never prints and never exits.", "", *listed]) + toctree(names))


# ---- Python

def add_modules(site, stubs):
    """Pages of the modules. The stubs, which say all that the built modules do, are made importable in the folder `stubs`."""
    shutil.rmtree(stubs, ignore_errors=True)
    package = pathlib.Path(stubs) / "kinema"
    package.mkdir(parents=True)
    names, listed = [], []
    for stub in sorted((ROOT / "python" / "kinema").glob("*.pyi")):
        text = stub.read_text()
        tree = ast.parse(text)
        end = tree.body[0].end_lineno  # a module's docstring comes first, then what is from the future
        lines = text.splitlines()
        (package / f"{stub.stem}.py").write_text(
            "\n".join([*lines[:end], "from __future__ import annotations", *lines[end:]]) + "\n")
        name = "kinema" if stub.stem == "__init__" else f"kinema.{stub.stem}"
        about = ast.get_docstring(tree).splitlines()[0]
        # not Markdown, in which MyST would keep all that Sphinx knows in every page of autodoc
        site.write(f"python-api/{name}.rst", "\n".join([
            name, "=" * len(name), "", f".. automodule:: {name}", "   :members:", "   :undoc-members:",
            "   :special-members: __init__, __call__, __len__, __getitem__", ""]))
        names.append(name)
        listed.append(f"[`{name}`]({name}.rst)\n: {escaped(about)}\n")
    site.write("python-api/index.md", "\n".join([
        "# Python modules", "", "What `help()` says. How arrays, errors and threads are treated is in [Python](../python.md).", "",
        *listed]) + toctree(names))


# ---- examples

def add_examples(site):
    """Pages of the programs and notebooks in examples/, in the order of the table of docs/python.md."""
    rows = re.findall(r"\[(\w+)\.(py|ipynb)\]\([^)]*\) \| (.*?) \|", (ROOT / "docs" / "python.md").read_text())
    found = {path.stem for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".ipynb")}
    if {name for name, _, _ in rows} != found:
        raise SystemExit(f"docs/python.md: its table of examples and examples/ differ in {sorted({row[0] for row in rows} ^ found)}")
    (site.folder / "examples").mkdir()
    for name, kind, about in rows:
        source = ROOT / "examples" / f"{name}.{kind}"
        if kind == "py":
            site.write(f"examples/{name}.md", f"# {name}.py\n\n{about[0].upper()}{about[1:]}.\n\n```python\n{source.read_text()}```\n")
        else:
            site.write(f"examples/{name}.md",
                       notebook.page(source, lambda file, data: (site.folder / "examples" / file).write_bytes(data)))
    listed = [f"[{name}.{kind}]({name}.md)\n: {about[0].upper()}{about[1:]}.\n" for name, kind, about in rows]
    site.write("examples/index.md", "\n".join([
        "# Examples", "", "Programs to copy; each runs in the tests. The notebooks show what they did when they were last run.", "",
        *listed]) + toctree([name for name, _, _ in rows]))
