"""One library's worker process: asked for one network after the other, started again where it dies."""
import hashlib
import json
import os
import pathlib
import select
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT = 900  # seconds for one network


def _stamp():
    """Changes with what the networks are built and fed by: results of MindSpore are kept until then."""
    return hashlib.sha256((HERE / "nets.py").read_bytes() + b"1").hexdigest()  # changed by hand when worker.py gives other facts


class Side:
    """run() gives the facts of worker.py with the path of the arrays, or {"crash": what happened}."""

    def __init__(self, library, keeps=True):
        self.library, self.keeps, self.process = library, keeps, None
        self.folder = ROOT / "build/zoo" / library
        self.folder.mkdir(parents=True, exist_ok=True)

    def _start(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/zoo/packages"), GLOG_v="3", MSJIT_SYNC_COMPILE="1")
        worker = [str(HERE / "worker.py"), self.library, str(self.folder)]
        if self.library == "mindspore":
            command = [str(ROOT / "build/peers/mindspore/bin/python")] + worker
        else:
            command = [sys.executable, "-m", "msjit", "--mode", "eager", "--alias", "mindspore"] + worker
        self.log = open(str(self.folder / "log"), "a")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        env=environment, cwd=str(self.folder))

    def ask(self, line):
        """The answer to one line, or a crash."""
        if self.process is None:
            self._start()
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        deadline, text = time.time() + LIMIT, b""
        while True:  # what networks print comes before the line that begins with @
            ready = select.select([self.process.stdout], [], [], max(deadline - time.time(), 0))[0]
            part = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            text += part
            if text.endswith(b"\n") and text.rsplit(b"\n", 2)[-2].startswith(b"@"):
                return json.loads(text.rsplit(b"\n", 2)[-2][1:].decode())
            if not part:
                self.stop(kill=True)
                return {"crash": "no answer after %d s" % LIMIT if not ready else "the process ended"}

    def networks(self):
        """(package, file, name) of all that is registered."""
        answer = self.ask("list")
        if "networks" not in answer:
            sys.exit("zoo: the packages cannot be imported, see %s\n%s" % (self.folder / "log", answer))
        return [tuple(item) for item in answer["networks"]]

    def kept(self, package, name):
        """The facts of an earlier run of the same network, or None."""
        file = self.folder / ("%s-%s.json" % (package, name))
        facts = json.loads(file.read_text()) if file.exists() else {}
        return facts if facts.get("stamp") == _stamp() else None

    def run(self, package, name):
        """Facts of one network."""
        facts = self.kept(package, name) if self.keeps else None
        if facts is None:
            facts = self.ask("%s %s" % (package, name))
            facts.update(stamp=_stamp(), date=time.strftime("%Y-%m-%d", time.gmtime()),
                         arrays=str(self.folder / ("%s-%s.npz" % (package, name))))
            (self.folder / ("%s-%s.json" % (package, name))).write_text(json.dumps(facts))
        return facts

    def stop(self, kill=False):
        """Ends the process."""
        if self.process is None:
            return
        if kill:
            self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        self.process = None
        self.log.close()
