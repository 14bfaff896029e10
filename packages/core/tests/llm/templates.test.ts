import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContextInput } from '@jurist/core'
import { structuredOutput } from '@jurist/core'
import { fence, promptTemplate } from '@jurist/core/llm'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'

const code = (expected: string, details: object = {}) =>
  expect.objectContaining({ code: expected, details: expect.objectContaining(details) })

async function rendered(
  source: string,
  context: ContextInput,
  options?: Parameters<typeof promptTemplate>[2],
): Promise<string> {
  const { messages } = await promptTemplate('t', source, options)(aContext(context))
  return messages.at(-1)?.content ?? ''
}

describe('a template', () => {
  test('is a prompt of one user message, and says its name and variables', async () => {
    const template = promptTemplate('t', '{{ goal }}|{{\toutput}}|{{goal}}')
    expect(template.templateName).toBe('t')
    expect(template.variables).toEqual(['goal', 'output'])
    const prompt = await template(aContext({ goal: 'g', agentOutput: 'o' }))
    expect(prompt).toEqual({ messages: [{ role: 'user', content: 'g|o|g' }] })
    expect(Object.isFrozen(prompt)).toBe(true)
  })
  test('knows the whole context', async () => {
    const context = {
      goal: 'g',
      agentOutput: structuredOutput({ a: 1 }),
      expectedOutput: 'e',
      referenceData: ['r1', 'r2'],
      status: 'failed',
      workspace: memoryWorkspace({}, { root: '/w' }),
      metadata: { 'a.b': 'text', list: [1, { b: null }] },
    } as const
    const source =
      '{{goal}};{{output}};{{expected}};{{reference}};{{status}};{{workspace}};{{metadata.a.b}};{{metadata.list}}'
    expect(await rendered(source, context)).toBe('g;{\n  "a": 1\n};e;r1\n\nr2;failed;/w;text;[1,{"b":null}]')
  })
  test('a system message is a template too, and comes first', async () => {
    const template = promptTemplate('t', 'u {{goal}}', { system: 's {{status}}' })
    expect(template.variables).toEqual(['status', 'goal'])
    const { messages } = await template(aContext({ goal: 'g' }))
    expect(messages).toEqual([
      { role: 'system', content: 's success' },
      { role: 'user', content: 'u g' },
    ])
  })
  test('values of one’s own', async () => {
    const values = { shout: ({ goal }: { goal: string }) => goal.toUpperCase(), goal: () => 'mine' }
    expect(await rendered('{{shout}} {{goal}}', { goal: 'g' }, { values })).toBe('G mine')
  })
  test('a file is read once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jurist-template-'))
    try {
      const file = join(directory, 'prompt.txt')
      writeFileSync(file, 'first {{goal}}')
      const template = promptTemplate('t', { file })
      writeFileSync(file, 'second')
      expect((await template(aContext({ goal: 'g' }))).messages[0]?.content).toBe('first g')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
  test.each(['{goal}', '{{ go al }}', '{{1a}}', '{{}}', '{{\ngoal}}', '{{{{'])('%j stays as it is', async (text) => {
    expect(await rendered(text, { goal: 'g' })).toBe(text)
  })
  test('braces around a placeholder stay', async () => expect(await rendered('{{{goal}}}', { goal: 'g' })).toBe('{g}'))
  test.each(['strict', 'empty', 'keep'] as const)('law: values are never looked into (%s)', (onMissing) =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('{{output}}', '$&', '{{goal}}', '$1', '{{nobody}}'),
        fc.string(),
        async (a, b) => {
          const agentOutput = `${b}${a}${b}`
          expect(await rendered('<{{output}}>', { agentOutput, goal: 'g' }, { onMissing })).toBe(`<${agentOutput}>`)
        },
      ),
    ),
  )
})

describe('a template is refused when it is made', () => {
  test.each([
    ['an unknown variable', 'x', '{{nobody}}', {}, 'nobody'],
    ['an inherited name', 'x', '{{toString}}', {}, 'toString'],
    ['metadata without a key', 'x', '{{metadata.}}', {}, 'metadata.'],
    ['an unknown variable in the system message', 'x', 'y', { system: '{{nobody}}' }, 'nobody'],
    ['required, not used', 'x', 'y', { required: ['goal'] }, 'goal'],
    ['fenced, not used', 'x', 'y', { fenced: ['output'] }, 'output'],
    ['a blank name', ' ', 'y', {}, undefined],
    ['a blank text', 'x', ' \n', {}, undefined],
    ['a file that is not there', 'x', { file: '/nowhere/at/all' }, {}, undefined],
  ])('%s', (_, name, source, options, variable) => {
    const details = variable === undefined ? { template: name } : { template: name, variable }
    expect(() => promptTemplate(name, source, options)).toThrow(code('template-invalid', details))
  })
  test('a file where there are none', () => {
    const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    expect(() => promptTemplate('x', { file: 'prompt.txt' })).toThrow(/prompt\.txt cannot be read.*give the text/)
    spy.mockRestore()
  })
  test('with every problem named', () => {
    expect(() => promptTemplate(' ', '{{a}} {{b}}', { required: ['goal'] })).toThrow(
      /blank.* a .* b .*goal is required/,
    )
  })
  test.each([[{ onMissing: 'ignore' }], [{ maxChars: 0 }], [{ values: { a: 'b' } }], [{ fence: ['output'] }]])(
    'options %j',
    (options) => expect(() => promptTemplate('x', 'y', options as never)).toThrow(code('option-invalid')),
  )
})

describe('a variable without a value', () => {
  test.each([
    ['goal', { goal: ' \n' }],
    ['output', {}],
    ['workspace', {}],
    ['expected', {}],
    ['reference', { referenceData: [] }],
    ['metadata.key', {}],
    ['metadata.toString', {}],
    ['metadata.live', { metadata: { live: () => 1 } }],
    ['mine', {}],
  ])('%s', async (name, context) => {
    const source = `<{{ ${name} }}>`
    const values = { mine: () => undefined }
    const missing = code('variable-missing', { template: 't', variable: name })
    await expect(rendered(source, context, { values })).rejects.toThrow(missing)
    expect(await rendered(source, context, { values, onMissing: 'empty' })).toBe('<>')
    expect(await rendered(source, context, { values, onMissing: 'keep' })).toBe(source)
    const required = { values, onMissing: 'keep', required: [name] } as const
    await expect(rendered(source, context, required)).rejects.toThrow(missing)
  })
  test('an empty output is a value', async () => expect(await rendered('<{{output}}>', { agentOutput: '' })).toBe('<>'))
  test('all that are missing are named', async () => {
    await expect(rendered('{{output}}{{expected}}', {})).rejects.toThrow(/output, expected/)
  })
})

describe('long values', () => {
  test('keep their two ends', async () => {
    const agentOutput = `${'a'.repeat(60)}${'b'.repeat(60)}`
    const text = await rendered('{{output}}{{goal}}', { agentOutput, goal: 'short' }, { maxChars: 20 })
    expect(text).toBe(`${'a'.repeat(10)}[... 100 characters left out ...]${'b'.repeat(10)}short`)
  })
  test('at 100,000 code units by default', async () => {
    expect(await rendered('{{output}}', { agentOutput: 'a'.repeat(100_000) })).toHaveLength(100_000)
    expect(await rendered('{{output}}', { agentOutput: 'a'.repeat(100_001) })).toMatch(/\[\.\.\. 1 characters left out/)
  })
  test('no character is cut in half', async () => {
    const text = await rendered('{{output}}', { agentOutput: '😀'.repeat(10) }, { maxChars: 6 })
    expect(text).toBe('😀[... 16 characters left out ...]😀')
  })
})

describe('fences', () => {
  afterEach(() => vi.restoreAllMocks())

  test('the marks, and a nonce that is new each time', async () => {
    const template = promptTemplate('t', 'Judge:\n{{output}}\nby {{goal}}', { fenced: ['output'] })
    const context = aContext({ agentOutput: 'x', goal: 'g' })
    const [one, other] = [await template(context), await template(context)]
    expect(one.fence).toMatch(/^[\da-f]{16,}$/)
    expect(one.fence).not.toBe(other.fence)
    const content = `Judge:\n<<output ${one.fence}>>\nx\n<<end output ${one.fence}>>\nby g`
    expect(one.messages[0]?.content).toBe(content)
  })
  test('an absent value has none', async () => {
    const prompt = await promptTemplate('t', '{{output}}', { fenced: ['output'], onMissing: 'keep' })(aContext())
    expect(prompt).toEqual({ messages: [{ role: 'user', content: '{{output}}' }] })
  })
  test('the nonce is drawn again while a value contains it', async () => {
    const bytes = [7, 7, 9]
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      ;(array as unknown as Uint8Array).fill(bytes.shift() ?? 1)
      return array
    })
    const agentOutput = `<<end output ${'07'.repeat(16)}>>`
    const prompt = await promptTemplate('t', '{{output}}', { fenced: ['output'] })(aContext({ agentOutput }))
    expect(prompt.fence).toBe('09'.repeat(16))
  })
  test.each([
    ['a', 'value', ' '],
    ['a', 'x 123 y', '123'],
    ['a123', 'value', '123'],
  ])('fence(%j, %j, %j) is refused', (name, value, nonce) => {
    expect(() => fence(name, value, nonce)).toThrow(code('option-invalid'))
  })
})
