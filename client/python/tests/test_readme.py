"""The README: its samples run, and it names what exists."""

import builtins
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Server

import millrace
from millrace import DataPipe, MillraceClient, MillraceError

README = (Path(__file__).parent.parent / 'README.md').read_text('utf-8')
SAMPLES = re.findall(r'```python\n(.*?)```', README, re.DOTALL)
PRINTED = [
    "['Hello\\n\\n']\n",
    "['one \\n\\ntwo\\n\\n']\n",
    '100%\n100%\ncomplete note.txt\ncomplete again.txt\n',
    'task_unknown: Start the pipeline first; finished tasks are forgotten after five minutes.\n',
]


def test_every_sample_is_known() -> None:
    assert len(SAMPLES) == len(PRINTED)
    for text in PRINTED[:2]:
        assert f'`{text.strip()}`' in README


@pytest.mark.parametrize(('sample', 'printed'), list(zip(SAMPLES, PRINTED, strict=False)))
def test_samples_print_what_it_says(sample: str, printed: str, server: Server, tmp_path: Path) -> None:
    env = {**os.environ, 'MILLRACE_URI': server.url, 'MILLRACE_APIKEY': server.key}
    done = subprocess.run(
        [sys.executable, '-c', sample], capture_output=True, text=True, env=env, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.returncode, sorted(done.stdout.splitlines()), done.stderr) == (0, sorted(printed.splitlines()), '')


def test_names_only_methods_options_and_errors_that_exist() -> None:
    methods = re.findall(r'`(\w+)\(', README[README.index('| Method') : README.index('`use` takes')])
    assert {name for name in methods if not hasattr(MillraceClient, name)} <= set(dir(DataPipe))
    public = {name for name in dir(MillraceClient) if not name.startswith('_')} - {'url', 'connected'}
    assert {name for name in public if f'`{name}' not in README} == set()
    documented = set(re.findall(r'`([A-Z]\w+Error)`', README))
    ours = {name for name in millrace.__all__ if name.endswith('Error')}
    builtin = {'RuntimeError', 'ValueError', 'LookupError'}
    assert documented - builtin == ours
    for row in re.findall(r'^\| `(\w+Error)`.*?\| `([\w.]+)` ', README, re.MULTILINE):
        usual = {'json.JSONDecodeError': json.JSONDecodeError}.get(row[1]) or getattr(builtins, row[1])
        assert issubclass(getattr(millrace, row[0]), usual), row
        assert issubclass(getattr(millrace, row[0]), MillraceError)
