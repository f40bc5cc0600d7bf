"""Running the samples in processes of their own: one dies or hangs, and the next goes on behind the sample at fault."""
import hashlib
import json
import pathlib
import pickle
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
RESTART = 75  # of worker.py
PATIENCE = 90  # seconds without a record, the start included


def read_records(path):
    found = []
    with open(path, "rb") as file:
        while True:
            try:
                found.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return found


def watch(process, path):
    """Waits for a worker; ends one that writes nothing for too long."""
    size, since = -1, time.time()
    while process.poll() is None:
        time.sleep(0.2)
        if path.stat().st_size != size:
            size, since = path.stat().st_size, time.time()
        elif time.time() - since > PATIENCE:
            process.kill()
    return process.returncode


def run_side(python, library, samples, folder):
    """{sample name: record} of a library; a sample that ends its process has the outcome "ends the process"."""
    jobs, path, done, idle = folder / (library + ".json"), folder / (library + ".records"), {}, 0
    while len(done) < len(samples):
        rest = [s for s in samples if s.name not in done]
        jobs.write_text(json.dumps([(s.call, s.specs, s.gradient, s.unusual) for s in rest]))
        path.write_bytes(b"")
        with open(folder / (library + ".log"), "ab") as log:
            process = subprocess.Popen([str(python), str(HERE / "worker.py"), library, str(jobs), str(path)],
                                       cwd=str(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            status = watch(process, path)
        found = dict(read_records(path))
        done.update(found)
        if len(found) < len(rest) and status != RESTART:
            idle = 0 if found else idle + 1
            if idle > 3:
                sys.exit("%s: no sample can be run, see %s" % (library, folder / (library + ".log")))
            done[rest[len(found)].name] = {"eager": ("raises", "ends the process", "status %s" % status)}
    return {s.name: done[s.name] for s in samples}


def source_key():
    text = b"".join((HERE / name).read_bytes() for name in ("prelude.py", "values.py", "worker.py"))
    return hashlib.sha1(text).hexdigest()


class OracleCache:
    """MindSpore's records, kept between runs while the harness and the version of MindSpore stay as they are."""

    def __init__(self, path, version):
        self.path, self.key = path, (version, source_key())
        self.records = {}
        if path.exists():
            key, records = pickle.loads(path.read_bytes())
            self.records = records if key == self.key else {}

    def run(self, python, samples, folder):
        missing = [s for s in samples if s.name not in self.records]
        if missing:
            self.records.update(run_side(python, "mindspore", missing, folder))
            self.path.write_bytes(pickle.dumps((self.key, self.records)))
        return {s.name: self.records[s.name] for s in samples}
