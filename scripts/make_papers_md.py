#!/usr/bin/env python3
"""Makes the measured part of docs/papers/{body,head,face}.md, and its plots, from the results in bench/results/*.json.

    scripts/make_papers_md.py                        write the pages
    scripts/make_papers_md.py --check                exit 1 where a page or a plot is not what the results give
    scripts/make_papers_md.py --results DIR --out DIR    of other results, such as those of `kinema bench papers --out DIR`

What stands before and after the marks in a page is written by hand.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "papers")]

import body  # noqa: E402
import face  # noqa: E402
import head  # noqa: E402
from make_benchmarks_md import device, heading, mended  # noqa: E402

PAGES = {"body": body.page, "head": head.page, "face": face.page}
BEGIN = "<!-- Made by scripts/make_papers_md.py from bench/results/*.json, up to the next mark; changes made here by hand are lost. -->"
END = "<!-- From here on by hand. -->"


def read(folder):
    results, kept = [], {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text())
        if isinstance(result, dict) and result.get("kind") == "papers before":
            kept["before"] = result
        elif isinstance(result, dict) and result.get("kind") == "paper scene":
            kept["scene"] = result
        elif isinstance(result, dict) and result.get("kind") == "paper clips":
            kept.setdefault("clips", []).append(result)
        elif isinstance(result, dict) and mended(result):
            results.append(result)
    results.sort(key=lambda result: (not result["machine"]["gpus"], device(result)))
    return results, kept


def runs(results):
    """Which runs the page shows, in the words of the benchmarks' headings."""
    return "\n".join("- **" + heading(result).strip()[4:].replace("\n\n", "**: ") for result in results)


def pages(folder, out):
    """The texts of all files by path."""
    results, kept = read(folder)
    files = {}
    for kind, make in PAGES.items():
        own = [result for result in results if result["kind"] == kind]
        path = out / f"{kind}.md"
        written = path.read_text() if path.exists() else f"{BEGIN}\n{END}\n"
        text, pictures = make(own, kept) if own else ("No results are kept yet.\n", {})
        before, _, rest = written.partition(BEGIN)
        after = rest.partition(END)[2]
        files[path] = f"{before}{BEGIN}\n\n" + (f"{runs(own)}\n\n" if own else "") + f"{text}\n{END}{after}"
        files |= {out / name: picture for name, picture in pictures.items()}
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "papers")
    arguments = parser.parse_args()
    files = pages(arguments.results, arguments.out)
    if not arguments.check:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text)
        return 0
    wrong = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    wrong += [path for path in arguments.out.glob("*.svg") if path not in files]
    for path in wrong:
        print(f"{path.relative_to(ROOT)} is not what bench/results/ gives; run scripts/make_papers_md.py")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
