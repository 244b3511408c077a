#!/usr/bin/env python3
"""Writes what a release is made of (SPDX 2.3, JSON): its files with their checksums, and the libraries they hold or need.

  scripts/make_sbom.py build/dist build/packages build/wheel > kinema.spdx.json

The folders are that of the release and those of its builds, whose files say which libraries were compiled in, linked or
copied. Versions and licences are those of the Debian packages of the building machine, and of web/package-lock.json.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# libraries of headers, which leave no trace in a program: package and licence
HEADERS = [("libeigen3-dev", "MPL-2.0"), ("nlohmann-json3-dev", "MIT"), ("libcli11-dev", "BSD-3-Clause"),
           ("pybind11-dev", "BSD-3-Clause"), ("libboost1.74-dev", "BSL-1.0")]
BUNDLED_PAGES = ("three", "uplot")


def output(*call):
    return subprocess.run([str(word) for word in call], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True).stdout


def kinema_version():
    return re.search(r"project\(kinema VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def component(name, version, licence, purl, supplier="NOASSERTION"):
    return {"SPDXID": identifier(name, version), "name": name, "versionInfo": version, "supplier": supplier,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": purl}]}


def debian(package, licence="NOASSERTION"):
    """A Debian package of this machine, or nothing if it is not installed."""
    try:
        version, source = output("dpkg-query", "-W", "-f=${Version} ${source:Package}", package).split()
    except (OSError, subprocess.CalledProcessError):
        return None
    return component(source, version, licence, f"pkg:deb/debian/{source}@{version}?arch=source",
                     "Organization: Debian")


def linked(program):
    """The Debian packages of the libraries that a program is linked with."""
    found = []
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", program), re.MULTILINE):
        if name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", program)):
            # of some, dpkg knows the path from before /lib was merged into /usr; kinema's own belong to no package
            for place in (os.path.realpath(path), os.path.realpath(path).replace("/usr/", "/", 1)):
                try:
                    found.append(output("dpkg", "-S", place).split(":")[0])
                    break
                except subprocess.CalledProcessError:
                    continue
    return found


def copied(wheel):
    """The Debian packages of the libraries in a wheel: it holds their licences by these names."""
    with zipfile.ZipFile(wheel) as archive:
        return [pathlib.PurePosixPath(name).stem for name in archive.namelist()
                if "/licenses/" in name and name.endswith(".copyright")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("builds", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    version = kinema_version()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

    root = component("kinema", version, "MIT", f"pkg:generic/kinema@{version}", "Organization: the kinema authors")
    packages, relations = {root["SPDXID"]: root}, []

    def relate(subject, kind, other):
        relation = {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": other}
        if relation not in relations:
            relations.append(relation)

    def add(entry, kind):
        if entry:
            packages.setdefault(entry["SPDXID"], entry)
            relate(root["SPDXID"], kind, entry["SPDXID"])

    relate("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])
    for package, licence in HEADERS:
        add(debian(package, licence), "CONTAINS")
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    for name in BUNDLED_PAGES:
        entry = lock[f"node_modules/{name}"]
        add(component(name, entry["version"], entry.get("license", "NOASSERTION"),
                      f"pkg:npm/{name}@{entry['version']}"), "CONTAINS")
    for build in options.builds:
        for program in [build / "kinema", *build.glob("src/libkinema.so.?"), *build.glob("src/libkinema-cuda.so.*"), *build.glob("python/kinema/_kinema*.so")]:
            if program.exists():
                for package in linked(program):
                    add(debian(package), "DYNAMIC_LINK")

    files = []
    for path in sorted(options.release.iterdir()):
        if path.suffix not in (".deb", ".whl", ".gz"):
            continue
        data = path.read_bytes()
        entry = {"SPDXID": identifier("File", path.name), "fileName": f"./{path.name}",
                 "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                               {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
                 "licenseConcluded": "MIT", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}
        files.append(entry)
        relate(entry["SPDXID"], "GENERATED_FROM", root["SPDXID"])
        if path.suffix == ".whl":
            for package in copied(path):
                library = debian(package)
                if library:
                    packages.setdefault(library["SPDXID"], library)
                    relate(entry["SPDXID"], "CONTAINS", library["SPDXID"])

    digest = hashlib.sha256("".join(f["checksums"][1]["checksumValue"] for f in files).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"kinema-{version}",
        "documentNamespace": f"urn:kinema:{version}:{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: make_sbom.py"]},
        "packages": sorted(packages.values(), key=lambda entry: entry["SPDXID"]),
        "files": files,
        "relationships": sorted(relations, key=lambda r: (r["spdxElementId"], r["relationshipType"],
                                                          r["relatedSpdxElement"])),
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
