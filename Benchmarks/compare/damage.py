#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures where a fused still is worse than the single frame, and whether its brightness and colours are right.

  damage.py --livecap PROGRAM --set DIR [--quality Q] [--only BURST]
      fuses every burst of the set with livecap
  damage.py --stills DIR --set DIR
      measures existing stills: BURST.png for each burst

Local damage is how much worse, in dB, the still is than the reference frame as the camera delivered it, over windows of
32x32 pixels (whose mean squared error counts as at least 0.5 squared codes). Positive values are damage. The target is
at most 0.2 dB at the 99.9 % quantile, and at most 1 dB anywhere. Level and chroma are the still's mean minus the
truth's, in codes of BT.601 limited range; the target is at most 0.5 either way.
"""
import argparse
import json
import os
import sys
import tempfile

import bursts
import numpy as np


def look(still_path, folder, step):
    still, truth = bursts.rgb(still_path), bursts.rgb(os.path.join(folder, "clean.png"))
    if still.shape != truth.shape:
        sys.exit(f"{still_path} is {still.shape}, the truth is {truth.shape}")
    single = bursts.luma_frames(folder)[bursts.meta(folder)["ref_index"]]
    still_luma, truth_luma = bursts.luma(still), bursts.luma(truth)
    damage = bursts.local_damage(still_luma, single, truth_luma, step)
    worst = np.unravel_index(damage.argmax(), damage.shape)
    colours = zip(bursts.chroma(still), bursts.chroma(truth))
    return {
        "single": bursts.psnr(single, truth_luma),
        "still": bursts.psnr(still_luma, truth_luma),
        "damage999": float(np.quantile(damage, 0.999)),
        "damageWorst": float(damage.max()),
        "worstAt": [int(worst[1]) * step, int(worst[0]) * step],
        "windowsOver02": float(np.mean(damage > 0.2)),
        "level": float(still_luma.mean() - truth_luma.mean()),
        "levelSingle": float(single.mean() - truth_luma.mean()),
        **{key: float(ours.mean() - true.mean()) for key, (ours, true) in zip(("cb", "cr"), colours)},
    }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--livecap", help="the program")
    options.add_argument("--stills", help="a folder of existing stills")
    options.add_argument("--set", required=True, help="the folder of bursts")
    options.add_argument("--quality", default="balanced")
    options.add_argument("--only", help="one burst of the set")
    options.add_argument("--step", type=int, default=8, help="pixels from window to window (default: 8)")
    options.add_argument("--json", action="store_true", help="print one JSON object per burst")
    options.add_argument("extra", nargs="*", help="further options for the program, after --")
    given = options.parse_args()
    if bool(given.livecap) == bool(given.stills):
        options.error("either --livecap or --stills")
    good = True
    for name in bursts.names(given.set):
        if given.only and name != given.only:
            continue
        folder = os.path.join(given.set, name)
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(given.stills or scratch, name + ".png")
            if given.livecap:
                bursts.shoot(given.livecap, folder, given.quality, path, given.extra)
            elif not os.path.exists(path):
                print(f"{name:22s} no {path}")
                continue
            found = look(path, folder, given.step)
        kept = found["damage999"] <= 0.2 and found["damageWorst"] <= 1
        kept = kept and all(abs(found[key]) <= 0.5 for key in ("level", "cb", "cr"))
        good = good and kept
        if given.json:
            print(json.dumps({"burst": name} | found))
            continue
        x, y = found["worstAt"]
        print(
            f"{name:20s} {found['still']:6.2f} dB ({found['still'] - found['single']:+.2f})"
            f"  damage 99.9 % {found['damage999']:+6.2f}, worst {found['damageWorst']:+6.2f} at {x},{y},"
            f" over 0.2 dB {found['windowsOver02'] * 100:.3f} % of windows"
            f"  level {found['level']:+.2f} (single {found['levelSingle']:+.2f})"
            f"  Cb {found['cb']:+.2f}  Cr {found['cr']:+.2f}" + ("" if kept else "  MISSED"))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
