# SPDX-License-Identifier: MIT
# A run of tests and what Swift Testing reports of it, event by event, for scripts/tests and scripts/steady.

import json
import os
import re
import subprocess

from watch_tests import PATIENCE, Watch

# Escape sequences, which Swift Testing writes even into a pipe.
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


def log(name):
    return f".build/tests/{name}.log"


def only(command, suites):
    """The command that runs just these suites."""
    filter = "^(" + "|".join(re.escape(suite) for suite in suites) + ")/"
    if command[:2] != ["swift", "test"]:
        return command[:1] + [filter]
    kept, skips = [], 0
    for word in command:
        # A filter or a list to skip is replaced; both have a value.
        skips = 2 if word in ("--filter", "--skip") else max(0, skips - 1)
        if not skips:
            kept.append(word)
    return kept + ["--filter", filter]


class Run:
    """A command that runs tests. Reading its lines to their end runs it."""

    def __init__(self, name, command):
        self.events = os.path.abspath(f".build/tests/{name}.events")
        os.makedirs(os.path.dirname(self.events), exist_ok=True)
        open(self.events, "w").close()
        self.stacks = os.path.abspath(f".build/tests/{name}.stacks")
        self.command = command
        self.status = None
        self.was_stuck = False
        if command[:2] == ["swift", "test"]:
            self.command = command + ["--event-stream-output-path", self.events]

    def lines(self):
        """The output, standard error included, line by line."""
        environment = dict(os.environ, LIVECAP_TEST_EVENTS=self.events, NO_COLOR="1")
        with subprocess.Popen(
            self.command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            watch = Watch(process, self.stacks)
            for line in process.stdout:
                watch.hear()
                yield COLOUR.sub(b"", line)
            self.status = process.wait()
            self.was_stuck = watch.was_stuck

    def tests(self):
        """For each test that was to run: whether it began and ended, and the words of its issues."""
        tests = {}
        with open(self.events, errors="replace") as stream:
            for line in stream:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # A killed run leaves half a line.
                payload = record.get("payload", {})
                if record.get("kind") == "test" and payload.get("kind") == "function":
                    tests.setdefault(payload["id"], {"began": False, "ended": False, "issues": []})
                test = tests.get(payload.get("testID"))
                if record.get("kind") != "event" or test is None:
                    continue
                if payload["kind"] == "testStarted":
                    test["began"] = True
                elif payload["kind"] in ("testEnded", "testSkipped"):
                    test["ended"] = True
                elif payload["kind"] == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
                    test["issues"].append("; ".join(message["text"] for message in payload.get("messages", [])))
        return tests

    def failures(self):
        """Each test that failed or never ended, and why."""
        tests = self.tests()
        # If the process died, the tests that had begun are suspects; those that had not are innocent.
        crashed = any(test["began"] and not test["ended"] for test in tests.values())
        for name, test in tests.items():
            if test["issues"]:
                yield name, test["issues"][0]
            elif crashed and test["began"] and not test["ended"]:
                silence = f"said nothing for {PATIENCE} s, and were ended; {os.path.relpath(self.stacks)} says where"
                yield name, "was running when the tests " + (silence if self.was_stuck else "died")

    def failed_suites(self):
        """The suites of those, and of tests that were never reached: what must run again."""
        names = {name for name, _ in self.failures()}
        names |= {name for name, test in self.tests().items() if not test["ended"]}
        return sorted({suite(name) for name in names})


def suite(test):
    """The suite of a test whose identifier is MODULE.SUITE/TEST/FILE:LINE, or of a nested one."""
    parts = test.split("/")
    while len(parts) > 1 and (parts[-1].endswith(")") or "(" in parts[-1] or ".swift" in parts[-1]):
        parts.pop()
    return "/".join(parts)
