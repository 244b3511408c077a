#!/usr/bin/env python3
"""The time on several GPUs, from parts measured on one: a model, in the manner of figure 6 of the body paper.

    kinema bench body --devices 0,0,0,0 --out DIR      # on a machine with one GPU: writes DIR/body-devices.json
    scripts/model_devices.py DIR/body-devices.json [--link 25] [--latency 10] [--gpus 8]

docs/devices.md states the assumptions.
"""
import argparse
import json


def likelihood(row, gpus):
    """Samples are divided, and nothing is exchanged: what the parts on one GPU cost more is host work of each call."""
    division = max(0.0, row["divided_ms"] - row["ms"])
    return row["ms"] / gpus + (division if gpus > 1 else 0)


def tracked_frame(row, gpus, link, latency):
    """Weighing particles is divided. Refinement, mean and the host's work are not."""
    stages = row["ms_stages"]
    weigh = stages.get("device weigh", stages.get("weigh", 0.0))
    rest = max(0.0, row["ms"] - weigh)
    if gpus == 1:
        return row["ms"]
    # all that is copied passes the link of the first GPU
    copied = row["bytes_per_frame"] / max(1, row["parts"] - 1) * (gpus - 1)
    copies = 5  # that follow one another in a frame with two layers, see docs/devices.md
    return weigh / gpus + rest + copied / (link * 1e6) + copies * latency * 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="body-devices.json of kinema bench body --devices")
    parser.add_argument("--link", type=float, default=25, help="rate between two GPUs, GB/s [25: PCIe 4 x16]")
    parser.add_argument("--latency", type=float, default=10, help="of one copy, microseconds [10]")
    parser.add_argument("--gpus", type=int, default=4, help="up to this many [4]")
    options = parser.parse_args()
    with open(options.result, encoding="utf-8") as file:
        result = json.load(file)
    if not result["division"]:
        parser.error(f"{options.result}: holds no divided work; measure with --devices 0,0,0,0")
    if not result["one_device"]:
        print("these parts ran on several devices: their times are measured, and the model is not needed")
    print(f"a model, not a measurement: {options.link:g} GB/s and {options.latency:g} us between GPUs\n")
    print(f"{'GPUs':>4}  {'likelihood ms':>14} {'share of one':>13}  {'tracked frame ms':>17} {'share of one':>13}")
    rows = {row["what"]: row for row in result["division"]}
    weighed, frame = rows["likelihood"], rows["tracked frame"]
    for gpus in range(1, options.gpus + 1):
        a = likelihood(weighed, gpus)
        b = tracked_frame(frame, gpus, options.link, options.latency)
        print(f"{gpus:>4}  {a:>14.3f} {a / weighed['ms']:>13.2f}  {b:>17.3f} {b / frame['ms']:>13.2f}")


if __name__ == "__main__":
    main()
