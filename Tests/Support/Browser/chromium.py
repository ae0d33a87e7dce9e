# SPDX-License-Identifier: MIT
# A Chromium without a window, driven over a pipe: it opens a page, runs scripts in it, and takes pictures.

import base64, fcntl, json, os, select, subprocess, time

# Seconds until something that does not come is given up: many times what a busy machine takes.
PATIENCE = 60


class Silence(Exception):
    """Something did not come."""


class Chromium:
    def __init__(self, profile, log, size):
        """`log`: a file for what it prints; `size`: width and height of its window."""
        # Above those that it reads (3) and writes (4).
        commands, self.commands = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe())
        self.answers, answers = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe())

        def connect():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", f"--user-data-dir={profile}", "--no-first-run",
             "--disable-gpu", "--remote-debugging-pipe", f"--window-size={size[0]},{size[1]}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=False, preexec_fn=connect)
        os.close(commands)
        os.close(answers)
        self.heard, self.number, self.session = b"", 0, None
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        """Has the browser do something, and returns its answer; events are passed over."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            line, isWhole, rest = self.heard.partition(b"\0")
            if isWhole:
                self.heard = rest
                answer = json.loads(line)
                if answer.get("id") != self.number:
                    continue
                if "error" in answer:
                    raise RuntimeError(f"Chromium refuses {method}: {answer['error']['message']}")
                return answer["result"]
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise Silence(f"Chromium did not answer {method} for {PATIENCE} s")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise Silence(f"Chromium ended before it answered {method}")
            self.heard += piece

    def open(self, address):
        self.call("Page.navigate", url=address)

    def value(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the page cannot do '{script}': {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def wait(self, what, script):
        """Waits for an expression to be true."""
        for _ in range(10 * PATIENCE):
            if self.value(script):
                return
            time.sleep(0.1)
        raise Silence(f"the page had no {what} for {PATIENCE} s")

    def canvas(self, name, path):
        """Keeps what a canvas of the page shows."""
        picture = self.value(f"document.getElementById('{name}').toDataURL('image/png')")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture.partition(",")[2]))

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
