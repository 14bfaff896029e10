import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { figuresText, journalFigures, stepSummary, stepWord } from '../../src/journal/step-words.js'
import { type JournalStep, journalSteps, stepReader, type ToolContent } from '../../src/journal/steps.js'
import { trajectory } from '../../src/journal/trajectory.js'

const call = (name: string, input: unknown, id = '1') => ({ type: 'tool-call', id, name, input })
const result = (content: string, failed = false, id = '1') => ({ type: 'tool-result', id, failed, content })

/** The step of one call with its result. */
function stepOf(name: string, input: unknown, ...results: readonly object[]): JournalStep & { content: ToolContent } {
  const [step] = journalSteps([call(name, input), ...results])
  if (step === undefined) throw new Error('no step')
  return step as JournalStep & { content: ToolContent }
}

describe('shell calls', () => {
  test.each([
    ['Claude Code', 'Bash', { command: 'npm test', description: 'Run the tests' }, 'npm test'],
    ['Codex', 'shell', { command: "/bin/bash -lc 'npm test'" }, "/bin/bash -lc 'npm test'"],
    ['Codex as words', 'shell', { command: ['bash', '-lc', 'npm test'] }, 'npm test'],
    ['words', 'exec_command', { cmd: ['npm', 'test'] }, 'npm test'],
    ['ACP with a title alone', 'execute', { title: '`npm test`' }, 'npm test'],
    ['ACP with arguments', 'execute', { command: 'npm test', cwd: '/work' }, 'npm test'],
    ['an OpenAI function', 'run_shell_command', { command: 'npm test' }, 'npm test'],
    ['an OpenAI function with arguments as text', 'execute_bash', '{"command":"npm test"}', 'npm test'],
    ['an OpenAI function with plain text', 'bash', 'npm test', 'npm test'],
  ])('%s', (_, name, input, command) => {
    const { content } = stepOf(name, input, result('ok'))
    expect(content).toMatchObject({ kind: 'shell', tool: name, command, output: 'ok' })
    expect(stepSummary(content)).toBe(`$ ${command}`)
  })

  test.each([
    ['Exit code 1\n✗ totals\n', 1, '✗ totals\n'],
    ['Error: Exit code 127\nsh: not found', 127, 'sh: not found'],
    ['✗ totals\n[exit code: 2]', 2, '✗ totals'],
    ['output\nCommand exited with code 3', 3, 'output'],
    ['{"output":"✗ totals","metadata":{"exit_code":1,"duration_seconds":0.3}}', 1, '✗ totals'],
    ['{"stdout":"","stderr":"no","exitCode":2}', 2, 'no'],
    ['{"stdout":"all good"}', undefined, 'all good'],
    ['{"name":"a package"}', undefined, '{"name":"a package"}'],
    ['The exit code 1 is documented.', undefined, 'The exit code 1 is documented.'],
  ])('%j has the exit code %s', (content, exitCode, output) => {
    const step = stepOf('Bash', { command: 'npm test' }, result(content, true))
    expect(step.content).toEqual(expect.objectContaining({ output, ...(exitCode === undefined ? {} : { exitCode }) }))
    expect(Object.hasOwn(step.content, 'exitCode')).toBe(exitCode !== undefined)
    expect(step.isFailed).toBe(true)
  })
})

describe('edits', () => {
  const parts = [{ before: 'a', after: 'b' }]
  const patch =
    '*** Begin Patch\n*** Update File: src/a.js\n@@ total\n keep\n-a\n+b\n@@\n-c\n*** Add File: b.js\n+new\n*** Delete File: c.js\n*** End Patch'
  const patched = [
    {
      path: 'src/a.js',
      change: 'modified',
      parts: [
        { before: 'keep\na\n', after: 'keep\nb\n' },
        { before: 'c\n', after: '' },
      ],
    },
    { path: 'b.js', change: 'added', parts: [{ before: '', after: 'new\n' }] },
    { path: 'c.js', change: 'removed', parts: [] },
  ]
  test.each([
    [
      'Claude Code',
      'Edit',
      { file_path: 'a.js', old_string: 'a', new_string: 'b' },
      [{ path: 'a.js', change: 'replaced', parts }],
    ],
    [
      'Claude Code, several',
      'MultiEdit',
      { file_path: 'a.js', edits: [{ old_string: 'a', new_string: 'b' }] },
      [{ path: 'a.js', change: 'replaced', parts }],
    ],
    [
      'Claude Code, a file',
      'Write',
      { file_path: 'a.js', content: 'b' },
      [{ path: 'a.js', change: 'written', parts: [{ before: '', after: 'b' }] }],
    ],
    [
      'Codex',
      'apply_patch',
      { changes: [{ path: 'a.js', kind: 'update' }] },
      [{ path: 'a.js', change: 'modified', parts: [] }],
    ],
    ['a patch', 'apply_patch', { input: patch }, patched],
    ['a patch in a command', 'shell', { command: ['apply_patch', patch] }, patched],
    ['a patch in a script', 'Bash', { command: `apply_patch <<'EOF'\n${patch}\nEOF` }, patched],
    [
      'a unified diff',
      'apply_patch',
      { patch: '--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-a\n+b\n' },
      [{ path: 'a.js', change: 'modified', parts: [{ before: 'a\n', after: 'b\n' }] }],
    ],
    [
      'Anthropic text editor',
      'str_replace_based_edit_tool',
      { command: 'str_replace', path: 'a.js', old_str: 'a', new_str: 'b' },
      [{ path: 'a.js', change: 'replaced', parts }],
    ],
    [
      'Anthropic text editor, a file',
      'str_replace_editor',
      { command: 'create', path: 'a.js', file_text: 'b' },
      [{ path: 'a.js', change: 'written', parts: [{ before: '', after: 'b' }] }],
    ],
    ['ACP', 'edit', { path: 'a.js', oldText: 'a', newText: 'b' }, [{ path: 'a.js', change: 'replaced', parts }]],
    [
      'an OpenAI function',
      'write_file',
      '{"path":"a.js","content":"b"}',
      [{ path: 'a.js', change: 'written', parts: [{ before: '', after: 'b' }] }],
    ],
  ])('%s', (_, name, input, edits) => {
    const { content } = stepOf(name, input, result('done'))
    expect(content.kind).toBe('edit')
    expect(content.edits).toEqual(edits)
    expect(stepSummary(content)).toContain(edits[0]?.path)
  })

  test.each([
    ['Read', { file_path: 'a.js' }],
    ['TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }],
    ['str_replace_editor', { command: 'view', path: 'a.js' }],
    ['search_files', { text: 'a', path: '.' }],
  ])('%s is not an edit', (name, input) => {
    expect(stepOf(name, input).content).toMatchObject({ kind: 'tool', tool: name, output: null })
  })
})

describe('a whole journal', () => {
  const at = (seconds: number) => ({ at: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString() })
  const records = [
    { type: 'prompt', text: 'Fix it', phase: 'plan', ...at(0) },
    { type: 'thinking', text: 'hm', phase: 'plan', ...at(1) },
    {
      type: 'model-call',
      model: 'm',
      phase: 'plan',
      usage: { inputTokens: 10, outputTokens: 2 },
      costUsd: 0.5,
      ...at(2),
    },
    { ...call('Bash', { command: 'npm test' }, 'a'), phase: 'act', ...at(3) },
    { ...call('Read', { file_path: 'a.js' }, 'b'), phase: 'act', ...at(3) },
    { ...result('text', false, 'b'), phase: 'act', ...at(4) },
    { ...result('no', true, 'a'), phase: 'act', ...at(6) },
    { ...result('alone', true, 'c'), phase: 'act', ...at(6) },
    { type: 'model-call', model: 'm', phase: 'act', usage: { inputTokens: 20, outputTokens: 3 }, ...at(7) },
    { type: 'file', path: 'a.js', change: 'modified' },
    { type: 'state', state: 'permission-denied' },
    { type: 'custom', name: 'command.stderr', data: 'warned' },
    { type: 'custom', name: 'codex.error', data: { message: 'no' } },
    { type: 'later-version', detail: 1 },
    { type: 'text', text: 5 },
    undefined,
  ]
  const steps = journalSteps(records)

  test('phases are headings, results belong to their calls, and nothing is dropped', () => {
    expect(steps.map(({ content }) => stepWord(content))).toEqual([
      ...['phase', 'prompt', 'thinking', 'turn 1', 'phase', 'Bash', 'Read', 'tool result', 'turn 2', 'file modified'],
      ...['state', 'command.stderr', 'codex.error', 'later-version', 'text', 'damaged line'],
    ])
    expect(steps.at(-3)?.content).toEqual({
      kind: 'other',
      name: 'later-version',
      value: { type: 'later-version', detail: 1 },
    })
  })

  test('times, failures, tokens and cost, each turn and so far', () => {
    const bash = steps.find(({ content }) => stepWord(content) === 'Bash')
    expect(bash).toMatchObject({
      index: 3,
      resultIndex: 6,
      sinceStartMs: 3_000,
      elapsedMs: 3_000,
      isFailed: true,
      phase: 'act',
    })
    expect(steps.find(({ content }) => stepWord(content) === 'turn 2')?.content).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 3 },
      costUsd: null,
      soFar: { usage: { inputTokens: 30, outputTokens: 5 }, costUsd: 0.5 },
    })
    expect(figuresText(journalFigures(steps))).toBe('14 steps, 7.0 s, 2 tool calls, 2 failed, 35 tokens, $0.50')
  })

  test('its figures are those of the trajectory', () => {
    const { toolCalls, toolErrors } = trajectory(records.filter((record) => record !== undefined) as never)
    expect(journalFigures(steps)).toMatchObject({ toolCalls, failedCalls: toolErrors })
  })
})

test('any record is a step or the result of one', () => {
  const name = fc.constantFrom('Bash', 'Edit', 'x', '__proto__', 'apply_patch')
  const record = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom('tool-call', 'custom'),
      id: fc.constantFrom('1', '2'),
      name,
      input: fc.jsonValue(),
    }),
    fc.record({
      type: fc.constant('tool-result'),
      id: fc.constantFrom('1', '2'),
      failed: fc.boolean(),
      content: fc.string(),
    }),
    fc.record({ type: fc.constant('model-call'), model: fc.string(), usage: fc.jsonValue(), costUsd: fc.jsonValue() }),
  )
  fc.assert(
    fc.property(fc.array(record), fc.nat(5), (records, at) => {
      const steps = journalSteps(records)
      const read = stepReader()
      read(records.slice(0, at))
      expect(read(records.slice(at)), 'a journal that arrives in two parts').toEqual(steps)
      const own = steps.filter(({ content }) => content.kind !== 'phase')
      const answered = own.filter(({ content }) => 'tool' in content && content.output !== null).length
      expect(own.length + answered).toBe(records.length)
      for (const { content } of steps) expect(typeof stepSummary(content)).toBe('string')
      journalFigures(steps)
    }),
  )
})
