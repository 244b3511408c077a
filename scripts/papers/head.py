"""The figures and tables of the head paper, remade."""

import plot_svg
from make_benchmarks_md import NO_GPU, device, scientific, short, table, times

# table 1 of the paper: transfer and calculation, ms
PAPER = {"gpu1": (2.05, 131.34), "gpu2": (2.05, 38.59), "gpu3": (2.05, 23.19), "gpu4": (2.05, 9.68), "gpu5": (2.05, 3.81),
         "gpu6": (2.05, 3.36), "gpu7": (2.05, 3.06), "gpu8": (2.05, 2.94), "cpu1": (None, 36.74), "cpu2": (None, 23.12),
         "cpu3": (None, 12.34), "cpu+gpu": (1.54, 2.12)}
OURS = ("cpu", "cuda", "joint")
PALE, COLOUR, OWN = "#b9b9b9", ("#2a78c2", "#c98a00", "#8a8a8a"), ("#c8411b", "#008f68", "#555555")


def rows_of(result, name="paper"):
    return {row["name"]: row for row in result["rows"] if row["table"] == name}


def total(name):
    return sum(part or 0 for part in PAPER[name])


def table_1(results):
    parts = []
    header = ["version", "the paper: transfer", "calculation", "total", "CPU 1 / total", "frames/s", "transfer", "calculation", "total",
              "mean of 100", "CPU 1 / total", "frames/s", "error px"]
    for result in results:
        rows = rows_of(result)
        body = []
        for name in [*PAPER, *OURS]:
            row = rows.get(name)
            if not row:
                continue
            theirs = ["", "", "", "", ""]
            if name in PAPER:
                transfer, calculation = PAPER[name]
                theirs = [short(transfer), short(calculation), short(total(name)), times(total("cpu1") / total(name)),
                          short(1000 / total(name))]
            share = "" if row.get("cpu_share") is None else f" ({row['cpu_share']:.0%} CPU)"
            body.append([f"{name}{share}" + (" (ours)" if name in OURS else ""), *theirs, short(row["ms_stages"].get("transfer")),
                         short(row["calculation_ms"]), short(row["ms"]), short(row["mean_ms"]), times(row["speedup_cpu1"]),
                         short(row["frames_per_second"]), scientific(row["centroid_error"])])
        settings = result["settings"]
        parts.append(f"### {device(result)}\n\nMilliseconds, frames of {settings['width']} × {settings['height']}. One clock, the "
                     "host's, around a call: the total is its median and its mean. The transfer is by the GPU's clock, the calculation "
                     "all else: clearing, kernel, download and launches.\n\n" + table(header, body))
    return "\n".join(parts)


def figure_4(results):
    rows = []
    for name in [*PAPER, *OURS]:
        group = [(PALE, total(name), f"{short(total(name))} the paper")] if name in PAPER else []
        for number, result in enumerate(results):
            row = rows_of(result).get(name)
            if row:
                colour = (OWN if name in OURS else COLOUR)[number]
                group.append((colour, row["mean_ms"], f"{short(row['mean_ms'])} {device(result)}"))
        if group:
            rows.append((name, group))
    return {"head-figure-4.svg": plot_svg.bars("Figure 4: ms of one frame of 1920 × 1080, means of 100", "ms, transfer and calculation", rows)}


def kernels(results):
    parts = []
    for result in results:
        rows = rows_of(result, "kernels")
        if not rows:
            continue
        sizes = list(dict.fromkeys(tuple(row["size"]) for row in rows.values()))
        names = list(dict.fromkeys(row["backend"] for row in rows.values()))
        cell = {(row["backend"], tuple(row["size"])): row for row in rows.values()}
        header = ["kernel"]
        for width, height in sizes:
            header += [f"{width:,} × {height:,}: µs", "GB/s", "over the step before", "error px"]
        body = []
        for name in names:
            line = [name + (" (ours)" if name in OURS else "")]
            for size in sizes:
                row = cell[name, size]
                ms = row["ms_stages"]["kernel"]
                previous = cell.get((f"gpu{int(name[3:]) - 1}", size)) if name.startswith("gpu") else cell.get(("gpu8", size))
                ratio = times(previous["ms_stages"]["kernel"] / ms) if previous else ""
                line += [short(1000 * ms), short(4e-6 * size[0] * size[1] / ms), ratio, scientific(row["centroid_error"])]
            body.append(line)
        theirs = [f"{a} → {b}: {PAPER[a][1] / PAPER[b][1]:.2f}×" for a, b in zip(list(PAPER)[:7], list(PAPER)[1:8])]
        parts.append(f"{device(result)}, by its clock, launch after launch on frames that its cache does not hold. The last row's ratio is "
                     f"over GPU 8. The paper's own ratios of calculations: {', '.join(theirs)}.\n\n" + table(header, body))
    return "\n".join(parts)


def winners(results):
    rows = []
    for result in results:
        rows_here = rows_of(result)
        pairs = [("cpu", "cpu3", "SIMD in integers over CPU 3"), ("cuda", "gpu8", "cuda over GPU 8"), ("joint", "cpu+gpu", "joint over CPU + GPU")]
        for ours, theirs, what in pairs:
            if ours in rows_here and theirs in rows_here:
                ratio = rows_here[theirs]["ms"] / rows_here[ours]["ms"]
                rows.append([what, device(result), times(ratio), "ours" if ratio > 1.03 else "equal" if ratio > 0.97 else "the paper's"])
    return table(["what", "machine", "ratio of totals", "who wins"], rows)


def before(results, kept):
    result = next((result for result in results if result["machine"]["gpus"]), None)
    old = kept.get("before", {}).get("head")
    if not result or not old:
        return ""
    rows = rows_of(result)
    body = []
    for name, ms in old["gpu calculation ms"].items():
        now = rows[name]["ms_stages"]["kernel"]
        body.append([name, short(1000 * ms), short(1000 * now), f"{100 * (now / ms - 1):+.0f} %"])
    alone = {row["backend"]: row["ms_stages"]["kernel"] for row in rows_of(result, "kernels").values() if row["size"][0] < 4000}
    for a, b in (("gpu2", "gpu3"), ("gpu7", "gpu8")):
        was, now = old["gpu calculation ms"][a] / old["gpu calculation ms"][b], alone[a] / alone[b]
        body.append([f"{a} / {b}, kernels alone now", f"{was:.2f}×", f"{now:.2f}×", f"{100 * (now / was - 1):+.0f} %"])
    for name, (theirs, ours) in (("cuda over gpu8, total", ("gpu8", "cuda")), ("joint over cpu+gpu, total", ("cpu+gpu", "joint"))):
        now = rows[theirs]["ms"] / rows[ours]["ms"]
        body.append([name, f"{old[name]:.3f}×", f"{now:.3f}×", f"{100 * (now / old[name] - 1):+.0f} %"])
    return (f"{device(result)}; before (`{old['commit']}`) a step's time held clearing and download, sums were integers of fixed point, and GPU 8 "
            "added warps by an instruction:\n\n" + table(["step", "before, µs", "its kernel now, µs; ratios", "change"], body))


def page(results, kept):
    text = f"""\
## Table 1: the processing times of one frame

{table_1(results)}
{winners(results)}
## Figure 4: the same as bars

![Processing times of one frame](head-figure-4.svg)

Figures 1 to 3 are the algorithm and drawings of sums: `bench/head/steps/cpu_steps.cpp` and `gpu_kernels_cuda.cuh`.

## The steps on the GPU, kernels alone

{kernels(results) or NO_GPU}
## Before and after the steps were written as printed

{before(results, kept) or NO_GPU}"""
    return text, figure_4(results)
