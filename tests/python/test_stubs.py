"""What the package says of itself: every member has a docstring and a place in the stubs, and mypy accepts the examples."""

import ast
import importlib
import inspect
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian: python3-numpy)")
    sys.exit(77)

import kinema

PARTS = ("body", "face", "head", "io", "person", "stereo")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SPOKEN = {"__init__", "__call__", "__enter__", "__exit__", "__iter__", "__next__", "__len__", "__getitem__", "__bool__"}


def members(kind):
    """By name: what a class defines itself, of what users call."""
    found = {name: member for name, member in vars(kind).items() if name in SPOKEN or not name.startswith("_")}
    if not (found.get("__init__") and (found["__init__"].__doc__ or "").startswith("__init__(self: ")):
        found.pop("__init__", None)  # made by the library alone
    return found


def classes():
    for part in PARTS:
        module = importlib.import_module(f"kinema.{part}")
        for name in module.__all__:
            if inspect.isclass(getattr(module, name)):
                yield part, name, getattr(module, name)


def text(member):
    """The docstring without the signature that pybind11 puts before it."""
    if isinstance(member, property):
        return member.__doc__ or member.fget.__doc__.strip().partition("\n")[2]
    doc = member.__doc__ or ""
    if inspect.isclass(member) or inspect.isfunction(member):
        return doc
    if "Overloaded function." in doc:  # numbered signatures, each followed by what it does
        versions = [each.partition("\n")[2].strip() for each in re.split(r"\n\d+\. ", doc)[1:]]
        return "" if "" in versions else "\n".join(versions)
    return doc.partition("\n")[2]


class Docstrings(unittest.TestCase):
    def test_every_member_is_documented(self):
        missing = [part for part in PARTS if not importlib.import_module(f"kinema.{part}").__doc__]
        for part, name, kind in classes():
            if not (kind.__doc__ or "").strip():
                missing.append(f"{part}.{name}")
            missing += [f"{part}.{name}.{each}" for each, member in members(kind).items() if not text(member).strip()]
        for part in PARTS:
            module = importlib.import_module(f"kinema.{part}")
            missing += [f"{part}.{name}" for name in module.__all__ if not text(getattr(module, name)).strip()]
        missing += [name for name in kinema.__all__ if name != "__version__" and not (getattr(kinema, name).__doc__ or "")]
        self.assertEqual(missing, [])

    def test_the_package_names_all_that_the_module_has(self):
        from kinema import _kinema
        for part in PARTS:
            compiled = {name for name in vars(getattr(_kinema, part)) if not name.startswith("_")}
            written = {"track"} if part == "body" else set()
            self.assertEqual(compiled | written, set(importlib.import_module(f"kinema.{part}").__all__), part)


class Stubs(unittest.TestCase):
    def stub(self, part):
        path = pathlib.Path(kinema.__file__).parent / f"{part}.pyi"
        return ast.parse(path.read_text())

    def arguments(self, definition):
        return [each.arg for each in definition.args.posonlyargs + definition.args.args + definition.args.kwonlyargs]

    def test_stubs_and_module_have_the_same_members(self):
        for part in PARTS:
            tree = self.stub(part)
            module = importlib.import_module(f"kinema.{part}")
            stubs = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
            stubs.pop("GpuArray", None)  # a type of stubs alone
            self.assertEqual(set(stubs), set(module.__all__), f"kinema.{part}: run scripts/make_stubs.py")
            for name, node in stubs.items():
                if isinstance(node, ast.ClassDef):
                    written = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                    self.assertEqual(written, set(members(getattr(module, name))),
                                     f"kinema.{part}.{name}: run scripts/make_stubs.py")

    def test_stubs_of_the_package_have_its_names(self):
        names = {node.name for node in self.stub("__init__").body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(names, set(kinema.__all__) - set(PARTS) - {"__version__"})
        self.assertTrue((pathlib.Path(kinema.__file__).parent / "py.typed").exists())

    def test_stubs_name_the_arguments_of_the_module(self):
        for part, name, kind in classes():
            node = next(each for each in self.stub(part).body if isinstance(each, ast.ClassDef) and each.name == name)
            for definition in node.body:
                if not isinstance(definition, ast.FunctionDef):
                    continue
                doc = getattr(kind, definition.name).__doc__ or ""
                if "**kwargs" in doc:
                    continue
                for argument in self.arguments(definition):
                    if argument not in ("self", "value") and not argument.startswith("__"):
                        self.assertIn(f"{argument}:", doc, f"kinema.{part}.{name}.{definition.name}")


@unittest.skipUnless(shutil.which("mypy"), "there is no mypy (Debian: mypy)")
class TypeChecker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.cache.cleanup()

    def check(self, *files, options=("--ignore-missing-imports", "--check-untyped-defs")):
        package = pathlib.Path(kinema.__file__).parent.parent
        return subprocess.run(
            ["mypy", "--cache-dir", self.cache.name, "--python-executable", sys.executable, *options, *map(str, files)],
            capture_output=True, text=True, cwd=self.cache.name,
            env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(package)})

    def test_stubs_are_clean(self):
        checked = self.check(*pathlib.Path(kinema.__file__).parent.glob("*.pyi"), options=["--strict"])
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_examples_have_the_right_types(self):
        with tempfile.TemporaryDirectory() as folder:
            programs = list(EXAMPLES.glob("*.py"))
            for notebook in EXAMPLES.glob("*.ipynb"):
                cells = json.loads(notebook.read_text())["cells"]
                code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
                programs.append(pathlib.Path(folder) / f"{notebook.stem}.py")
                programs[-1].write_text(code)
            self.assertGreaterEqual(len(programs), 6)
            checked = self.check(*programs)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_mistakes_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "wrong.py"
            program.write_text("from kinema import body\n"
                               "body.TrackerSettings(legs=3)\n"
                               "body.TrackerSettings(lag='many')\n"
                               "for pose in body.track('walk', lag=2):\n"
                               "    pose.joint['left_knee'].shape\n"
                               "    pose.knee\n")
            found = self.check(program).stdout
        self.assertIn('"legs"', found)
        self.assertIn("wrong.py:3", found)
        self.assertIn('no attribute "knee"', found)
        self.assertIn("Found 3 errors", found)


if __name__ == "__main__":
    unittest.main()
