"""Docstrings of the Python package, which are plain text, as reStructuredText that shows the same."""

import re

# a name or several, at least two spaces, and what it is
ROW = re.compile(r"^(\S(?:.*?\S)?) {2,}(\S.*)$")


def escaped(text):
    return re.sub(r"([\\`*_|])", r"\\\1", text)


def rows(paragraph):
    """A paragraph in two columns as (name, text) pairs; None if it is not one."""
    pairs = []
    for line in paragraph:
        match = ROW.match(line)
        if match:
            pairs.append([match[1], match[2]])
        elif pairs and line.startswith("  "):
            pairs[-1][1] += " " + line.strip()
        else:
            return None
    return pairs


def paragraphs(lines):
    paragraph = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line.rstrip())
        elif paragraph:
            yield paragraph
            paragraph = []


def as_rst(lines):
    out = []
    for paragraph in paragraphs(lines):
        pairs = rows(paragraph)
        if pairs:
            for name, text in pairs:
                out += [f"``{name}``", f"    {escaped(text)}"]
        elif all(line.startswith("    ") for line in paragraph):
            out += ["::", "", *("    " + line for line in paragraph)]
        else:
            out += [escaped(line.strip()) for line in paragraph]
        out.append("")
    return out
