"""What `chat` takes and gives: questions and answers."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from .errors import create_error
from .generated.limits import DEFAULT_FILTER
from .generated.models import AnswerData, Doc, PipelineResult, QuestionData, QuestionType

__all__ = ['Answer', 'Question', 'make_question']


def make_question(given: Mapping[str, Any]) -> QuestionData:
    """Return a question with every field, `given` over the defaults. None counts as absent."""
    present = {key: value for key, value in given.items() if value is not None and key != 'filter'}
    question = {
        'type': 'question',
        'expectJson': False,
        'role': '',
        'instructions': [],
        'history': [],
        'examples': [],
        'context': [],
        'goals': [],
        'documents': [],
        'questions': [],
        **present,
        'filter': {**DEFAULT_FILTER, **(given.get('filter') or {})},
    }
    return cast(QuestionData, question)


class Question:
    """Builds a question for `chat`. Every `add_…` returns the question itself."""

    def __init__(
        self,
        text: str | None = None,
        *,
        type: QuestionType = 'question',
        filter: Mapping[str, Any] | None = None,
        expect_json: bool = False,
        role: str = '',
    ) -> None:
        """Begin a question.

        Args:
            text: what is asked; more with `add_question`.
            type: how the question is to be understood.
            filter: narrows what is retrieved; keys of `DocFilter`.
            expect_json: ask for an answer that is JSON; the result then holds the parsed value.
            role: who the model is to be.
        """
        self._data = make_question({'type': type, 'filter': filter, 'expectJson': expect_json, 'role': role})
        if text is not None:
            self.add_question(text)

    def add_question(self, text: str) -> Question:
        """Add what is asked."""
        self._data['questions'].append({'text': text})
        return self

    def add_instruction(self, subtitle: str, instructions: str) -> Question:
        """Add how to answer."""
        self._data['instructions'].append({'subtitle': subtitle, 'instructions': instructions})
        return self

    def add_example(self, given: str, result: Any) -> Question:
        """Add what a good answer looks like; a value that is no text travels as JSON."""
        self._data['examples'].append({'given': given, 'result': _as_text(result)})
        return self

    def add_context(self, context: Any) -> Question:
        """Add facts to answer from, one or a list; values that are no text travel as JSON."""
        items = context if isinstance(context, list | tuple) else [context]
        self._data['context'].extend(_as_text(item) for item in items)
        return self

    def add_goal(self, goal: str) -> Question:
        """Add what the answer is for."""
        self._data['goals'].append(goal)
        return self

    def add_history(self, role: Literal['user', 'system', 'assistant'], content: str) -> Question:
        """Add what was said before, oldest first."""
        self._data['history'].append({'role': role, 'content': content})
        return self

    def add_documents(self, documents: Doc | Iterable[Doc]) -> Question:
        """Add documents to answer from."""
        many = [cast(Doc, documents)] if isinstance(documents, Mapping) else list(documents)
        self._data['documents'].extend(many)
        return self

    def to_dict(self) -> QuestionData:
        """Return the question as it travels."""
        return copy.deepcopy(self._data)


class Answer:
    """One answer of a result."""

    def __init__(self, answer: str | dict[str, Any] | list[Any] | None, expect_json: bool = False) -> None:
        """Take the answer as it stands in the result."""
        self._data: AnswerData = {'answer': answer, 'expectJson': expect_json}

    @staticmethod
    def of(result: PipelineResult) -> list[Answer]:
        """Return the answers of a chat's result, in order; none when the pipeline gave none."""
        answers = result.get('answers')
        many = answers if isinstance(answers, list) else []
        return [Answer(answer, not isinstance(answer, str)) for answer in many]

    @property
    def is_json(self) -> bool:
        """Whether the answer is a parsed value."""
        return self._data['expectJson']

    @property
    def text(self) -> str:
        """The answer as text; a parsed answer is written as JSON."""
        answer = self._data['answer']
        return '' if answer is None else _as_text(answer)

    def json(self) -> Any:
        """Return the answer as a value. Text is parsed; a fenced block around it is taken off.

        Raises:
            ArgumentError: it is not JSON.
        """
        answer = self._data['answer']
        if not isinstance(answer, str):
            return answer
        fenced = re.search(r'```(?:json)?\s*\n([\s\S]*?)\n?```', answer)
        try:
            return json.loads(fenced[1] if fenced else answer)
        except ValueError as cause:
            raise create_error('invalid_argument', 'The answer is not JSON') from cause

    def to_dict(self) -> AnswerData:
        """Return the answer as it travels."""
        return self._data.copy()


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(',', ':'))
