"""Talks with a model: a question a line, the answer as it is written. Without asyncio.

    python examples/python/chat.py [PIPELINE]

The server and the key come from MILLRACE_URI and MILLRACE_APIKEY. The pipeline that is used unless you name one asks
Ollama on this machine.
"""

import sys

from millrace import Answer, Question, SyncMillraceClient


def show(kind, data):
    """Called with each piece of an answer."""
    if kind == 'delta':
        print(data['text'], end='', flush=True)


def main(pipeline='examples/pipelines/chat.pipe.json5'):
    with SyncMillraceClient() as client:
        token = client.use(filepath=pipeline)['token']
        try:
            # A model remembers nothing: each question brings what was said before.
            history = []
            for line in sys.stdin:
                question = Question().add_question(line.strip())
                for role, content in history:
                    question.add_history(role, content)
                result = client.chat(token=token, question=question, on_event=show)
                print(f'No answer: {result["error"]["message"]}' if 'error' in result else '')
                for answer in Answer.of(result):
                    history += [('user', line.strip()), ('assistant', answer.text)]
        finally:
            client.terminate(token)


main(*sys.argv[1:])
