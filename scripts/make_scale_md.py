#!/usr/bin/env python3
"""Fills in the tables of docs/scale.md that were measured, from results in bench/results:

    body-ranks-*.json    mpirun -n 2 kinema bench body --out DIR      (DIR/body-ranks.json)
    batch-*.json         scripts/measure_batch.py                     (scripts/gpu.sh batch)

    scripts/make_scale_md.py [--check]

Tables stand between `<!-- table NAME -->` and `<!-- end -->`. With --check nothing is written; 1 if the page is out of date.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/scale.md"


def results(pattern):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "bench/results").glob(pattern))]


def table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, align, *rows])


def ranks_text(result):
    parts = []
    for scaling, words in (("strong", "Strong scaling, the same problem on more ranks"),
                           ("weak", "Weak scaling, as much for each rank")):
        rows = [[row["what"], f"{row['ranks']}", f"{row['points']:,}", f"{row['samples']:,}", f"{row['ms']:.1f} ms",
                 f"{100 * row['efficiency']:.0f} %",
                 f"{row['bytes_per_frame'] / 1e3:.1f} kB" if row["bytes_per_frame"] else "-"]
                for row in result["scaling"] if row["scaling"] == scaling]
        head = ["operation", "ranks", "points", "samples or particles", "time", "efficiency", "exchanged per frame"]
        parts.append(f"{words}:\n\n{table(head, rows)}")
    machine = result["machine"]
    cores = f"{machine['cores']} core{'s' if machine['cores'] > 1 else ''} for each rank"
    return f"{machine['cpu']}, {cores}, backend {result['backend']}, {result['date'][:10]}. " + "\n\n".join(parts)


def batch_text(result):
    gpus = ", ".join(gpu["name"] for gpu in result["gpus"]) or "no GPU"
    rows = [[row["processes"], f"{row['at_once']}", f"{row['seconds']:.1f} s", f"{row['frames_per_second']:.0f}",
             f"{row['gain']:.1f} x" if "gain" in row else "-"] for row in result["rows"]]
    frames = result["rows"][0]["frames"]
    head = ["processes", "jobs at once", "time", "frames per second", "against one after another"]
    bits = "All give the same poses, bit for bit" if result["same_bits"] else "The poses differ"
    return (f"{gpus}, {result['cores']} cores, backend {result['backend']}, {result['date'][:10]}: "
            f"{result['recordings']} recordings of a walk as point clouds, {frames:,} frames in all, the fastest of "
            f"{result['repeats']}. {bits}.\n\n{table(head, rows)}")


def main():
    page = PAGE.read_text(encoding="utf-8")
    for name, pattern, text_of in (("ranks", "body-ranks-*.json", ranks_text), ("batch", "batch-*.json", batch_text)):
        text = "\n\n".join(text_of(result) for result in results(pattern)) or "Not measured yet."
        page, count = re.subn(rf"(<!-- table {name} -->\n).*?(<!-- end -->)",
                              lambda found, text=text: f"{found[1]}{text}\n{found[2]}", page, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"make_scale_md.py: {PAGE.name} has no place for the table {name}")
    if "--check" in sys.argv[1:]:
        return 0 if page == PAGE.read_text(encoding="utf-8") else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
