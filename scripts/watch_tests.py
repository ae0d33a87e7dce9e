# SPDX-License-Identifier: MIT
# Looks after a command that runs tests, for scripts/test_events.py. A test that waits for ever, or a program that a
# crashed test leaves behind, would otherwise hold up everything after it and leave no trace of what it waited for.

import ctypes
import os
import signal
import subprocess
import threading

# Seconds without a line: many times what the slowest test takes under load, so that no test passes or fails by it.
PATIENCE = int(os.environ.get("LIVECAP_STUCK", "600"))
PR_SET_CHILD_SUBREAPER = 36


def descendants(pid):
    """The processes that a process has started, directly or not, parents first."""
    children = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                children += map(int, file.read().split())
    except OSError:
        pass  # It has ended.
    return [found for child in children for found in [child] + descendants(child)]


def words(pid):
    """The first words of a process's command line."""
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return " ".join(file.read().split("\0")[:4])
    except OSError:
        return "a process that has ended"


def stacks(pid):
    """Where the threads of a process stand, as a debugger tells."""
    for command in (
        ["gdb", "--batch", "-p", str(pid), "-ex", "thread apply all backtrace"],
        ["lldb", "--batch", "-p", str(pid), "-o", "thread backtrace all", "-o", "detach"],
    ):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
    return "neither gdb nor lldb could tell\n"


def kill(processes):
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Watch:
    """Ends a command that prints nothing for a long time, and whatever is left when it has ended. To be made before the
    command is started."""

    def __init__(self, report):
        """`report` is the file into which the stacks of a command that hangs are written."""
        # Programs that a test leaves behind become children of this process, and are found.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.others = set(descendants(os.getpid()))
        self.report = report
        self.was_stuck = False
        self.heard = threading.Event()

    def begin(self, process):
        self.process = process
        threading.Thread(target=self.end_what_hangs, daemon=True).start()
        self.cleaner = threading.Thread(target=self.end_what_is_left, daemon=True)
        self.cleaner.start()

    def hear(self):
        """To be called for each line that the command prints."""
        self.heard.set()

    def finish(self):
        """To be called when nothing more will be printed."""
        self.cleaner.join()

    def started(self):
        return [pid for pid in descendants(os.getpid()) if pid not in self.others]

    def end_what_hangs(self):
        # Each line begins the wait anew.
        while self.heard.wait(PATIENCE):
            self.heard.clear()
        if self.process.returncode is not None:
            return
        self.was_stuck = True
        found = self.started()
        with open(self.report, "w") as file:
            for pid in found:
                file.write(f"== {words(pid)}\n{stacks(pid)}\n")
        kill(found)

    def end_what_is_left(self):
        self.process.wait()
        kill(self.started())
