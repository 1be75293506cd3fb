"""Libraries that the host gives to all programs: unpacked into the interpreter's library folder, and imported before the first of them.

Programs of the style "notebook" import them as they are. No facade stands before them, and the guard looks at none of what hangs on them:
the walls of the process are what holds.
"""

import importlib
import os
import sys
import zipfile

from . import data_files, notebook_builtins, notebook_libraries, safe_builtins

FOLDER = "/lib/toolglot/wheels"
_archive = "/tmp/wheel"
_figures = "/mnt/data/figure-{}.png"


def unpack():
    """Unpacks the archive that the child has put there."""
    with zipfile.ZipFile(_archive) as archive:
        for entry in archive.infolist():
            first, _, rest = entry.filename.partition("/")
            if first.endswith(".data"):
                kind, _, rest = rest.partition("/")
                if kind not in ("purelib", "platlib"):
                    continue
                entry.filename = rest
            archive.extract(entry, FOLDER)
    os.remove(_archive)


def bring_in(names):
    """Imports the libraries, and lets programs import them."""
    sys.path.append(FOLDER)
    data_files.let_read(FOLDER)
    importlib.invalidate_caches()
    for name in names:
        importlib.import_module(name)
    if "matplotlib" in names:
        _draw_into_files()
    notebook_libraries.WHEELS.update({name: sys.modules[name] for name in names})
    # Their types are theirs: no program's own, and no secret of the engine.
    kinds = {kind for kind in safe_builtins.every_type() if str(kind.__module__).split(".")[0] in names}
    notebook_builtins.know(kinds)
    safe_builtins.hide_types((), *kinds)


def _draw_into_files():
    importlib.import_module("matplotlib").use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")

    def show(*args, **kwargs):
        """Writes each open figure to a file of its own, and closes it."""
        number = 1
        for figure in pyplot.get_fignums():
            while os.path.exists(_figures.format(number)):
                number += 1
            pyplot.figure(figure).savefig(_figures.format(number))
        pyplot.close("all")

    pyplot.show = show
