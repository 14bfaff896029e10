import { readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fail, jury } from '@jurist/core'
import { anItem, aResult } from '@jurist/experiment/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { testOnce } from '../../project-results.js'

type Message = ReturnType<typeof JSON.parse>

/** A client of `jurist mcp`, over its standard input and output. */
function clientOf(made: Project, words: readonly string[] = [], roots?: () => readonly string[]) {
  const { child, ended } = made.talk('mcp', ...words)
  const waiting = new Map<unknown, (message: Message) => void>()
  const lines: string[] = []
  let rest = ''
  let ids = 0
  const write = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  child.stdout?.on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      const message: Message = JSON.parse(line)
      if (message['method'] === 'roots/list')
        write({ id: message['id'], result: { roots: roots?.().map((path) => ({ uri: `file://${path}` })) } })
      waiting.get(message['id'])?.(message)
    }
  })
  const ask = (method: string, params: object = {}) => {
    ids += 1
    const id = ids
    write({ id, method, params })
    return { id, answer: new Promise<Message>((resolve) => waiting.set(id, resolve)) }
  }
  const request = (method: string, params?: object) => ask(method, params).answer
  return {
    lines,
    ask,
    request,
    write,
    raw: (text: string | Uint8Array) => child.stdin?.write(text),
    notify: (method: string, params: object = {}) => write({ method, params }),
    begin: () =>
      request('initialize', { protocolVersion: '2025-06-18', capabilities: roots === undefined ? {} : { roots: {} } }),
    call: async (name: string, input: object = {}) =>
      (await request('tools/call', { name, arguments: input }))['result'] as Message,
    end: async () => {
      child.stdin?.end()
      return ended
    },
  }
}

const config = `juries:
  done: { judges: { readme: { type: file-exists, path: README.md } }, vote: consensus }
  tests: { type: command-succeeds, command: [sh, -c, "touch made && test -e README.md"] }
`

describe.concurrent('jurist mcp', () => {
  test('judges, explains, and shows what is stored', async () => {
    using made = project({ 'jurist.config.yaml': config })
    const metadata = { canaries: { form: 'one-run', tests: 1, passedCanaries: ['tests/a.test.mjs:4: 3 became 2'] } }
    const hidden = jury({ judges: { hidden: () => fail('the tests cannot fail in this workspace', { metadata }) } })
    const item = anItem({ itemId: 'one', repetition: 1, verdict: await hidden.vote({}) })
    const run = aResult({ items: [item] })
    await (await made.results.store()).save(run)
    const client = clientOf(made)
    expect((await client.begin())['result']).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'jurist' },
    })
    const { tools } = (await client.request('tools/list'))['result']
    expect(tools.map(({ name }: Message) => name)).toEqual([
      'list_juries',
      'judge',
      'explain',
      'list_runs',
      'show_trial',
      'compare',
    ])
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    expect((await client.call('list_juries'))['structuredContent'].juries).toEqual([
      { name: 'done', models: [] },
      { name: 'tests', models: [] },
    ])
    const judged = (await client.call('judge', { jury: 'done' }))['structuredContent']
    expect(judged).toMatchObject({ status: 'fail', judgments: [{ judgmentPath: 'judged-1/readme', status: 'fail' }] })
    expect(judged.why).toContain('✗ readme: README.md is missing')
    const why = await client.call('explain', { judgmentPath: 'judged-1/readme' })
    expect(why['content'][0].text).toContain('fail: README.md is missing')
    const stored = (await client.call('explain', { judgmentPath: `${run.id}/one#1/hidden` }))['content'][0].text
    expect(stored).toContain('the tests cannot fail')
    expect(stored).not.toMatch(/became|a\.test\.mjs|canar/i)
    expect((await client.call('list_runs', { limit: 1 }))['structuredContent'].runs).toMatchObject([{ id: run.id }])
    expect((await client.call('show_trial', { run: run.id, trial: 'one#1' }))['structuredContent']).toMatchObject({
      item: 'one',
    })
    const compared = await client.call('compare', { baseline: run.id, candidate: run.id })
    expect(compared['content'][0].text).toContain('Items: 1 unchanged')
    const { resources } = (await client.request('resources/list'))['result']
    const read = await client.request('resources/read', { uri: resources[0].uri })
    expect(JSON.parse(read['result'].contents[0].text)).toMatchObject({ id: run.id, trials: [{ item: 'one' }] })
    expect(await client.end()).toMatchObject({ code: 0, stderr: '' })
  })

  testOnce('what is wrong is an answer, and never ends the server', async () => {
    using made = project({ 'jurist.config.yaml': config })
    const client = clientOf(made)
    await client.begin()
    const refused = async (name: string, input: object) => {
      const { isError, content } = await client.call(name, input)
      expect(isError).toBe(true)
      return content[0].text
    }
    expect(await refused('judge', {})).toBe('Invalid input: input.jury is missing.')
    expect(await refused('judge', { jury: 'dome' })).toContain('Did you mean "done"?')
    expect(await refused('judge', { jury: 'constructor' })).toContain('No jury "constructor" in the config.')
    expect(await refused('explain', { judgmentPath: 'judged-9/x' })).toContain('is not the path of a judgment')
    expect(await refused('show_trial', { run: '../../etc', trial: 'x' })).toContain('A run has an id')
    expect((await client.request('tools/call', { name: 'toString' }))['error']).toMatchObject({ code: -32_602 })
    expect((await client.request('prompts/list'))['error']).toMatchObject({ code: -32_601 })
    expect((await client.request('resources/read', { uri: 'file:///etc/passwd' }))['error']).toMatchObject({
      code: -32_602,
    })
    await client.end()
  })

  testOnce('only directories within the roots of the client, links included', async () => {
    using made = project({ 'jurist.config.yaml': config, 'inside/README.md': '', 'outside/README.md': '' })
    const top = realpathSync(made.directory)
    symlinkSync(join(top, 'outside'), join(top, 'inside/link'))
    let roots = [join(top, 'inside')]
    const client = clientOf(made, [], () => roots)
    await client.begin()
    const judged = async (directory?: string) => {
      const { structuredContent, content } = await client.call('judge', {
        jury: 'done',
        ...(directory && { directory }),
      })
      return structuredContent?.status ?? content[0].text
    }
    expect(await judged()).toBe('pass')
    for (const path of ['..', '../outside', 'link', join(top, 'outside'), '/'])
      expect(await judged(path)).toContain('is outside of the roots of the client')
    expect(await judged('nowhere')).toContain('nowhere is not a directory')
    roots = []
    client.notify('notifications/roots/list_changed')
    expect(await judged()).toContain('The client names no directory of this machine as a root')
    await client.end()
  })

  testOnce('commands run only with --allow-commands, and then in a copy', async () => {
    using made = project({ 'jurist.config.yaml': config, 'README.md': '' })
    const without = clientOf(made)
    await without.begin()
    const { status, why } = (await without.call('judge', { jury: 'tests' }))['structuredContent']
    expect(status).toBe('error')
    expect(why).toContain('jurist mcp --allow-commands')
    await without.end()
    const allowed = clientOf(made, ['--allow-commands'])
    await allowed.begin()
    expect((await allowed.call('judge', { jury: 'tests' }))['structuredContent']).toMatchObject({ status: 'pass' })
    await allowed.end()
    expect(() => readFileSync(join(made.directory, 'made'))).toThrow('ENOENT')
  })

  testOnce('what a config prints is not on standard output, and a call that is cancelled is not answered', async () => {
    const printing = `console.log('loaded')
export default { juries: {
  noisy: () => { console.log('judging'); process.stdout.write('more'); return true },
  waits: ({ signal }) => new Promise((_, reject) => {
    console.error('WAITING')
    signal.addEventListener('abort', () => reject(signal.reason))
  }),
} }
`
    using made = project({ 'jurist.config.mjs': printing })
    const client = clientOf(made)
    await client.begin()
    expect((await client.call('judge', { jury: 'noisy' }))['structuredContent']).toMatchObject({ status: 'pass' })
    const { id } = client.ask('tools/call', { name: 'judge', arguments: { jury: 'waits' } })
    client.notify('notifications/cancelled', { requestId: id })
    await client.request('ping')
    const { stderr, code } = await client.end()
    expect(code).toBe(0)
    expect(stderr).toContain('judging')
    for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(client.lines.some((line) => JSON.parse(line).id === id)).toBe(false)
  })

  testOnce('any bytes, messages of 1 MB and messages that are too long leave the server as it was', async () => {
    using made = project({ 'jurist.config.yaml': config })
    const client = clientOf(made)
    await client.begin()
    const methods = fc.constantFrom(
      'tools/call',
      'tools/list',
      'resources/read',
      'initialize',
      'notifications/cancelled',
    )
    const message = fc.record({ jsonrpc: fc.constant('2.0'), method: methods, params: fc.jsonValue() })
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      message.map((value) => JSON.stringify(value)),
    )
    for (const one of fc.sample(line, { numRuns: 300, seed: 7 })) client.raw(`${one}\n`)
    client.raw(new Uint8Array([0xff, 0xfe, 0, 10, 13, 10]))
    const big = await client.call('judge', { jury: 'x'.repeat(1_048_576) })
    expect(big['isError']).toBe(true)
    client.raw(`"${'x'.repeat(5_000_000)}"\n`)
    expect(await client.request('ping')).toMatchObject({ result: {} })
    expect(client.lines.some((line) => line.includes('the message is too long'))).toBe(true)
    await client.end()
  })

  testOnce('where the config has hidden tests, a client reads names and no reasons', async () => {
    const hiding =
      "import { fail } from 'jurist'\n// overlay\nexport default { juries: { done: () => fail('expected 42', { checks: [{ name: 'adds', passed: false, message: 'expected 42' }] }) } }\n"
    using made = project({ 'jurist.config.mjs': hiding })
    const rules = jury({ judges: { tests: () => fail('expected 42') } })
    const item = anItem({ itemId: 'one', verdict: await rules.vote({}), passed: false })
    const run = aResult({ items: [item] })
    await (await made.results.store()).save(run)
    const client = clientOf(made)
    await client.begin()
    await client.call('judge', { jury: 'done' })
    await client.call('explain', { judgmentPath: 'judged-1/done' })
    await client.call('show_trial', { run: run.id, trial: 'one' })
    await client.call('explain', { judgmentPath: `${run.id}/one#1/` })
    await client.end()
    expect(client.lines.join('\n')).toContain('  - adds')
    expect(client.lines.join('\n')).not.toContain('42')
  })

  testOnce('without a config it says so when a tool needs one', async () => {
    using made = project()
    const client = clientOf(made)
    await client.begin()
    const { isError, content } = await client.call('list_juries')
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('jurist init')])
    await client.end()
  })
})

describe.concurrent('jurist mcp install', () => {
  testOnce.each([
    ['claude', '.mcp.json', '{ "mcpServers": { "other": { "command": "x" } } }', '"other"'],
    ['cursor', '.cursor/mcp.json', '{ "mcpServers": { "other": { "command": "x" } } }', '"other"'],
    [
      'codex',
      '.codex/config.toml',
      'model = "m"\n\n[mcp_servers.jurist]\ncommand = "old"\n\n[tui]\nx = 1\n',
      '[tui]\nx = 1',
    ],
  ])('%s: once, beside what is there', async (agent, file, before, kept) => {
    using made = project({ [file]: before })
    const settings = () => readFileSync(join(made.directory, file), 'utf8')
    expect((await made.jurist('mcp', 'install', agent, '--dry-run')).stdout).toContain('Nothing was written')
    expect(settings()).toBe(before)
    const { stderr } = await made.jurist('mcp', 'install', agent, '--dry-run')
    expect(stderr).toContain('notice: There is no config here, so the server has no juries.')
    for (const _ of [1, 2]) expect((await made.jurist('mcp', 'install', agent, '--allow-commands')).code).toBe(0)
    expect(settings()).toContain(kept)
    expect(settings()).not.toContain('old')
    expect(settings().split('--allow-commands')).toHaveLength(2)
  })

  testOnce('names the actions where one is misspelt', async () => {
    using made = project()
    expect((await made.jurist('mcp', 'instal', 'claude')).stderr).toContain(
      '"instal" is unknown. Did you mean "install"?',
    )
  })

  testOnce('names files from the project in its settings, and whole paths in those of the user', async () => {
    using made = project({ 'evals/jurist.config.yaml': 'experiments: {}\n' })
    const shown = async (...words: readonly string[]) =>
      (
        await made.juristWith(
          { HOME: made.directory },
          '-c',
          'evals/jurist.config.yaml',
          'mcp',
          'install',
          'claude',
          '--dry-run',
          ...words,
        )
      ).stdout
    expect(await shown()).toContain('"evals/jurist.config.yaml"')
    expect(await shown('--scope', 'user')).toContain(JSON.stringify(join(made.directory, 'evals/jurist.config.yaml')))
  })

  testOnce('refuses unknown agents and actions, and settings that are no JSON', async () => {
    using made = project({ '.mcp.json': '[]' })

    for (const words of [['install'], ['install', 'emacs'], ['instal', 'claude'], ['install', 'claude']])
      expect((await made.jurist('mcp', ...words)).code).toBe(2)
    expect(readFileSync(join(made.directory, '.mcp.json'), 'utf8')).toBe('[]')
  })
})
