"""Prints 'N passed, N failed' per test runner from the JUnit files in a folder. Status 1 on failures or no tests."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def count(path: pathlib.Path) -> tuple[int, int, int]:
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        # ctest says it in `status` (run, fail, notrun, disabled), pytest in a child element.
        status = case.get("status")
        if case.find("failure") is not None or case.find("error") is not None or status == "fail":
            failed += 1
        elif case.find("skipped") is not None or status in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main() -> int:
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.xml"))
    total = [0, 0, 0]
    for path in files:
        numbers = count(path)
        total = [a + b for a, b in zip(total, numbers)]
        print(f"{path.stem:<14} {numbers[0]:>6} passed, {numbers[1]} failed, {numbers[2]} skipped")
    print(f"{'total':<14} {total[0]:>6} passed, {total[1]} failed, {total[2]} skipped")
    if total[0] + total[1] == 0:
        print("no test ran", file=sys.stderr)
        return 1
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
