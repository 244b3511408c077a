#!/usr/bin/env python3
"""Makes docs/benchmarks.md from the results that are kept in bench/results/*.json, each written by `kinema bench`.

    scripts/make_benchmarks_md.py            write the page
    scripts/make_benchmarks_md.py --check    exit 1 where the page is not what the results give
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

NO_GPU = "No results of a GPU are kept yet.\n"

INTRODUCTION = """\
<!-- Made by scripts/make_benchmarks_md.py from bench/results/*.json; changes made here by hand are lost. -->
# Benchmarks

Speed and accuracy side by side, losses included. Every table comes from one run of `kinema bench` on the machine that
its heading names; make your own with `build/release/kinema bench body --out DIR`.
"""

BODY = """\
## Body: the likelihood of many poses

A person of {capsules} capsules at 2 to 3 m, a noisy depth frame of them with outliers, and poses scattered about the
true one. Times are medians of the wall clock around one `evaluate` of all samples, transfers included; backends of one size run
in turns within the same seconds.

| backend | what it is |
| --- | --- |
| `listing` | the paper's sequential program, one core, with its slips mended: what speed-ups refer to |
| `reference` | the same sum in double precision, one core: what errors refer to |
| `embree` | Embree 3, round linear curves, one ray a point; it knows the first hit only |
| `paper` | the paper's own GPU kernels |
| `cpu` | kinema on the CPU: SIMD, threads, exact culling |
| `cuda` | kinema on the GPU, exact culling |

Pairs are points × samples × capsules. The error is the largest relative difference of a log-likelihood to the
reference's. "≈" marks a time that was measured on fewer samples and scaled up.
"""


TRACKER = """\
## Body: the tracker

A person who walks, seen as points with the rays past it; everything of a frame but reading files. Rivals are poses
elsewhere that are held against the tracked one. From points: those of the person are given. Else the person is first cut
out of a depth image, or of a stereo pair, which is matched, in a room, as `kinema body track` does, so that nothing is left
out. These rows also have the low pass of poses given at once ([steady.md](steady.md)), whose delay is 5 of their 8 mm from
depth.
"""


MATCHER = """\
## Body: stereo matching

Whole pairs of a walker in a room in which everything has texture, all programs in turns. Times are of the wall clock around a
call with pictures and disparities in the host's memory; those of a GPU's stages are by its own clock. Known: pixels that have
a disparity; wrong: those of them that are off by over a pixel. OpenCV's is `StereoSGBM` with squares of five pixels, its
usual five paths or all eight; on plain surfaces, which these pairs do not have, see [stereo-method.md](stereo-method.md).
"""


HEAD = """\
## Head: the sums over a frame

Frames of {width} × {height} pixels, made on the spot: a lit head with the noise of a sensor (camera), and white noise. Times
are medians of the wall clock around a call, all rows in turns. "× floor" is the time over the least for the same bytes: reading them with as many threads, a bare transfer, a read
on the device. The paper's steps are in [papers/head.md](papers/head.md). Make your own with `build/release/kinema bench head --out DIR`.
"""

FACE = """\
## Face: a fit of {iterations} iterations

Models of 68 landmarks, trained on drawn photographs, and films of people whom they have not seen: the paper's sixteen sizes of
texture. A frame is one fit from the parameters of the one before, the picture on the host, its upload hidden behind the fit
before; times are medians of the wall clock in ms, "device" is the GPU's part by its own clock. The paper's figures are in
[papers/face.md](papers/face.md). Make your own with `build/release/kinema bench face --out DIR`.

| backend | what it is |
| --- | --- |
| `listing` | the paper's algorithms 1 and 2, one core: what speed-ups refer to |
| `reference` | the same in double precision: what errors refer to |
| `opencv` | OpenCV's FacemarkAAM with as many texture modes and about as many pixels: another model and method, on all cores that it takes |
| `paper` | the paper's kernels on 4 × 1024 threads, its last step by the tuned product below |
| `cpu` | kinema on the CPU: one pass over both matrices an iteration, SIMD, threads |
| `cuda` | kinema on the GPU: a frame is one launch |
| `cuda batch` | 4,096 faces a call, a face's share |

The floor of `cuda` is low: the matrices, two halves of 16 bits a number, are 1.7 MB at 4,096 pixels and 28 MB at 65,536, which
the second cache holds; read once, as most of them is, that takes 0.4 µs and 6.5 µs at 4.3 TB/s. What limits a single face is
neither bytes nor arithmetic but the chain of steps that wait for one another: eleven looks at the picture, each of them shapes,
samples, a product, two exchanges between blocks and the choice of a factor, all of them short. Many faces at once fill those
waits.
"""

def short(value):
    """Three significant digits, without an exponent where a person would write none."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:#.3g}".rstrip(".")


def times(value):
    return "" if value is None else f"{short(value)}×"


def milliseconds(row):
    return ("≈ " if row.get("scaled_from_samples") else "") + short(row["ms"])


def table(header, rows):
    """Numbers stand to the right, words to the left."""
    words = [i == 0 or all(not row[i] or row[i][0].isalpha() or row[i][0] == "`" for row in rows) for i in range(len(header))]
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" if word else "---:" for word in words) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def label(row, plain):
    """The backend, and its association where it is not the one of the run."""
    return row["backend"] if row["association"] == plain else f"{row['backend']} ({row['association']})"


def device(result):
    gpus = result["machine"]["gpus"]
    cpu = result["machine"]["cpu"].replace("(R)", "").replace(" Processor", "")
    return gpus[0]["name"] if gpus else f"{cpu}, {result['machine']['threads']} threads"


def mended(result):
    """Whether the baselines of a result are as the papers have them: in older ones they were not as good, or not as literal."""
    rows = result.get("rows", [])
    if result.get("kind") == "body":
        return "linear" in result
    return result.get("kind") in ("head", "face") and any("mean_ms" in row for row in rows)


def without_baselines(result):
    """An older result without the rows of what has been mended since, and without ratios to them."""
    if mended(result) or result["kind"] not in ("body", "face"):
        return result
    rows = [{**row, "speedup_listing": None, "speedup_paper": None} for row in result["rows"]
            if row["backend"] not in ("listing", "paper")]
    return {**result, "rows": rows,
            "set_points": [row for row in result.get("set_points", []) if row["backend"] not in ("listing", "paper")]}


def heading(result):
    machine, build = result["machine"], result["build"]
    made = [f"{machine['cpu']}, {machine['cores']} cores", machine["system"], build["compiler"], f"SIMD {build['simd']}",
            f"threads {build['threads']}"]
    if build["cuda"]:
        made.append(f"CUDA {build['cuda']}")
    if build["embree"]:
        made.append(f"Embree {build['embree']}")
    commit = f", commit `{result['commit']}`" if result["commit"] else ""
    return f"### {device(result)}\n\n{'; '.join(made)}. {result['date'][:10]}{commit}.\n"


def older(result):
    return "" if mended(result) else "`listing` and `paper` have been mended since this run, and are left out.\n"


def largest(result):
    rows = [row for row in result["rows"]
            if row["points"] == max(result["points"]) and row["samples"] == max(result["samples"])]
    columns = {
        "ms": milliseconds,
        "device ms": lambda row: short(row["ms_stages"].get("device")),
        "over listing": lambda row: times(row["speedup_listing"]),
        "over Embree": lambda row: times(row["speedup_embree"]),
        "over paper (device)": lambda row: times(row["speedup_paper"]),
        "pairs/s": lambda row: f"{row['pairs_per_second']:.2e}",
        "error": lambda row: f"{row['max_relative_error']:.1e}",
    }
    cells = {name: [cell(row) for row in rows] for name, cell in columns.items()}
    cells = {name: column for name, column in cells.items() if any(column)}
    association = result["settings"]["association"]
    body = [[label(row, association), *(column[i] for column in cells.values())] for i, row in enumerate(rows)]
    return (f"{max(result['points']):,} points, {max(result['samples']):,} samples:\n\n"
            + table(["backend", *cells], body))


def sweep(result, across, fixed):
    """Milliseconds for each value of one size, with the other at its largest."""
    rows = [row for row in result["rows"] if row[fixed] == max(result[fixed])]
    association = result["settings"]["association"]
    backends = list(dict.fromkeys(label(row, association) for row in rows))
    cell = {(label(row, association), row[across]): milliseconds(row) for row in rows}
    sizes = sorted(result[across])
    return (f"Milliseconds by {across}, {max(result[fixed]):,} {fixed}:\n\n"
            + table([across, *backends],
                    [[f"{size:,}", *(cell.get((name, size), "") for name in backends)] for size in sizes]))


def frame(result):
    """What a new frame costs before the first sample."""
    most = [row for row in result["set_points"] if row["points"] == max(result["points"])]
    if not most:
        return ""
    costs = ", ".join(f"{label(row, result['settings']['association'])} {short(row['ms'])} ms" for row in most)
    return f"Setting the {max(result['points']):,} points of a frame, once before all samples: {costs}.\n"


def body_section(results):
    parts = [BODY.format(capsules=results[0]["settings"]["capsules"])]
    for result in results:
        parts += [heading(result), older(result), largest(result), frame(result), sweep(result, "points", "samples"),
                  sweep(result, "samples", "points")]
    return [part for part in parts if part]


def row_input(row):
    # older results have neither the input nor its size
    size = row.get("size") or ((640, 480) if row["foreground"] else None)
    return row.get("input", "depth" if size else "points") + (" {:,} × {:,}".format(*size) if size else "")


def tracker_section(results):
    parts = [TRACKER]
    for result in results:
        rows = [[f"{row['backend']} ({row['association']})", f"{row['particles']:,} × {row['layers']}",
                 f"{row['refined']} × {row['refine_steps']}", str(row["rivals"]),
                 row_input(row), f"{row['points']:,}",
                 short(row["frames_per_second"]), short(row["ms"]), short(1000 * row["joint_error"])]
                for row in result["trackers"]]
        parts += [heading(result), table(["backend", "particles × layers", "refined × steps", "rivals", "from", "points",
                                          "frames/s", "ms", "joint error mm"], rows)]
    return parts


def matcher_section(results):
    parts = [MATCHER]
    for result in results:
        rows = [[row["name"], "{:,} × {:,}".format(*row["size"]), str(row["disparities"]), short(row["ms"]),
                 ", ".join(f"{stage} {short(ms)}" for stage, ms in row["ms_stages"].items()),
                 f"{100 * row['known']:.1f} %", f"{100 * row['wrong']:.2f} %"] for row in result["matchers"]]
        parts += [heading(result), table(["program", "pixels", "disparities", "ms", "of it", "known", "wrong"], rows)]
    return parts


def scientific(value):
    return "" if value is None else f"{value:.0e}"


def head_rows_table(result, name, title):
    rows = [row for row in result["rows"] if row["table"] == name]
    if not rows:
        return ""
    body = [[row["name"], short(1000 * row["ms"]),
             short(1000 * row["ms_stages"]["device"]) if "device" in row["ms_stages"] else "",
             times(row["over_floor"]), times(row["over_floor_device"])] for row in rows]
    return f"{title}, microseconds a frame:\n\n" + table(["what", "wall", "device", "× floor", "(device)"], body)


def head_section(results):
    settings = results[0]["settings"]
    parts = [HEAD.format(**settings)]
    for result in results:
        parts += [heading(result), head_rows_table(result, "cpu", "The cpu backend"),
                  head_rows_table(result, "gpu", "The cuda and joint backends"),
                  head_rows_table(result, "other", "Other programs"), head_rows_table(result, "floor", "The floors")]
    return [part for part in parts if part]


def face_sizes(result):
    """Milliseconds a frame for each size and backend."""
    backends = list(dict.fromkeys(row["backend"] for row in result["rows"]))
    cell = {(row["backend"], row["pixels"]): short(row["ms"]) for row in result["rows"]}
    device = {row["pixels"]: short(row["ms_stages"]["device"]) for row in result["rows"]
              if row["backend"] == "cuda" and "device" in row["ms_stages"]}
    header = ["pixels", *backends] + (["cuda, device"] if device else [])
    return "Milliseconds a frame:\n\n" + table(
        header, [[f"{pixels:,}", *(cell.get((name, pixels), "") for name in backends)]
                 + ([device.get(pixels, "")] if device else []) for pixels in result["pixels"]])


def face_details(result, pixels):
    rows = [row for row in result["rows"] if row["pixels"] == pixels]
    columns = {
        "ms a frame": lambda row: short(row["ms"]),
        "device ms": lambda row: short(row["ms_stages"].get("device")),
        "ms an iteration": lambda row: short(row["iteration_ms"]),
        "faces/s": lambda row: short(row["faces_per_second"]),
        "growth": lambda row: times(row["growth"]),
        "over listing": lambda row: times(row["speedup_listing"]),
        "over OpenCV": lambda row: times(row["speedup_opencv"]),
        "over paper (device)": lambda row: times(row["speedup_paper"]),
        "error px": lambda row: scientific(row["landmark_error"]),
    }
    cells = {name: [cell(row) for row in rows] for name, cell in columns.items()}
    cells = {name: column for name, column in cells.items() if any(column)}
    return f"{pixels:,} pixels:\n\n" + table(
        ["backend", *cells], [[row["backend"], *(column[i] for column in cells.values())] for i, row in enumerate(rows)])


def default_fits(result):
    """What the default sequence of stages costs, from pictures in host memory."""
    rows = [[row["what"], row["backend"], short(row["ms"]["median"]), short(row["stages"].get("device")),
             short(row["faces_per_second"]), scientific(row["landmark_error"])] for row in result["default_fits"]]
    run = result.get("default_fits_run")  # another than that of the other tables
    model = (f"a model trained on 394 photographs (commit {run['commit']}, {run['date'][:10]}, `{run['model']}`)" if run
             else f"`{result['model']}`")
    return (f"The default fit (cascade, simultaneous, score) of {model}, from pictures of "
            "640 × 480 in host memory; a batch has 256 of them, times are a face's share. A frame of a film starts at the "
            "place of the one before:\n\n" + table(["what", "backend", "ms a face", "device ms", "faces/s", "from cpu px"], rows))


def face_products(result):
    """The tuned matrix-vector product against cuBLAS."""
    products = result["products"]
    rows = [[row["what"], f"{row['rows']:,} × {row['columns']:,}", short(row["us"]), short(row["sgemv_us"]),
             times(row["ratio"]), short(row["bytes_per_second"] / 1e9), row["layout"]] for row in products["rows"]]
    return (f"Matrix–vector products with a layout tuned to the shape, against SGEMV of cuBLAS {products['cublas']}: "
            f"{products['mean_ratio']:.2f} × in the geometric mean of those that stay in the cache, {products['least_ratio']:.2f} × "
            f"at least. A copy within the device moves {products['copy_bytes_per_second'] / 1e9:,.0f} GB/s, an empty kernel takes "
            f"{products['launch_us']:.2f} µs:\n\n"
            + table(["what", "matrix", "µs", "SGEMV µs", "over SGEMV", "GB/s", "layout"], rows))


def face_section(results):
    parts = [FACE.format(iterations=results[0]["settings"]["iterations"])]
    for result in results:
        with_opencv = [row["pixels"] for row in result["rows"] if row["backend"] == "opencv"]
        detailed = sorted({min(result["pixels"]), max(result["pixels"]), *with_opencv})
        parts += [heading(result), older(result), face_sizes(result), *(face_details(result, pixels) for pixels in detailed)]
        for name, section in (("default_fits", default_fits), ("products", face_products)):
            if result.get(name):
                parts.append(section(result))
    return [part for part in parts if part]


def page():
    results = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    results = [without_baselines(result) for result in results if result.get("kind") in ("body", "head", "face")]
    # GPUs first, then by name, so that the page does not depend on file names
    results.sort(key=lambda result: (not result["machine"]["gpus"], device(result), result["date"]))
    parts = [INTRODUCTION]
    bodies = [result for result in results if result["kind"] == "body"]
    if bodies:
        parts += body_section(bodies)
    else:
        parts.append("No results are kept yet.\n")
    # `bench body` measures the tracker too; the last measurement of each device counts
    trackers = {device(result): result for result in results if result.get("trackers")}
    if trackers:
        parts += tracker_section(trackers.values())
    matchers = [result for result in results if result.get("matchers")]
    if matchers:
        parts += matcher_section(matchers)
    heads = [result for result in results if result["kind"] == "head"]
    if heads:
        parts += head_section(heads)
    faces = [result for result in results if result["kind"] == "face"]
    if faces:
        parts += face_section(faces)
    return "\n".join(parts)


def main(arguments):
    text = page()
    if arguments == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            print(f"{PAGE.relative_to(ROOT)} is not what bench/results/ gives; run scripts/make_benchmarks_md.py")
            return 1
    elif arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    else:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
