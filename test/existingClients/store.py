"""Files, templates, run logs and variables on the server."""

from common import connected, echo, main, op


async def work():
    async with connected() as c:
        await op('write', lambda: c.fs_write_string('notes/a.txt', 'Hällo'))
        await op('read', lambda: c.fs_read_string('notes/a.txt'))
        await op('json', lambda: json_round_trip(c))
        await op('handles', lambda: handles(c))
        await op('stat', lambda: c.fs_stat('notes/a.txt'))
        await op('stat of nothing', lambda: c.fs_stat('notes/none'))
        await op('mkdir', lambda: c.fs_mkdir('empty'))
        await op('root', c.fs_list_dir)
        await op('list', lambda: c.fs_list_dir('notes'))
        await op('rename', lambda: c.fs_rename('notes/a.txt', 'notes/b.txt'))
        await op('renamed', lambda: c.fs_read_string('notes/b.txt'))
        await op('missing', lambda: c.fs_read_string('notes/a.txt'))
        await op('outside', lambda: c.fs_read_string('../key'))
        await op('rmdir full', lambda: c.fs_rmdir('notes'))
        await op('delete', lambda: c.fs_delete('notes/b.txt'))
        await op('delete again', lambda: c.fs_delete('notes/b.txt'))
        await op('rmdir', lambda: c.fs_rmdir('empty'))
        await op('rmdir recursive', lambda: c.fs_rmdir('notes', recursive=True))
        await op('empty root', c.fs_list_dir)

        await op('save template', lambda: c.save_template('first', echo('template')))
        await op('template', lambda: c.get_template('first'))
        await op('templates', c.get_all_templates)
        await op('delete template', lambda: c.delete_template('first'))
        await op('no template', lambda: c.get_template('first'))

        log = await op('save log', lambda: c.save_log('project', 'webhook_1', {'body': {'startTime': 1.5}}))
        await op('logs', lambda: c.list_logs('project'))
        await op('log', lambda: c.get_log('project', log))
        await op('delete log', lambda: c.delete_log('project', log))
        await op('no logs', lambda: c.list_logs('project'))

        account = c.account
        await op('variables', lambda: c.call('rrext_account_me', subcommand='env_keys'))
        if hasattr(account, 'get_environment_keys'):
            await op('set variables', lambda: account.set_env('user', {'ROCKETRIDE_COLOUR': 'green'}))
            await op('variable names', account.get_environment_keys)
            await op('variable values', lambda: account.get_env('user'))
        await op('hosted', account.list_keys)


async def json_round_trip(c):
    await c.fs_write_json('notes/value.json', {'list': [1, 'zwei', None]})
    return await c.fs_read_json('notes/value.json')


async def handles(c):
    opened = await c.fs_open('notes/big.bin', 'w')
    content = bytes(range(256)) * 20_000
    written = await c.fs_write(opened['handle'], content) + await c.fs_write(opened['handle'], b'\n\x00end')
    await c.fs_close(opened['handle'], 'w')
    opened = await c.fs_open('notes/big.bin')
    first = await c.fs_read(opened['handle'])
    rest = await c.fs_read(opened['handle'], len(first))
    after = await c.fs_read(opened['handle'], len(first) + len(rest))
    await c.fs_close(opened['handle'])
    same = first + rest == content + b'\n\x00end'
    return {'written': written, 'size': opened['size'], 'first': len(first), 'same': same, 'after': after}


main(work)
