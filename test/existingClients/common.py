"""What the scripts share: each runs operations of the published client and prints what came of them as JSON."""

import asyncio
import base64
import json
import sys
from contextlib import asynccontextmanager

from rocketride import RocketRideClient

context = json.loads(sys.argv[1])
results = {}


def client(**options):
    return RocketRideClient(context['url'], options.pop('auth', context['key']), **options)


@asynccontextmanager
async def connected(**options):
    """A client that is connected inside the block; not every version is such a block itself."""
    c = client(**options)
    await c.connect()
    try:
        yield c
    finally:
        await c.disconnect()


def echo(project, **more):
    """webhook -> response: texts come back as they are."""
    return {
        'project_id': project,
        'source': 'webhook_1',
        'components': [
            {'id': 'webhook_1', 'provider': 'webhook', 'config': {'mode': 'Source', 'name': 'Hook'}},
            {
                'id': 'response_1',
                'provider': 'response',
                'config': {'lanes': []},
                'input': [{'lane': 'text', 'from': 'webhook_1'}],
            },
        ],
        **more,
    }


async def op(name, call, seconds=30):
    """Notes the value of one operation, or the kind and the words of its error."""
    try:
        value = await asyncio.wait_for(call(), seconds)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        results[name] = {'error': str(error), 'kinds': kinds}
        return None
    results[name] = {'value': value}
    return value


async def until(check, seconds=10):
    """Waits for something true."""
    end = asyncio.get_running_loop().time() + seconds
    while not check():
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(0.02)
    return True


def plain(value):
    if isinstance(value, (bytes, bytearray)):
        return {'base64': base64.b64encode(value).decode()}
    return repr(value)


def main(work):
    asyncio.run(work())
    print(json.dumps(results, default=plain))
