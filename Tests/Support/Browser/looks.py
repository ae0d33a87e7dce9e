# SPDX-License-Identifier: MIT
# What pictures of the scene of person.py should show, and what is wrong with those that do not.

import re
import person

# What the run draws. Photos are not framed.
EFFECTS = "portrait=0.6,light,framing"
# Shares of the detail that a picture without effects has: at most so much of the wall is left by `portrait`, at least
# so much of the face stays, and this much is left where nothing is drawn.
BLURRED, KEPT, SAME = 0.1, 0.6, (0.8, 1.25)
# How much brighter `light` makes a face against the wall at least, and how much `framing` enlarges the picture.
LIT, CLOSER = 1.1, 1.4


class Verdict:
    """What a picture shows, compared with one without effects."""

    def __init__(self, folder, name, than="scene.png"):
        self.name, self.faults, self.words = name, [], ""
        try:
            look, plain = person.Look(f"{folder}/{name}"), person.Look(f"{folder}/{than}")
        except person.Fault as fault:
            self.faults.append(str(fault))
            return
        self.look, self.plain = look, plain
        self.left = [now / before for now, before in zip(look.fine, plain.fine)]
        self.squares = look.coarse / plain.coarse
        self.features = look.features / plain.features
        self.light = look.face / look.wall / (plain.face / plain.wall)
        self.words = (
            f"enlarged {look.zoom:.2f} times, {max(self.left):.1%} of the wall's fine detail and {self.squares:.0%} of "
            f"its squares, {self.features:.0%} of the face's detail, face against wall {self.light:.2f} times brighter")

    def expect(self, isSo, fault):
        if not isSo:
            self.faults.append(fault)

    def __str__(self):
        return f"{self.name}: {self.words}" + "".join(f"; FAULT: {fault}" for fault in self.faults)


def drawn(folder, name, than="scene.png"):
    """A picture with portrait and light."""
    verdict = Verdict(folder, name, than)
    if not verdict.faults:
        verdict.expect(max(verdict.left) < BLURRED, "the wall is not blurred")
        verdict.expect(verdict.features > KEPT, "the face is blurred")
        verdict.expect(verdict.light > LIT, "the face is not lit")
    return verdict


def framed(folder, name):
    """A picture with all three effects, once it has come close."""
    verdict = drawn(folder, name)
    if not verdict.faults:
        verdict.expect(verdict.look.zoom > CLOSER, "it has not come closer to the face")
    return verdict


def whole(verdict):
    """One that is a photo's, or without effects."""
    if not verdict.faults:
        verdict.expect(0.99 < verdict.look.zoom < 1.01, "it does not show all of the scene")
    return verdict


def plain(folder, name, than="scene.png"):
    """A picture without effects, compared with another."""
    verdict = whole(Verdict(folder, name, than))
    if not verdict.faults:
        measures = verdict.left + [verdict.squares, verdict.features, verdict.light]
        verdict.expect(all(SAME[0] < measure < SAME[1] for measure in measures), "it is not as without effects")
    return verdict


def less(folder, name, more, than):
    """A photo with a weaker blur than another, of the same photo without effects."""
    verdict, stronger = whole(drawn(folder, name, than)), Verdict(folder, more, than)
    if not verdict.faults and not stronger.faults:
        verdict.expect(verdict.squares > 1.5 * stronger.squares, f"it is blurred as much as {more}")
    return verdict


def taken(path):
    """The bytes of a photo. Its account has the shot's number, which another photo of the same frames cannot share."""
    with open(path, "rb") as file:
        return re.sub(rb'"shot":[0-9]+', b'"shot":0', file.read())


def check(folder):
    """Prints what the pictures of a folder show. Returns 1 if that is not as it should be."""
    verdicts = [
        drawn(folder, "camera-first.png"), framed(folder, "camera.png"), framed(folder, "page-frame.png"),
        plain(folder, "page-plain.png"), framed(folder, "movie.png"), plain(folder, "photo-plain.jpg"),
        plain(folder, "shot.plain.jpg"), whole(drawn(folder, "photo.jpg", "photo-plain.jpg")),
        whole(drawn(folder, "shot.jpg", "shot.plain.jpg")),
        less(folder, "photo-less.jpg", "photo.jpg", "photo-plain.jpg"),
        less(folder, "shot-less.jpg", "shot.jpg", "shot.plain.jpg"),
    ]
    for verdict in verdicts:
        print(verdict)
    failed = any(verdict.faults for verdict in verdicts)
    for name, other in ("shot-taken-back.jpg", "shot.plain.jpg"), ("photo-taken-back.jpg", "photo-plain.jpg"):
        same = taken(f"{folder}/{name}") == taken(f"{folder}/{other}")
        print(f"{name}: " + (f"{other} to the byte" if same else f"FAULT: it is not {other}"))
        failed = failed or not same
    return 1 if failed else 0
