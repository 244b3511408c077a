"""The Markdown pages of the repository as pages of the site: where each goes, and its links rewritten to follow."""

import pathlib
import posixpath
import re
import shutil

import markdown_links

ROOT = pathlib.Path(__file__).resolve().parents[2]

# pages that are not in docs/, and folders that the site has pages for
PLACES = {
    "README.md": "index.md",
    "docs/README.md": "index.md",
    "HACKING.md": "hacking.md",
    "CHANGELOG.md": "changes.md",
    "examples": "examples/index.md",
    "include/kinema": "cpp/index.md",
    "python/kinema": "python-api/index.md",
}

# what stands on the front page in place of a line, if the site has this page
MADE = {
    "The command": "- [The command](command/index.md): every verb and option.",
    "C++": "- [C++](cpp/index.md): every class and function, by header.",
    "Python": "- [Python modules](python-api/index.md): every class and function.",
}

FORGE_ONLY = " `make docs` makes a site\nof them, with the reference of the command, of C++ and of Python."


class Site:
    """The sources of the site, in a folder of the build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def place(self, name):
        """Where a file or folder of the repository is on the site; None: nowhere."""
        if name in PLACES:
            made = PLACES[name]
            return made if made == "index.md" or (self.folder / made).exists() or "/" not in made else None
        if name.startswith("docs/"):
            return name[len("docs/"):]
        if re.fullmatch(r"examples/\w+\.(py|ipynb)", name):
            return name.rsplit(".", 1)[0] + ".md"
        if re.fullmatch(r"include/kinema/\w+\.h", name):
            return self.place("include/kinema")
        return f"files/{name}.txt" if (ROOT / name).is_file() else None

    def rewritten(self, text, name, to):
        """The text of a page of the repository with its links as they are from its place on the site."""

        def link(match):
            target = match[1]
            if markdown_links.ELSEWHERE.match(target) or target.startswith("#"):
                return match[0]
            path, _, fragment = target.partition("#")
            source = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            place = self.place(source)
            if place is None:
                return "](#)"
            if place.startswith("files/") and not (self.folder / place).exists():
                self.write(place, (ROOT / source).read_text())
            where = posixpath.relpath(place, posixpath.dirname(to) or ".")
            return f"]({where}{'#' + fragment if fragment else ''})"

        lines = text.splitlines()
        for number, masked in markdown_links.prose(text):
            line, moved = lines[number - 1], 0
            for match in markdown_links.LINK.finditer(masked):
                new = link(match)
                line = line[:match.start() + moved] + new + line[match.end() + moved:]
                moved += len(new) - (match.end() - match.start())
            lines[number - 1] = re.sub(r"\[([^\[\]]*)\]\(#\)", r"\1", line)  # what has no place is no link
        return "\n".join(self.titled(line) for line in lines) + "\n"

    @staticmethod
    def titled(line):
        """A link whose text is a page's file shows the page's title: there are no files on the site."""

        def title(match):
            page = ROOT / "docs" / match[1]
            return f"[{next(markdown_links.headings(page.read_text()))}](" if page.exists() else match[0]

        return re.sub(r"\[([\w-]+\.md)\]\(", title, line)

    def add(self, name, to, after=""):
        """A page of the repository, at its place, with what the site adds at its end."""
        self.write(to, self.rewritten((ROOT / name).read_text(), name, to) + after)

    def add_docs(self):
        """All pages and pictures of docs/ but the front page, and those from elsewhere."""
        for path in sorted((ROOT / "docs").rglob("*")):
            name = path.relative_to(ROOT / "docs").as_posix()
            if path.suffix == ".md" and name != "README.md":
                self.add(f"docs/{name}", name)
            elif path.is_file() and path.suffix != ".md":
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.folder / name)
        for name in ("HACKING.md", "CHANGELOG.md"):
            self.add(name, PLACES[name])


def toctree(pages, caption="", depth=1, hidden=True):
    """A table of contents in the words of MyST."""
    options = [f":maxdepth: {depth}"] + ([f":caption: {caption}"] if caption else []) + ([":hidden:"] if hidden else [])
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def add_front_page(site):
    """docs/README.md; its chapters and lists are the order of the pages beside every page."""
    text = site.rewritten((ROOT / "docs" / "README.md").read_text(), "docs/README.md", "index.md")
    text = text.replace("# Documentation of kinema", "# kinema").replace(FORGE_ONLY, "")
    for subject, made in MADE.items():
        if (site.folder / markdown_links.LINK.search(made)[1]).exists():
            text = re.sub(rf"(?m)^- \*\*{re.escape(subject)}\*\*:.*$", made, text)
    trees = []
    for chapter in re.split(r"(?m)^## ", text)[1:]:
        entries = re.findall(r"(?m)^- \[([^\]]*)\]\(([^)]*)\.md\)", chapter)
        trees.append(toctree([f"{label} <{page}>" for label, page in entries], chapter.split("\n")[0]))
    site.write("index.md", text + "".join(trees))
