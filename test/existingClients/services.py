"""What the server offers, whether a pipeline is well formed, and the overview."""

from common import connected, echo, main, op


async def work():
    async with connected() as c:
        await op('services', lambda: names(c))
        await op('service', lambda: c.get_service('parse'))
        await op('unknown service', lambda: c.get_service('no_such_provider'))
        await op('valid', lambda: c.validate(echo('valid')))
        alone = {'components': [{'id': 'a', 'provider': 'no_such_provider', 'config': {}}]}
        await op('invalid', lambda: c.validate(alone))
        await op('source', lambda: c.validate(echo('valid'), source='nowhere'))
        if hasattr(c, 'get_dashboard'):
            await op('dashboard', c.get_dashboard)
            # The methods of 1.1 for these two fail before they send anything.
            await op('profiler', lambda: c.call('rrext_cprofile_status'))
            await op('profiler start', lambda: c.call('rrext_cprofile_start'))
        if hasattr(c, 'cprofile_threads'):
            await op('profiler threads', c.cprofile_threads)
            await op('connections', lambda: c.list_connections({'page': 1, 'page_size': 1}))
        if hasattr(c, 'call'):
            await op('unknown command', lambda: c.call('rrext_no_such_command'))
            await op('still there', c.ping)


async def names(c):
    answer = await c.get_services()
    return sorted(answer['services'])


main(work)
