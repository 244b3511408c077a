"""Links between Markdown files: which there are, and which lead nowhere.

A link leads somewhere if its file exists and, behind a `#`, a heading of it has that anchor, as forges make anchors of headings.
Links to other hosts are not followed.
"""

import pathlib
import re
import urllib.parse

FENCE = re.compile(r"^(```|~~~)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()]*\)[^()\s]*)?)\)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def prose(text):
    """The lines that are not inside fences, each with its number, code within them left out."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`", lambda code: "`" + " " * (len(code[0]) - 2) + "`", line)


def headings(text):
    """The text of each heading, code included."""
    numbers = {number for number, _ in prose(text)}
    for number, line in enumerate(text.splitlines(), 1):
        heading = HEADING.match(line)
        if heading and number in numbers:
            yield heading[1]


def anchor(heading):
    """What a forge makes of a heading: lower case, without punctuation, spaces as hyphens."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    seen = {}
    for heading in headings(text):
        name = anchor(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name


def links(text):
    """(line, target) of each link and picture."""
    for number, line in prose(text):
        for target in LINK.findall(line):
            yield number, target


def broken(path):
    """A line for each link of a file that leads nowhere."""
    path = pathlib.Path(path)
    for number, target in links(path.read_text()):
        if ELSEWHERE.match(target):
            continue
        name, _, fragment = urllib.parse.unquote(target).partition("#")
        place = (path.parent / name) if name else path
        if not place.exists():
            yield f"{path}:{number}: {target}: no such file"
        elif fragment and place.suffix == ".md" and fragment not in anchors(place.read_text()):
            yield f"{path}:{number}: {target}: no such heading"
