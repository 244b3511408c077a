#!/usr/bin/env python3
"""Finds types and functions that two source files of one program define under the same qualified name.

The one-definition rule makes that undefined behaviour, and neither compiler nor linker need say so: of two destructors
the linker keeps one, and objects of the other type are destroyed by it. What is local to a file belongs into an
anonymous namespace. The sources are read as text, so this takes a second; scripts/check_objects.py looks at what was
compiled, and `make nightly` lets the linker compare the types.

    tests/structure/one_definition.py [ROOT]         exit 1: there are some, one line each
"""

import collections
import pathlib
import re
import sys

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|::|->|\[\[|\]\]|[^\s\w]")
NOISE = re.compile(
    r'R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*.*?\*/",
    re.S,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
TYPE_WORDS = {"struct", "class", "union", "enum"}
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "alignof", "decltype", "catch", "requires", "noexcept",
                 "alignas", "static_assert", "operator"}
LOCAL = "(local)"  # an anonymous namespace


def tokens(text):
    """(word, line) of everything that is no comment, string or directive."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    text = DIRECTIVE.sub(blank, NOISE.sub(lambda m: '""' + blank(m)[2:] if m.group()[0] in '"R' else blank(m), text))
    line, position, result = 1, 0, []
    for match in TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        result.append((match.group(), line))
    return result


def closing(words, start, opening, end):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(words)):
        depth += (words[place] == opening) - (words[place] == end)
        if depth == 0:
            return place
    return len(words) - 1


def parameters(words):
    """Parameter types without names and defaults: a key that tells overloads apart well enough."""
    depth, parts, part = 0, [], []
    for word in words:
        depth += (word in "(<[{") - (word in ")>]}")
        if word == "," and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(word)
    if part:
        parts.append(part)
    result = []
    for part in parts:
        if "=" in part:
            part = part[: part.index("=")]
        if len(part) > 1 and re.match(r"[A-Za-z_]", part[-1]) and part[-2] != "::":
            part = part[:-1]
        result.append(" ".join(part))
    return ", ".join(result)


def definitions(text):
    """(kind, qualified name, line) of what a file defines at namespace scope, outside anonymous namespaces."""
    stream = tokens(text)
    words = [word for word, _ in stream]
    scopes = []  # a name for each open namespace
    statement = 0  # where the current declaration starts
    place = 0
    while place < len(words):
        word = words[place]
        if word == "}":
            if scopes:
                scopes.pop()
            statement = place + 1
        elif word == ";":
            statement = place + 1
        elif word == "template" and place + 1 < len(words) and words[place + 1] == "<":
            place = closing(words, place + 1, "<", ">")
        elif word == "(":
            place = closing(words, place, "(", ")")
        elif word == "{":
            head = words[statement:place]
            line = stream[statement][1]
            where = "::".join(scopes)
            if "namespace" in head:
                name = "".join(head[head.index("namespace") + 1 :])
                scopes.append(name or LOCAL)
                statement = place + 1
                place += 1
                continue
            if head[:1] == ["extern"] and head[1:2] == ['"']:
                scopes.append("")
                statement = place + 1
                place += 1
                continue
            if LOCAL not in scopes:
                found = definition(head)
                if found:
                    yield found[0], f"{where}::{found[1]}", line
            place = closing(words, place, "{", "}")  # a body, which may be followed by a declarator or ;
            if place + 1 < len(words) and words[place + 1] not in (";", ",", "="):
                statement = place + 1
        place += 1


def outside_parentheses(words):
    depth, result = 0, []
    for word in words:
        depth += word == "("
        if depth == 0:
            result.append(word)
        depth -= word == ")"
    return result


def definition(head):
    """What the words before an opening brace define: (kind, name), or None."""
    while head[:1] == ["template"]:
        head = head[closing(head, 1, "<", ">") + 1 :]
        if head[:1] == ["requires"]:  # of a constraint only the plain form: requires Name<T>
            end = closing(head, head.index("<"), "<", ">") if "<" in head else 1
            head = head[end + 1 :]
    while head[:1] == ["[["]:
        head = head[closing(head, 0, "[[", "]]") + 1 :]
    if not head or head[0] == "typedef" or "=" in outside_parentheses(head):  # a variable and its first value
        return None
    if head[0] in TYPE_WORDS:
        rest = [w for w in head[1:] if w not in TYPE_WORDS]
        while rest[:1] == ["alignas"]:
            rest = rest[closing(rest, 1, "(", ")") + 1 :]
        if "(" not in rest and rest:
            name = rest[: rest.index(":")] if ":" in rest else rest
            return "type", "".join(w for w in name if w != "final")
    if "(" not in head or "static" in head:
        return None
    opening = head.index("(")
    if opening == 0 or not re.match(r"[A-Za-z_]\w*$", head[opening - 1]) or head[opening - 1] in NOT_FUNCTIONS:
        return None
    first = opening - 1
    while first >= 2 and head[first - 1] == "::":
        first -= 2
    name = "".join(head[first:opening])
    return "function", f"{name}({parameters(head[opening + 1 : closing(head, opening, '(', ')')])})"


def sources(folder):
    return sorted(file for file in folder.rglob("*") if file.suffix in (".h", ".cpp", ".cu", ".cuh"))


# Of these only one is compiled: what a build does without a library, or for another machine.
ALTERNATIVE = re.compile(r"(^|_)(no|none|missing|plain|fake)(_|\.)")


def main(root):
    library = [file for folder in ("include", "src", "bench") for file in sources(root / folder)]
    programs = [sources(root / "app"), sources(root / "python")]
    programs += [sources(folder) for folder in sorted((root / "tests").glob("*")) if folder.is_dir()]
    defined = {}
    for file in {*library, *(file for program in programs for file in program)}:
        if not ALTERNATIVE.search(file.name):
            defined[file] = list(definitions(file.read_text()))

    complaints = set()
    for program in programs:
        places = collections.defaultdict(dict)
        for file in [*library, *program]:
            for kind, name, line in defined.get(file, ()):
                places[kind, name].setdefault(file, line)
        for (kind, name), files in places.items():
            if len(files) > 1:
                where = " and ".join(f"{file.relative_to(root)}:{line}" for file, line in sorted(files.items()))
                complaints.add(f"{where}\n    the {kind} {name.lstrip(':')} is defined in each: one must have another name or namespace")
    for complaint in sorted(complaints):
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])))
