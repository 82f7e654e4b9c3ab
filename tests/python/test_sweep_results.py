"""`tracelift sweep results` and `compare`: figures against an implementation of their own here, and outputs parsed by
the libraries that their readers use."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timedelta, timezone

import pytest

from sweep_support import EFFICIENTNET, real_master
from test_masters_command import as_json, find_tool, run

HOSTILE = "]]> <script>alert('x')</script> & \"quoted\" %0A ::error:: | `code` \\ \r\n\x01\x1b[31mred\u2028 end"
START = datetime(2026, 1, 15, 10, 46, 16, tzinfo=timezone.utc)


def stamp(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def record(number, status="pass", message="0.9999", exception=None, seconds=0.5, suite="model_traced", sweep="eltwise.unary.exp.exp"):
    return {
        "full_test_name": sweep,
        "test_start_ts": stamp(START + timedelta(seconds=number)),
        "test_end_ts": stamp(START + timedelta(seconds=number + seconds)),
        "test_case_name": suite,
        "filepath": sweep,
        "success": status == "pass",
        "skipped": status == "skipped",
        "error_message": exception or "None",
        "model_name": "n/a",
        "status": status,
        "input_hash": f"{number:056x}",
        "message": message,
        "exception": exception,
        "metrics": None,
        "op_params_set": [
            {"param_name": "shape", "param_value_numeric": None, "param_value_text": f"(1, {number % 7})", "param_value_json": None}
        ],
    }


def mixed():
    """All kinds of results; two signatures among the failures, one of them hostile."""
    records = [record(i, message=str(0.99 + i / 10000), seconds=0.25 + i / 100) for i in range(20)]
    records += [record(20 + i, "fail_assert_exception", None, f"bank {i} of [1, {i}, 32] is full at 0x{i + 16:x}") for i in range(3)]
    records += [record(30, "fail_crash_hang", None, HOSTILE, suite=HOSTILE)]
    records += [record(31, "fail_crash_hang", None, "TEST TIMED OUT (CRASH / HANG)", suite="nightly")]
    records += [record(32, "skipped", None, "INVALID VECTOR: odd", suite="nightly")]
    records += [record(33, "xfail", None, "as expected", suite="xfail_odd"), record(34, "pass", "all is well", suite="nightly")]
    return records


RUN = {
    "initiated_by": "me",
    "host": "machine",
    "card_type": "wormhole_b0 (n150)",
    "run_type": "sweeps",
    "run_contents": "all_sweeps",
    "git_sha": "0123abc",
    "run_start_ts": stamp(START),
    "run_end_ts": stamp(START + timedelta(seconds=12.34)),
    "status": "fail",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    (folder / "eltwise_0123456789ab_20260115_104616.json").write_text(json.dumps(mixed(), indent=2))
    (folder / "oprun_machine_0123456789ab_20260115_104616.json").write_text(json.dumps({**RUN, "tests": mixed()}, indent=2))
    return folder


def expected_text(records):
    """The layout of analyze_sweep_results up to the failures, written apart from ours."""
    passed = [each for each in records if each["success"]]
    skipped = [each for each in records if each["skipped"]]
    expected = [each for each in records if each["status"] == "xfail"]
    failed = [each for each in records if each not in passed + skipped + expected]
    duration = [
        (datetime.fromisoformat(each["test_end_ts"][:-1]) - datetime.fromisoformat(each["test_start_ts"][:-1])).total_seconds()
        for each in records
    ]
    lines = ["📊 Overall Test Statistics:", f"   • Total Tests: {len(records)}"]
    lines += [f"   • ✅ Passed: {len(passed)} ({100 * len(passed) / len(records):.1f}%)", f"   • ❌ Failed: {len(failed)}"]
    lines += [f"   • ⏭️  Skipped: {len(skipped)}", f"   • ☑️  Expected Failures: {len(expected)}"]
    lines += [f"   • 🔥 With Errors: {sum(each['error_message'] != 'None' for each in records)}"]
    lines += [f"   • ⏱️  Avg Duration: {sum(duration) / len(duration):.2f}s per test", ""]
    values = sorted(float(each["message"]) for each in passed if re.fullmatch(r"[0-9.e-]+", each["message"]))
    metrics = [f"🚀 Performance Metrics (from {len(values)} successful tests):", f"   • Min Value: {values[0]:.6f}"]
    metrics += [f"   • Max Value: {values[-1]:.6f}", f"   • Avg Value: {sum(values) / len(values):.6f}"]
    metrics += [f"   • Median Value: {values[len(values) // 2]:.6f}", ""]
    return "\n".join(lines), "\n".join(metrics), f"🔥 Failure Analysis ({len(failed)} failures):"


def test_figures_are_those_of_another_implementation(files):
    printed = run("sweep", "results", "--results-dir", files).stdout
    assert printed.startswith(f"📁 Loading results from: {files}/eltwise_0123456789ab_20260115_104616.json\n📁 Loading metadata from: {files}/oprun_")
    totals, metrics, failures = expected_text(mixed())
    for part in (totals, metrics, failures, "   • Host: machine\n", "   • Total Run Time: 12.34 seconds\n"):
        assert part in printed, printed
    breakdown = printed.split("🎯 Test Case Breakdown:\n")[1]
    assert breakdown.startswith("   • model_traced:\n     - Total: 23 tests\n     - Passed: 20 (87.0%)\n     - Failed: 3\n     - Unique Configs: 7\n")
    assert "   • 3 × fail: bank N of SHAPE is full at ADDRESS\n" in printed
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", printed)


def test_filters_choose(files):
    def ids(*arguments):
        report = as_json("sweep", "results", "--results-dir", files, *arguments)
        return [int(each["vector_id"], 16) for each in report["results"]]

    assert ids("--status", "failed") == [20, 21, 22, 30, 31]
    assert ids("--status", "fail_timeout") == [31]
    assert ids("--op", "exp") == [int(each["input_hash"], 16) for each in mixed()]
    assert ids("--since", stamp(START + timedelta(seconds=33))) == [33, 34]
    nothing = run("sweep", "results", "--results-dir", files, "--op", "relu")
    assert nothing.returncode == 1 and "no results" in nothing.stderr
    wrong = run("sweep", "results", "--results-dir", files, "--status", "fine")
    assert wrong.returncode == 2 and "--status takes" in wrong.stderr


def test_the_worst_come_first(files):
    report = as_json("sweep", "results", "--results-dir", files, "--worst", "3")
    assert [each["pcc"] for each in report["worst"]] == [0.99, 0.9901, 0.9902]


def test_junit_is_what_its_readers_expect(files, tmp_path):
    assert run("sweep", "results", "--results-dir", files, "--junit", tmp_path / "j.xml").returncode == 0
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert root.tag == "testsuites"
    cases = list(root.iter("testcase"))
    assert len(cases) == len(mixed()) == int(root.get("tests"))
    kinds = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for suite in root:
        assert suite.tag == "testsuite" and set(suite.attrib) >= {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        for tag, attribute in kinds.items():
            assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
        assert float(suite.get("time")) == pytest.approx(sum(float(case.get("time")) for case in suite), abs=1e-5)
    for attribute in kinds.values():
        assert int(root.get(attribute)) == sum(int(suite.get(attribute)) for suite in root)
    by_name = {case.get("name"): case for case in cases}
    assert all(case.get("classname") for case in cases) and len(by_name) == len(cases)
    text = by_name[f"{30:056x}"].find("failure").text
    assert text == HOSTILE.replace("\x01", "\\x01").replace("\x1b", "\\x1b")
    assert float(by_name[f"{3:056x}"].get("time")) == pytest.approx(0.28)
    assert by_name[f"{32:056x}"].find("skipped").get("message") == "not_run: INVALID VECTOR: odd"


def test_annotations_and_the_step_summary(files, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = subprocess.run(
        [find_tool(), "sweep", "results", "--results-dir", str(files), "--github"],
        capture_output=True, text=True, check=True, env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
    )  # fmt: skip
    commands = [line for line in done.stdout.split("\n") if line.startswith("::")]
    assert len(commands) == 3
    texts = []
    for command in commands:
        level, title, text = re.fullmatch(r"::(\w+) title=([^:,]*)::(.*)", command).groups()
        assert level == "error"
        texts.append(text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%"))
    assert any(text.startswith(HOSTILE.replace("\x01", " ").replace("\x1b", " ") + "\nExample: ") for text in texts), texts
    assert summary.read_text().startswith("before\n## ❌ Sweep ")
    assert "21 of 28 passed (75.0%)" in summary.read_text()
    assert "<script>" not in summary.read_text()
    for line in summary.read_text().splitlines():
        assert not line.startswith("| 1 ") or line.count("|") == 6, line


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.data, self.stack, self.outside = {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.stack.append(attributes.get("id") or tag)
        self.outside += [value for name, value in attributes.items() if name in ("src", "href") and value != "data:,"]

    def handle_data(self, data):
        if self.stack:
            self.data.setdefault(self.stack[-1], []).append(data)


def test_the_page_holds_every_result_and_nothing_else(files, tmp_path):
    assert run("sweep", "results", "--results-dir", files, "--html", tmp_path / "page.html").returncode == 0
    text = (tmp_path / "page.html").read_text()
    page = Page(text)
    assert page.outside == [] and "url(" not in text and "@import" not in text
    rows = json.loads("".join(page.data["rows"]))
    assert [row["id"] for row in rows] == [each["input_hash"] for each in mixed()]
    assert [row["message"] for row in rows if row["message"]] == [each["exception"] for each in mixed() if each["exception"]]
    assert "".join(page.data["title"]).startswith("21/28 passed")


def chromium():
    return shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(chromium() is None, reason="no chromium: apt-get install chromium")
def test_a_browser_shows_the_page_without_a_complaint(files, tmp_path):
    page = tmp_path / "page.html"
    assert run("sweep", "results", "--results-dir", files, "--html", page).returncode == 0
    done = subprocess.run(
        [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={tmp_path}/profile",
         "--virtual-time-budget=5000", "--dump-dom", f"file://{page}"],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr, done.stderr
    assert done.stdout.count('<span class="badge') >= len(mixed())
    body = done.stdout.split("<tbody>")[1].split("</tbody>")[0]
    assert body.count("<tr>") == len(mixed())
    assert "28 of 28 shown" in done.stdout
    assert "<script>alert" not in done.stdout


def compared(before, after, *arguments):
    done = run("sweep", "compare", before, after, "--json", *arguments)
    return done.returncode, json.loads(done.stdout)


def test_comparisons_tell_what_changed_and_end_with_a_status(tmp_path):
    before = [record(i, message="0.9999", seconds=0.1) for i in range(6)] + [record(6, "fail_assert_exception", None, "old")]
    after = [record(i, message="0.9999", seconds=0.1) for i in range(1, 6)] + [record(6), record(7)]
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(json.dumps(before))

    def status_of(changed, *arguments):
        second.write_text(json.dumps(changed))
        status, report = compared(first, second, *arguments)
        assert report["worse"] == (status == 1)
        return status, {key: [int(each["vector_id"], 16) for each in value] for key, value in report.items() if isinstance(value, list) and value and isinstance(value[0], dict)}

    assert status_of(before) == (0, {})
    assert status_of(after) == (0, {"fixed": [6], "new": [7], "gone": [0]})
    failing = [*before[:-2], record(5, "fail_crash_hang", None, HOSTILE, seconds=0.1), before[-1]]
    assert status_of(failing) == (1, {"newly_failing": [5]})
    inaccurate = [*before[:2], record(2, message="0.9990", seconds=0.1), *before[3:]]
    assert status_of(inaccurate) == (1, {"less_accurate": [2]})
    assert status_of(inaccurate, "--pcc-drop", "0.01") == (0, {})
    slow = [*before[:3], record(3, message="0.9999", seconds=0.4), *before[4:]]
    assert status_of(slow) == (0, {"slower": [3]})
    assert status_of(slow, "--time-ratio", "3") == (1, {"slower": [3]})
    assert status_of(slow, "--time-ratio", "3", "--time-floor", "500") == (0, {})

    second.write_text(json.dumps(failing))
    markdown = run("sweep", "compare", first, second, "--markdown")
    assert markdown.returncode == 1 and "### ❌ Newly failing (1)" in markdown.stdout and "<script>" not in markdown.stdout
    missing = run("sweep", "compare", first, tmp_path / "third.json")
    assert missing.returncode == 1 and "third.json: no such file" in missing.stderr
    second.write_text(json.dumps([record(i) for i in range(10, 13)]))
    strangers = run("sweep", "compare", first, second)
    assert strangers.returncode == 1 and "have no vector in common: there is nothing to compare" in strangers.stderr


@pytest.mark.parametrize("when", ["yesterday", "2026-01", "15.01.2026", "2026-01-15 10:46", "2026-01-15T10:46:16.1234Z"])
def test_times_that_cannot_be_compared_are_refused(when):
    refused = run("sweep", "results", "--since", when)
    assert refused.returncode == 2 and f"--since takes a time such as 2026-01-15, 2026-01-15T10:46 or 2026-01-15T10:46:16Z, got '{when}'" in refused.stderr


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    store = tmp_path_factory.mktemp("swept") / "store"
    assert run("import", real_master(EFFICIENTNET), "--dir", store).returncode == 0
    for _ in range(2):
        assert run("sweep", "run", "sigmoid_accurate", "--dir", store).returncode == 0
    return store


def test_the_headline_of_the_guide(swept, tmp_path):
    page = tmp_path / "page.html"
    printed = run("sweep", "results", "--guide", "--dir", swept, "--html", page)
    assert "   • Total Tests: 30\n   • ✅ Passed: 30 (100.0%)\n   • ❌ Failed: 0\n" in printed.stdout
    assert printed.stdout.endswith("🎉 No failures detected!\n")
    assert "<title>30/30 passed: ttnn.sigmoid_accurate, model_traced</title>" in page.read_text()


def test_the_same_rows_come_from_sql(swept):
    rows = as_json("sql", "SELECT vector_id, status, pcc FROM results WHERE sweep = 2 ORDER BY vector_id", "--dir", swept)
    report = as_json("sweep", "results", "--run", "2", "--dir", swept)
    shown = sorted((each["vector_id"], each["status"], each["pcc"]) for each in report["results"])
    assert len(shown) == 30 and [(row["vector_id"], row["status"], row["pcc"]) for row in rows] == shown


def test_runs_of_the_store_are_compared_and_weighted(swept):
    status, report = compared("latest~1", "latest", "--dir", swept)
    assert status == 0 and report["common"] == 30 and report["after"]["passed"] == 30
    weighted = as_json("sweep", "results", "--weight", "executions", "--dir", swept)["summary"]["weighted"]
    counts = as_json("sql", "SELECT sum(executions) AS n FROM configurations WHERE operation = 'ttnn.sigmoid_accurate'", "--dir", swept)
    assert weighted["executions"] == weighted["passed"] == counts[0]["n"]
    for arguments in (["results"], ["run", "sigmoid_accurate"]):
        wrong = run("sweep", *arguments, "--weight", "shapes", "--dir", swept)
        assert wrong.returncode == 2 and "--weight takes executions, got 'shapes'" in wrong.stderr
    unknown = run("sweep", "results", "--run", "99", "--dir", swept)
    assert unknown.returncode == 1 and "no run '99'" in unknown.stderr
