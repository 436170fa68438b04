# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A case by its name, as cases.h has it: what selects cases of a test that is written with unittest."""
import fnmatch
import os
import sys
import unittest


def cases_of(suite):
    for test in suite:
        yield from cases_of(test) if isinstance(test, unittest.TestSuite) else [test]


def run_cases(arguments):
    """Run the cases of the program, or those that the arguments select: [--list | PATTERN...]."""
    patterns = arguments or os.environ.get("VMAF_TEST_CASES", "").split()
    loaded = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    cases = [(case.id().rpartition(".")[2], case) for case in cases_of(loaded)]
    list_only = "--list" in patterns
    patterns = [pattern for pattern in patterns if pattern != "--list"]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name, case in cases):
            sys.exit(f"no case matches {pattern}")
    selected = [(name, case) for name, case in cases
                if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
    if list_only:
        print("\n".join(name for name, case in selected))
        return
    suite = unittest.TestSuite(case for name, case in selected)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
