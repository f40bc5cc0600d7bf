"""usage: cases.py MODULE OUTCOMES

Runs the test cases of test.MODULE, one of CPython's own, and writes a JSON line [test id, outcome] as each is known; the
last line of a test counts. Outcomes are "ok", "skip", "xfail" or the type of the exception with the first line of its
message."""

import faulthandler
import json
import sys
import unittest

# Up to 3.11 functions of the modules named are captured only while a tensor exists, so one is made here. Not on 3.11: there a
# frame evaluator makes CPython specialize less code, which test_dis checks.
if "msjit" in sys.modules and sys.version_info[:2] != (3, 11):
    TENSOR = sys.modules["msjit"].Tensor([0.0])

LEFT_OUT = {"ThreadedVSOCKSocketStreamTest"}  # waits for ever if the virtual machine's host does not answer


def describe(error):
    kind, value, _ = error
    lines = str(value).splitlines()
    return "%s: %s" % (kind.__name__, lines[0][:200] if lines else "")


class Outcomes(unittest.TestResult):
    """Keeps the worst outcome of each test; sub-tests count towards the test that holds them."""

    def __init__(self, file):
        super().__init__()
        self.outcomes, self.file = {}, file

    def note(self, test, outcome):
        if self.outcomes.get(test.id(), "ok") == "ok":
            self.outcomes[test.id()] = outcome
            print(json.dumps([test.id(), outcome]), file=self.file, flush=True)

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


def leave_out(suite):
    """The suite without the classes named in LEFT_OUT."""
    return type(suite)(leave_out(test) if isinstance(test, unittest.TestSuite) else test for test in suite
                       if type(test).__name__ not in LEFT_OUT)


def main():
    module, path = sys.argv[1:]
    del sys.argv[1:]
    faulthandler.enable()
    from test import support

    support.use_resources = []  # no network, no large files, as in a default run of regrtest
    with open(path, "w") as file:
        try:
            suite = unittest.defaultTestLoader.loadTestsFromName("test." + module)
        except unittest.SkipTest:
            print(json.dumps([module, "skip"]), file=file)
        else:
            leave_out(suite).run(Outcomes(file))


def below(frames, call):
    """Some tests count on as many frames below them as a plain run of the test suite has."""
    return below(frames - 1, call) if frames else call()


if __name__ == "__main__":
    below(8, main)
