"""The figures and tables of the face paper, remade."""

import base64
import struct
import zlib

import plot_svg
from make_benchmarks_md import NO_GPU, device, short, table, times

# table 1 of the paper: ms a frame on an Athlon II X2 250 and a GTX 650
PAPER = {4096: (75.57, 9.74), 8192: (180.58, 11.08), 12288: (271.40, 12.65), 16384: (366.81, 14.06), 20480: (445.58, 15.18),
         24576: (543.34, 16.64), 28672: (632.59, 17.94), 32768: (727.48, 19.15), 36864: (813.35, 20.58), 40960: (903.71, 21.85),
         45056: (1000.40, 23.02), 49152: (1077.62, 24.47), 53248: (1158.40, 26.54), 57344: (1243.77, 26.91), 61440: (1333.50, 28.26),
         65536: (1423.24, 29.58)}
SHARES = {"estimate p": 1, "E": 95, "delta p": 4}  # of its figure 2, percent
SHOWN = ("listing", "cpu", "paper", "cuda", "cuda batch")
COLOURS = {"listing": "#000000", "cpu": "#2a78c2", "paper": "#008f68", "cuda": "#c8411b", "cuda batch": "#c98a00"}
THEIRS = "#9a9a9a"
DASHES = ["", "6 4", "2 3"]
FRAMES = (100, 250, 500, 750, 1000)


def rows_of(result, backend):
    return {row["pixels"]: row for row in result["rows"] if row["backend"] == backend}


def name_of(results, backend, result):
    return f"{backend}, {device(result)}" if len(results) > 1 else backend


def curves(results, value, theirs, backends=SHOWN):
    series = [(f"the paper: {name}", THEIRS, dashes, theirs(index)) for index, (name, dashes) in enumerate((("CPU", "6 4"), ("GPU", "")))
              if theirs(index)]
    for number, result in enumerate(results):
        for backend in backends:
            rows = rows_of(result, backend)
            points = [(pixels, value(row, rows, result)) for pixels, row in sorted(rows.items())]
            series.append((name_of(results, backend, result), COLOURS[backend], DASHES[number], points))
    return series


def figure_2(results):
    rows = [["the paper, CPU", "", *(f"{SHARES[part]} %" for part in ("E", "delta p", "estimate p"))]]
    for result in results:
        for one in result.get("shares", []):
            if one["fit"] == "paper" and one["pixels"] in (4096, 32768, 65536):
                rows.append([f"{one['backend']}, {device(result)}", f"{one['pixels']:,}",
                             *(f"{100 * one['parts'][part]['share']:.1f} %" for part in ("E", "delta p", "estimate p"))])
    return table(["program", "pixels", "E", "Δp", "p"], rows)


def before_shares(kept):
    old = kept.get("before", {}).get("face")
    if not old:
        return ""
    lines = [f"{int(pixels):,} pixels {100 * shares['E']:.0f}, {100 * shares['delta p']:.0f} and {100 * shares['estimate p']:.1f} %"
             for pixels, shares in ((p, old[p]["listing shares"]) for p in ("4096", "65536"))]
    return (f"Before it was mended (`{old['commit']}`) the listing had E, Δp and p at {'; '.join(lines)}: the products of Δp, and the sums of E, "
            "added one term after the other, which no compiler turns into vectors, and p took no texture of the frame before. Read alike, the product of Δp, about four rows more than "
            "Q_g has, takes as long as that of one E: the paper's 4 % can only be where sampling or Q_g c takes many times as long as R r.\n")


def png(width, height, grey):
    """A grey picture as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + grey[row * width:(row + 1) * width] for row in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def figure_5(results):
    result = next((result for result in results if len(result.get("templates", [])) == 16), None)
    if not result:
        return {}
    made, triangles = result["templates"], result["triangles"]
    cell_w, cell_h = max(one["width"] for one in made) + 14, max(one["height"] for one in made) + 30
    width, height = 8 * cell_w + 16, 4 * cell_h + 40
    parts = plot_svg.begin(width, height, "Figure 5: templates of texture and shape of the sixteen models")
    for i, one in enumerate(made):
        x, y = 16 + i % 8 * cell_w, 44 + i // 8 * 2 * cell_h
        picture = base64.b64encode(png(one["width"], one["height"], base64.b64decode(one["grey"]))).decode()
        parts.append(f'<image x="{x}" y="{y}" width="{one["width"]}" height="{one["height"]}" href="data:image/png;base64,{picture}"/>'
                     f'<text x="{x}" y="{y + cell_h - 16}" fill="{plot_svg.FAINT}" font-size="11">{one["pixels"]:,}</text>')
        scale = (one["pixels"] / made[-1]["pixels"]) ** 0.5
        path = "".join("M" + "L".join(f"{x + scale * t[k]:.0f} {y + cell_h + scale * t[k + 1]:.0f}" for k in (0, 2, 4)) + "Z"
                       for t in triangles)
        parts.append(f'<path d="{path}" fill="none" stroke="#444444" stroke-width="0.4"/>')
    return {"face-figure-5.svg": "\n".join(parts + ["</svg>"]) + "\n"}


def figure_6(results):
    """Time over frames at five sizes: sums of the frames that were timed, and beyond them as long a frame as those took."""
    pictures = {}
    for pixels in (4096, 8192, 16384, 32768, 65536):
        series = [(f"the paper: {name}", THEIRS, dashes, [(n, n * PAPER[pixels][index] / 1000) for n in FRAMES])
                  for index, (name, dashes) in enumerate((("CPU", "6 4"), ("GPU", "")))]
        for number, result in enumerate(results):
            for backend in SHOWN[:4]:
                row = rows_of(result, backend).get(pixels)
                if not row:
                    continue
                points = [(2 ** i, ms / 1000) for i, ms in enumerate(row["frames_ms"]) if i >= 3]
                if points and points[-1][0] < 1000:
                    points.append((1000, row["mean_ms"]))
                series.append((name_of(results, backend, result), COLOURS[backend], DASHES[number], points))
        pictures[f"face-figure-6-{pixels}.svg"] = plot_svg.lines(f"Figure 6: time over frames, {pixels:,} pixels", "frames", "seconds", series)
    return pictures


def trend(points, degree=6):
    """The polynomial of least squares that the paper draws through its speed-ups, by normal equations in scaled numbers."""
    scale = max(x for x, _ in points)
    rows = [[(x / scale) ** k for k in range(degree + 1)] for x, _ in points]
    matrix = [[sum(r[i] * r[j] for r in rows) for j in range(degree + 1)] + [sum(r[i] * y for r, (_, y) in zip(rows, points))]
              for i in range(degree + 1)]
    for i in range(degree + 1):
        pivot = max(range(i, degree + 1), key=lambda r: abs(matrix[r][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for j in range(degree + 1):
            if j != i:
                factor = matrix[j][i] / matrix[i][i]
                matrix[j] = [a - factor * b for a, b in zip(matrix[j], matrix[i])]
    weights = [matrix[i][-1] / matrix[i][i] for i in range(degree + 1)]
    first = min(x for x, _ in points)
    steps = [first + (scale - first) * i / 60 for i in range(61)]
    return [(x, sum(w * (x / scale) ** k for k, w in enumerate(weights))) for x in steps]


def figures_7_and_8(results):
    least = PAPER[4096]
    growth = curves(results, lambda row, rows, _: row["mean_ms"] / rows[min(rows)]["mean_ms"],
                    lambda index: [(pixels, ms[index] / least[index]) for pixels, ms in PAPER.items()], SHOWN[:4])
    theirs = [(pixels, cpu / gpu) for pixels, (cpu, gpu) in PAPER.items()]
    speedups = curves(results, lambda row, _, result: rows_of(result, "listing")[row["pixels"]]["mean_ms"] / row["mean_ms"],
                      lambda index: theirs if index == 1 else [], SHOWN[1:])
    trends = [("", colour, "1 3", trend(points)) for name, colour, _, points in speedups
              if len(points) == 16 and ("paper" in name)]
    return {
        "face-figure-7.svg": plot_svg.lines("Figure 7: growth of the time with the data", "pixels", "time over that of 4,096 pixels", growth,
                                            log_x=False),
        "face-figure-8.svg": plot_svg.lines("Figure 8: speed-up over the serial program, trends of degree 6", "pixels", "speed-up",
                                            speedups + trends, log_x=False),
    }


def table_1(results):
    header = ["pixels", "the paper: CPU", "GPU", "CPU / GPU"]
    for result in results:
        have = [backend for backend in SHOWN if rows_of(result, backend)]
        header += [f"{backend}, {device(result)}" for backend in have]
    body = []
    for pixels, (cpu, gpu) in PAPER.items():
        line = [f"{pixels:,}", short(cpu), short(gpu), times(cpu / gpu)]
        for result in results:
            for backend in SHOWN:
                rows = rows_of(result, backend)
                if rows:
                    line.append(short(rows[pixels]["mean_ms"]) if pixels in rows else "")
        body.append(line)
    frames = []
    for result in results:
        timed = {backend: [row["repeats"] for row in rows_of(result, backend).values()] for backend in SHOWN[:4]}
        frames.append(f"{device(result)}: " + ", ".join(f"{backend} {min(n):,} to {max(n):,}" for backend, n in timed.items() if n))
    return (table(header, body) + "\nMeans of ms a frame, ten iterations each: a tenth is the time of an iteration, as in the paper. Frames of a "
            f"size that were timed: {'; '.join(frames)}.\n")


def streams(results):
    rows = []
    for result in results:
        for backend in ("paper", "cuda"):
            for pixels, row in sorted(rows_of(result, backend).items()):
                if row.get("upload_ms") and pixels in (4096, 32768, 65536):
                    rows.append([backend, f"{pixels:,}", short(row["upload_ms"]), short(row["ms"]),
                                 f"{100 * (row['ms'] / row['upload_ms'] - 1):+.0f} %"])
    if not rows:
        return ""
    return ("The picture of the next frame is uploaded while this one is fitted (section 5.1); median ms a frame:\n\n"
            + table(["backend", "pixels", "upload before the fit", "upload hidden", "change"], rows))


def iterations(results):
    parts = []
    for result in results:
        counted = {row["pixels"]: row["free_iterations"] for row in result["rows"] if row.get("free_iterations")}
        if counted:
            least, most = min(counted.values()), max(counted.values())
            parts.append(f"{device(result)}: {least:.1f} to {most:.1f} by size")
    return ("The paper's ten iterations are about the mean of a loop that ends by itself on its clips. On these films such a loop (an improvement "
            f"under 0.01 % of E, 30 at most) takes, in the mean of 100 frames, {'; '.join(parts)}.\n") if parts else ""


def statements(results):
    """What the paper says in numbers, and the same of ours."""
    rows = []
    for result in results:
        name = device(result)
        for pixels in (4096, 32768, 65536):
            listing, paper, cuda, cpu = (rows_of(result, backend).get(pixels) for backend in ("listing", "paper", "cuda", "cpu"))
            cpu_ms, gpu_ms = PAPER[pixels]
            if listing and paper:
                ours, theirs = listing["mean_ms"] / paper["mean_ms"], cpu_ms / gpu_ms
                rows.append([f"{pixels:,} pixels: its kernels over the serial program", times(theirs), f"{times(ours)}, {name}",
                             "ours, by its GPU" if ours > theirs else "the paper's"])
            for backend, row in (("cuda", cuda), ("cpu", cpu)):
                if listing and row:
                    rows.append([f"{pixels:,} pixels: `{backend}` over the serial program", "", f"{times(listing['mean_ms'] / row['mean_ms'])}, {name}",
                                 "ours"])
            best = cuda or cpu
            if best:
                rows.append([f"{pixels:,} pixels: frames per second", f"{short(1000 / gpu_ms)} on its GPU", f"{short(1000 / best['mean_ms'])}, {name}",
                             "ours" if best["mean_ms"] < gpu_ms else "the paper's"])
        for index, backend in enumerate(("listing", "paper")):
            rows_here = rows_of(result, backend)
            if 4096 in rows_here and 65536 in rows_here:
                ours, theirs = (rows_here[65536]["mean_ms"] / rows_here[4096]["mean_ms"], PAPER[65536][index] / PAPER[4096][index])
                rows.append([f"growth of the time of `{backend}` from 4,096 to 65,536 pixels", times(theirs), f"{times(ours)}, {name}",
                             "ours" if ours < theirs else "the paper's"])
    return table(["what", "the paper", "measured", "who wins"], rows)


def followed(results):
    rows = []
    for result in results:
        for backend in SHOWN[:4]:
            for pixels, row in sorted(rows_of(result, backend).items()):
                if row.get("error") is not None and pixels in (4096, 32768, 65536):
                    rows.append([f"{backend}, {device(result)}", f"{pixels:,}", f"{row['error']:.2f}", f"{row['lost']} of {row['repeats']:,}"])
    return table(["program", "pixels", "mean error, pixels", "frames lost"], rows)


def before(results, kept):
    result = next((result for result in results if result["machine"]["gpus"]), None)
    old = kept.get("before", {}).get("face")
    if not result or not old:
        return ""
    body = []
    for pixels in (4096, 32768, 65536):
        listing, cpu, paper, cuda = (rows_of(result, backend)[pixels] for backend in SHOWN[:4])
        now = {"cuda over paper, device": cuda["speedup_paper"], "cuda over paper": paper["ms"] / cuda["ms"],
               "cuda over listing": listing["ms"] / cuda["ms"], "cpu over listing": listing["ms"] / cpu["ms"],
               "paper over listing": listing["ms"] / paper["ms"]}
        for name, value in now.items():
            was = old[str(pixels)][name]
            body.append([name, f"{pixels:,}", times(was), times(value), f"{100 * (value / was - 1):+.0f} %"])
    return f"{device(result)}, before `{old['commit']}`, by medians:\n\n" + table(["ratio", "pixels", "before", "now", "change"], body)


def page(results, kept):
    sizes = "\n\n".join(f"![Time over frames, {pixels:,} pixels](face-figure-6-{pixels}.svg)" for pixels in (4096, 8192, 16384, 32768, 65536))
    text = f"""\
## Figure 2: where the time of the serial program goes

{figure_2(results)}
{before_shares(kept)}
## Figure 5: the templates

![Templates of texture and shape](face-figure-5.svg)

At a third of their size. Trained on 82 drawn photographs of different people, as the paper trains on 82 of FG-NET.

## Figure 6: time over frames

{sizes}

Lines of fewer than 1,000 frames go on as long a frame as theirs.

## Figure 7: growth of the time

![Growth of the time with the size](face-figure-7.svg)

## Figure 8: speed-up over the serial program

![Speed-up over the serial program](face-figure-8.svg)

## Table 1: time per frame

{table_1(results)}
{statements(results)}
{iterations(results)}
{streams(results)}
How the films were followed:

{followed(results)}
## Before and after the baselines were mended

{before(results, kept) or NO_GPU}"""
    return text, {**figure_5(results), **figure_6(results), **figures_7_and_8(results)}
