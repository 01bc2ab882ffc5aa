"""The protocol without I/O: no sockets, no clocks, no threads."""

import json
import random
from typing import Any

import pytest

from millrace import AuthenticationError, ConnectionError, MillraceError, TaskError
from millrace.core.address import socket_address
from millrace.core.frames import decode_frame, encode_binary_frame, encode_text_frame
from millrace.core.protocol import (
    Broken,
    Dropped,
    Failed,
    Happened,
    LoggedIn,
    LoginFailed,
    Output,
    Phase,
    Protocol,
    Replied,
    Timer,
)
from millrace.core.retry import RetryPolicy
from millrace.errors import create_error

LIMIT = 1 << 20


def response(seq: int, command: str, **more: Any) -> str:
    return json.dumps({'type': 'response', 'seq': 1, 'request_seq': seq, 'command': command, 'success': True, **more})


def kinds(outputs: list[Output]) -> list[type]:
    return [type(output) for output in outputs]


def ready(dialect: str = 'spec') -> Protocol:
    protocol = Protocol()
    protocol.login('key', 'tests', '1')
    protocol.receive(response(1, 'auth', body={'userId': 'u'}))
    protocol.take_outgoing()
    protocol.receive(response(2, 'mrext_ping', success=dialect == 'spec'))
    return protocol


class TestFrames:
    def test_a_payload_may_hold_any_bytes(self) -> None:
        payload = bytes(range(256)) * 3
        header, found = decode_frame(encode_binary_frame({'a': 'ü\n'}, payload), LIMIT)
        assert (header, found) == ({'a': 'ü\n'}, payload)

    def test_text_and_binary_without_a_line_feed_are_json(self) -> None:
        assert decode_frame('{"a":1}', LIMIT) == ({'a': 1}, None)
        assert decode_frame(b'{"a":1}', LIMIT) == ({'a': 1}, None)
        assert decode_frame(b'{"a":1}\n', LIMIT) == ({'a': 1}, b'')

    def test_headers_are_written_compactly(self) -> None:
        assert encode_text_frame({'a': [1, 'ü']}) == '{"a":[1,"ü"]}'

    @pytest.mark.parametrize(
        ('data', 'code'),
        [
            ('', 'invalid_message'),
            ('[]', 'invalid_message'),
            ('null', 'invalid_message'),
            (b'\xff{}', 'invalid_message'),
            ('{"a":', 'invalid_message'),
            ('[' * 100_000, 'invalid_message'),
            ('{"a":"' + 'x' * LIMIT + '"}', 'too_large'),
            (b'{"a":"' + b'x' * LIMIT + b'"}\n', 'too_large'),
        ],
    )
    def test_what_is_no_message_is_refused_with_a_code(self, data: str | bytes, code: str) -> None:
        with pytest.raises(MillraceError) as caught:
            decode_frame(data, LIMIT)
        assert caught.value.code == code

    def test_a_frame_cut_at_every_byte_is_a_shorter_message_or_refused(self) -> None:
        payload = b'pay\nload'
        whole = encode_binary_frame({'type': 'response', 'text': 'Grüße'}, payload)
        header_length = len(whole) - len(payload) - 1
        for length in range(len(whole)):
            cut = whole[:length]
            if length < header_length:
                with pytest.raises(MillraceError) as caught:
                    decode_frame(cut, LIMIT)
                assert caught.value.code == 'invalid_message'
            else:
                assert decode_frame(cut, LIMIT).payload in (None, payload[: length - header_length - 1])

    def test_random_bytes_give_a_frame_or_a_typed_error(self) -> None:
        chance = random.Random(5)
        valid = encode_binary_frame({'type': 'event', 'event': 'x', 'body': {'a': [1, 2]}}, b'data')
        for _ in range(3000):
            data = bytearray(valid)
            for _ in range(chance.randint(1, 6)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                decode_frame(bytes(data), LIMIT)
            except MillraceError as error:
                assert error.code == 'invalid_message'


class TestLogin:
    def test_sends_the_key_then_asks_for_the_dialect_and_is_ready(self) -> None:
        protocol = Protocol()
        message = json.loads(protocol.login('key', 'tests', '1.2'))
        assert message == {
            'type': 'request',
            'seq': 1,
            'command': 'auth',
            'arguments': {'auth': 'key', 'clientName': 'tests', 'clientVersion': '1.2'},
        }
        assert kinds(protocol.receive(response(1, 'auth', body={'userId': 'u'}))) == [Timer]
        (ping,) = protocol.take_outgoing()
        assert json.loads(ping)['command'] == 'mrext_ping'
        assert protocol.take_outgoing() == []
        assert protocol.receive(response(2, 'mrext_ping')) == [LoggedIn({'userId': 'u'}, 'spec')]
        assert protocol.command('monitor') == 'mrext_monitor'

    def test_a_server_that_refuses_the_ping_is_spoken_to_as_existing_clients_do(self) -> None:
        assert ready('peer').command('monitor') == 'rrext_monitor'

    def test_a_server_that_leaves_the_ping_unanswered_too(self) -> None:
        protocol = Protocol()
        protocol.login('key', 'tests', '1')
        protocol.receive(response(1, 'auth', body={}))
        assert protocol.dialect_unanswered() == [LoggedIn({}, 'peer')]
        assert protocol.receive(response(2, 'mrext_ping')) in ([], [Dropped(2, protocol_reply())])
        assert protocol.dialect == 'peer'
        assert protocol.dialect_unanswered() == []

    @pytest.mark.parametrize('success', [False, None, 'yes'])
    def test_only_an_explicit_success_is_one(self, success: object) -> None:
        protocol = Protocol()
        protocol.login('key', 'tests', '1')
        (output,) = protocol.receive(response(1, 'auth', success=success, message='Invalid API key'))
        assert isinstance(output, LoginFailed) and isinstance(output.error, AuthenticationError)

    def test_requests_before_it_are_refused(self) -> None:
        with pytest.raises(ConnectionError):
            Protocol().request('x', {}, None)


def protocol_reply() -> Any:
    from millrace import Reply

    return Reply(None)


class TestRequests:
    def test_answers_find_their_requests_in_any_order(self) -> None:
        protocol = ready()
        seqs = [protocol.request('x', {'n': n}, None).seq for n in range(200)]
        random.Random(1).shuffle(seqs)
        for seq in seqs:
            (output,) = protocol.receive(response(seq, 'x', body=seq))
            assert isinstance(output, Replied) and (output.seq, output.reply.body) == (seq, seq)
        assert protocol.waiting == 0

    def test_a_missing_success_counts_as_one(self) -> None:
        protocol = ready()
        seq = protocol.request('x', {}, None).seq
        message = json.dumps({'type': 'response', 'request_seq': seq, 'command': 'x'})
        assert kinds(protocol.receive(message)) == [Replied]

    def test_a_refusal_is_the_error_the_server_names(self) -> None:
        protocol = ready()
        seq = protocol.request('execute', {}, None).seq
        refusal = {'success': False, 'message': 'No', 'code': 'task_exists', 'hint': 'Do that'}
        (output,) = protocol.receive(response(seq, 'execute', **refusal))
        assert isinstance(output, Failed) and isinstance(output.error, TaskError)
        assert (output.error.code, str(output.error), output.error.hint) == ('task_exists', 'No', 'Do that')

    @pytest.mark.parametrize(
        ('command', 'message', 'code'),
        [
            ('execute', 'Something', 'start_failed'),
            ('rrext_process', 'Something', 'pipe_failed'),
            ('rrext_deploy_add', 'Something', 'deployment_failed'),
            ('rrext_other', 'Your pipeline is not running', 'task_unknown'),
            ('rrext_other', '', 'internal'),
        ],
    )
    def test_a_server_without_codes_is_understood_by_its_words(self, command: str, message: str, code: str) -> None:
        protocol = ready()
        seq = protocol.request(command, {}, None).seq
        (output,) = protocol.receive(response(seq, command, success=False, message=message))
        assert isinstance(output, Failed) and output.error.code == code

    def test_an_answer_nobody_waits_for_is_dropped_once(self) -> None:
        protocol = ready()
        seq = protocol.request('x', {}, None).seq
        protocol.abandon(seq)
        assert kinds(protocol.receive(response(seq, 'x'))) == [Dropped]
        assert protocol.receive(response(seq, 'x')) == []

    @pytest.mark.parametrize('seq', [None, 'three', 99, True, 1.5, [3]])
    def test_an_answer_to_nothing_is_ignored(self, seq: object) -> None:
        message = json.dumps({'type': 'response', 'request_seq': seq, 'command': 'x'})
        assert ready().receive(message) == []

    def test_numbers_go_on_after_a_reconnect(self) -> None:
        first = ready()
        first.request('x', {}, None)
        assert Protocol(first.next_seq).anonymous('y').seq == 4

    def test_arguments_that_are_no_json_are_refused_and_nothing_waits(self) -> None:
        protocol = ready()
        for bad in ({'a': object()}, {'a': float('nan')}, {'a': b'x'}):
            with pytest.raises(ValueError, match='cannot be written as JSON'):
                protocol.request('x', bad, None)
        assert protocol.waiting == 0

    def test_a_payload_comes_with_its_answer(self) -> None:
        protocol = ready()
        seq = protocol.request('x', {}, b'up').seq
        head = {'type': 'response', 'request_seq': seq, 'command': 'x', 'body': {'n': 1}}
        (output,) = protocol.receive(encode_binary_frame(head, b'down'))
        assert isinstance(output, Replied) and output.reply.payload == b'down'


class TestEnds:
    def test_a_lost_socket_fails_every_request_once(self) -> None:
        protocol = ready()
        seqs = [protocol.request('x', {}, None).seq for _ in range(3)]
        error = create_error('connection_lost')
        assert protocol.lost(error) == [Failed(seq, error) for seq in seqs]
        assert protocol.lost(error) == []
        assert protocol.phase is Phase.ENDED
        assert protocol.receive(response(seqs[0], 'x')) == []

    def test_a_socket_lost_at_any_step_of_the_login_fails_the_login(self) -> None:
        error = create_error('connection_lost')
        for steps in (0, 1):
            protocol = Protocol()
            protocol.login('key', 'tests', '1')
            if steps:
                protocol.receive(response(1, 'auth', body={}))
            assert protocol.lost(error) == [LoginFailed(error)]

    def test_what_is_no_message_ends_the_conversation(self) -> None:
        protocol = ready()
        protocol.request('x', {}, None)
        assert kinds(protocol.receive('nonsense')) == [Failed, Broken]

    def test_a_session_cut_at_every_message_and_byte_settles_every_request(self) -> None:
        session = [response(1, 'auth', body={}), response(2, 'mrext_ping'), response(3, 'x', body='Grüße')]
        for cut in range(len(session)):
            for length in range(len(session[cut])):
                protocol = Protocol()
                protocol.login('key', 'tests', '1')
                settled: list[Output] = []
                for message in session[:cut]:
                    settled += protocol.receive(message)
                    protocol.take_outgoing()
                    if protocol.phase is Phase.READY:
                        protocol.request('x', {}, None)
                settled += protocol.receive(session[cut][:length])
                settled += protocol.lost(create_error('connection_lost'))
                ends = [output for output in settled if isinstance(output, LoginFailed | Failed)]
                assert len(ends) == 1 and ends[0].error.code == 'connection_lost'
                assert protocol.waiting == 0

    def test_events_come_as_they_are_and_other_messages_are_ignored(self) -> None:
        event = {'type': 'event', 'seq': 1, 'event': 'output', 'body': {'a': 1}}
        assert ready().receive(json.dumps(event)) == [Happened(event)]
        for other in ({'type': 'event'}, {'type': 'request'}, {}):
            assert ready().receive(json.dumps(other)) == []


class TestRetryPolicy:
    def test_waits_longer_after_each_failure_and_at_most_fifteen_seconds(self) -> None:
        policy = RetryPolicy(persist=True)
        assert [policy.delay(n, 1e6) for n in (1, 2, 10, 60, 1000)] == [0.25, 0.5, 2.5, 15, 15]

    def test_never_waits_beyond_the_retry_time(self) -> None:
        policy = RetryPolicy(persist=True, max_retry_time=10)
        assert policy.delay(8, 9) == 1
        assert policy.delay(8, 10) is None

    def test_a_refused_key_is_not_tried_again(self) -> None:
        policy = RetryPolicy(persist=True)
        assert not policy.worth_retrying(create_error('auth_invalid'))
        assert policy.worth_retrying(create_error('connection_failed'))
        assert not RetryPolicy().worth_retrying(create_error('connection_failed'))


class TestAddress:
    @pytest.mark.parametrize(
        ('given', 'address'),
        [
            ('http://host', 'ws://host:5565/task/service'),
            ('https://host', 'wss://host:5565/task/service'),
            ('http://host:80', 'ws://host:80/task/service'),
            ('https://user@Host:443/path?query', 'wss://host:443/task/service'),
            ('ws://host:1/other', 'ws://host:1/task/service'),
            ('wss://host', 'wss://host:5565/task/service'),
            ('host', 'ws://host:5565/task/service'),
            (' 127.0.0.1:99 ', 'ws://127.0.0.1:99/task/service'),
            ('http://[::1]:7', 'ws://[::1]:7/task/service'),
        ],
    )
    def test_becomes_that_of_the_socket(self, given: str, address: str) -> None:
        assert socket_address(given) == address

    @pytest.mark.parametrize(
        'given', ['', 'ftp://host', 'http://', 'http://[', 'host:port', 'http://a b', 'host:99999']
    )
    def test_that_is_none_is_a_value_error(self, given: str) -> None:
        with pytest.raises(ValueError, match='is not an'):
            socket_address(given)
