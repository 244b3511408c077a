#!/usr/bin/env python3
"""How people's proportions vary, from the ANSUR II survey: what src/body/skeleton/default_human.cpp and proportions.cpp cite.

    scripts/analyse_survey.py MALE.csv FEMALE.csv

The files are the two tables of the public release: one row per person, lengths in millimetres. Needs NumPy.

All measures are logarithms, and both sexes have the same weight. Each measure is regressed on the stature (the slope is
its elasticity); the residuals are analysed into common factors and a deviation of each measure's own. Factors are
found by iterated principal axes of the correlation matrix, and numbered by the variance that they explain.
"""

import csv
import sys

import numpy as np

FACTORS = 3

# A factor has no sign of its own: those of proportions.cpp, by one measure each.
SIGNS = [("waist girth", -1), ("trunk", 1), ("neck girth", 1)]

# Where joint centres lie from landmarks, as shares of the stature: see default_human.cpp.
KNEE_ABOVE_TIBIA = 0.012
SHOULDER_BELOW_ACROMION = 0.024
ELBOW_ABOVE_RADIALE = 0.008

# printed as means of the sexes
LANDMARKS = [
    "trochanterionheight", "lateralfemoralepicondyleheight", "tibialheight", "lateralmalleolusheight",
    "cervicaleheight", "acromialheight", "tragiontopofhead", "acromionradialelength", "radialestylionlength",
    "handlength", "footlength", "biacromialbreadth", "bicristalbreadth", "hipbreadth",
]


def read(path):
    """Measures by name, each an array over the people of a file."""
    with open(path, encoding="latin-1", newline="") as file:
        rows = list(csv.DictReader(file))
    names = LANDMARKS + [
        "stature", "chestbreadth", "waistbreadth", "headcircumference", "neckcircumference", "chestcircumference",
        "waistcircumference", "buttockcircumference", "bicepscircumferenceflexed", "forearmcircumferenceflexed",
        "wristcircumference", "handcircumference", "thighcircumference", "lowerthighcircumference",
        "calfcircumference", "anklecircumference", "balloffootcircumference",
    ]
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


def segments(people):
    """What a shape consists of, as far as it was measured: name to (where it is in proportions.cpp, array)."""
    m = people
    stature = m["stature"]
    knee = m["tibialheight"] + KNEE_ABOVE_TIBIA * stature
    upper_arm = m["acromionradialelength"] - (SHOULDER_BELOW_ACROMION + ELBOW_ABOVE_RADIALE) * stature
    return {
        "trunk": ("pelvis, lower_back, spine: length", m["cervicaleheight"] - m["trochanterionheight"]),
        "head and neck": ("neck: length", stature - m["cervicaleheight"]),
        "shoulder breadth": ("clavicle: length", m["biacromialbreadth"]),
        "upper arm": ("shoulder: length", upper_arm),
        "forearm": ("elbow: length", m["radialestylionlength"]),
        "hand": ("wrist: length", m["handlength"]),
        "pelvis breadth": ("pelvis: width", m["bicristalbreadth"]),
        "thigh": ("hip: length", m["trochanterionheight"] - knee),
        "shin": ("knee: length", knee - m["lateralmalleolusheight"]),
        "foot": ("ankle, toe: length", m["footlength"]),
        "hip girth": ("pelvis: radius", m["buttockcircumference"]),
        "waist girth": ("lower_back: radius", m["waistcircumference"]),
        "chest girth": ("spine: radius", m["chestcircumference"]),
        "neck girth": ("neck: radius", m["neckcircumference"]),
        "head girth": ("head: length, radius", m["headcircumference"]),
        "upper arm girth": ("shoulder: radius", m["bicepscircumferenceflexed"]),
        "forearm girth": ("elbow: radius", (m["forearmcircumferenceflexed"] + m["wristcircumference"]) / 2),
        "hand girth": ("wrist: radius", m["handcircumference"]),
        "thigh girth": ("hip: radius", (m["thighcircumference"] + m["lowerthighcircumference"]) / 2),
        "shin girth": ("knee: radius", (m["calfcircumference"] + m["anklecircumference"]) / 2),
        "foot girth": ("ankle, toe: radius", m["balloffootcircumference"]),
        "hip breadth/girth": ("pelvis: width", m["hipbreadth"] / m["buttockcircumference"]),
        "waist breadth/girth": ("lower_back: width", m["waistbreadth"] / m["waistcircumference"]),
        "chest breadth/girth": ("spine: width", m["chestbreadth"] / m["chestcircumference"]),
    }


def principal_axes(correlation, factors):
    """Loads of the standardised measures on common factors, by iterated principal axes."""
    communality = 1 - 1 / np.diag(np.linalg.inv(correlation))
    for _ in range(1000):
        reduced = correlation.copy()
        np.fill_diagonal(reduced, communality)
        values, vectors = np.linalg.eigh(reduced)
        loads = vectors[:, ::-1][:, :factors] * np.sqrt(np.maximum(values[::-1][:factors], 0))
        before, communality = communality, np.minimum((loads**2).sum(1), 0.99)
        if np.abs(communality - before).max() < 1e-8:
            break
    return loads


def root_mean_square_off_diagonal(matrix):
    return np.sqrt((matrix[~np.eye(len(matrix), dtype=bool)] ** 2).mean())


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    sexes = [read(path) for path in arguments]
    counts = [len(people["stature"]) for people in sexes]
    weight = np.concatenate([np.full(count, 0.5 / count) for count in counts])
    stature = np.log(np.concatenate([people["stature"] for people in sexes]))

    parts = [segments(people) for people in sexes]
    names = list(parts[0])
    measures = np.log(np.column_stack([np.concatenate([part[name][1] for part in parts]) for name in names]))

    mean_stature = weight @ stature
    variance = weight @ (stature - mean_stature) ** 2
    mean = weight @ measures
    elasticity = (weight * (stature - mean_stature)) @ (measures - mean) / variance
    residual = measures - mean - np.outer(stature - mean_stature, elasticity)
    covariance = (residual * weight[:, None]).T @ residual
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    loads = principal_axes(correlation, FACTORS)
    own = deviation * np.sqrt(np.maximum(0, 1 - (loads**2).sum(1)))
    for factor, (name, sign) in enumerate(SIGNS):
        loads[:, factor] *= sign * np.sign(loads[names.index(name), factor])

    print(f"{counts[0]} and {counts[1]} people; stature {np.exp(mean_stature):.0f} mm (geometric mean), "
          f"deviation {np.sqrt(variance):.4f} of the logarithm\n")
    print("landmarks, mean share of the stature")
    for name in LANDMARKS:
        share = np.mean([(people[name] / people["stature"]).mean() for people in sexes])
        print(f"  {name:31s}{share:.4f}")
    left = root_mean_square_off_diagonal(correlation - loads @ loads.T)
    print(f"\n{FACTORS} factors leave correlations of {left:.3f} "
          f"(root mean square; {root_mean_square_off_diagonal(correlation):.3f} before)\n")
    print(f"{'measure':21s}{'share':>7s}{'elasticity':>12s}{'deviation':>11s}"
          + "".join(f"{f'factor {f + 1}':>10s}" for f in range(FACTORS)) + f"{'own':>8s}  in proportions.cpp")
    for i, name in enumerate(names):
        # a quotient of two lengths is no share of the stature
        share = "" if "/" in name else f"{np.exp(mean[i] - mean_stature):.4f}"
        print(f"{name:21s}{share:>7s}{elasticity[i]:12.2f}{deviation[i]:11.4f}"
              + "".join(f"{load:+10.4f}" for load in loads[i] * deviation[i]) + f"{own[i]:8.4f}  {parts[0][name][0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
