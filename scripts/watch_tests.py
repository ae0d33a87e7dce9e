# SPDX-License-Identifier: MIT
# Looks after a command that runs tests, for scripts/test_events.py. A test that waits for ever, or a program that a
# crashed test leaves behind, would otherwise hold up everything after it and leave no trace of what it waited for.

import os
import signal
import subprocess
import threading

# Seconds without a line: many times what the slowest test takes under load, so that no test passes or fails by it.
PATIENCE = int(os.environ.get("LIVECAP_STUCK", "600"))


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


def holders(pipe):
    """The other processes that have a pipe open, of which this is the number."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue  # It has ended, or belongs to another user.
        if f"pipe:[{pipe}]" in files and int(pid) != os.getpid():
            found.append(int(pid))
    return found


class Watch:
    """Ends a command that prints nothing for a long time, and what keeps its output open when it has ended."""

    def __init__(self, process, report):
        """`report` is the file into which the stacks of a command that hangs are written."""
        self.process = process
        self.pipe = os.fstat(process.stdout.fileno()).st_ino
        self.report = report
        self.was_stuck = False
        self.heard = threading.Event()
        for work in (self.end_what_hangs, self.end_what_is_left):
            threading.Thread(target=work, daemon=True).start()

    def hear(self):
        """To be called for each line that the command prints."""
        self.heard.set()

    def end_what_hangs(self):
        # Each line begins the wait anew.
        while self.heard.wait(PATIENCE):
            self.heard.clear()
        if self.process.returncode is not None:
            return
        self.was_stuck = True
        found = [self.process.pid] + descendants(self.process.pid)
        with open(self.report, "w") as file:
            for pid in found:
                file.write(f"== {words(pid)}\n{stacks(pid)}\n")
        kill(found)

    def end_what_is_left(self):
        self.process.wait()
        # Their output would be waited for otherwise.
        kill(holders(self.pipe))
