"""MindRecord files are not offered: every name says so when it is used."""


def _missing(name):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("[%s] MindRecord files cannot be read or written, expected another format: "
                                  "GeneratorDataset or NumpySlicesDataset with arrays of numpy.save" % name)
    return type(name, (), {"__init__": __init__, "__doc__": "Not offered.", "__module__": __name__})


FileWriter, FileReader, MindPage = _missing("FileWriter"), _missing("FileReader"), _missing("MindPage")
