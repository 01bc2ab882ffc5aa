"""Deployments, by the commands themselves: this generation of the client has no method for each of them."""

from common import connected, echo, main, op


async def work():
    async with connected() as c:

        def call(name, **arguments):
            return lambda: c.call(f'rrext_deploy_{name}', **arguments)

        pipeline = echo('deployed')
        await op('add', call('add', pipeline=pipeline, schedule='@daily'))
        await op('add again', call('add', pipeline=pipeline))
        await op('bad schedule', call('add', pipeline=echo('other'), schedule='sometimes'))
        await op('list', call('list'))
        await op('update', call('update', projectId='deployed', schedule='manual'))
        await op('status', call('status', projectId='deployed'))
        await op('remove', call('remove', projectId='deployed'))
        await op('remove again', call('remove', projectId='deployed'))


main(work)
