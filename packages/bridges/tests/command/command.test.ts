// biome-ignore-all lint/suspicious/noThenProperty: the word that an argument is written with

import { existsSync, readdirSync } from 'node:fs'
import { runFacts } from '@jurist/bridges/agent'
import { commandAgent, commandModel, commands } from '@jurist/bridges/command'
import { type AgentTask, asText, type JournalEvent, JuristError } from '@jurist/core'
import { stepsOfExecutions } from '@jurist/core/internal'
import { userRequest } from '@jurist/core/llm'
import { bubblewrapSandbox, emptyDirectory } from '@jurist/workspace'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'

type CommandAgentOptions = Parameters<typeof commandAgent>[0]

/** Prints its arguments, its standard input and some variables as JSON. */
const tell = `
  const chunks = []
  process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const { HOME, CI, NO_COLOR, JURIST_RUN, HOST_SECRET, ALLOWED, API_KEY } = process.env
    console.log(JSON.stringify({ argv: process.argv.slice(1), stdin: Buffer.concat(chunks).toString(), env: { HOME, CI, NO_COLOR, JURIST_RUN, HOST_SECRET, ALLOWED, API_KEY } }))
  })`
const node = process.execPath
const script = (source: string, ...rest: CommandAgentOptions['command'][number][]) =>
  [node, '-e', source, '--', ...rest] as unknown as CommandAgentOptions['command']

interface Told {
  readonly argv: readonly string[]
  readonly stdin: string
  readonly env: { readonly [name: string]: string | undefined }
}

async function ran(options: Partial<CommandAgentOptions>, task: Partial<AgentTask> = {}) {
  await using workspace = await emptyDirectory()
  const agent = commandAgent({ command: script(tell, '{{prompt}}'), ...options })
  return await agent({ prompt: 'hello', workspace, signal: new AbortController().signal, ...task })
}

async function told(options: Partial<CommandAgentOptions>, task: Partial<AgentTask> = {}): Promise<Told> {
  const invocation = await ran(options, task)
  expect(invocation.failure).toBeUndefined()
  return JSON.parse(asText(invocation.output))
}

const works = (probe: Promise<unknown>) =>
  probe.then(
    () => true,
    () => false,
  )

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('arguments', () => {
  test('values are put in, never looked into again, never given to a shell', async () => {
    const prompt = '{{model}} $(touch x) `id` "quoted" \'single\' \n new; rm -rf *'
    const { argv } = await told({ command: script(tell, '--task={{ prompt }}', '\\{{model}}') }, { prompt, model: 'm' })
    expect(argv).toEqual([`--task=${prompt}`, '{{model}}'])
  })

  test('an escaped prompt is not the prompt, which then goes through stdin', async () => {
    const { argv, stdin } = await told({ command: [node, '-e', tell, '--', '\\{{prompt}}'] })
    expect([argv, stdin]).toEqual([['{{prompt}}'], 'hello'])
  })

  test('a group is left out without its value', async () => {
    const command = script(
      tell,
      { when: 'model', then: ['-m', '{{model}}'] },
      { when: 'systemPrompt', then: ['-s'] },
      'end',
    )
    expect((await told({ command })).argv).toEqual(['end'])
    expect((await told({ command, model: 'own' }, { model: 'asked' })).argv).toEqual(['-m', 'asked', 'end'])
  })

  test('metadata, workspace, time', async () => {
    const command = script(tell, '{{metadata.level}}', '{{workspace}}', '{{timeoutSeconds}}')
    const { argv } = await told({ command }, { metadata: { level: { hard: 1 } }, timeoutMs: 299_500 })
    expect([argv[0], argv[2]]).toEqual(['{"hard":1}', '300'])
    expect(argv[1]).toMatch(/^\//)
  })

  test.each([
    [[], /must be an array that begins with a program/],
    [[''], /must be an array that begins with a program/],
    [['x', '{{promt}}'], /unknown variable "promt"/],
    [['x', { when: 'modell', then: ['{{nope}}'] }], /"modell".*"nope"/],
    [['x', 5], /strings and groups/],
    [['x', '{{prompt}}', '\\{{nope}} {{nope}}'], /unknown variable "nope"/],
  ])('%j is refused when the agent is made', (command, says) => {
    expect(() => commandAgent({ command: command as never })).toThrow(says)
  })

  test('a variable without a value outside a group is refused when it is called', async () => {
    await expect(ran({ command: [node, '{{model}}'] })).rejects.toSatisfy((thrown) =>
      JuristError.is(thrown, 'option-invalid'),
    )
  })

  test('a prompt never becomes an option', async () => {
    const command: CommandAgentOptions['command'] = [node, '{{prompt}}']
    await expect(ran({ command }, { prompt: '--eval=process.exit(7)' })).rejects.toThrow(/would become the option/)
    expect((await told({}, { prompt: '-x' })).argv).toEqual(['-x'])
  })

  test('any prompt arrives as it is', async () => {
    const prompts = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(prompts, async (prompt) => {
        expect((await told({ command: script(tell, 'p={{prompt}}') }, { prompt })).argv).toEqual([`p=${prompt}`])
        expect((await told({ command: [node, '-e', tell] }, { prompt })).stdin).toBe(prompt)
      }),
      { numRuns: 5 },
    )
  })
})

describe('the way of the prompt', () => {
  test('stdin where no argument names it', async () => {
    const { argv, stdin } = await told({ command: [node, '-e', tell] })
    expect([argv, stdin]).toEqual([[], 'hello'])
  })

  test('a file when asked, and when it is too long; it is gone afterwards', async () => {
    const read = `const { readFileSync } = require('node:fs'); const [path] = process.argv.slice(1)
      console.log(JSON.stringify({ path, length: readFileSync(path, 'utf8').length }))`
    const short = JSON.parse(asText((await ran({ command: script(read, '{{prompt}}'), promptThrough: 'file' })).output))
    expect(short.length).toBe(5)
    const prompt = 'x'.repeat(200_000)
    const long = JSON.parse(asText((await ran({ command: script(read, '{{prompt}}') }, { prompt })).output))
    expect([long.length, existsSync(long.path), existsSync(short.path)]).toEqual([200_000, false, false])
  })
})

const hasBubblewrap = await works(bubblewrapSandbox().probe())

describe('in a sandbox', () => {
  const sandboxed = test.skipIf(!hasBubblewrap)
  const inside = async (options: CommandAgentOptions, prompt = 'hello') => {
    await using workspace = await emptyDirectory({ sandbox: bubblewrapSandbox() })
    const invocation = await commandAgent(options)({ prompt, workspace, signal: new AbortController().signal })
    return { text: asText(invocation.output), failure: invocation.failure, left: readdirSync(workspace.root) }
  }

  sandboxed('a prompt in a file can be read, and nothing is left of it (needs bubblewrap)', async () => {
    const short = await inside({ command: ['cat', '{{prompt}}'], promptThrough: 'file' })
    expect(short).toEqual({ text: 'hello', failure: undefined, left: [] })
    const long = await inside({ command: ['wc', '-c', '{{prompt}}'] }, 'x'.repeat(200_000))
    expect([long.text, long.left]).toEqual([expect.stringMatching(/^200000 \/workspace\//), []])
  })

  sandboxed('{{workspace}} is the path that the command sees (needs bubblewrap)', async () => {
    expect((await inside({ command: ['sh', '-c', 'cd "$1" && pwd', 'sh', '{{workspace}}'] })).text).toBe('/workspace')
  })
})

describe('the environment', () => {
  test('nothing of the host that is not allowed by name, an empty home that is gone afterwards', async () => {
    vi.stubEnv('HOST_SECRET', 'secret-of-the-host')
    vi.stubEnv('ALLOWED', 'yes')
    const { env } = await told({ environment: { allow: ['ALLOWED'], set: { NO_COLOR: '0' } } }, { env: { CI: 'mine' } })
    expect(env).toMatchObject({ CI: 'mine', NO_COLOR: '0', ALLOWED: 'yes' })
    expect(env['HOST_SECRET']).toBeUndefined()
    expect(env['JURIST_RUN']).toMatch(/^[\w-]{20,}$/)
    expect(env['HOME']).toContain('jurist')
    expect(existsSync(env['HOME'] ?? '')).toBe(false)
    expect((await told({ environment: { home: 'host' } })).env['HOME']).toBe(process.env['HOME'])
  })

  test('values of keys are never printed', async () => {
    const events: JournalEvent[] = []
    const invocation = await ran(
      { environment: { set: { API_KEY: 'sk-very-secret' } } },
      { record: (event) => void events.push(event) },
    )
    expect(JSON.stringify([invocation, events])).not.toContain('sk-very-secret')
    expect(asText(invocation.output)).toContain('***')
  })
})

describe('what the output says', () => {
  const print = (text: string) => script(`process.stdout.write(${JSON.stringify(text)})`)

  test.each([
    ['text', '\u001b[31mred\u001b[0m done\n', 'red done'],
    ['json', '{"result":"the answer","other":1}', 'the answer'],
    ['json', '"plain"', 'plain'],
    ['json-lines', 'noise\n{"type":"start"}\n{"text":"first"}\n{"result":"last"}\n', 'last'],
  ] as const)('%s', async (read, output, text) => {
    expect(asText((await ran({ command: print(output), read })).output)).toBe(text)
  })

  test('data without a text is structured', async () => {
    expect((await ran({ command: print('null'), read: 'json' })).output).toEqual({ type: 'structured', data: null })
    expect((await ran({ command: print('{"a":1}'), read: 'json' })).output).toEqual({
      type: 'structured',
      data: { a: 1 },
    })
  })

  test('a function reads what it likes', async () => {
    const usage = { inputTokens: 10, outputTokens: 2 }
    const read = () => ({ text: 'yes', usage, model: 'm', sessionId: 's', turns: 3, metadata: { extra: true } })
    const prices = { m: { inputPerMillion: 1_000_000, outputPerMillion: 0 } }
    const invocation = await ran({ command: print('x'), read, prices })
    expect(invocation).toMatchObject({ status: 'completed', usage, sessionId: 's', costUsd: 10 })
    expect(invocation.metadata?.['command.extra']).toBe(true)
    expect(runFacts(invocation.metadata ?? {})).toMatchObject({ turns: 3, model: 'm', costBasis: 'table' })
  })

  test.each([
    ['refused', 'refused'],
    ['failed', 'error'],
    ['unknown', 'completed'],
    ['timeout', 'timeout'],
  ] as const)('a status %s that it read is %s', async (status, expected) => {
    const invocation = await ran({ command: print('x'), read: () => ({ text: 'x', status }) })
    expect([invocation.status, invocation.metadata?.['command.status']]).toEqual([expected, status])
  })

  test('a reading is checked: what is malformed is absent and a warning', async () => {
    const warningsOf = async (reading: unknown) => {
      const { metadata, ...invocation } = await ran({ command: print('x'), read: () => reading as never })
      return { ...invocation, facts: runFacts(metadata ?? {}), metadata }
    }
    const metadata = { status: 'refused', warnings: 'abc', extra: () => 1, own: 7n }
    const reserved = await warningsOf({ text: 'x', metadata })
    expect([reserved.status, reserved.facts?.status, reserved.metadata?.['command.own']]).toEqual([
      'completed',
      'success',
      '7',
    ])
    expect(reserved.facts?.warnings).toEqual(['metadata-reserved: status', 'metadata-reserved: warnings'])
    const strange = await warningsOf({
      text: 5,
      toolExecutions: 'zz',
      usage: { inputTokens: -1, outputTokens: Number.NaN },
      costUsd: -2,
      status: 'weird',
    })
    expect(strange).toMatchObject({ status: 'completed', facts: { status: 'unknown', toolExecutions: [] } })
    expect([strange.output, strange.usage, strange.costUsd]).toEqual([undefined, undefined, undefined])
    expect(strange.facts?.warnings).toEqual([
      'malformed: costUsd',
      'malformed: status',
      'malformed: text',
      'usage-inconsistent: inputTokens',
      'usage-inconsistent: outputTokens',
      'malformed: toolExecutions',
    ])
    const execution = {
      id: 'a',
      name: 'look',
      step: 0,
      input: { run: () => 1, at: 1 },
      status: 'completed',
      output: 2n,
    }
    const { facts } = await warningsOf({ text: 'x', toolExecutions: [execution] })
    expect(stepsOfExecutions(facts?.toolExecutions)).toEqual([
      { name: 'look', turn: 0, input: { at: 1 }, output: '2', status: 'completed' },
    ])
    expect(facts?.toolExecutions).toEqual([
      { id: 'a', name: 'look', step: 0, input: { at: 1 }, output: '2', status: 'completed' },
    ])
    expect((await warningsOf(undefined)).failure?.code).toBe('agent-protocol')
  })

  test('what cannot be read is agent-protocol, and the raw output is in the journal', async () => {
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => void events.push(event)
    const invocation = await ran({ command: print('no json'), read: 'json' }, { record })
    expect([invocation.status, invocation.failure?.code, invocation.failure?.infrastructure]).toEqual([
      'error',
      'agent-protocol',
      false,
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'custom', name: 'command.stdout', data: 'no json' }))
  })
})

describe('endings', () => {
  test('another exit code is an error with the end of stderr, unless it counts as success', async () => {
    const command = script(`console.error('x'.repeat(5000) + ' the reason'); process.exit(3)`)
    const invocation = await ran({ command })
    expect([invocation.status, invocation.failure?.code]).toEqual(['error', 'exit-3'])
    expect(invocation.failure?.message).toMatch(/the reason$/)
    expect(invocation.failure?.message.length).toBeLessThan(2_200)
    expect((await ran({ command, successCodes: [0, 3] })).status).toBe('completed')
  })

  test('a missing program is agent-start, an infrastructure failure, with the remedy', async () => {
    const { status, failure } = await ran({ command: ['no-such-agent-here', '{{prompt}}'] })
    expect([status, failure?.code, failure?.infrastructure]).toEqual(['error', 'agent-start', true])
    expect(failure?.message).toMatch(/no-such-agent-here could not be started.*Install it/)
  })

  test('a deadline is a timeout, an abort is cancelled, a signal is named', async () => {
    const command = script('setInterval(() => {}, 1000)')
    expect((await ran({ command }, { timeoutMs: 300 })).status).toBe('timeout')
    expect((await ran({ command }, { signal: AbortSignal.timeout(300) })).status).toBe('timeout')
    const caller = new AbortController()
    setTimeout(() => caller.abort(), 300)
    expect((await ran({ command }, { signal: caller.signal })).status).toBe('cancelled')
    const killed = await ran({ command: script(`process.kill(process.pid, 'SIGKILL')`) })
    expect([killed.status, killed.failure?.code]).toEqual(['error', 'killed-SIGKILL'])
  })

  test('more output than is kept is cut, with a warning', async () => {
    const command = script(`process.stdout.write('x'.repeat(100000) + 'the end')`)
    const invocation = await ran({ command, maxOutputBytes: 1_000 })
    expect(runFacts(invocation.metadata ?? {})?.warnings).toContain('output-truncated')
    expect(asText(invocation.output)).toContain('the end')
  })

  test('a record that throws is a warning', async () => {
    const record = () => {
      throw new Error('full disk')
    }
    const invocation = await ran({}, { record })
    expect(invocation.status).toBe('completed')
  })
})

test('the output that is kept is a whole number of bytes', () => {
  expect(() => commandAgent({ command: ['x'], maxOutputBytes: 1_000.5 })).toThrow(/"maxOutputBytes"/)
})

describe('ready-made and as a model', () => {
  test('a prompt cannot become an option of any of them', async () => {
    await using workspace = await emptyDirectory()
    for (const make of Object.values(commands)) {
      const { failure } = await make()({ prompt: '--yolo', workspace, signal: AbortSignal.timeout(5_000) })
      expect(['agent-start', undefined].includes(failure?.code) || failure?.code?.startsWith('exit-')).toBe(true)
    }
  })

  test('a program as a model', async () => {
    const model = commandModel({
      command: [node, '-e', `process.stdin.on('data', (text) => process.stdout.write('read: ' + text))`],
      workspace: () => emptyDirectory(),
    })
    expect((await model(userRequest('Is it?'))).text).toBe('read: Is it?')
    const failing = commandModel({ command: [node, '-e', 'process.exit(2)'], workspace: () => emptyDirectory() })
    await expect(failing(userRequest('x'))).rejects.toSatisfy((thrown) => JuristError.is(thrown, 'agent-failed'))
  })
})
