"""Shows what several jobs that run at once are doing: on a terminal by one live line, in a log by a line now and then."""

import re
import shutil
import threading
import time

BEAT_S = 20  # between two lines in a log
# What pytest, ninja and tests/cpython/run.py say about how far they are.
HOW_FAR = re.compile(rb"\[ *(\d+%)\]|^\[ *(\d+/\d+)\]", re.M)


def how_far(path):
    """The last such word in a log that is being written, or nothing."""
    try:
        with open(str(path), "rb") as file:
            file.seek(max(0, file.seek(0, 2) - 8192))
            found = HOW_FAR.findall(file.read())
    except OSError:
        return ""
    return b"".join(found[-1]).decode() if found else ""


class Progress:
    """Of `total` jobs; what goes to `out` meanwhile is written by `say`. Ends with the `with` block."""

    def __init__(self, total, out):
        self.total, self.out, self.live = total, out, out.isatty()
        self.done, self.running, self.started = 0, {}, time.time()
        self.lock, self.ended = threading.RLock(), threading.Event()
        self.said = self.started
        self.ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self):
        self.ticker.start()
        return self

    def __exit__(self, *unused):
        self.ended.set()
        self.ticker.join()

    def step(self, job, log):
        """A job begins, or goes on with another log."""
        with self.lock:
            self.running[job] = log

    def end(self, job, text):
        with self.lock:
            self.running.pop(job, None)
            self.done += 1
            self.say("[%*d/%d] %s: %s" % (len(str(self.total)), self.done, self.total, job, text))

    def say(self, text):
        with self.lock:
            self.out.write(("\r\033[K" if self.live else "") + text + "\n")
            self.out.flush()
            self.said = time.time()

    def status(self):
        with self.lock:
            logs = sorted(self.running.values())
        parts = [("%s %s" % (log.stem, how_far(log))).strip() for log in logs]
        return "%d/%d jobs, %d s: %s" % (self.done, self.total, time.time() - self.started, ", ".join(parts))

    def _tick(self):
        while not self.ended.wait(1):
            with self.lock:
                if self.live:
                    self.out.write("\r\033[K" + self.status()[: shutil.get_terminal_size().columns - 1])
                    self.out.flush()
                elif time.time() - self.said >= BEAT_S:
                    self.say(self.status())
        if self.live:
            self.out.write("\r\033[K")
