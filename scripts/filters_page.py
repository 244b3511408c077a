"""The page and the plot of compare_filters.py: docs/filters.md and docs/filters.svg, from its results."""

import itertools
import math
from html import escape
from statistics import mean, median

# colour, dashes and width of each family's line; families of one kind share a colour
STYLES = {
    "paper": ("#000000", "", 1.8),
    "plain": ("#6b6b6b", "", 1.8),
    "plain, constant velocity": ("#6b6b6b", "7 4", 1.8),
    "plain, spatial": ("#6b6b6b", "2 3", 1.8),
    "annealing, 3 layers": ("#c98a00", "", 1.8),
    "annealing, 5 layers": ("#c98a00", "7 4", 1.8),
    "limb by limb": ("#008f68", "", 1.8),
    "limb by limb, 2 layers": ("#008f68", "7 4", 1.8),
    "refined": ("#2a78c2", "", 1.8),
    "refined, 2 layers": ("#2a78c2", "7 4", 1.8),
    "default": ("#c8411b", "", 3.0),
}

# evaluations for which motions are shown one by one
MIDDLE = 400

# name, its families, and their description
FILTERS = [
    ("paper", ["paper"], "`--paper`: the filter of the paper and nothing else, see [body-method.md](body-method.md#the-filter-of-the-paper)"),
    ("plain", ["plain"], "`--layers 1 --refined 0 --rivals 0 --motion random-walk`: the paper's steps, with tempered weights, first "
     "hits, free space, and one particle that is moved without noise"),
    ("plain, constant velocity; plain, spatial", ["plain, constant velocity", "plain, spatial"],
     "the same with that `--motion`; all that follow have constant velocity, so the first of these is their baseline"),
    ("annealing", ["annealing, 3 layers", "annealing, 5 layers"], "`--layers 3` or `5`, `--refined 0 --rivals 0`"),
    ("limb by limb", ["limb by limb", "limb by limb, 2 layers"], "`--limbs --layers 1` or `2`, `--refined 0 --rivals 0`"),
    ("refined", ["refined", "refined, 2 layers"], "`--refined 4 --layers 1` or `2`, `--rivals 0`"),
    ("default", ["default"], "`--refined 4 --layers 2 --rivals 6`: no option at all"),
]

PAGE = """\
<!-- Made by scripts/compare_filters.py from bench/results/filters.json; changes made here by hand are lost. -->
# Filters for an equal number of evaluations

The cost of a filter is the number of poses that it compares with the points of a frame. Given the same number of such
evaluations, which filter follows a person best? Truth comes from motion-capture clips in front of a simulated depth
camera; each frame has the sensor's noise, a floor and a wall.

![Mean joint error against evaluations per frame, one line per filter](filters.svg)

{summary}
## The filters

{filters}
One evaluation is a pass of one pose over all points of a frame. Particles count once per layer, five times per layer with
`--limbs`. A refined pose counts 8: its start, six steps, and the final weighing. Six rivals and the search in every
fifth frame count {rivals:.0f}. Each filter gets as many particles as its budget then leaves, so the default has
{default_particles} of them at {least} evaluations.

## Mean joint error, mm

Mean over {motions}{seeds}. The best of each column with all filters is bold. A dash: not
measured.

{families}
By motion, at {middle} evaluations. "Within 100 mm" is the share of all joints of all frames, missing ones counted as
outside; processor time is that of one thread and includes reading, foreground and the search of the first frame.

{by_motion}
## About the default

One setting changed at a time, all at {variation_budget} evaluations, as many as the default takes on a machine with two cores.

{variations}
{noise}
{others}{people}## What the particles are worth

{worth}
## What limits this

- The first {frames} frames of each clip, at 30 a second:
  {clips}.
  One person seen from the front, {points:,} points, nothing in front of them. Rivals are for people taken back to front and
  for limbs that are swapped or hidden. The motions of the plot hardly have these, so they show the cost of rivals rather
  than their use.
- Every run starts with the tracker's own search, the same for all filters. A filter that loses the person searches again
  in the same frame, which is not counted as evaluations, so the worst errors of the plain filters are flattered.
- The recording's skeleton is given, not fitted, except that of the people. Poses are the filter's own (`--lag 0`): no later frame is used.
- Evaluations are not time. The steps of a refinement find nearest capsules, sum a normal matrix and solve it; for the few
  points of rivals the latter takes longer than the points. Processor times stand beside the errors for that reason.

## Make it again

```sh
scripts/compare_filters.py{arguments}
```

also takes your own clips, and resumes a sweep that was stopped if it has a `--scratch` folder; see `--help`. This
page: {cpu}, {cores} cores, {system}; {date}, commit `{commit}`.
"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] + ["---:"] * (len(header) - 1)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def listed(words):
    words = list(words)
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


class Results:
    """Means over motions and seeds. A configuration counts with the seeds for which all motions were run."""

    def __init__(self, result):
        self.motions = list(result["clips"])
        self.runs = {}
        for row in result["rows"]:
            if "mean_mm" in row and row["group"] not in ("others", "people"):
                self.runs.setdefault((row["group"], row["name"], row["budget"]), {}).setdefault(
                    row["seed"], {})[row["motion"]] = row
        for key, seeds in list(self.runs.items()):
            whole = {seed: rows for seed, rows in seeds.items() if len(rows) == len(self.motions)}
            if whole:
                self.runs[key] = whole
            else:
                del self.runs[key]

    def names(self, group):
        return list(dict.fromkeys(name for kind, name, _ in self.runs if kind == group))

    def budgets(self):
        return sorted({budget for group, _, budget in self.runs if group == "families"})

    def by_seed(self, group, name, budget, value="mean_mm"):
        return [mean(row[value] for row in rows.values()) for rows in self.runs.get((group, name, budget), {}).values()]

    def of_seed(self, group, name, budget, seed):
        rows = self.runs.get((group, name, budget), {}).get(seed)
        return mean(row["mean_mm"] for row in rows.values()) if rows else None

    def value(self, group, name, budget, value="mean_mm"):
        values = self.by_seed(group, name, budget, value)
        return mean(values) if values else None

    def on(self, group, name, budget, motion):
        return mean(rows[motion]["mean_mm"] for rows in self.runs[group, name, budget].values())


def filters_table(results):
    measured = set(results.names("families"))
    rows = [[name, words] for name, families, words in FILTERS if measured & set(families)]
    return "| name | `kinema body track` with |\n| --- | --- |\n" + "".join(f"| {a} | {b} |\n" for a, b in rows)


def families_table(results):
    budgets, names = results.budgets(), results.names("families")
    values = {name: [results.value("families", name, budget) for budget in budgets] for name in names}
    # a column without all filters has no best
    least = [None if None in column else min(column) for column in zip(*values.values())]

    def cell(value, best):
        if value is None:
            return "–"
        return f"**{value:.1f}**" if value == best else f"{value:.1f}"

    return table(["filter \\ evaluations per frame", *(f"{budget:,}" for budget in budgets)],
                 [[name, *map(cell, values[name], least)] for name in names])


def by_motion_table(results, budget):
    rows = []
    for name in results.names("families"):
        if ("families", name, budget) not in results.runs:
            continue
        rows.append([name, *(f"{results.on('families', name, budget, motion):.1f}" for motion in results.motions),
                     f"{100 * results.value('families', name, budget, 'within_100mm'):.1f} %",
                     f"{results.value('families', name, budget, 'processor_ms_per_frame'):.0f}"])
    return table(["filter", *(f"{motion}, mm" for motion in results.motions), "within 100 mm", "processor ms per frame"],
                 rows)


def variations_table(results, budget, default):
    rows = []
    for name in results.names("variations"):
        values = results.by_seed("variations", name, budget)
        # compared with the default for the same seeds
        seeds = results.runs["variations", name, budget].keys()
        same = [(mine, its) for seed, mine in zip(seeds, values)
                if (its := results.of_seed("variations", default[0], budget, seed)) is not None]
        words = "the default"
        if name not in default:
            words = f"{100 * (sum(m for m, _ in same) / sum(i for _, i in same) - 1):+.1f} %" if same else ""
        seed_words = f"{len(values)}: {min(values):.1f} to {max(values):.1f}" if len(values) > 1 else "1"
        rows.append([f"`--{name}`", f"{mean(values):.1f}", words,
                     *(f"{results.on('variations', name, budget, motion):.1f}" for motion in results.motions),
                     f"{results.value('variations', name, budget, 'processor_ms_per_frame'):.0f}", seed_words])
    return table(["setting", "mean, mm", "to the default", *(f"{motion}, mm" for motion in results.motions),
                  "processor ms per frame", "seeds, mm"], rows)


def others_table(result):
    """Rivals on motions beyond those of all the rest."""
    motions = list(result.get("other_clips", {}))
    errors = {}
    for row in result["rows"]:
        if row["group"] == "others" and "mean_mm" in row:
            errors.setdefault(row["name"], {})[row["motion"]] = row["mean_mm"]
    rows = [[f"`--{name}`", *(f"{found[motion]:.1f}" for motion in motions), f"{mean(found.values()):.1f}"]
            for name, found in errors.items() if len(found) == len(motions)]
    if not rows:
        return ""
    return ("Rivals on other motions, one seed, mm:\n\n" + table(["setting", *motions, "mean"], rows) + "\n")


def people_table(result):
    """Filters on recordings of people who are not known."""
    people = result.get("people", [])
    errors = {}
    for row in result["rows"]:
        if row["group"] == "people" and "mean_mm" in row:
            errors.setdefault(row["name"], {}).setdefault(row["budget"], {})[row["motion"]] = row["mean_mm"]
    budgets = sorted({budget for of in errors.values() for budget in of})
    rows = []
    for name, of in errors.items():
        whole = {budget: found for budget, found in of.items() if len(found) == len(people)}
        at = whole.get(MIDDLE, {})
        rows.append([name, *(f"{mean(whole[budget].values()):.1f}" if budget in whole else "–" for budget in budgets),
                     *(f"{at[person]:.1f}" if at else "–" for person in people)])
    if not rows:
        return ""
    return ("## People who are not known\n\nMeshes of people in clothes, in front of two kinds of depth cameras: nothing in them comes from "
            "kinema's own simulator. The\nskeleton is fitted meanwhile. Mean joint error, mm, against evaluations; then the people one by one, "
            f"at {MIDDLE}. The\ntracker's constants were tuned on these people; their recordings are not part of kinema.\n\n" +
            table(["filter", *(f"{budget:,}" for budget in budgets), *people], rows) + "\n")


def worth(results, result):
    """What more particles bring, as words."""
    budgets = [budget for budget in results.budgets() if results.value("families", "refined", budget)]
    few, many = budgets[0], budgets[-1]
    particles = {row["budget"]: row["filter"]["particles"] for row in result["rows"]
                 if row["group"] == "families" and row["name"] == "refined"}
    text = (f"Refined filters reach {results.value('families', 'refined', few):.1f} mm with {particles[few]} particles and "
            f"{results.value('families', 'refined', many):.1f} mm with {particles[many]:,}: their number hardly\nmatters once the best "
            "are refined. ")
    if result.get("people"):
        def on_people(budget):
            return mean(row["mean_mm"] for row in result["rows"]
                        if row["group"] == "people" and row["name"] == "default" and row["budget"] == budget and "mean_mm" in row)
        counts = {row["budget"]: row["filter"]["particles"] for row in result["rows"] if row["group"] == "people" and row["name"] == "default"}
        low, high = min(counts), max(counts)
        text += (f"Nor does it for people who are not known: the default has {on_people(low):.1f} mm with\n{counts[low]} particles and "
                 f"{on_people(high):.1f} mm with {counts[high]:,}. ")
    return text + ("Likelihoods of thousands of points are so sharp that of hundreds of\nparticles one to four carry all weight. So the "
                   "default is an optimiser with rivals: particles are the starts from which the\nbest poses are refined, rivals those from which "
                   "a wrong pose is left, and what is stated as a deviation comes from the\ncurvature at the optimum and the errors that points "
                   "share, not from the spread of the particles. Without refinement\n(`--paper`, `--refined 0`) it is a particle filter, and its "
                   "number of particles counts.\n")


def spread(results, chosen):
    """Of two seeds, how far the larger mean lies above the smaller, in percent, over all configurations chosen."""
    spreads = []
    for group, name, budget in results.runs:
        if chosen(group, name):
            for a, b in itertools.combinations(results.by_seed(group, name, budget), 2):
                spreads.append(100 * (max(a, b) / min(a, b) - 1))
    return spreads


def noise(results, default):
    def refined(group, name):
        # the default has several names among the variations, of which one counts
        return name not in ("refined 0", *default[1:]) and (group == "variations" or name.startswith(("refined", "default")))

    with_refinement = spread(results, refined)
    without = spread(results, lambda group, name: group == "families" and not name.startswith(("refined", "default")))
    if not with_refinement and not without:
        return "One seed only: how far two seeds differ was not measured.\n"
    parts = []
    for label, spreads in (("with refinement", with_refinement), ("without", without)):
        if spreads:
            parts.append(f"{median(spreads):.1f} % (at most {max(spreads):.0f} %, {len(spreads)} pairs) {label}")
    rest = "" if without else " How far they differ without refinement,\nprobably more, was not measured."
    return (f"Two seeds of one filter differ, in the mean over all motions, by a median of\n{', and of '.join(parts)}. "
            "Smaller\ndifferences than these say nothing." + rest + "\n")


def summary(results):
    budgets = results.budgets()
    lines = []
    common = [budget for budget in budgets if results.value("families", "default", budget)]
    simplest = "paper" if "paper" in results.names("families") else "plain"
    plain = [(results.value("families", simplest, budget), budget) for budget in budgets
             if results.value("families", simplest, budget)]
    for budget in (common[0], MIDDLE, common[-1]):
        ranked = sorted((results.value("families", name, budget), name) for name in results.names("families")
                        if results.value("families", name, budget) is not None)
        if not any(f"**{budget:,} " in line for line in lines):
            lines.append(f"- **{budget:,} evaluations:** " + ", ".join(f"{name} {value:.1f} mm" for value, name in ranked[:3])
                         + f"; last {ranked[-1][1]} {ranked[-1][0]:.1f} mm.")
    best, at = min(plain)
    small = results.value("families", "default", common[0])
    words = "filter of the paper" if simplest == "paper" else "plain filter"
    lines.append(f"- The best of the {words} is {best:.1f} mm, at {at:,} evaluations; the default has {small:.1f} mm at "
                 f"{common[0]:,}.")
    return "\n".join(lines) + "\n"


def ticks(low, high):
    return [step * 10 ** power for power in range(0, 5) for step in (1, 2, 5) if low <= step * 10 ** power <= high]


def spaced(labels, gap, top, bottom):
    """Places labels (y, ...) at least a gap apart, as near to their y as that allows."""
    labels = sorted(labels)
    places = [y for y, *_ in labels]
    for _ in range(200):
        for i in range(len(places) - 1):
            short = gap - (places[i + 1] - places[i])
            if short > 0:
                places[i] -= short / 2
                places[i + 1] += short / 2
        places = [min(max(y, top), bottom) for y in places]
    return [(place, *label) for place, label in zip(places, labels)]


def plot(results):
    width, height, left, right, top, bottom = 900, 540, 64, 214, 46, 56
    budgets = results.budgets()
    lines = {name: [(budget, value) for budget in budgets
                    if (value := results.value("families", name, budget)) is not None]
             for name in results.names("families")}
    errors = [value for line in lines.values() for _, value in line]
    low, high = min(errors) / 1.12, max(errors) * 1.08
    first, last = budgets[0] / 1.12, budgets[-1] * 1.12

    def x(evaluations):
        return left + (width - left - right) * math.log(evaluations / first) / math.log(last / first)

    def y(error):
        return top + (height - top - bottom) * math.log(high / error) / math.log(high / low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="system-ui, sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             f'<text x="{left}" y="26" font-size="16" font-weight="600" fill="#222">Mean joint error for an equal number '
             "of evaluations</text>"]
    for budget in budgets:
        parts.append(f'<line x1="{x(budget):.1f}" x2="{x(budget):.1f}" y1="{top}" y2="{height - bottom}" '
                     'stroke="#ececec"/>')
        parts.append(f'<text x="{x(budget):.1f}" y="{height - bottom + 19}" text-anchor="middle" fill="#444">'
                     f'{budget:,}</text>')
    for error in sorted({*ticks(low, high), *(e for e in (30, 40, 70, 150) if low <= e <= high)}):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(error):.1f}" y2="{y(error):.1f}" '
                     'stroke="#ececec"/>')
        parts.append(f'<text x="{left - 8}" y="{y(error) + 4.5:.1f}" text-anchor="end" fill="#444">{error:g}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle" fill="#222">'
                 'likelihood evaluations per frame</text>')
    parts.append(f'<text transform="translate(18 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle" '
                 'fill="#222">mean joint error, mm</text>')
    ends = []
    for name, line in lines.items():
        colour, dashes, thickness = STYLES.get(name, ("#000000", "", 1.5))
        path = " ".join(f"{x(budget):.1f},{y(error):.1f}" for budget, error in line)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{thickness}"{dash} '
                     'stroke-linejoin="round"/>')
        for budget, error in line:
            parts.append(f'<circle cx="{x(budget):.1f}" cy="{y(error):.1f}" r="{thickness + 1:.1f}" fill="{colour}">'
                         f'<title>{escape(name)}, {budget:,} evaluations: {error:.1f} mm</title></circle>')
        ends.append((y(line[-1][1]), name, colour, x(line[-1][0])))
    for place, end, name, colour, from_x in spaced(ends, 17, top + 6, height - bottom - 4):
        edge = width - right
        parts.append(f'<path d="M{from_x + 6:.1f} {end:.1f} H{max(edge - 14, from_x + 6):.1f} L{edge + 8} {place:.1f} '
                     f'H{edge + 14}" fill="none" stroke="{colour}" stroke-opacity="0.35" stroke-width="0.8"/>')
        weight = ' font-weight="700"' if name == "default" else ""
        parts.append(f'<text x="{edge + 19}" y="{place + 4.5:.1f}" fill="{colour}"{weight}>{escape(name)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def write(result, folder):
    """False, and nothing written, where too little was measured for a page."""
    results = Results(result)
    if ("families", "default", MIDDLE) not in results.runs or len(results.budgets()) < 2:
        return False
    rows = [row for row in result["rows"] if row["name"] == "default"]
    least = min(rows, key=lambda row: row["budget"])
    default = next(row["filter"] for row in rows)
    settings = [f"{key} {value}" for key, value in default.items() if key not in ("particles", "paper")]
    variations = [row for row in result["rows"] if row["group"] == "variations"]
    budget = variations[0]["budget"] if variations else 0
    seeds = sorted({len(runs) for key, runs in results.runs.items() if key[0] == "families"})
    seeds_words = ", one seed" if seeds == [1] else f" and {seeds[0]}" + (f" to {seeds[-1]}" if seeds[1:] else "") + " seeds"
    samples = set(result["clips"].values()) == {"walk.bvh"}
    machine = result["machine"]
    page = PAGE.format(
        summary=summary(results), filters=filters_table(results), families=families_table(results), middle=MIDDLE, by_motion=by_motion_table(results, MIDDLE),
        rivals=least["evaluations"] - least["filter"]["particles"] * default["layers"] - 8 * default["refined"],
        default_particles=least["filter"]["particles"], least=least["budget"],
        motions=listed(results.motions), seeds=seeds_words, variation_budget=budget,
        variations=variations_table(results, budget, settings),
        noise=noise(results, settings), others=others_table(result), people=people_table(result), worth=worth(results, result), frames=result["frames"], points=result["points"],
        clips=listed(f"{name} ({clip})" for name, clip in {**result["clips"], **result.get("other_clips", {})}.items()) + ("" if samples else
              " of the CMU motion capture database"),
        arguments="" if samples else " " + " ".join(f"{name}=clips/{clip}" for name, clip in result["clips"].items())
        + "".join(f"{' --also' if i == 0 else ''} {name}=clips/{clip}"
                  for i, (name, clip) in enumerate(result.get("other_clips", {}).items()))
        + (f" --seeds {','.join(map(str, result['seeds']))}" if len(result["seeds"]) > 1 else ""),
        cpu=machine["cpu"], cores=machine["cores"], system=machine["system"], date=result["date"][:10],
        commit=result["commit"])
    (folder / "filters.md").write_text(page)
    (folder / "filters.svg").write_text(plot(results))
    return True
