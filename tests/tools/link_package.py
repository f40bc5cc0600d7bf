"""usage: PYTHON link_package.py PACKAGE_DIR

Installs msjit into the environment of the running interpreter by a link to the built package, so edits of the Python sources take effect at
once. The .pth file, the metadata and the command are those of a real installation. msjit-python becomes a link beside `python`; a venv made
with it then finds the real one.
"""

import os
import re
import shutil
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(path, text):
    if os.path.exists(path):
        with open(path) as file:
            if file.read() == text:
                return
    with open(path, "w") as file:
        file.write(text)


def point(link, target):
    """Makes `link` a link to `target`, or removes it where there is no target."""
    if os.path.islink(link) and os.readlink(link) == target and os.path.exists(target):
        return
    if os.path.islink(link) or os.path.isfile(link):
        os.unlink(link)
    elif os.path.isdir(link):
        shutil.rmtree(link)
    if os.path.exists(target):
        os.symlink(target, link)


def main(package):
    site = sysconfig.get_path("purelib")
    target = os.path.abspath(package)
    point(os.path.join(site, "msjit"), target)
    launchers = os.path.join(os.path.dirname(os.path.dirname(target)), "launcher")
    point(os.path.join(sysconfig.get_path("scripts"), "msjit-python"),
          os.path.join(launchers, "%d.%d" % sys.version_info[:2], "msjit-python"))
    with open(os.path.join(ROOT, "pylib", "msjit.pth")) as file:
        write(os.path.join(site, "msjit.pth"), file.read())
    with open(os.path.join(ROOT, "pyproject.toml")) as file:
        version = re.search(r'^version = "(.*)"', file.read(), re.M).group(1)
    info = os.path.join(site, "msjit-%s.dist-info" % version)
    os.makedirs(info, exist_ok=True)
    write(os.path.join(info, "METADATA"), "Metadata-Version: 2.1\nName: msjit\nVersion: %s\n" % version)
    write(os.path.join(info, "INSTALLER"), "make\n")
    write(os.path.join(info, "entry_points.txt"), "[console_scripts]\nmsjit = msjit.cli:console\n")
    command = os.path.join(sysconfig.get_path("scripts"), "msjit")
    write(command, "#!%s\nfrom msjit.cli import console\nconsole()\n" % sys.executable)
    os.chmod(command, 0o755)
    write(os.path.join(info, "RECORD"), "msjit.pth,,\n")


if __name__ == "__main__":
    main(sys.argv[1])
