"""usage: cases.py MODULE OUTCOMES.json

Runs the test cases of test.MODULE, one of CPython's own, and writes {test id: outcome}. Outcomes are "ok", "skip", "xfail" or
the type of the exception with the first line of its message."""

import faulthandler
import json
import sys
import unittest


def describe(error):
    kind, value, _ = error
    lines = str(value).splitlines()
    return "%s: %s" % (kind.__name__, lines[0][:200] if lines else "")


class Outcomes(unittest.TestResult):
    """Keeps the worst outcome of each test; sub-tests count towards the test that holds them."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}

    def note(self, test, outcome):
        if self.outcomes.get(test.id(), "ok") == "ok":
            self.outcomes[test.id()] = outcome

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "ok")

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, describe(err))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, describe(err))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, describe(err))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skip")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "xfail")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "unexpected success")


def main():
    module, path = sys.argv[1:]
    del sys.argv[1:]
    faulthandler.enable()
    from test import support

    support.use_resources = []  # no network, no large files, as in a default run of regrtest
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + module)
    except unittest.SkipTest:
        outcomes = {module: "skip"}
    else:
        result = Outcomes()
        suite.run(result)
        outcomes = result.outcomes
    with open(path, "w") as file:
        json.dump(outcomes, file, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
