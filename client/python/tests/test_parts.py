"""The parts that need no server: errors, pipeline files, variables, questions, results."""

import builtins
import json
import pickle
import random
import time
from pathlib import Path
from typing import Any, get_args

import json5
import pytest

import millrace
from millrace import Answer, MillraceClient, PipelineSyntaxError, Question, load_pipeline, result_keys
from millrace.documents import parse_pipeline, unwrap_pipeline
from millrace.environment import Environment, substitute
from millrace.errors import ErrorCode, MillraceError, create_error, error_of_response
from millrace.generated.table import ERROR_TABLE
from millrace.mime_types import is_textual, mime_type_of
from millrace.results import read_result, read_validation


class TestErrors:
    @pytest.mark.parametrize('code', get_args(ErrorCode))
    def test_every_code_has_a_class_a_message_and_a_hint(self, code: ErrorCode) -> None:
        error = create_error(code)
        assert type(error) is not MillraceError
        assert (str(error), error.hint) == (ERROR_TABLE[code].message, ERROR_TABLE[code].hint)
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), copy.code, str(copy), copy.hint) == (type(error), code, str(error), error.hint)

    @pytest.mark.parametrize(
        ('code', 'kinds'),
        [
            ('invalid_argument', [ValueError, millrace.ValidationError]),
            ('file_not_found', [builtins.FileNotFoundError, OSError, millrace.NotFoundError]),
            ('pipeline_syntax', [json.JSONDecodeError, ValueError, millrace.ValidationError]),
            ('start_failed', [RuntimeError, millrace.TaskError]),
            ('pipeline_invalid', [RuntimeError, millrace.ValidationError]),
            ('task_unknown', [RuntimeError]),
            ('pipe_failed', [RuntimeError, millrace.PipeError]),
            ('internal', [RuntimeError, millrace.ServerError]),
            ('connection_lost', [RuntimeError, builtins.ConnectionError]),
            ('timeout', [RuntimeError, builtins.TimeoutError]),
            ('auth_invalid', [millrace.AuthenticationError]),
        ],
    )
    def test_is_also_the_usual_exception_of_its_kind(self, code: ErrorCode, kinds: list[type]) -> None:
        error = create_error(code)
        assert all(isinstance(error, kind) for kind in kinds)

    def test_kinds_that_the_specification_tells_apart_do_not_overlap(self) -> None:
        for code in ('invalid_argument', 'file_not_found', 'pipeline_syntax', 'auth_invalid'):
            assert not isinstance(create_error(code), RuntimeError)
        assert not isinstance(create_error('start_failed'), ValueError)

    def test_an_argument_the_server_refuses_is_a_runtime_error_too(self) -> None:
        error = error_of_response('execute', {'code': 'invalid_argument', 'message': 'threads must be less'})
        assert isinstance(error, ValueError) and isinstance(error, RuntimeError)

    def test_a_code_of_a_newer_server_does_not_hurt(self) -> None:
        error = error_of_response('execute', {'code': 'from_the_future', 'message': 'No', 'hint': 5})
        assert (error.code, str(error)) == ('start_failed', 'No')


class TestPipelineFiles:
    def test_are_json_or_json5_wrapped_or_not(self, tmp_path: Path) -> None:
        for name, text in {
            'a.pipe': '{ components: [], // comment\n }',
            'b.pipe.json5': '\ufeff{pipeline: {components: []}}',
            'c.json': '{"components": []}',
        }.items():
            (tmp_path / name).write_text(text, 'utf-8')
            loaded = load_pipeline(tmp_path / name)
            assert loaded == ({'components': []}, name[0])

    def test_that_do_not_exist(self) -> None:
        with pytest.raises(builtins.FileNotFoundError) as caught:
            load_pipeline('none.pipe')
        assert str(caught.value) == 'File not found: none.pipe'
        assert caught.value.filename == 'none.pipe'

    @pytest.mark.parametrize(
        ('text', 'what', 'line', 'column'),
        [
            ('{a: }', 'unexpected "}"', 1, 5),
            ('{\n  a: 1\n  b: 2\n}', 'unexpected "b"', 3, 3),
            ('{a: 1', 'unexpected end of the file', 1, 6),
            ('{a:\n "x\ny"}', 'unexpected line break', 2, 4),
            ('[' * 65, 'nested deeper than 64 levels', 1, 65),
        ],
    )
    def test_that_are_broken_say_where(self, tmp_path: Path, text: str, what: str, line: int, column: int) -> None:
        file = tmp_path / 'broken.pipe'
        file.write_text(text)
        with pytest.raises(json.JSONDecodeError) as caught:
            load_pipeline(file)
        error = caught.value
        assert isinstance(error, PipelineSyntaxError)
        assert str(error) == f'{file}: Broken pipeline file: {what} at line {line}, column {column}'
        assert (error.lineno, error.colno, error.doc) == (line, column, text)

    def test_brackets_in_strings_and_comments_are_no_nesting(self) -> None:
        assert parse_pipeline('{/*' + '[' * 99 + '*/ a: "' + '{' * 99 + "\", b: '\\'[' // [[\n}") == {
            'a': '{' * 99,
            'b': "'[",
        }

    def test_are_read_quickly_and_still_as_json5_says(self) -> None:
        chance = random.Random(7)
        pieces = [
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            ' ',
            '\n',
            'a',
            'true',
            "'b'",
            '"c"',
            "'d\\x41'",
            '1',
            '-.5',
            '/*x*/',
            '//y\n',
            'NaN',
        ]
        read = 0
        for _ in range(600):
            text = ''.join(chance.choice(pieces) for _ in range(chance.randint(1, 9)))
            text = chance.choice(['{a:%s}', '[%s]', '[1,%s', '%s']) % text
            try:
                wanted = repr(json5.loads(text))
            except ValueError:
                with pytest.raises(PipelineSyntaxError):
                    parse_pipeline(text)
            else:
                read += 1
                assert repr(parse_pipeline(text)) == wanted
        assert read > 20
        large = '{ // many\n' + ','.join(f"k{number}: ['x', {number},]" for number in range(20_000)) + '}'
        began = time.monotonic()
        assert len(parse_pipeline(large)) == 20_000
        assert time.monotonic() - began < 5

    def test_a_cut_file_is_always_a_syntax_error(self) -> None:
        text = '{ // a\n source: "x", components: [{ id: \'a\', n: -1.5e3, config: { key: null } }] }'
        for length in range(len(text)):
            with pytest.raises(PipelineSyntaxError):
                parse_pipeline(text[:length])

    def test_only_a_wrapper_is_unwrapped(self) -> None:
        assert unwrap_pipeline({'pipeline': {'a': 1}}) == {'a': 1}
        both: dict[str, Any] = {'pipeline': {}, 'components': []}
        assert unwrap_pipeline(both) is both


class TestVariables:
    def test_are_put_in_once_and_only_with_a_prefix_of_ours(self) -> None:
        variables = {'SERVICE_A': '${MILLRACE_B}', 'MILLRACE_B': 'b', 'ROCKETRIDE_C': 'c', 'HOME': 'h'}
        given = {
            '${SERVICE_A}': ['<${SERVICE_A}${MILLRACE_B}>', '${HOME} ${SERVICE_X} ${', 5, None],
            'n': {'c': '${ROCKETRIDE_C}'},
        }
        assert substitute(given, variables) == {
            '${SERVICE_A}': ['<${MILLRACE_B}b>', '${HOME} ${SERVICE_X} ${', 5, None],
            'n': {'c': 'c'},
        }

    def test_many_open_ones_take_no_long_time(self) -> None:
        assert substitute('${' * 200_000, {}) == '${' * 200_000

    def test_come_from_the_file_and_the_process_which_wins(self, tmp_path: Path) -> None:
        (tmp_path / '.env').write_text('SERVICE_A="file"\nSERVICE_B=\'${SERVICE_A}\'\nMILLRACE_URI=http://x\nOTHER=1\n')
        environment = Environment({'SERVICE_A': 'process', 'EMPTY': ''}, tmp_path)
        assert environment.pipeline_variables() == {
            'SERVICE_A': 'process',
            'SERVICE_B': '${SERVICE_A}',
            'MILLRACE_URI': 'http://x',
        }
        assert (environment.get('MILLRACE_URI'), environment.get('EMPTY')) == ('http://x', None)

    def test_the_address_and_the_key_come_from_them_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / '.env').write_text('MILLRACE_URI=https://there:1\n')
        assert MillraceClient().url == 'wss://there:1/task/service'
        monkeypatch.setenv('MILLRACE_URI', 'here')
        assert MillraceClient().url == 'ws://here:5565/task/service'
        assert MillraceClient('other:2').url == 'ws://other:2/task/service'


class TestQuestions:
    def test_have_every_field(self) -> None:
        question = Question('Why?', role='a judge', expect_json=True, filter={'limit': 3})
        question.add_instruction('Style', 'Be brief').add_example('a', {'b': 1}).add_context(['c', {'d': 2}]).add_goal(
            'e'
        )
        question.add_history('user', 'f').add_documents(
            {'type': 'Text', 'page_content': 'g', 'metadata': {'objectId': 'o', 'chunkId': 0}}
        )
        data = question.to_dict()
        assert data['questions'] == [{'text': 'Why?'}]
        assert data['instructions'] == [{'subtitle': 'Style', 'instructions': 'Be brief'}]
        assert data['examples'] == [{'given': 'a', 'result': '{"b":1}'}]
        assert data['context'] == ['c', '{"d":2}']
        assert (data['goals'], data['history']) == (['e'], [{'role': 'user', 'content': 'f'}])
        assert (data['role'], data['expectJson'], data['filter']['limit']) == ('a judge', True, 3)
        assert data['filter']['followUpQuestions'] == 5
        assert len(data['documents']) == 1
        data['goals'].append('not mine')
        assert question.to_dict()['goals'] == ['e']

    def test_answers_are_text_or_values(self) -> None:
        text, value = Answer.of({'objectId': '', 'answers': ['```json\n{"a": 1}\n```', {'b': 2}]})
        assert (text.is_json, text.json(), value.is_json, value.json(), value.text) == (
            False,
            {'a': 1},
            True,
            {'b': 2},
            '{"b":2}',
        )
        assert Answer.of({'objectId': ''}) == []
        assert Answer(None).text == ''
        with pytest.raises(ValueError, match='not JSON'):
            Answer('no').json()


class TestResults:
    def test_have_a_list_of_keys_whatever_the_server_sends(self) -> None:
        result = read_result({'result_types': {'a': 'text', 'b': 'answers'}, 'a': []})
        assert (result['result_types'], result['objectId']) == (['a', 'b'], '')
        assert result_keys(result) == ['a', 'b']
        assert result_keys(read_result(None)) == []

    def test_of_a_check_are_texts_with_findings(self) -> None:
        given: dict[str, Any] = {'errors': [{'message': 'm', 'id': 'c'}, 'n'], 'pipeline': {'chain': ['x', 5]}}
        result = read_validation(given)
        assert (result['errors'], result['warnings'], result['chain']) == (['m', 'n'], [], ['x'])
        assert result['diagnostics'][0] == {
            'severity': 'error',
            'code': 'pipeline_invalid',
            'message': 'm',
            'component': 'c',
        }
        assert read_validation(None)['errors'] == []


def test_mime_types_go_by_the_extension() -> None:
    assert [mime_type_of(name) for name in ('a.TXT', 'b.tar.pdf', 'folder.md/c', '')] == [
        'text/plain',
        'application/pdf',
        'application/octet-stream',
        'application/octet-stream',
    ]
    assert is_textual('text/csv') and not is_textual('application/pdf')


def test_the_package_exports_what_it_says_and_one_version() -> None:
    assert all(hasattr(millrace, name) for name in millrace.__all__)
    project = (Path(__file__).parent.parent / 'pyproject.toml').read_text('utf-8')
    assert f'version = "{millrace.__version__}"' in project
