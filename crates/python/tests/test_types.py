"""The package's types as checkers see them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import carelock
import pytest

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright", "--pythonpath", sys.executable]], ids=["mypy", "pyright"])
def test_a_users_program_and_the_package_are_fully_typed(checker: list[str], tmp_path: pathlib.Path) -> None:
    assert (pathlib.Path(carelock.__file__).parent / "py.typed").exists()
    sample, package = [str(HERE / "user_sample.py")], ["-p", "carelock"]
    for what in [sample, package] if checker[0] == "mypy" else [sample]:
        run = subprocess.run([sys.executable, "-m", *checker, *what], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr


def test_a_wrong_type_is_found(tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import carelock\nscore: str = carelock.evaluate('x', tie='coin').overall\n")
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(wrong)], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1 and run.stdout.count("error:") == 2, run.stdout


def test_nothing_public_is_untyped_or_without_words() -> None:
    for name in carelock.__all__:
        if name not in ("__version__", "ChatLike"):
            assert getattr(carelock, name).__doc__, name


def test_the_users_program_runs() -> None:
    run = subprocess.run([sys.executable, str(HERE / "user_sample.py")], capture_output=True, text=True, check=True)
    assert "nothing to judge" in run.stdout
