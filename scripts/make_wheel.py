#!/usr/bin/env python3
"""Makes a wheel of this tree: the Python package, the command `kinema`, the face model, and the libraries that they need.

  scripts/make_wheel.py [--out build/dist] [--build build/wheel] [-D NAME=VALUE]...

For the interpreter that runs it, with the standard library alone. It is also the build backend of pyproject.toml, so that
`pip install .` does the same. Needs CMake, ninja, a compiler, binutils and patchelf. The wheel is built without OpenCV,
whose libraries are ten times its size: it reads recordings of PNG files, clouds and streams, but no other pictures and no
cameras that need OpenCV.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# what every Linux with that glibc has; all other libraries go into the wheel
OF_THE_SYSTEM = re.compile(
    r"(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libresolv|libutil|libgcc_s|libstdc\+\+)\.so.*")


def run(*call, **options):
    return subprocess.run([str(word) for word in call], check=True, **options)


def output(*call, **options):
    return run(*call, stdout=subprocess.PIPE, universal_newlines=True, **options).stdout


def version():
    return re.search(r"project\(kinema VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def when():
    """The time of all files: that of the commit, so that a second build gives the same bytes."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(output("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        return 315532800  # 1980, before which zip knows no time


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    return output("patchelf", "--print-needed", path).split()


def loaded_from(path):
    """Of the libraries that the loader finds for a file, directly or not: name and path."""
    found = {}
    for line in output("ldd", path).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match:
            found[match[1]] = pathlib.Path(match[2])
        elif "not found" in line:
            raise SystemExit(f"make_wheel: {path}: {line.strip()}")
    return found


def glibc_of(paths):
    """The newest version of glibc that any of the files asks for."""
    versions = set()
    for path in paths:
        versions.update(re.findall(r"GLIBC_(\d+)\.(\d+)", output("readelf", "--version-info", "--wide", path)))
    return max((int(major), int(minor)) for major, minor in versions)


def build(folder, definitions):
    """The installed tree, below folder/prefix."""
    prefix = folder / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--preset", "wheel", "-B", folder, f"-DPython3_EXECUTABLE={sys.executable}",
        "-DKINEMA_PYTHON_INSTALL_DIR=python", *[f"-D{definition}" for definition in definitions], cwd=ROOT)
    run("cmake", "--build", folder, cwd=ROOT)
    # with the paths of the build tree, by which libraries are found until they have been collected
    run("cmake", "--install", folder, "--prefix", prefix, stdout=subprocess.DEVNULL)
    return prefix


def collect(prefix, tree, built):
    """The files of the wheel: the package, with the command and the model in it, and the libraries beside it."""
    package = tree / "kinema"
    shutil.copytree(prefix / "python" / "kinema", package)
    for folder in ("bin", "lib", "share/kinema"):
        (package / folder).mkdir(parents=True)
    shutil.copy2(prefix / "bin" / "kinema", package / "bin")
    library = next(path for path in (prefix / "lib").glob("libkinema.so.*") if path.is_symlink())
    shutil.copy2(library.resolve(), package / "lib" / library.name)
    shutil.copy2(prefix / "share" / "kinema" / "face.kface", package / "share" / "kinema")

    own = [path for path in package.rglob("*") if path.is_file() and is_elf(path)]
    foreign = {}
    for path in (built / "kinema", built / "src" / library.name, *(built / "python" / "kinema").glob("_kinema*.so")):
        foreign.update(loaded_from(path))
    foreign = {name: path for name, path in foreign.items()
               if not OF_THE_SYSTEM.fullmatch(name) and not name.startswith("libkinema.so")}

    # their names carry what they are, so that another wheel's library of the same name is another one
    beside = tree / "kinema.libs"
    beside.mkdir()
    renamed, copies = {}, []
    for name, path in sorted(foreign.items()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        renamed[name] = re.sub(r"\.so", f"-{digest}.so", name, count=1)
        copy = beside / renamed[name]
        shutil.copy(path.resolve(), copy)
        copies.append(copy)

    for path in own + copies:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
        run("strip", "--strip-unneeded", path)
        for name in needed(path):
            if name in renamed:
                run("patchelf", "--replace-needed", name, renamed[name], path)
        if path in copies:
            run("patchelf", "--set-soname", path.name, "--set-rpath", "$ORIGIN", path)
        else:
            up = os.path.relpath(tree, path.parent)
            run("patchelf", "--set-rpath", f"$ORIGIN/{up}/kinema/lib:$ORIGIN/{up}/kinema.libs", path)
    return own + copies, sorted(foreign.values())


def debian_package(path):
    """The package of a file; of some, dpkg knows the path from before /lib was merged into /usr."""
    for place in (str(path), str(path).replace("/usr/", "/", 1)):
        try:
            return output("dpkg", "-S", place, stderr=subprocess.DEVNULL).split(":")[0]
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


def licences(libraries, folder):
    """What the libraries in the wheel ask to be passed on with them, as Debian has it."""
    for library in libraries:
        package = debian_package(library.resolve())
        if not package:
            continue
        text = pathlib.Path("/usr/share/doc") / package / "copyright"
        if text.exists():
            shutil.copyfile(text, folder / f"{package}.copyright")


def metadata():
    project = (ROOT / "pyproject.toml").read_text()
    value = lambda name: re.search(rf'^{name} = "(.*)"$', project, re.MULTILINE)[1]
    listed = lambda name: re.findall(r'"([^"]+)"', re.search(rf"^{name} = \[(.*?)\]", project, re.MULTILINE | re.DOTALL)[1])
    lines = ["Metadata-Version: 2.1", "Name: kinema", f"Version: {version()}", f"Summary: {value('description')}",
             "License: MIT", f"Requires-Python: {value('requires-python')}"]
    lines += [f"Classifier: {entry}" for entry in listed("classifiers")]
    lines += [f"Requires-Dist: {entry}" for entry in listed("dependencies")]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def record_entry(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def pack(tree, wheel, info):
    """Zip of a tree, the same for the same files."""
    date = time.gmtime(max(when(), 315532800))[:6]
    names = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())
    records = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data, executable=False):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)
        for name in names:
            data = (tree / name).read_bytes()
            records.append(record_entry(name, data))
            add(name, data, data.startswith(b"\x7fELF") or data.startswith(b"#!python"))
        record = f"{info}/RECORD"
        add(record, ("\n".join(records + [f"{record},,"]) + "\n").encode())


def make(out, folder, definitions=()):
    folder = pathlib.Path(folder).resolve()
    out = pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    prefix = build(folder, definitions)
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        programs, libraries = collect(prefix, tree, folder)
        major, minor = glibc_of(programs)
        machine = os.uname().machine
        interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
        tag = f"{interpreter}-{interpreter}-manylinux_{major}_{minor}_{machine}"

        scripts = tree / f"kinema-{version()}.data" / "scripts"
        scripts.mkdir(parents=True)
        shutil.copy(ROOT / "python" / "kinema_command.py", scripts / "kinema")
        info = tree / f"kinema-{version()}.dist-info"
        (info / "licenses").mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", info / "licenses")
        licences(libraries, info / "licenses")
        (info / "METADATA").write_text(metadata())
        (info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n")
        wheel = out / f"kinema-{version()}-{tag}.whl"
        pack(tree, wheel, info.name)
    return wheel


# What a build backend must have (PEP 517).

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    definitions = (config_settings or {}).get("define", [])
    return make(wheel_directory, ROOT / "build" / "wheel",
                [definitions] if isinstance(definitions, str) else definitions).name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=ROOT / "build" / "dist", help="where the wheel goes")
    parser.add_argument("--build", default=ROOT / "build" / "wheel", help="where it is built")
    parser.add_argument("-D", dest="definitions", action="append", default=[], metavar="NAME=VALUE",
                        help="further settings of CMake")
    options = parser.parse_args()
    print(make(options.out, options.build, options.definitions))


if __name__ == "__main__":
    main()
