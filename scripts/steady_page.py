"""The page and the plot of measure_steady.py: docs/steady.md and docs/steady.svg."""

COLUMNS = {"sensor": ("sensor", "mm"), "aligned": ("aligned", "mm"), "rest": ("all at rest", "mm"), "delay": ("delay", "ms"),
           "gyroscope": ("by gyroscope", "ms"), "kinect": ("to Kinect", "mm")}
TITLES = {"others": "Other people (subjects 2 and 4)", "chosen on": "The people that constants were chosen on (1 and 3)"}

INTRODUCTION = """\
<!-- Made by scripts/measure_steady.py; changes made here by hand are lost. -->
# Jitter at rest, delay in motion

A pose that is given out at once trembles with the noise of the sensor, and any low pass that stills it delays it.
kinema's low pass has a cutoff that rises with the square of a joint's speed: `--rest-cutoff`, 1 Hz unless given, is that
at rest ([tracking.md](tracking.md#settings)). It concerns poses at once: the live page, receivers, `--lag 0`, and
`Tracker::track()`. Poses that later frames correct (`--lag`) need none.

Real Kinect recordings: UTD-MHAD, 40 recordings of four people at 16 to 20 frames per second. Constants were chosen on two of
them and on simulated people, and not on the other two.

It costs a little accuracy in motion. Mean joint error with `--lag 0`, without and with it: 41.5 and 41.8 mm on 36 simulated
recordings of realistic people (three seeds, which differ by 39.6 to 42.9 mm), 35.8 and 36.3 mm on 8 others that nothing was
chosen on.

![Jitter of joints at rest against delay in motion](steady.svg)
"""

LEGEND = """\
- **sensor**: deviation of the second differences of the wrist or knee that wears an inertial sensor, while that sensor is
  calm; median of the 12 recordings with at least five such frames. It includes ends of motions, since the pictures' clock
  is 0.1 s behind the sensor's: a pose that is right moves then.
- **aligned**: the same with both clocks aligned, 80 ms after a motion and before the next; 9 recordings.
- **all at rest**: rms of the second differences along an axis of every joint that the Kinect SDK has within 12 mm for
  0.6 s; median of joints.
- **delay**: of joints of the limbs faster than 0.3 m/s against those of the default lag, which has frames after as well as
  before, by least squares.
- **by gyroscope**: delay of the limb's angular speed against the worn gyroscope, less that of the default lag; median.
- **to Kinect**: mean distance to the SDK's joints, less the median vector of each joint.

With `--lag N` a pose is written N frames or more later (N / 19 s here), but it belongs to its own frame: its delay is that of
the motion in it. The SDK's joints are smoothed and predicted: they run 1.6 frames ahead of the pictures.
"""


def label(run):
    kind, _, value = run.partition(" ")
    if kind == "cutoff":
        return "`--lag 0 --rest-cutoff 0` (none)" if value == "0" else f"`--lag 0 --rest-cutoff {value}`" + (
            " (default)" if value == "1" else "")
    return f"`--lag {value}`" + (" (default of files)" if value == "15" else "") if kind == "lag" else "Kinect SDK"


def table(rows):
    lines = ["| | " + " | ".join(f"{name}, {unit}" for name, unit in COLUMNS.values()) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for run, values in rows.items():
        cells = [f"{values[key]:.{0 if unit == 'ms' else 2 if key != 'kinect' else 1}f}" for key, (_, unit) in COLUMNS.items()]
        lines.append(f"| {label(run)} | " + " | ".join("0" if cell == "-0" else cell for cell in cells) + " |")
    return "\n".join(lines)


def text(tables):
    return "\n\n".join(f"{TITLES[half]}:\n\n{table(rows)}" for half, rows in tables.items())


def plot(rows):
    width, height, left, right, top, bottom = 760, 420, 64, 24, 46, 56
    curves = {"sensor's joint, clocks aligned": ("aligned", "#0b6e99"), "all joints at rest": ("rest", "#b3541e")}
    runs = [run for run in rows if run.startswith("cutoff")]
    most_x = 5 * (int(max(rows[run]["delay"] for run in runs) / 5) + 1)
    most_y = 0.2 * (int(max(rows[run]["aligned"] for run in runs) / 0.2) + 1)

    def x(ms):
        return left + (width - left - right) * ms / most_x

    def y(mm):
        return height - bottom - (height - top - bottom) * mm / most_y

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             'font-family="system-ui, sans-serif" font-size="13">', f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             f'<text x="{left}" y="26" font-size="16" font-weight="600" fill="#222">Jitter at rest against delay in motion, '
             "other people</text>"]
    for step in range(int(most_y / 0.2 + 0.5) + 1):
        at = y(0.2 * step)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ececec"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4.5:.1f}" text-anchor="end" fill="#444">{0.2 * step:.1f}</text>')
    for ms in range(0, most_x + 1, 5):
        parts.append(f'<line x1="{x(ms):.1f}" x2="{x(ms):.1f}" y1="{top}" y2="{height - bottom}" stroke="#ececec"/>')
        parts.append(f'<text x="{x(ms):.1f}" y="{height - bottom + 19}" text-anchor="middle" fill="#444">{ms}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle" fill="#222">delay, ms</text>')
    parts.append(f'<text transform="translate(18 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle" '
                 'fill="#222">second differences, mm</text>')
    for number, (name, (key, colour)) in enumerate(curves.items()):
        path = " ".join(f'{x(rows[run]["delay"]):.1f},{y(rows[run][key]):.1f}' for run in runs)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for run in runs:
            value = run.partition(" ")[2]
            at = x(rows[run]["delay"]), y(rows[run][key])
            parts.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{5 if value == "1" else 3}" fill="{colour}"/>')
            parts.append(f'<text x="{at[0] + 6:.1f}" y="{at[1] - 7:.1f}" fill="{colour}">'
                         f'{"none" if value == "0" else value + " Hz"}</text>')
        lag = rows["lag 15"]
        parts.append(f'<rect x="{x(max(0, lag["delay"])) - 4:.1f}" y="{y(lag[key]) - 4:.1f}" width="8" height="8" fill="none" '
                     f'stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{width - right - 6}" y="{top + 18 + 20 * number}" text-anchor="end" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{width - right - 6}" y="{top + 58}" text-anchor="end" fill="#444">circles: --lag 0; squares: the '
                 "default lag</text>")
    return "\n".join(parts + ["</svg>"]) + "\n"


def write(folder, tables):
    parts = [INTRODUCTION] + [f"## {TITLES[half]}\n\n{table(rows)}\n" for half, rows in tables.items()] + [LEGEND]
    (folder / "steady.md").write_text("\n".join(parts))
    (folder / "steady.svg").write_text(plot(tables["others"]))
