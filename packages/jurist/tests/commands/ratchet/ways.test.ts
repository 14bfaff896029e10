import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { begin, config, night } from './night.js'

describe.concurrent('ways of a ratchet', () => {
  test('--blind answers nothing until the report, which keeps the best that holds', async () => {
    using made = night()
    const { jurist, tries } = made
    expect((await jurist(...begin, '--blind')).code).toBe(0)
    const weak = await tries('do a do b do c\n')
    expect([weak.code, JSON.parse(weak.stdout)]).toMatchObject([0, { answer: 'recorded', looksLeft: 4 }])
    const strong = await tries('do a do b do c do d do e do f\n')
    expect([strong.code, JSON.parse(strong.stdout)]).toMatchObject([0, { answer: 'recorded', looksLeft: 3 }])
    expect(made.git('rev-parse', 'refs/jurist/ratchet/demo')).toBe(made.git('rev-parse', 'HEAD'))
    const report = await jurist('ratchet', 'report', '--json')
    expect([report.code, JSON.parse(report.stdout)]).toMatchObject([0, { looks: 2, accepted: [{ try: 2 }] }])
    expect(made.git('show', 'refs/jurist/ratchet/demo:prompts/system.md')).toBe('do a do b do c do d do e do f')
    const late = await tries('do a do b do h\n')
    expect([late.code, JSON.parse(late.stdout).error.message]).toEqual([
      3,
      expect.stringContaining('its report was made'),
    ])
  })

  test('a renewal takes items that were never used, with a level of its own; show tells the user, and the log keeps it', async () => {
    using made = night({ 'prompts/system.md': 'begin\n' })
    const { jurist, tries } = made
    const sizes: { readonly [word: string]: string } = { '48': '32', '24': '16', '5': '2' }
    const words = begin.map((word) => sizes[word] ?? word)
    expect((await jurist(...words, '--renewals', '1')).code).toBe(0)
    expect((await tries('do a do b do c do d\n')).code).toBe(0)
    const { hidden } = made.plan().parts
    expect(new Set(hidden.flat()).size).toBe(64)
    const shown = await jurist('ratchet', 'show', '3')
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('You have now seen hidden items')])
    const renewed = await jurist('ratchet', 'renew')
    expect([renewed.code, renewed.stdout]).toEqual([
      0,
      expect.stringContaining('32 hidden items that were never used. 2 looks left.'),
    ])
    const next = await tries('do a do b do c do d do e do f do g do h\n')
    expect([next.code, JSON.parse(next.stdout)]).toMatchObject([0, { answer: 'accepted', looksLeft: 1 }])
    const levels = made.log().flatMap(({ kind, level }) => (kind === 'look' ? [level] : []))
    expect(levels).toEqual([0.00625, 0.00625])
    const report = await jurist('ratchet', 'report', '--json')
    expect(JSON.parse(report.stdout)).toMatchObject({ looks: 2, accepted: [{ try: 1 }, { try: 2 }], seen: [3] })
    const none = await jurist('ratchet', 'renew')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no renewal left')])
  })

  test('Ctrl-C stops a look, and the same version goes on without another one; repetitions count together', async () => {
    const twice = config.replace('concurrency: 16', 'concurrency: 16, repetitions: 2')
    using made = night({ 'jurist.config.mjs': twice })
    expect((await made.jurist(...begin)).code).toBe(0)
    writeFileSync(join(made.made.directory, 'prompts', 'system.md'), 'do a do b do c do d do e pause 200\n')
    const { child, ended } = made.made.startWith({ HOME: made.home }, 'ratchet', 'try')
    while (!made.log().some(({ kind }) => kind === 'look')) await setTimeout(20)
    child.kill('SIGINT')
    const stopped = await ended
    expect([stopped.code, stopped.stdout, stopped.stderr]).toEqual([
      130,
      '',
      expect.stringContaining('The next command goes on'),
    ])
    const { code, stdout } = await made.jurist('ratchet', 'try', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { answer: 'accepted', looksLeft: 4 }])
    expect(made.log().map(({ kind }) => kind)).toEqual(['init', 'rehearsal', 'look', 'answer'])
    const { b, w, p } = made.log().at(-1) ?? {}
    expect([w, p]).toEqual([0, 0.5 ** Number(b)])
    const report = await made.jurist('ratchet', 'report')
    const [, command = ''] = /Item by item: jurist (.*)/.exec(report.stdout) ?? []
    const compared = await made.jurist(...command.split(' '))
    expect([compared.code, compared.stdout]).toEqual([0, expect.stringContaining('24 items')])
  })

  test('a beginning that was killed is finished by the first try', async () => {
    using made = night({ 'prompts/system.md': 'do a\npause 300\n' })
    const { child, ended } = made.made.startWith({ HOME: made.home }, ...begin)
    while (!existsSync(join(made.state, 'lock'))) await setTimeout(20)
    child.kill('SIGKILL')
    await ended
    const { code, stdout } = await made.tries('do a do b do c do d do e\n')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { answer: 'accepted', looksLeft: 4 }])
  })

  test('a beginning whose trials take longer than a look says so', async () => {
    using made = night({ 'prompts/system.md': 'do a\npause 500\n' })
    const { code, stderr } = await made.jurist(...begin.map((word) => (word === '0' ? '1s' : word)))
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/take up to [\d.]+ s\. With --look-time 1\.0 s a look may end/),
    ])
  })

  test('a report whose interval has no positive part ends with 1', async () => {
    using made = night({ 'prompts/system.md': 'do a do b do c do d\n' })
    const { hidden, visible } = await made.jurist(...begin).then(() => made.plan().parts)
    // As good as can be on the items that decided, and nothing at all on others.
    const learnt = [...hidden.flat(), ...visible].map((id) => `only ${id.split('-')[1]};`).join(' ')
    expect((await made.tries(`${learnt}\n`)).code).toBe(0)
    const { code, stdout } = await made.jurist('ratchet', 'report', '--json')
    const { gain, biased } = JSON.parse(stdout)
    expect([code, gain.level, gain.high < 0, biased > 0]).toEqual([1, 0.975, true, true])
  })

  test.each([
    ['one cluster', "task: 'Task ' + n, metadata: { cluster: 'c' + (n >> 2) } }"],
    ['one source', "task: 'Task ' + n, metadata: { source: { issue: n >> 2 } } }"],
    ['one text', "task: (n % 2 ? 'Task ' : ' task  ') + (n >> 2) }"],
  ])('items of %s never lie in two parts', async (_, item) => {
    using made = night({ 'jurist.config.mjs': config.replace("task: 'Task ' + n }", item) })
    expect((await made.jurist(...begin)).code).toBe(0)
    const { visible, hidden, reserve } = made.plan().parts
    const clusters = [visible, ...hidden, reserve].map((ids) => new Set(ids.map((id) => Number(id.split('-')[1]) >> 2)))
    expect(clusters.map(({ size }) => size)).toEqual([6, 12, 6])
    expect(new Set(clusters.flatMap((one) => [...one])).size).toBe(24)
  })

  test('a second ratchet with the same items says that they were used', async () => {
    using made = night()
    expect((await made.jurist(...begin)).stderr).not.toContain('used by')
    const again = await made.jurist(...begin.slice(0, -2).map((word) => (word === 'demo' ? 'second' : word)))
    expect(again.stdout).toContain('A look takes 1m 00s, and accepts nothing that takes longer.')
    expect(again.stderr).toContain('warning: 96 items of this ratchet were used by demo.')
    const unclear = await made.jurist('ratchet', 'try')
    expect([unclear.code, unclear.stderr]).toEqual([3, expect.stringContaining('Name one: demo, second.')])
    expect((await made.jurist(...begin)).stderr).toContain('There is a ratchet "demo" in')
  })

  test('an agent that cannot run it tries a version through jurist mcp --ratchet', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    writeFileSync(join(made.made.directory, 'prompts', 'system.md'), 'do a do b do c do d do e\n')
    const client = made.talk('mcp', '--ratchet', 'demo')
    const replies = createInterface({ input: client.child.stdout as Readable })[Symbol.asyncIterator]()
    const ask = async (message: object) => {
      client.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      return JSON.parse((await replies.next()).value).result
    }
    const call = (input: object) => ({ method: 'tools/call', params: { name: 'ratchet_try', arguments: input } })
    await ask({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } })
    const { tools } = await ask({ id: 2, method: 'tools/list' })
    expect(tools.at(-1)).toMatchObject({ name: 'ratchet_try', annotations: { readOnlyHint: false } })
    const answer = await ask({ id: 3, ...call({}) })
    expect(answer.structuredContent).toMatchObject({ answer: 'accepted', looksLeft: 4 })
    expect(await ask({ id: 4, ...call({ directory: '..' }) })).toMatchObject({ isError: true })
    client.child.stdin?.end()
    expect((await client.ended).code).toBe(0)
  })
})
