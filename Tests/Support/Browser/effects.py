#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Sees the effects of a `livecap run` that films the scene of person.py: on its page, in a movie, in photos, and taken
# back from those; and checks what all pictures show. Keeps them in a folder.
# Usage: effects.py film PHOTOGRAPH FOLDER SECONDS          makes the scene
#        effects.py see LIVECAP LIBRARY ADDRESS FOLDER      takes pictures of a run
#        effects.py check FOLDER                            says what they show. Fails if that is not as it should be

import json, os, subprocess, sys, time, urllib.error, urllib.request
import looks, person
from chromium import PATIENCE, Chromium, Silence


class Run:
    """A `livecap run` with a page."""

    def __init__(self, livecap, library, address, folder):
        self.livecap, self.library, self.address, self.folder = livecap, library, address.rstrip("/"), folder
        self.proof = self.ask("/status")["proof"]

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return answer.read()

    def ask(self, path, body=None):
        """The answer to a request, which has a body if it changes something."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data)
        if data is not None:
            request.add_header("Livecap-Proof", self.proof)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{path} is refused: {error.read().decode()}")

    def command(self, *words):
        """Runs another livecap beside it."""
        done = subprocess.run([self.livecap, *map(str, words)], capture_output=True, text=True, timeout=2 * PATIENCE)
        with open(f"{self.folder}/commands.log", "a") as log:
            log.write(f"livecap {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        if done.returncode:
            raise SystemExit(f"livecap {' '.join(map(str, words))} failed: {done.stderr}")

    def file(self, name):
        return f"{self.folder}/{name}"

    def photo(self, name, shot):
        """Takes a photo, keeps its picture, and returns what the run says of it."""
        photo = self.ask("/shots?wait=1", shot)
        with open(self.file(name), "wb") as file:
            file.write(self.get(photo["urls"]["image"]))
        return photo


def show(run, browser, name, judge):
    """Keeps what the page shows as soon as it shows what it should, or at last what it shows instead."""
    for _ in range(PATIENCE):
        browser.canvas("view", run.file(name))
        if not judge(run.folder, name).faults:
            return
        time.sleep(0.5)


def see(livecap, library, address, folder):
    run = Run(livecap, library, address, folder)
    with open(run.file("chromium-page.log"), "w") as log:
        browser = Chromium(f"{os.environ['XDG_RUNTIME_DIR']}/page", log, (1600, 1000))
    try:
        browser.open(run.address)
        browser.wait("button for effects", "document.getElementById('effects')?.hidden === false")
        browser.wait("picture", "document.getElementById('view').width > 640")
        show(run, browser, "page-frame.png", looks.framed)
        # The panel says what is on.
        browser.value("document.getElementById('effects').click()")
        browser.wait("panel", "document.getElementById('looks').hidden === false")
        time.sleep(1)
        browser.screenshot(run.file("page.png"))
        film(run)
        photos(run, browser)
    finally:
        browser.close()


def film(run):
    """A movie of five seconds, of which the last picture is kept."""
    run.ask("/movies", {"do": "start"})
    for state, isThere in ("seconds", lambda now: now["seconds"] >= 5), ("end", lambda now: now["state"] == "idle"):
        for _ in range(10 * PATIENCE):
            now = run.ask("/movies")
            if now["error"]:
                raise SystemExit(f"the movie failed: {now['error']}")
            if isThere(now):
                break
            time.sleep(0.1)
        else:
            raise Silence(f"the movie had no {state} for {PATIENCE} s")
        if state == "seconds":
            run.ask("/movies", {"do": "stop"})
    os.replace(run.file(f"movies/{now['movies'][0]['name']}"), run.file("movie.mp4"))
    person.ffmpeg("-sseof", "-3", "-i", run.file("movie.mp4"), "-update", 1, run.file("movie.png"))


def photos(run, browser):
    """Photos that the page and `shoot` take, with effects, without them, and with a weaker blur."""
    photo = run.photo("photo.jpg", {})
    run.command("effects", "set", "none")
    # Of the same frame.
    run.photo("photo-plain.jpg", {"frame": photo["frame"]})
    show(run, browser, "page-plain.png", looks.plain)
    run.command("effects", "set", looks.EFFECTS)
    shot, drawn = run.file("shot.jpg"), "portrait=0.6,light"
    run.command("shoot", "--device", "livecap", "--effects", drawn, "-o", shot)
    for name, picture in ("photo", [photo["id"], "--library", run.library]), ("shot", [shot]):
        for kind, effects in ("taken-back", "none"), ("less", "portrait=0.3,light"):
            run.command("develop", *picture, "--effects", effects, "-o", run.file(f"{name}-{kind}.jpg"))


commands = {"film": person.make, "see": see, "check": lambda folder: sys.exit(looks.check(folder))}
try:
    name, *words = sys.argv[1:]
    commands[name](*words)
except (Silence, RuntimeError) as error:
    raise SystemExit(str(error))
except urllib.error.URLError as error:
    raise SystemExit(f"the run does not answer: {error.reason}; run.log may say why")
