"""The figures and tables of the body paper, remade."""

from statistics import mean

import plot_svg
from make_benchmarks_md import NO_GPU, device, scientific, short, table, times

# the paper's table 1
SYSTEMS = [
    ["the paper's system 1", "Core 2 Quad, 2.4 GHz", "4 GB", "Tesla C1060, 4 GB", "1.3", "240 cores, 1.30 GHz"],
    ["the paper's system 2", "Core 2 Duo, 2.33 GHz", "4 GB", "2 × 9800 GX2, 1 GB", "1.1", "512 cores, 1.50 GHz"],
    ["the paper's system 3", "Core 2 Duo, 2.4 GHz", "2 GB", "8600M GT, 256 MB", "1.1", "32 cores, 0.94 GHz"],
]
BEST, SLOWEST = 600, 20  # speed-ups that the paper states in numbers
COLOURS = {"listing": "#000000", "reference": "#8a8a8a", "embree": "#c98a00", "cpu": "#2a78c2", "paper": "#008f68", "cuda": "#c8411b"}
DASHES = ["", "6 4", "2 3"]
SHOWN = ("listing", "embree", "cpu", "paper", "cuda")
MODELLED = (2, 4)  # devices


def memory(bytes_):
    return f"{bytes_ / 2**30:.0f} GiB" if bytes_ else ""


def machines(results):
    rows = list(SYSTEMS)
    for result in results:
        own = result["machine"]
        gpus = own["gpus"]
        rows.append([device(result), f"{own['cpu']}, {own['cores']} cores", memory(own.get("memory_bytes")),
                     ", ".join(f"{gpu['name']}, {memory(gpu['memory_bytes'])}" for gpu in gpus) or "none",
                     ", ".join(f"{gpu['compute_capability'] / 10:.1f}" for gpu in gpus),
                     ", ".join(f"{gpu['multiprocessors']} multiprocessors" for gpu in gpus)])
    return table(["machine", "CPU", "memory", "GPU", "compute capability", "of it"], rows)


def plotted(row):
    return row["backend"] in SHOWN and (row["association"] == "nearest" or row["backend"] == "embree")


def sweep(results, across, fixed, value):
    """A line for each backend and machine: the value of its rows at the most of the other size."""
    series = []
    for number, result in enumerate(results):
        for backend in SHOWN:
            points = sorted((row[across], value(row)) for row in result["rows"]
                            if row["backend"] == backend and plotted(row) and row[fixed] == max(result[fixed]))
            name = f"{backend}, {device(result)}" if len(results) > 1 else backend
            series.append((name, COLOURS[backend], DASHES[number], points))
    return series


def at_largest(result, backend, association="nearest"):
    return next((row for row in result["rows"]
                 if row["backend"] == backend and row["association"] == association
                 and row["points"] == max(result["points"]) and row["samples"] == max(result["samples"])), None)


def on_devices(result, backend, count):
    """A model: each of so many devices has its share of the samples, and a call costs what it does for few."""
    rows = sorted((row["samples"], row["ms"]) for row in result["rows"]
                  if row["backend"] == backend and row["association"] == "nearest" and row["points"] == max(result["points"]))
    listing = {row["samples"]: row["ms"] for row in result["rows"]
               if row["backend"] == "listing" and row["points"] == max(result["points"])}

    def time(samples):
        for (a, from_ms), (b, to_ms) in zip(rows, rows[1:]):
            if samples <= b:
                return from_ms + (to_ms - from_ms) * (samples - a) / (b - a) if samples >= a else None
        return None

    return [(samples, listing[samples] / time(samples / count)) for samples, _ in rows
            if samples in listing and time(samples / count)]


def figure_5(results):
    return {
        "body-figure-5a.svg": plot_svg.lines("Figure 5: time over points, at the most samples", "points", "ms for all samples",
                                             sweep(results, "points", "samples", lambda row: row["ms"])),
        "body-figure-5b.svg": plot_svg.lines("Figure 5: time over samples, at the most points", "samples", "ms for all samples",
                                             sweep(results, "samples", "points", lambda row: row["ms"])),
    }


def figure_6(results):
    limits = [(BEST, "the paper: up to 600"), (SLOWEST, "the paper's 8600M GT: about 20")]
    speedups = [[s for s in sweep(results, across, fixed, lambda row: row["speedup_listing"]) if not s[0].startswith("listing")]
                for across, fixed in (("points", "samples"), ("samples", "points"))]
    for result in results:
        if result["machine"]["gpus"]:
            for count in MODELLED:
                for backend in ("paper", "cuda"):
                    speedups[1].append((f"{backend}, {count} GPUs (model)", COLOURS[backend], "1 3" if count == 4 else "4 3",
                                        on_devices(result, backend, count)))
    return {
        "body-figure-6a.svg": plot_svg.lines("Figure 6: speed-up over the listing, over points", "points", "speed-up",
                                             speedups[0], limits=limits),
        "body-figure-6b.svg": plot_svg.lines("Figure 6: speed-up over the listing, over samples", "samples", "speed-up",
                                             speedups[1], limits=limits),
    }


def scene_of(results, kept):
    """That of a realistic pair, if one is kept; otherwise of the benchmark's own."""
    drawn = next((result["scene"] for result in results if result.get("scene")), None)
    return kept.get("scene") or drawn and {**drawn, "text": drawn["text"] + " The walk and its textures are drawn. Red near, blue far."}


def figure_1(scene):
    if not scene:
        return {}
    left, top, width, height = scene["box"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" '
             f'width="{1.4 * width:.0f}" height="{1.4 * height:.0f}">',
             f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>']
    for level, points in enumerate(scene["points"]):
        share = level / (len(scene["points"]) - 1)
        colour = f"rgb({200 - 170 * share:.0f},{80 + 50 * share:.0f},{40 + 170 * share:.0f})"
        path = " ".join(f"M{x} {y}h1" for x, y in points)
        if points:
            parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="1.6"/>')
    for ax, ay, ar, bx, by, br in scene["outlines"]:
        # two circles and their tangents
        dx, dy = bx - ax, by - ay
        length = (dx * dx + dy * dy) ** 0.5
        if length > abs(ar - br):
            cos = (ar - br) / length
            sin = (1 - cos * cos) ** 0.5
            ux, uy = dx / length, dy / length
            normals = [(ux * cos - uy * sin * side, uy * cos + ux * sin * side) for side in (1, -1)]
            (px, py), (qx, qy) = normals
            path = (f"M{ax + ar * px:.1f} {ay + ar * py:.1f}L{bx + br * px:.1f} {by + br * py:.1f}"
                    f"A{br:.1f} {br:.1f} 0 0 0 {bx + br * qx:.1f} {by + br * qy:.1f}"
                    f"L{ax + ar * qx:.1f} {ay + ar * qy:.1f}A{ar:.1f} {ar:.1f} 0 0 0 {ax + ar * px:.1f} {ay + ar * py:.1f}Z")
            parts.append(f'<path d="{path}" fill="none" stroke="#222222" stroke-width="0.8"/>')
        else:
            r, cx, cy = max((ar, ax, ay), (br, bx, by))
            parts.append(f'<circle cx="{cx}" cy="{cy}" r="{r}" fill="none" stroke="#222222" stroke-width="0.8"/>')
    return {"body-figure-1.svg": "\n".join(parts + ["</svg>"]) + "\n"}


def statements(results):
    """What the paper says in numbers, and the same of ours."""
    rows = []
    for result in results:
        name = device(result)
        paper, cuda, cpu, listing = (at_largest(result, backend) for backend in ("paper", "cuda", "cpu", "listing"))
        for backend, row, theirs in (("listing", listing, "several minutes"), ("paper", paper, "few seconds")):
            if row:
                rows.append([f"`{backend}`, the largest problem", theirs, f"{short(row['ms'] / 1000)} s, {name}", "ours, by its machine"])
        if paper:
            ours = max(row["speedup_listing"] for row in result["rows"] if row["backend"] == "paper")
            rows.append(["speed-up of its kernels over the listing", "up to 600", f"up to {times(ours)}, {name}",
                         "ours, by its GPU"])
            few = min((row for row in result["rows"] if row["backend"] == "paper" and row["samples"] == max(result["samples"])),
                      key=lambda row: row["points"])
            rises = few["speedup_listing"] < paper["speedup_listing"]
            rows.append(["its kernels: speed-up of the smallest number of points over that of the largest", "under 1: rises with size",
                         f"{few['speedup_listing'] / paper['speedup_listing']:.2f}, {name}", "as the paper has it" if rises else "other than in the paper"])
            four = dict(on_devices(result, "paper", 4)).get(max(result["samples"]))
            if four:
                rows.append(["its kernels on four GPUs over one", "2.1 (of GPUs with 2.46 times the arithmetic)",
                             f"{times(four / paper['speedup_listing'])}, {name}, a model", "ours"])
        if cuda:
            ours = max(row["speedup_listing"] for row in result["rows"] if row["backend"] == "cuda" and row["association"] == "nearest")
            rows.append(["speed-up of `cuda` over the listing", "", f"up to {times(ours)}, {name}", "ours"])
        if cpu:
            rows.append(["an optimised CPU program over the listing", "2 (expected)",
                         f"{times(cpu['speedup_listing'])}, {name}", "ours, by culling and SIMD"])
    return table(["what", "the paper", "measured", "who wins"], rows)


def blocks(results):
    parts = []
    for result in results:
        rows = result.get("blocks")
        if rows:
            best = min(rows, key=lambda row: row["ms"])["points_per_block"]
            parts.append(f"Milliseconds of the device by points per block, {device(result)}; the best, {best}, is the `paper` of all "
                         "figures:\n\n" + table(["points per block", *(str(row["points_per_block"]) for row in rows)],
                                                [["ms", *(short(row["ms"]) for row in rows)]]))
    return "\n".join(parts)


def linear(results):
    parts = []
    for result in results:
        pairs = result["settings"]["capsules"]
        rows = result.get("linear", [])
        if rows:
            cost = [1e6 * row["ms"] / (row["points"] * row["samples"] * pairs) for row in rows]
            parts.append(table([device(result), *(f"{row['samples']:,}" for row in rows)],
                               [["samples: ms", *(short(row["ms"]) for row in rows)],
                                ["ns a pair", *(f"{value:.2f}" for value in cost)]]))
            sizes = [1e9 / row["pairs_per_second"] for row in result["rows"] if row["backend"] == "listing"]
            parts.append(f"Over the {len(sizes)} sizes of figure 5 a pair costs {min(sizes):.1f} to {max(sizes):.1f} ns, "
                         f"{mean(sizes):.1f} in the mean.\n")
    return "\n".join(parts)


def errors(results):
    rows = []
    for result in results:
        points = min(result["points"])
        for row in result["rows"]:
            if row["points"] == points and row["samples"] == max(result["samples"]) and row["backend"] != "reference":
                rows.append([device(result), f"{row['backend']} ({row['association']})", f"{points:,}", f"{row['error_samples']:,}",
                             scientific(row["max_relative_error"])])
    return table(["machine", "backend", "points", "samples compared", "largest relative error"], rows)


def operating_point(results):
    rows = []
    for result in results:
        for row in result["trackers"]:
            if row.get("input") != "points" or row["points"] < 48000:
                continue
            rows.append([device(result), row["backend"], "`--paper`" if row.get("filter") == "paper" else "default",
                         f"{row['points']:,}", f"{row['particles']:,} × {row['layers']}", short(row["frames_per_second"]),
                         f"{1000 * row['joint_error']:.0f} mm", str(row["lost"])])
    return table(["machine", "backend", "filter", "points", "samples × layers", "frames/s", "mean joint error", "lost"], rows)


def clips(measured):
    if not measured:
        return ""
    rows = []
    for result in measured:
        rows += [[device(result), row["backend"], row["clip"], "`--paper`" if row["filter"] == "paper" else "default",
                  f"{row['particles']:,} × {row['layers']}", short(row["fps"]), "" if row["mean_mm"] is None else f"{row['mean_mm']:.0f} mm",
                  f"{100 * row['within']:.0f} %", f"{row['lost']} of {row['frames']}"] for row in result["rows"]]
    return ("On motion-capture clips, seen by a simulated depth camera of 640 × 480, all points as measured with `--paper`, the person's skeleton "
            "known, found by the tracker's own search, no later frame used:\n\n"
            + table(["machine", "backend", "clip", "filter", "samples × layers", "frames/s", "mean joint error", "within 100 mm", "lost"], rows))


def before(results, kept):
    result = next((result for result in results if result["machine"]["gpus"]), None)
    if not result or not kept:
        return ""
    paper, cuda, cpu = (at_largest(result, backend) for backend in ("paper", "cuda", "cpu"))
    now = {"cuda over paper, device": cuda["speedup_paper"], "cuda over listing": cuda["speedup_listing"],
           "cpu over listing": cpu["speedup_listing"], "paper over listing": paper["speedup_listing"]}
    rows = [[name, times(kept["body"][name]), times(now[name]), f"{100 * (now[name] / kept['body'][name] - 1):+.0f} %"] for name in now]
    return table([f"43,000 points × 3,500 samples, {device(result)}", f"before (`{kept['body']['commit']}`)", "now", "change"], rows)


def page(results, kept):
    """The part of docs/papers/body.md that is made, and its pictures."""
    scene = scene_of(results, kept)
    pictures = {**figure_1(scene), **figure_5(results), **figure_6(results)}
    text = f"""\
## Table 1: the machines

{machines(results)}
## Figure 1: stereo points and the skin

![Points of a stereo pair and the capsules that were found](body-figure-1.svg)

{scene["text"] if scene else ""} The points are those of kinema's own matcher.

Figures 2 to 4 are drawings: the skeleton is that of [skeleton.md](../skeleton.md), the grid and the layout in shared memory those
of `bench/body/likelihood_paper_cuda.cu`.

## Figure 5: time over points and over samples

The paper prints no numbers of its curves; it says that they are linear, up to 43,000 points and 3,500 samples of 48 capsules.

![Time over points](body-figure-5a.svg)

![Time over samples](body-figure-5b.svg)

## Figure 6: speed-up over the CPU

Over listing 1.2 on one core of the same machine. Several GPUs are a model: each has its share of the samples, and takes as
long as one does for so few.

![Speed-up over points](body-figure-6a.svg)

![Speed-up over samples](body-figure-6b.svg)

{statements(results)}
## The baselines

The block size is tuned to the GPU, as the paper has it. {blocks(results)}
The listing is timed on some of the samples, pinned to one core, and scaled. It is linear in them:

{linear(results)}
Results are held against the reference, in double precision; at the fewest points those of all samples:

{errors(results)}
## The paper's operating point

About 50,000 points and 2,000 samples, a person who walks, points as measured:

{operating_point(results)}
{clips(kept.get('clips'))}
## Before and after the baselines were mended

{before(results, kept.get("before")) or NO_GPU}"""
    return text, pictures
