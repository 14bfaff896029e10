import type { JournalEvent, Json } from '@jurist/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { trajectory } from '../../src/journal/index.js'

type Step = readonly [name: string, input?: Json, result?: string | false]

/** Events of tool calls, each with its result; `false`: it failed, `undefined`: it is not known. */
function events(...steps: readonly Step[]): readonly JournalEvent[] {
  return steps.flatMap(([name, input = {}, result], index): readonly JournalEvent[] => {
    const id = String(index)
    const call: JournalEvent = { type: 'tool-call', id, name, input }
    if (result === undefined) return [call]
    return [call, { type: 'tool-result', id, failed: result === false, content: result === false ? 'error' : result }]
  })
}

test.each([
  ['Read', {}, 'read'],
  ['read_file', {}, 'read'],
  ['mcp__write_server__readFile', {}, 'read'],
  ['Write', {}, 'write'],
  ['MultiEdit', {}, 'write'],
  ['apply_patch', {}, 'write'],
  ['str_replace_based_edit_tool', { command: 'view', path: 'a' }, 'read'],
  ['str_replace_based_edit_tool', { command: 'create', path: 'a' }, 'write'],
  ['Grep', {}, 'search'],
  ['list_dir', {}, 'search'],
  ['TodoWrite', {}, 'plan'],
  ['update_plan', {}, 'plan'],
  ['WebSearch', {}, 'web'],
  ['Bash', { command: 'ls -la' }, 'run'],
  ['Bash', { command: 'npm install left-pad@latest' }, 'run'],
  ['Bash', { command: 'git checkout main' }, 'run'],
  ['Bash', { command: 'npm run test:unit' }, 'test'],
  ['shell', { command: ['npx', 'vitest', 'run'] }, 'test'],
  ['run_command', { cmd: 'mvn -q verify' }, 'test'],
  ['exec', 'npm run lint', 'test'],
  ['run_tests', {}, 'test'],
  ['run', {}, 'run'],
  ['submit', {}, 'other'],
])('%s with %j is %s', (name, input, state) => {
  expect(trajectory(events([name, input])).sequence).toEqual([state])
})

test('states, transitions, firsts and errors', () => {
  const told: readonly JournalEvent[] = [
    { type: 'model-call', model: 'm' },
    ...events(
      ['read', { path: 'a' }, 'x'],
      ['write', { path: 'a' }, 'ok'],
      ['Bash', { command: 'npm test' }, false],
      ['read', { path: 'b' }, 'y'],
    ),
    { type: 'thinking', text: 'private' },
  ]
  expect(trajectory(told)).toEqual({
    steps: 5,
    states: ['read', 'test', 'write'],
    sequence: ['read', 'write', 'test', 'read'],
    counts: { read: 2, test: 1, write: 1 },
    transitions: [
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
    ],
    toolCalls: 4,
    toolErrors: 1,
    loops: [],
    redundantReads: [],
    fixCycles: 0,
    firstWriteAt: 1,
    firstVerificationAt: 2,
  })
  expect(trajectory([])).toMatchObject({
    steps: 0,
    states: [],
    loops: [],
    firstWriteAt: null,
    firstVerificationAt: null,
  })
})

test('reads are redundant when nothing was written to the file between', () => {
  const read = (path: string): Step => ['read', { path }]
  const write = (path: string): Step => ['edit', { file_path: path }]
  const { redundantReads } = trajectory(
    events(read('a'), read('b'), read('./a'), write('b'), read('b'), write('a'), read('a'), read('a')),
  )
  expect(redundantReads).toEqual([{ path: 'a', reads: 4 }])
})

test('a fix cycle is a failure, a write and another try', () => {
  const test = (result: string | false): Step => ['Bash', { command: 'npm test' }, result]
  const write: Step = ['write', {}, 'ok']
  const cycles = (...steps: readonly Step[]) => trajectory(events(...steps)).fixCycles
  expect(cycles(test(false), write, write, test(false), write, test('ok'))).toBe(2)
  expect(cycles(test(false), test('ok'), write, test('ok'))).toBe(0)
  expect(cycles(test('ok'), write, test(false))).toBe(0)
  expect(cycles(write, test(false), write)).toBe(0)
})

test.each([
  [['failure'], [false, false, false]],
  [['friction'], ['a', false, 'a']],
  [['productive'], ['a', 'a', 'b']],
  [['degenerate'], ['a', 'a', 'a']],
] as const)('a loop is %s by its results %j', (kinds, results) => {
  const { loops } = trajectory(events(...results.map((result): Step => ['run', { command: 'x' }, result])))
  expect(loops).toEqual([{ pattern: ['run'], start: 0, repeats: 3, kind: kinds[0] }])
})

test('loops have the same inputs, three rounds at least, the longest first', () => {
  const read = (path: string): Step => ['read', { path }, 'x']
  const run: Step = ['run', { command: 'x' }, 'x']
  const { loops } = trajectory(
    events(read('a'), read('b'), read('c'), run, run, run, read('a'), run, read('a'), run, read('a'), run, read('z')),
  )
  expect(loops.map(({ pattern, start, repeats }) => [pattern.join(), start, repeats])).toEqual([['run,read', 5, 3]])
  expect(trajectory(events(run, run)).loops).toEqual([])
  const long = Array.from({ length: 9 }, (_, index) => read(String(index % 3)))
  expect(trajectory(events(...long)).loops).toMatchObject([{ pattern: ['read', 'read', 'read'], start: 0, repeats: 3 }])
  expect(trajectory(events(...long), { loopLength: 2 }).loops).toEqual([])
})

test('the same input may be written in another order', () => {
  const inputs = [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    { a: 1, b: 2 },
  ]
  expect(trajectory(events(...inputs.map((input): Step => ['x', input]))).loops).toMatchObject([
    { start: 0, repeats: 3 },
  ])
})

test('what a longer loop leaves of a shorter one counts', () => {
  const { loops } = trajectory(events(...[...'bbbbababa'].map((name): Step => [name])))
  expect(loops).toMatchObject([
    { start: 3, repeats: 3 },
    { start: 0, repeats: 3 },
  ])
})

test('loops never overlap and are what they say', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }), (names) => {
      const { loops } = trajectory(events(...names.map((name): Step => [name])), { classify: ({ name }) => name })
      const taken = new Set<number>()
      for (const { pattern, start, repeats } of loops) {
        expect(repeats).toBeGreaterThanOrEqual(3)
        for (let at = start; at < start + pattern.length * repeats; at += 1) {
          expect(taken.has(at)).toBe(false)
          taken.add(at)
          expect(names[at]).toBe(pattern[(at - start) % pattern.length])
        }
      }
      names.forEach((name, at) => {
        const three = name === names[at + 1] && name === names[at + 2]
        if (three) expect([at, at + 1, at + 2].some((place) => taken.has(place))).toBe(true)
      })
    }),
  )
})

test("states of one's own; results find their calls when ids repeat", () => {
  const told: readonly JournalEvent[] = [
    { type: 'tool-call', id: '', name: 'run', input: {} },
    { type: 'tool-call', id: '', name: 'run', input: {} },
    { type: 'tool-call', id: '', name: 'run', input: {} },
    { type: 'tool-result', id: '', failed: true, content: 'no' },
    { type: 'tool-result', id: '', failed: false, content: 'yes' },
  ]
  const { loops, sequence, toolErrors } = trajectory(told, { classify: () => 'step' })
  expect(sequence).toEqual(['step', 'step', 'step'])
  expect(toolErrors).toBe(1)
  expect(loops[0]?.kind).toBe('friction')
  expect(() => trajectory([], { loopLength: 0 })).toThrowError(/"loopLength"/)
})
