"""Connecting, logging in and out, and what is refused."""

from common import client, context, main, op


async def work():
    calls = []

    async def connected(*_):
        calls.append('connected')

    async def disconnected(*_):
        calls.append('disconnected')

    c = client(on_connected=connected, on_disconnected=disconnected)
    await op('connect', c.connect)
    await op('connected', lambda: now(c.is_connected()))
    await op('ping', c.ping)
    if hasattr(c, 'logout'):
        await op('account', lambda: now(c.get_account_info()))
        await op('logout', c.logout)
        await op('login again', c.login)
        await op('ping after login', c.ping)
    await op('disconnect', c.disconnect)
    await op('disconnected', lambda: now(c.is_connected()))
    await op('callbacks', lambda: now(calls))
    await op('after disconnect', c.ping)

    wrong = client(auth='not the key')
    await op('wrong key', wrong.connect)
    await wrong.disconnect()
    if hasattr(c, '__aenter__'):
        await op('context manager', in_context)
    if hasattr(c, 'get_server_info'):
        await op('server info', lambda: type(c).get_server_info(context['url']))
    if hasattr(c, 'identify'):
        await op('identify', identified)


async def now(value):
    return value


async def in_context():
    async with client() as c:
        await c.ping()
        return c.is_connected()


async def identified():
    async with client() as c:
        await c.identify('A name of its own')
        return [row['clientInfo']['name'] for row in (await c.list_connections())['rows']]


main(work)
