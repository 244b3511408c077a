#!/usr/bin/env python3
"""Compares what several object files define under one name, after a build without optimisation.

Inline functions, templates and implicit members are compiled into every object that uses them, and the linker keeps one.
Where two objects hold different code under one name, they were compiled from different definitions: the one-definition
rule is broken. Without optimisation one definition gives one code; with it, what is inlined differs from file to file.

    scripts/check_objects.py [BUILD]      default: build/debug. Exit 1: there are some, one line each
"""

import collections
import hashlib
import pathlib
import struct
import subprocess
import sys

SHT_RELA, SHT_SYMTAB = 4, 2
CODE = b".text."


def sections(data):
    """(name, type, offset, size, link, info) of each section of an ELF file of 64 bits."""
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    if count == 0:  # more than 65,279: the true numbers stand in the first section
        _, _, _, _, _, count, names, _, _, _ = struct.unpack_from("<IIQQQQIIQQ", data, offset)
    elif names == 0xFFFF:
        names = struct.unpack_from("<IIQQQQIIQQ", data, offset)[6]
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    table = heads[names][4]
    for name, kind, _, _, start, length, link, info, _, _ in heads:
        first = table + name
        yield data[first : data.index(b"\0", first)], kind, start, length, link, info


def functions(data):
    """The code of each function that other objects may define too: {mangled name: hash}."""
    if data[:4] != b"\x7fELF" or data[4] != 2:
        return
    parts = list(sections(data))
    calls = collections.defaultdict(list)  # what the code of a section refers to: where, how and to which symbol
    for name, kind, start, length, link, info in parts:
        if kind != SHT_RELA or not name.startswith(b".rela" + CODE + b"_ZN"):
            continue
        symbols, strings = parts[link], parts[parts[link][4]]
        for place in range(start, start + length, 24):
            offset, how, _ = struct.unpack_from("<QQq", data, place)
            string, flags = struct.unpack_from("<IB", data, symbols[2] + 24 * (how >> 32))
            first = strings[2] + string
            target = data[first : data.index(b"\0", first)]
            # sections and local symbols, such as those of strings, have other names in every object
            calls[info].append((offset, how & 0xFFFFFFFF, target if flags >> 4 else b""))
    for index, (name, kind, start, length, _, _) in enumerate(parts):
        if name.startswith(CODE + b"_ZN"):
            code = hashlib.sha1(data[start : start + length])
            code.update(repr(calls[index]).encode())
            yield name[len(CODE) :].decode(), code.hexdigest()


def main(build):
    objects = sorted(build.rglob("*.o"))
    if not objects:
        print(f"check_objects: no object files in {build}; build it first", file=sys.stderr)
        return 2
    # programs of their own, which are not linked with each other: each is compared with the library alone
    program = lambda file: "tests/" + file.relative_to(build).parts[1] if file.is_relative_to(build / "tests") else "library"
    variants = collections.defaultdict(lambda: collections.defaultdict(dict))
    for file in objects:
        for name, code in functions(file.read_bytes()):
            if "6kinema" in name:
                variants[name][program(file)].setdefault(code, file)
    complaints = 0
    for name, programs in sorted(variants.items()):
        for where in programs:
            found = {**programs.get("library", {}), **programs[where]}
            if len(found) > 1:
                plain = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip() or name
                files = " and ".join(str(file.relative_to(build)) for file in sorted(found.values()))
                print(f"{plain}\n    has different definitions in {files}")
                complaints += 1
                break
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/debug")))
