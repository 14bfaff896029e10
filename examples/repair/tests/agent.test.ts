import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentTask, JournalEvent } from '@jurist/core'
import { asText } from '@jurist/core'
import { copyOf, emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { repair } from '../agents/repair/repair.js'

const example = fileURLToPath(new URL('../', import.meta.url))
const command = [process.execPath, `${example}harness/run-tests.mjs`, 'tests']

const taskIn = (workspace: AgentTask['workspace'], more: Partial<AgentTask> = {}): AgentTask => ({
  prompt: 'Repair it.',
  workspace,
  signal: new AbortController().signal,
  ...more,
})
const items = `${example}dataset/items/`
const sourceOf = (id: string, version: string): string => {
  const directory = `${items}${id}/${version}/src/`
  return readdirSync(directory)
    .map((name) => readFileSync(directory + name, 'utf8'))
    .join('\n')
}

describe('repair', () => {
  test.each(['age', 'binary-search', 'event-emitter', 'slugify'])('finds the reference of %s', async (id) => {
    await using workspace = await copyOf(`${items}${id}/before`)
    const events: JournalEvent[] = []
    const { status, metadata } = await repair({ command })(
      taskIn(workspace, { record: (event) => void events.push(event) }),
    )
    expect(status).toBe('completed')
    expect(metadata?.['changes']).toHaveLength(1)
    const [path = ''] = readdirSync(`${workspace.root}/src`)
    expect(await workspace.read(`src/${path}`)).toBe(sourceOf(id, 'reference'))
    expect(events.map(({ type }) => type)).toContain('file')
    expect(events.length).toBeLessThan(20)
  })

  test('finds two changes', async () => {
    await using workspace = await copyOf(`${items}backoff/before`)
    const { metadata } = await repair({ command })(taskIn(workspace))
    expect(metadata?.['changes']).toHaveLength(2)
    expect((await workspace.run(command)).exitCode).toBe(0)
  })

  test('leaves a program as it was when it finds nothing', async () => {
    await using workspace = await copyOf(`${items}lru-cache/before`)
    const invocation = await repair({ command, mostMutants: 50 })(taskIn(workspace))
    expect(asText(invocation.output)).toBe('None of 50 mutants passes the visible tests.')
    expect(await workspace.read('src/create-cache.ts')).toBe(sourceOf('lru-cache', 'before'))
  })

  test('leaves a program alone that passes', async () => {
    await using workspace = await copyOf(`${items}age/reference`)
    const invocation = await repair({ command })(taskIn(workspace))
    expect(asText(invocation.output)).toBe('The visible tests pass already.')
  })
})

describe('repair of a plain script', () => {
  const solution = 'const sum = (list) => {\n  let sum = 0\n  for (const n of list) sum -= n\n  return sum\n}\n'
  const visible = `
    const vm = require('node:vm')
    const { readFileSync } = require('node:fs')
    const context = vm.createContext({})
    vm.runInContext(readFileSync(__dirname + '/solution.js', 'utf8'), context)
    process.exit(vm.runInContext('sum([1, 2, 3])', context) === 6 ? 0 : 1)`

  test('that the test reads in its own way', async () => {
    await using workspace = await emptyDirectory()
    await workspace.write('solution.js', solution)
    await workspace.write('visible.test.js', visible)
    const agent = repair({ command: [process.execPath, 'visible.test.js'], sources: ['solution.js'] })
    await agent(taskIn(workspace))
    expect(await workspace.read('solution.js')).toBe(solution.replace('-=', '+='))
  })

  test('of which two parts are wrong', async () => {
    await using workspace = await emptyDirectory()
    await workspace.write('one.js', 'exports.one = (n) => n - 1\n')
    await workspace.write('two.js', 'exports.two = (n) => n > 2\n')
    await workspace.write(
      'visible.test.js',
      `const { one } = require('./one.js')
      const { two } = require('./two.js')
      process.exit([one(1) === 2, one(5) === 6, two(2), two(3), !two(1)].every(Boolean) ? 0 : 1)`,
    )
    const agent = repair({ command: [process.execPath, 'visible.test.js'], sources: ['one.js', 'two.js'] })
    await agent(taskIn(workspace))
    expect(await workspace.read('one.js')).toBe('exports.one = (n) => n + 1\n')
    expect(await workspace.read('two.js')).toBe('exports.two = (n) => n >= 2\n')
  })

  test('that never ends', async () => {
    // A second of processor time, where the system can keep to it: a busy machine takes long for what ends, too.
    await using workspace = await emptyDirectory(process.platform === 'linux' ? { limits: { cpuSeconds: 1 } } : {})
    const endless =
      'const sum = (list) => {\n  let i = 0, sum = 0\n  while (i < list.length) {\n    sum += list[i]\n    i--\n  }\n  return sum\n}\n'
    await workspace.write('solution.js', endless)
    await workspace.write('visible.test.js', visible)
    const visibleTest = [process.execPath, 'visible.test.js']
    const agent = repair({ command: visibleTest, sources: ['solution.js'] })
    await agent(taskIn(workspace))
    expect(await workspace.read('solution.js')).toBe(endless.replace('i--', 'i++'))
  })

  test('that is cut by the signal leaves no mutant behind', async () => {
    await using workspace = await emptyDirectory()
    const hopeless = 'const sum = (list) => {\n  return [...list, list.length, 1].map((n) => n * 7).join("-")\n}\n'
    await workspace.write('solution.js', hopeless)
    await workspace.write('visible.test.js', visible)
    const controller = new AbortController()
    const record = (event: JournalEvent): void => {
      if (event.type === 'tool-call' && event.name === 'try-mutants') controller.abort(new Error('enough'))
    }
    const agent = repair({ command: [process.execPath, 'visible.test.js'], sources: ['solution.js'] })
    await expect(agent(taskIn(workspace, { signal: controller.signal, record }))).rejects.toThrow('enough')
    expect(await workspace.read('solution.js')).toBe(hopeless)
  })
})
