"""What servers answer, in the shapes of the specification whatever dialect they speak."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from .generated.models import Diagnostic, PipelineResult, Resolved, ValidationResult

__all__ = ['read_result', 'read_validation', 'result_keys']


def read_result(body: Any) -> PipelineResult:
    """Return a pipeline result whose `result_types` is the list of the keys that carry content.

    Older servers send an object from key to lane there.
    """
    if not isinstance(body, Mapping):
        return {'objectId': ''}
    object_id = body.get('objectId')
    result: dict[str, Any] = {**body, 'objectId': object_id if isinstance(object_id, str) else ''}
    if isinstance(body.get('result_types'), Mapping):
        result['result_types'] = list(body['result_types'])
    return cast(PipelineResult, result)


def result_keys(result: PipelineResult) -> list[str]:
    """Return the keys of a result that carry content, in the server's order."""
    return list(result.get('result_types') or ())


def read_validation(body: Any) -> ValidationResult:
    """Return a validation result whose messages are strings, with the findings beside them."""
    given: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    nested: Mapping[str, Any] = given['pipeline'] if isinstance(given.get('pipeline'), Mapping) else {}
    errors, warnings = _list(given.get('errors')), _list(given.get('warnings'))
    diagnostics = given.get('diagnostics')
    if not isinstance(diagnostics, list):
        diagnostics = [_finding('error', item) for item in errors] + [_finding('warning', item) for item in warnings]
    chain = given['chain'] if given.get('chain') is not None else nested.get('chain')
    result: ValidationResult = {
        'errors': [_text(item) for item in errors],
        'warnings': [_text(item) for item in warnings],
        'diagnostics': cast('list[Diagnostic]', diagnostics),
        'chain': [item for item in _list(chain) if isinstance(item, str)],
    }
    if isinstance(given.get('resolved'), Mapping):
        result['resolved'] = cast(Resolved, given['resolved'])
    if 'pipeline' in given:
        result['pipeline'] = given['pipeline']
    if 'component' in given:
        result['component'] = given['component']
    return result


def _finding(severity: str, item: Any) -> dict[str, Any]:
    own = {'component': item['id']} if isinstance(item, Mapping) and isinstance(item.get('id'), str) else {}
    return {'severity': severity, 'code': 'pipeline_invalid', 'message': _text(item), **own}


def _text(item: Any) -> str:
    if isinstance(item, str):
        return item
    message = item.get('message') if isinstance(item, Mapping) else None
    return message if isinstance(message, str) else json.dumps(item, ensure_ascii=False)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
