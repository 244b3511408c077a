#!/usr/bin/env python3
"""Makes the documentation's site of docs/, the command, the public headers, the stubs and the examples.

    scripts/make_docs.py OUT [--command build/release/kinema] [--strict]

writes OUT/html (open OUT/html/index.html) and keeps its sources in OUT/source. Needs Sphinx with furo and myst-parser; exits
with 77 and a line where they are missing. Without Doxygen and breathe, or without the command, it leaves their pages out and
says so. --strict takes every warning for an error.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / "scripts" / "docs_site"
sys.path.insert(0, str(SITE))

import pages  # noqa: E402
import reference  # noqa: E402


def say(text):
    print(f"make_docs: {text}", file=sys.stderr)


def python_with(*modules):
    """An interpreter that has these modules; None if there is none."""
    test = "import " + ", ".join(modules)
    for python in dict.fromkeys([sys.executable, shutil.which("python3"), "/usr/bin/python3"]):
        if python and pathlib.Path(python).exists():
            if subprocess.run([python, "-c", test], capture_output=True).returncode == 0:
                return python
    return None


def assemble(out, command, xml):
    """The sources of the site; pages that others link to come first."""
    site = pages.Site(out / "source")
    if command:
        reference.add_command(site, command)
    if xml:
        reference.add_headers(site, xml)
    reference.add_modules(site, out / "stubs")
    reference.add_examples(site)
    site.add_docs()
    pages.add_front_page(site)
    return site


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="where to write")
    parser.add_argument("--command", type=pathlib.Path, help="the kinema command, for its pages")
    parser.add_argument("--strict", action="store_true", help="take warnings for errors")
    options = parser.parse_args()

    python = python_with("sphinx", "furo", "myst_parser")
    if not python:
        say("needs Sphinx with furo and myst-parser (Debian: python3-sphinx furo python3-myst-parser)")
        sys.exit(77)
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    xml = None
    if shutil.which("doxygen") and subprocess.run([python, "-c", "import breathe"], capture_output=True).returncode == 0:
        xml = out / "doxygen"
    else:
        say("leaves out C++: needs doxygen and breathe (Debian: doxygen python3-breathe)")
    command = options.command
    if command and not command.exists():
        say(f"{command}: no such command")
        sys.exit(2)
    if not command:
        say("leaves out the pages of the command: give --command")

    site = assemble(out, command, xml)
    version = re.search(r"project\(kinema VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    environment = os.environ | {
        "KINEMA_DOCS_VERSION": version,
        "KINEMA_DOCS_STUBS": str(out / "stubs"),
        "KINEMA_DOCS_XML": str(xml / "xml") if xml else "",
    }
    call = [python, "-m", "sphinx", "-b", "html", "-q", "-j", "auto", "-c", SITE, "-d", out / "doctrees", site.folder, out / "html"]
    if options.strict:
        call[3:3] = ["-W", "--keep-going"]
    for folder in ("html", "doctrees"):  # all sources are new, so nothing of an earlier run is of use
        shutil.rmtree(out / folder, ignore_errors=True)
    sys.exit(subprocess.run([str(word) for word in call], env=environment).returncode)


if __name__ == "__main__":
    main()
