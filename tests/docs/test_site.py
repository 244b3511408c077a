"""The site of `make docs`: made without a warning, and no link on any page leads nowhere."""

import html.parser
import json
import os
import pathlib
import subprocess
import sys
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(os.environ["KINEMA_DOCS_OUT"])
COMMAND = os.environ.get("KINEMA_COMMAND")


class Page(html.parser.HTMLParser):
    """The places on a page that a link can name, and what it links to and loads."""

    def __init__(self, path):
        super().__init__()
        self.path, self.places, self.links, self.loaded = path, set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in ("img", "script") and attributes.get("src"):
            self.loaded.append(attributes["src"])
        if tag == "link" and attributes.get("rel") in ("stylesheet", "icon"):
            self.loaded.append(attributes["href"])


def pages():
    return {path.resolve(): Page(path) for path in sorted((OUT / "html").rglob("*.html"))}


def elsewhere(target):
    return bool(urllib.parse.urlparse(target).scheme)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = pages()

    def test_all_links_lead_somewhere(self):
        wrong = []
        for path, page in self.pages.items():
            for target in page.links + page.loaded:
                if elsewhere(target):
                    continue
                name, _, fragment = target.partition("#")
                file = (path.parent / urllib.parse.unquote(name.partition("?")[0])).resolve() if name else path
                if not file.exists():
                    wrong.append(f"{path.name}: {target}: no such file")
                elif fragment and file in self.pages and urllib.parse.unquote(fragment) not in self.pages[file].places:
                    wrong.append(f"{path.name}: {target}: no such place")
        self.assertEqual(wrong, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        self.assertEqual([target for page in self.pages.values() for target in page.loaded if elsewhere(target)], [])

    def test_every_page_is_in_the_index_of_the_search(self):
        index = (OUT / "html" / "searchindex.js").read_text()
        index = json.loads(index[index.index("(") + 1:index.rindex(")")])
        self.assertEqual({f"{name}.html" for name in index["docnames"]},
                         {str(path.relative_to((OUT / "html").resolve())) for path in self.pages}
                         - {"genindex.html", "search.html", "py-modindex.html"})

    def test_reference_is_complete(self):
        names = {str(path.relative_to((OUT / "html").resolve())) for path in self.pages}
        self.assertLessEqual({f"python-api/kinema.{module.stem}.html" for module in (ROOT / "python" / "kinema").glob("*.pyi")
                              if module.stem != "__init__"}, names)
        self.assertIn("kinema.body.Tracker.track", (OUT / "html" / "python-api" / "kinema.body.html").read_text())
        self.assertIn("what cell", (OUT / "html" / "examples" / "joint_angles.html").read_text())
        if (OUT / "doxygen").exists():
            text = "".join(path.read_text() for path in (OUT / "html" / "cpp").glob("*.html"))
            for header in (ROOT / "include" / "kinema").glob("*.h"):
                self.assertIn(f"kinema/{header.name}", text)
            self.assertIn("keep_up", text)
        if COMMAND:
            self.assertIn("--rest-cutoff", (OUT / "html" / "command" / "kinema-body-track.html").read_text())


if __name__ == "__main__":
    call = [sys.executable, ROOT / "scripts" / "make_docs.py", OUT, "--strict", *(["--command", COMMAND] if COMMAND else [])]
    made = subprocess.run([str(word) for word in call], stderr=subprocess.PIPE, text=True)
    sys.stderr.write(made.stderr)
    if made.returncode == 77:
        print("skipped: " + made.stderr.splitlines()[-1])
        sys.exit(77)
    if made.returncode:
        sys.exit(made.returncode)
    unittest.main()
