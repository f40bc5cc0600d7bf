"""The generated pages of docs/ are up to date."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_generated_pages_are_fresh():
    done = subprocess.run([sys.executable, str(ROOT / "tests/tools/gen_docs.py"), "--check"], stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout.decode()
