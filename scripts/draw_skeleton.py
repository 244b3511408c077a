#!/usr/bin/env python3
"""Draws the default skeleton, docs/skeleton.svg, and makes the tables of docs/skeleton.md.

    scripts/draw_skeleton.py            write both
    scripts/draw_skeleton.py --check    exit 1 where they are not what the sources give

All numbers are read from src/body/skeleton/default_human.cpp and src/body/skeleton/proportions.cpp. A table stands between the lines
`<!-- table NAME -->` and `<!-- end -->`.
"""

import math
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HUMAN = ROOT / "src" / "body" / "skeleton" / "default_human.cpp"
PROPORTIONS = ROOT / "src" / "body" / "skeleton" / "proportions.cpp"
PAGE = ROOT / "docs" / "skeleton.md"
DRAWING = ROOT / "docs" / "skeleton.svg"

NUMBER = r"-?\d+(?:\.\d+)?"

# The two directions of each freedom, the positive one first: by joint without its side, in their order.
MOVEMENTS = {
    "lower_back": ["forwards / back", "to the right / left", "turned left / right"],
    "spine": ["forwards / back", "to the right / left", "turned left / right"],
    "neck": ["forwards / back", "to the right / left"],
    "head": ["nodding down / up", "turned left / right"],
    "clavicle": ["forwards / back", "up / down"],
    "shoulder": ["forwards / back", "up / down", "about the upper arm"],
    "elbow": ["bending"],
    "wrist": ["forwards / back", "up / down"],
    "hip": ["back / forwards", "outwards / inwards", "toes outwards / inwards"],
    "knee": ["bending"],
    "ankle": ["toes down / up", "sole outwards / inwards"],
    "toe": ["toes down / up"],
}

# What a joint is, the landmark of the survey that it comes from, and that landmark's height over the stature
# (scripts/analyse_survey.py prints these).
PLACES = {
    "pelvis": ("midway between the hip joints", "as the hips", None),
    "lower_back": ("near the lumbosacral joint", "none: chosen", None),
    "spine": ("near the thoracolumbar junction", "none: chosen", None),
    "neck": ("seventh cervical vertebra, C7", "cervicale", 0.8604),
    "head": ("base of the skull, where it nods", "tragion, and 0.4 % below", 1 - 0.0763),
    "clavicle": ("inner end of the collarbone", "none: chosen", None),
    "shoulder": ("centre of the head of the humerus", "acromion, and 2.4 % below", 0.8200),
    "elbow": ("axis of the humerus's condyles", "radiale, and 0.8 % towards the shoulder", None),
    "wrist": ("between forearm and carpal bones", "stylion", None),
    "hip": ("centre of the head of the femur", "trochanterion", 0.5159),
    "knee": ("axis of the femur's condyles", "lateral epicondyle of the femur", 0.2830),
    "ankle": ("axis of the talus", "lateral malleolus", 0.0400),
    "toe": ("ball of the foot", "none: chosen", None),
}


class Joint:
    def __init__(self, name, parent, offset, freedoms):
        self.name, self.parent, self.offset, self.freedoms = name, parent, offset, freedoms
        self.place = offset if parent is None else add(parent.place, offset)


class Capsule:
    def __init__(self, name, joint, a, b, radius):
        self.name, self.joint, self.a, self.b, self.radius = name, joint, a, b, radius


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def norm(a):
    return math.sqrt(sum(x * x for x in a))


def without_side(name):
    return re.sub("^(left|right)_", "", name)


def numbers(text):
    return [float(n) for n in re.findall(NUMBER, text)]


def read_human():
    """Joints and capsules of default_human.cpp in its rest pose, as shares of the stature."""
    text = " ".join(line.split("//")[0] for line in HUMAN.read_text().splitlines())
    bodies = {
        "": re.search(r"Skeleton default_human\(double height\) \{(.*?)draw\.arm", text).group(1),
        "arm": re.search(r"void arm\(.*?\{(.*?)\bvoid leg", text).group(1),
        "leg": re.search(r"void leg\(.*?\{(.*?)\bSkeleton skeleton;", text).group(1),
    }
    vector = r"(?:at\(|\{)([^(){}]*)[)}]"
    # names begin with the side where there are two
    joint_call = re.compile(
        rf'const int (\w+) =\s*(?:draw\.)?joint\((side \+ )?"_?(\w+)", (-1|\w+), {vector},\s*\{{(.*?)\}}\);')
    capsule_call = re.compile(rf'\bcapsule\((side \+ )?"_?(\w+)", (\w+), {vector}, {vector}, ({NUMBER})\);')
    joints, capsules = [], []
    middle = {}

    def read(body, side):
        sign = -1 if side == "right" else 1
        known = dict(middle)
        prefix = side + "_" if side else ""

        def mirrored(found):
            x, y, z = numbers(found)
            return (sign * x, y, z)

        for variable, _, name, parent, offset, freedoms in joint_call.findall(body):
            limits = [numbers(f)[-3:] for f in re.findall(r"\{([^{}]*)\}", "{" + freedoms + "}")]
            joint = Joint(prefix + name, known.get(parent), mirrored(offset), [f for f in limits if f])
            known[variable] = joint
            joints.append(joint)
        for _, name, joint, a, b, radius in capsule_call.findall(body):
            capsules.append(Capsule(prefix + name, known[joint], mirrored(a), mirrored(b), float(radius)))
        return known

    middle = read(bodies[""], "")
    for part in ("arm", "leg"):
        for side in ("left", "right"):
            read(bodies[part], side)
    # every call must have been understood
    for kind, found in (("joint", joints), ("capsule", capsules)):
        calls = [len(re.findall(rf'\b{kind}\((?:side|")', bodies[part])) for part in ("", "arm", "leg")]
        if len(found) != calls[0] + 2 * (calls[1] + calls[2]):
            raise SystemExit(f"{HUMAN.name}: some calls of {kind}() could not be read")
    return joints, capsules


def read_proportions():
    """By segment: (elasticity, child, toddler, loads, own) of length and radius, and the width's deviation."""
    text = " ".join(line.split("//")[0] for line in PROPORTIONS.read_text().splitlines())
    table = re.search(r"const Row rows\[\] = \{(.*?)\};", text).group(1)
    rows = {}
    for name, row in re.findall(r'\{"(\w+)",\s*\{(.*?)\}\}(?=,\s)', table):
        n = numbers(row)
        if len(n) != 15:
            raise SystemExit(f"{PROPORTIONS.name}: the row of {name} could not be read")
        rows[name] = {"length": n[:7], "radius": n[7:14], "width": n[14]}
    bounds = {name: float(value) for name, value in re.findall(r"(\w+_adult|\w+_stature) = (" + NUMBER + ")", text)}
    return rows, bounds


def log_measure(variation, stature, bounds):
    """As the function of that name in proportions.cpp."""
    elasticity, child, toddler = variation[:3]
    adult = min(max(stature, bounds["smallest_adult"]), bounds["tallest_adult"])
    change = 0
    if stature < bounds["child_stature"]:
        share = (bounds["child_stature"] - stature) / (bounds["child_stature"] - bounds["toddler_stature"])
        change = child + min(1, share) * (toddler - child)
    elif stature < bounds["smallest_adult"]:
        change = child * (bounds["smallest_adult"] - stature) / (bounds["smallest_adult"] - bounds["child_stature"])
    return elasticity * math.log(adult) + math.log(stature / adult) + change


def extent(capsules):
    """Lowest and highest point in the rest pose."""
    low = min(c.joint.place[1] + min(c.a[1], c.b[1]) - c.radius for c in capsules)
    high = max(c.joint.place[1] + max(c.a[1], c.b[1]) + c.radius for c in capsules)
    return low, high


def person(height, survey_stature, human, proportions):
    """The average person of a height, as shares of it."""
    joints, capsules = human
    rows, bounds = proportions

    def factor(joint, kind):
        variation = rows[without_side(joint.name)][kind]
        return math.exp(log_measure(variation, height, bounds) - log_measure(variation, survey_stature, bounds))

    def build(scale):
        made = {}
        for joint in joints:
            s = scale * (factor(joint.parent, "length") if joint.parent else 1)
            parent = made[joint.parent.name] if joint.parent else None
            made[joint.name] = Joint(joint.name, parent, tuple(s * x for x in joint.offset), joint.freedoms)
        skin = []
        for c in capsules:
            s = scale * factor(c.joint, "length")
            skin.append(Capsule(c.name, made[c.joint.name], tuple(s * x for x in c.a), tuple(s * x for x in c.b),
                                scale * factor(c.joint, "radius") * c.radius))
        return made, skin

    _, skin = build(1)
    low, high = extent(skin)
    return build(1 / (high - low))


def percent(share, digits=1):
    return f"{100 * share:.{digits}f}"


def table(head, rows, right=()):
    lines = ["| " + " | ".join(head) + " |",
             "| " + " | ".join("---:" if i in right else "---" for i in range(len(head))) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def joints_table(made, skin):
    low, _ = extent(skin)
    rows = []
    for name, joint in made.items():
        if name.startswith("right_"):
            continue
        what, landmark, height = PLACES[without_side(name)]
        # arms of the rest pose are stretched out, where heights mean nothing
        own = "" if name in ("left_elbow", "left_wrist") else percent(joint.place[1] - low)
        rows.append([f"`{without_side(name)}`", what, landmark, own, percent(height) if height else ""])
    return table(["joint", "place", "landmark", "height, %", "landmark's, %"], rows, (3, 4))


def lengths_table(made, skin, stature):
    low, _ = extent(skin)
    place = {name: joint.place for name, joint in made.items()}
    radius = {c.name: c.radius for c in skin}
    end = {c.name: add(c.joint.place, c.b) for c in skin}

    def between(a, b):
        return norm(tuple(x - y for x, y in zip(place[a], place[b])))

    crown = 1 + low
    foot = [c for c in skin if c.name in ("left_foot", "left_toes")]
    front = max(c.joint.place[2] + max(c.a[2], c.b[2]) + c.radius for c in foot)
    heel = min(c.joint.place[2] + min(c.a[2], c.b[2]) - c.radius for c in foot)
    rows = [
        ("crown to head", crown - place["head"][1]),
        ("head to neck", between("head", "neck")),
        ("neck to spine", between("neck", "spine")),
        ("spine to lower back", between("spine", "lower_back")),
        ("lower back to pelvis", between("lower_back", "pelvis")),
        ("shoulder to shoulder", between("left_shoulder", "right_shoulder")),
        ("shoulder to elbow", between("left_shoulder", "left_elbow")),
        ("elbow to wrist", between("left_elbow", "left_wrist")),
        ("wrist to fingertip", end["left_fingers"][0] + radius["left_fingers"] - place["left_wrist"][0]),
        ("hip to hip", between("left_hip", "right_hip")),
        ("hip to knee", between("left_hip", "left_knee")),
        ("knee to ankle", between("left_knee", "left_ankle")),
        ("ankle to sole", place["left_ankle"][1] - low),
        ("heel to toe", front - heel),
    ]
    return table(["length", "% of the stature", f"cm at {stature:.2f} m"],
                 [[name, percent(share), percent(share * stature)] for name, share in rows], (1, 2))


def freedoms_table(made):
    rows = []
    for name, joint in made.items():
        if name.startswith("right_") or not joint.freedoms:
            continue
        short = without_side(name)
        for i, (movement, (lower, upper, speed)) in enumerate(zip(MOVEMENTS[short], joint.freedoms, strict=True)):
            rows.append([f"`{short}`" if i == 0 else "", movement, f"{lower:g} to {upper:g}",
                         f"{math.degrees(lower):.0f} to {math.degrees(upper):.0f}", f"{speed:g}"])
    return table(["joint", "movement, positive / negative", "radians", "degrees", "speed"], rows, (2, 3, 4))


def statures_table(statures, *sources):
    people = [person(height, *sources) for height in statures]

    def row(name, measure):
        return [name] + [percent(measure(*one)) for one in people]

    def height(name):
        return lambda made, skin: made[name].place[1] - extent(skin)[0]

    def offset(*names):
        return lambda made, skin: sum(norm(made[name].offset) for name in names)

    def girth(name):
        return lambda made, skin: next(c.radius for c in skin if c.name == name)

    rows = [
        row("height of the hips", height("pelvis")),
        row("height of the neck", height("neck")),
        row("head to crown", lambda made, skin: 1 + extent(skin)[0] - made["head"].place[1]),
        row("shoulder to wrist", offset("left_elbow", "left_wrist")),
        row("shoulder to shoulder", lambda made, skin: 2 * made["left_shoulder"].place[0]),
        row("hip to hip", lambda made, skin: 2 * made["left_hip"].place[0]),
        row("radius of the skull", girth("skull")),
        row("radius of the belly", girth("belly")),
        row("radius of the upper thigh", girth("left_thigh")),
    ]
    return table(["% of the stature"] + [f"{height:.2f} m" for height in statures], rows, range(1, len(statures) + 1))


def variation_table(rows):
    lines = []
    for name, row in rows.items():
        for kind in ("length", "radius"):
            elasticity, _, _, *loads, own = row[kind]
            total = math.sqrt(sum(load * load for load in loads) + own * own)
            lines.append([f"`{name}`" if kind == "length" else "", kind, f"{elasticity:g}"]
                         + [f"{100 * load:+.1f}" for load in loads] + [percent(own), percent(total)])
    return table(["joint", "", "elasticity", "factor 1", "factor 2", "factor 3", "own", "all"], lines,
                 range(2, 8))


# The drawing

SCALE = 620  # pixels of the stature
TOP = 40
HEIGHT = 740
WIDTH = 1100
FRONT = 380  # the middle of the front view
SIDE = 885


def outline(a, b, radius):
    """The path of a capsule: a stadium, or a circle where it is seen along its axis."""
    (ax, ay), (bx, by) = a, b
    length = math.hypot(bx - ax, by - ay)
    if length < 0.5:
        bx, by, length = ax + 0.5, ay, 0.5
    nx, ny = -(by - ay) / length * radius, (bx - ax) / length * radius
    return (f"M{ax + nx:.1f},{ay + ny:.1f}L{bx + nx:.1f},{by + ny:.1f}A{radius:.1f},{radius:.1f} 0 0 0 "
            f"{bx - nx:.1f},{by - ny:.1f}L{ax - nx:.1f},{ay - ny:.1f}A{radius:.1f},{radius:.1f} 0 0 0 "
            f"{ax + nx:.1f},{ay + ny:.1f}Z")


def hanging(made, skin):
    """The same person with the arms down, for the view from the side."""
    def turned(joint, v):
        arm = re.match("(left|right)_(shoulder|elbow|wrist)", joint.name)
        return (0.0, -abs(v[0]), v[2]) if arm else v

    lowered = {}
    for joint in made.values():
        parent = lowered[joint.parent.name] if joint.parent else None
        offset = turned(joint.parent, joint.offset) if joint.parent else joint.offset
        lowered[joint.name] = Joint(joint.name, parent, offset, joint.freedoms)
    return lowered, [Capsule(c.name, lowered[c.joint.name], turned(c.joint, c.a), turned(c.joint, c.b), c.radius)
                     for c in skin]


def view(made, skin, project, shown, order):
    """Capsules from back to front, then bones, then joints."""
    parts = []
    for c in sorted((c for c in skin if shown(c.joint)), key=lambda c: order(add(c.joint.place, c.a))):
        path = outline(project(add(c.joint.place, c.a)), project(add(c.joint.place, c.b)), SCALE * c.radius)
        kind = "arm" if re.search("shoulder|elbow|wrist", c.joint.name) else "skin"
        parts.append(f'<path class="{kind}" d="{path}"/>')
    joints = [joint for joint in made.values() if shown(joint)]
    for joint in joints:
        if joint.parent:
            (ax, ay), (bx, by) = project(joint.parent.place), project(joint.place)
            parts.append(f'<line class="bone" x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"/>')
    for joint in joints:
        x, y = project(joint.place)
        parts.append(f'<circle class="joint" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    return parts


def label(x, y, text, to=None, anchor="start"):
    parts = []
    if to:
        parts.append(f'<line class="leader" x1="{x:.1f}" y1="{y:.1f}" x2="{to[0]:.1f}" y2="{to[1]:.1f}"/>')
    shift = {"start": 4, "end": -4, "middle": 0}[anchor]
    parts.append(f'<text x="{x + shift:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{escape(text)}</text>')
    return parts


def drawing(made, skin):
    low, _ = extent(skin)

    def front(p):  # the person's left is on the right
        return FRONT + SCALE * p[0], TOP + SCALE * (1 - (p[1] - low))

    def side(p):  # from the person's left, who looks to the left
        return SIDE - SCALE * p[2], TOP + SCALE * (1 - (p[1] - low))

    parts = []
    for name in ("neck", "left_shoulder", "pelvis", "left_knee", "left_ankle"):
        share = made[name].place[1] - low
        y = TOP + SCALE * (1 - share)
        parts.append(f'<line class="level" x1="{FRONT + 350}" y1="{y:.1f}" x2="{SIDE + 95}" y2="{y:.1f}"/>')
        parts += label(SIDE + 95, y, f"{percent(share)} %")
    for share in (0, 1):
        y = TOP + SCALE * (1 - share)
        parts.append(f'<line class="level" x1="40" y1="{y:.1f}" x2="{SIDE + 95}" y2="{y:.1f}"/>')
        parts += label(SIDE + 95, y, f"{percent(share, 0)} %")
    parts += view(made, skin, front, lambda joint: True, lambda p: p[2])
    down, skin_down = hanging(made, skin)
    parts += view(down, skin_down, side, lambda joint: not joint.name.startswith("right_"), lambda p: p[0])

    for name in ("head", "neck", "spine", "lower_back", "pelvis"):
        x, y = front(made[name].place)
        # clear of the outstretched arms
        at = {"head": y - 26, "neck": y - 42, "spine": y + 40, "lower_back": y + 18}.get(name, y + 26)
        parts += label(FRONT - 105, at, name, (x - 4, y), "end")
    for name in ("clavicle", "shoulder", "elbow", "wrist"):
        x, y = front(made["left_" + name].place)
        parts += label(x + (30 if name == "clavicle" else 10), y - {"clavicle": 62, "shoulder": 48}.get(name, 40),
                       "left_" + name, (x, y - 4), "start")
    for name in ("hip", "knee", "ankle", "toe"):
        x, y = front(made["left_" + name].place)
        parts += label(FRONT + 105, y - (10 if name == "ankle" else 0), "left_" + name, (x + 4, y), "start")
    for name in ("head", "neck", "spine", "lower_back", "pelvis"):
        x, y = side(down[name].place)
        parts += label(SIDE - 95, y + (18 if name == "head" else 14), name, (x - 4, y), "end")
    parts += label(FRONT, HEIGHT - 30, "from the front, in the rest pose", None, "middle")
    parts += label(SIDE, HEIGHT - 30, "from the left, arms down", None, "middle")
    style = (
        "text{font:13px sans-serif;fill:#333}.skin{fill:#8fb8dc;fill-opacity:.35;stroke:#3d6f9e;stroke-width:.8}"
        ".arm{fill:#e0b77d;fill-opacity:.4;stroke:#9a6a20;stroke-width:.8}"
        ".bone{stroke:#222;stroke-width:1.6}.joint{fill:#c8411b;stroke:#fff;stroke-width:1}"
        ".leader{stroke:#888;stroke-width:.8}.level{stroke:#bbb;stroke-width:.8;stroke-dasharray:3 4}")
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {HEIGHT}">\n'
            f'<title>The default skeleton</title>\n<style>{style}</style>\n'
            f'<rect {size} fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    human, proportions = read_human(), read_proportions()
    stature = float(re.search(rf"survey_stature = ({NUMBER})", HUMAN.read_text()).group(1))
    sources = (stature, human, proportions)
    average = person(stature, *sources)
    tables = {
        "joints": joints_table(*average),
        "lengths": lengths_table(*average, stature),
        "freedoms": freedoms_table(average[0]),
        "statures": statures_table([0.95, 1.22, 1.5, stature, 1.92], *sources),
        "variation": variation_table(proportions[0]),
    }
    page = PAGE.read_text()
    for name, text in tables.items():
        page, count = re.subn(rf"(<!-- table {name} -->\n).*?(<!-- end -->)",
                              lambda found, text=text: found[1] + text + "\n" + found[2], page, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{PAGE.name} has no place for the table {name}")
    results = {PAGE: page, DRAWING: drawing(*average)}
    if arguments:
        old = [path for path, text in results.items() if not path.exists() or path.read_text() != text]
        for path in old:
            print(f"{path.relative_to(ROOT)} is not what the sources give; run scripts/draw_skeleton.py")
        return 1 if old else 0
    for path, text in results.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
