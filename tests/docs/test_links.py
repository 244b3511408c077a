"""All links between the pages lead somewhere, and the front page, docs/README.md, names every page once."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "docs_site"))
import markdown_links  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def pages():
    """The Markdown files that people read."""
    folders = [ROOT, DOCS, DOCS / "papers", ROOT / "samples", ROOT / "examples", ROOT / "deploy", ROOT / "web"]
    return sorted(page for folder in folders for page in folder.glob("*.md"))


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        self.assertGreater(len(pages()), 40)
        self.assertEqual([line for page in pages() for line in markdown_links.broken(page)], [])

    def test_the_front_page_names_every_page_once(self):
        lists = "\n".join(line for line in (DOCS / "README.md").read_text().splitlines() if line.startswith("- "))
        named = [target for _, target in markdown_links.links(lists) if "/" not in target or target.startswith("papers/")]
        self.assertEqual(len(named), len(set(named)))
        self.assertEqual(set(named), {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {"README.md"})

    def test_pictures_and_pages_are_no_more_than_that(self):
        for page in DOCS.rglob("*.md"):
            text = page.read_text()
            with self.subTest(page.name):
                self.assertEqual(len(re.findall(r"^# ", "\n".join(line for _, line in markdown_links.prose(text)), re.M)), 1)
                self.assertNotRegex(text, r"(?m)^```\{", "a forge shows directives of Sphinx as they stand")


class OtherSystems(unittest.TestCase):
    def test_every_file_that_is_for_linux_alone_is_listed(self):
        system = re.compile(r"#include <(sys/|linux/|net|arpa/|(unistd|fcntl|poll|dlfcn|link|sched|signal|termios|csignal)\b)")
        names = []
        for row in (DOCS / "install.md").read_text().partition("## Other systems")[2].splitlines():
            folder = ""
            for name in re.findall(r"`([^`]+)`", row.partition("| ")[2].partition(" |")[0]):
                folder = name.rpartition("/")[0] or folder  # as the name before it
                names.append(ROOT / folder / name.rpartition("/")[2])
        self.assertEqual([str(name) for name in names if name.name != "*" and not name.exists()], [])
        for top in ("src", "include", "app", "bench", "python"):
            for source in (ROOT / top).rglob("*"):
                if source.suffix in (".h", ".cpp", ".cu", ".cuh") and system.search(source.read_text()):
                    self.assertTrue(source in names or source.parent / "*" in names, f"{source} is not in docs/install.md")


class WhatIsABrokenLink(unittest.TestCase):
    def broken(self, text):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.md"
            other.write_text("# One\n## `kinema x` and \"more\"\n### Twice\n### Twice\n```\n# not one\n```\n")
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text)
            return [line.split(": ", 1)[1] for line in markdown_links.broken(page)]

    def test_files_and_headings_that_are_there(self):
        self.assertEqual(self.broken("# Here\n[a](other.md) [b](other.md#kinema-x-and-more) [c](#here) [d](other.md#twice-1)"
                                     " [e](https://example.org/x) `[f](nowhere.md)`\n```\n[g](nowhere.md)\n```\n"), [])

    def test_files_and_headings_that_are_not(self):
        self.assertEqual(self.broken("[over\ntwo lines](none.md) ![b](none.png) [c](other.md#not-one) [d](#here)"),
                         ["none.md: no such file", "none.png: no such file", "other.md#not-one: no such heading",
                          "#here: no such heading"])


if __name__ == "__main__":
    unittest.main()
