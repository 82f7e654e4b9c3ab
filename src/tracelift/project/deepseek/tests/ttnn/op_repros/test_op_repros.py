"""A test per distinct captured call: replayed, its outputs have the recorded shapes and dtypes. Opt-in:

    pytest tests/ttnn/op_repros --op-repros /tmp/op_calls.jsonl
"""

from tracelift.pytest_parts import op_repros


def pytest_generate_tests(metafunc):
    op_repros.parametrize(metafunc)


def test_op_repro(op_record, request):
    replayed = op_repros.replayed(op_record, request.config)
    assert replayed == op_repros.recorded(op_record.get("output"))
