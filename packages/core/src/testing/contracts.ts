import type { JudgmentContext } from '../context.js'
import { type Judge, runJudge } from '../judge.js'
import { abstain, error, fail, type Judgment, pass } from '../judgment.js'
import { judgmentFromJson } from '../judgment-record.js'
import type { Aggregation, Ballot, Vote } from '../votes/vote.js'
import type { Workspace, WorkspaceEntry } from '../workspace.js'

/** The two functions of a test runner; vitest, jest and `node:test` have them. */
export interface TestHarness {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: () => unknown) => void
}

function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** The order of keys counts. */
function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  expectThat(found === wanted, `${what}: expected ${wanted}, found ${found}`)
}

async function expectCode(run: () => unknown, ...codes: readonly string[]): Promise<void> {
  let thrown: unknown
  try {
    await run()
  } catch (caught) {
    thrown = caught
  }
  const code = (thrown as { readonly code?: unknown } | undefined)?.code
  expectThat(typeof code === 'string' && codes.includes(code), `expected ${codes.join(' or ')}, found ${thrown}`)
}

function expectFrozen(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return
  expectThat(Object.isFrozen(value), `${what} is not frozen`)
  for (const [key, inner] of Object.entries(value)) expectFrozen(inner, `${what}.${key}`)
}

/** A judge, and contexts that it must pass and fail. */
export interface JudgeContractSetup {
  readonly judge: Judge
  readonly passing: JudgmentContext
  readonly failing: JudgmentContext
}

/**
 * Tests that a judge keeps the contract of judges: it passes and fails where it should, its judgments survive JSON and
 * are frozen, two concurrent calls do not affect each other, an aborted signal ends it within a second, the context is
 * not changed.
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { aContext, judgeContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * judgeContract({ describe, test }, 'greeting', {
 *   judge: outputText({ contains: 'Hello' }),
 *   passing: aContext({ agentOutput: 'Hello!' }),
 *   failing: aContext({ agentOutput: 'Goodbye' }),
 * })
 */
export function judgeContract({ describe, test }: TestHarness, name: string, setup: JudgeContractSetup): void {
  const { judge, passing, failing } = setup
  describe(`${name} keeps the judge contract`, () => {
    test('passes what is right', async () => expectStatus(await runJudge(judge, passing), 'pass'))
    test('fails what is wrong', async () => expectStatus(await runJudge(judge, failing), 'fail'))
    test('its judgments are frozen and survive JSON', async () => {
      for (const context of [passing, failing]) {
        const judgment = await runJudge(judge, context)
        expectFrozen(judgment, 'judgment')
        expectSame(judgmentFromJson(JSON.parse(JSON.stringify(judgment))), judgment, 'read back')
      }
    })
    test('two concurrent calls do not disturb each other', async () => {
      const both = await Promise.all([runJudge(judge, passing), runJudge(judge, failing), runJudge(judge, passing)])
      expectSame(
        both.map(({ status }) => status),
        ['pass', 'fail', 'pass'],
        'statuses',
      )
    })
    test('an aborted signal ends it within a second', async () => {
      const stop = new AbortController()
      const ending = runJudge(judge, { ...passing, signal: stop.signal })
      stop.abort(new Error('enough'))
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), 1_000)
      })
      const ended = await Promise.race([ending, late])
      clearTimeout(timer)
      expectThat(ended !== 'late', 'still running a second after the abort')
    })
    test('the context is not changed', async () => {
      const context = { ...passing }
      await runJudge(judge, context)
      for (const key of Object.keys(passing) as (keyof JudgmentContext)[])
        expectThat(context[key] === passing[key], `context.${key} was changed`)
    })
  })
}

function expectStatus({ status, reasoning }: Judgment, expected: Judgment['status']): void {
  expectThat(status === expected, `expected ${expected}, found ${status}: ${reasoning}`)
}

/**
 * Tests that a vote keeps the contract of votes: an empty vote is refused, one ballot decides alone, abstentions
 * abstain; it is pure, the order of ballots does not matter, its judgment is frozen JSON, and its counts, if any, add
 * up.
 *
 * @example
 * import { majority } from '@jurist/core'
 * import { voteContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * voteContract({ describe, test }, 'majority', () => majority())
 */
export function voteContract({ describe, test }: TestHarness, name: string, make: () => Vote): void {
  describe(`${name} keeps the vote contract`, () => {
    test('an empty vote is refused', () => expectCode(() => make()([]), 'ballots-empty'))
    test('one pass passes, one fail fails', () => {
      expectSame(make()(ballots(pass('yes'))).status, 'pass', 'status')
      expectSame(make()(ballots(fail('no'))).status, 'fail', 'status')
    })
    test('abstentions abstain', () => {
      expectSame(make()(ballots(abstain('nothing'), abstain('nothing'))).status, 'abstain', 'status')
    })
    test('the same ballots give the same judgment, and stay as they are', () => {
      for (const given of samples) {
        const before = JSON.stringify(given)
        expectSame(make()(given), make()(given), 'judgment')
        expectSame(JSON.parse(JSON.stringify(given)), JSON.parse(before), 'ballots')
      }
    })
    test('the order of ballots does not matter', () => {
      for (const given of samples) {
        const reversed = make()([...given].reverse())
        expectSame(reversed.status, make()(given).status, 'status')
      }
    })
    test('the judgment is frozen, and its counts add up', () => {
      for (const given of samples) {
        const judgment = make()(given)
        expectFrozen(judgment, 'judgment')
        const { aggregation } = judgment.metadata
        if (aggregation !== undefined) expectCounts(aggregation as unknown as Aggregation, given.length)
      }
    })
  })
}

function ballots(...judgments: readonly Judgment[]): readonly Ballot[] {
  return judgments.map((judgment, index) => ({ name: `j${index + 1}`, judgment, weight: 1 }))
}

const samples: readonly (readonly Ballot[])[] = [
  ballots(pass('a'), fail('b')),
  ballots(pass('a'), abstain('b'), pass('c', { score: 0.75 })),
  ballots(error('a', new Error('broken')), pass('b'), fail('c', { score: 0.25 })),
  ballots(error('a', new Error('broken')), abstain('b')),
]

function expectCounts(counts: Aggregation, received: number): void {
  const { inputCount, eligibleCount, abstainCount, ignoredErrorCount, passCount, failCount, onError, errorCount } =
    counts
  const propagated = onError.startsWith('propagate') ? errorCount : 0
  expectSame(inputCount, received, 'inputCount')
  expectSame(passCount + failCount, eligibleCount, 'passCount + failCount')
  expectThat(
    inputCount === eligibleCount + abstainCount + ignoredErrorCount + propagated,
    `${inputCount} ballots came in, but the counts account for another number`,
  )
}

/** The workspaces that the contract is tested on. */
export interface WorkspaceContractSetup {
  /** Opens a new workspace with these files; `name/` with an empty string is an empty directory. */
  readonly open: (files: { readonly [path: string]: string | Uint8Array }) => Promise<Workspace>
  /** Whether commands can be run. Default false. */
  readonly canRun?: boolean
}

/**
 * Tests that a workspace keeps the contract of workspaces: paths are normalised and contained, listings are ordered,
 * text is strict UTF-8, reads are limited, and (with `canRun`) commands end in a result.
 *
 * @example
 * import { memoryWorkspace, workspaceContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * workspaceContract({ describe, test }, 'memory', { open: async (files) => memoryWorkspace(files) })
 */
export function workspaceContract(harness: TestHarness, name: string, setup: WorkspaceContractSetup): void {
  harness.describe(`${name} keeps the workspace contract`, () => {
    pathTests(harness, setup)
    readTests(harness, setup)
    listTests(harness, setup)
    if (setup.canRun === true) runTests(harness, setup)
  })
}

async function allOf(entries: AsyncIterable<WorkspaceEntry>): Promise<readonly WorkspaceEntry[]> {
  const all: WorkspaceEntry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values)

function pathTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('paths are normalised', async () => {
    const workspace = await open({ 'a/b/c': 'x' })
    expectSame(await workspace.read('a/./b//c'), 'x', 'text')
    expectSame(await workspace.exists('.'), true, 'the root exists')
    expectSame(await workspace.exists('a/b/'), true, 'a directory with a slash')
  })
  test('what leads out is refused', async () => {
    const workspace = await open({ 'a/b': 'x' })
    for (const path of ['/etc/passwd', '..', '../x', 'a/../a/b', 'C:/x', 'C:x', '\\\\host\\share'])
      for (const call of [workspace.exists, workspace.isFile, workspace.read, workspace.readBytes])
        await expectCode(() => call(path), 'path-escape')
    await expectCode(() => allOf(workspace.list({ under: '../x' })), 'path-escape')
  })
  test('what is not a path is refused', async () => {
    const workspace = await open({ a: 'x' })
    for (const path of ['', '  ', 'a\0b', 'a\\b']) await expectCode(() => workspace.exists(path), 'path-invalid')
    for (const path of ['', 'a/', 'a\0', '.']) await expectCode(() => workspace.read(path), 'path-invalid')
  })
  test('files and directories are distinguished', async () => {
    const workspace = await open({ 'a/b': 'x', 'empty/': '' })
    const answers = [
      workspace.isFile('a/b'),
      workspace.isFile('a'),
      workspace.exists('empty'),
      workspace.exists('none'),
    ]
    expectSame(await Promise.all(answers), [true, false, true, false], 'answers')
  })
}

function readTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('a byte order mark is removed from text, not from bytes', async () => {
    const workspace = await open({ a: bytes(0xef, 0xbb, 0xbf, 0x68, 0x69) })
    expectSame(await workspace.read('a'), 'hi', 'text')
    expectSame((await workspace.readBytes('a')).length, 5, 'bytes')
  })
  test('bad reads say why', async () => {
    const workspace = await open({ 'd/': '', nul: bytes(0x61, 0), bad: bytes(0xff, 0xfe), 'long.txt': '12345' })
    await expectCode(() => workspace.read('none'), 'not-found')
    await expectCode(() => workspace.read('d'), 'not-a-file')
    await expectCode(() => workspace.read('nul'), 'not-text')
    await expectCode(() => workspace.read('bad'), 'not-text')
    await expectCode(() => workspace.read('long.txt', { maxBytes: 4 }), 'too-large')
    expectSame(await workspace.read('long.txt', { maxBytes: 5 }), '12345', 'text')
  })
}

function listTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  const files = { 'b/2': 'xx', 'b/10': 'x', 'a.txt': 'abc', 'B/x': '', 'empty/': '' }
  test('entries are ordered by code units, with types and sizes', async () => {
    const entries = await allOf((await open(files)).list())
    const expected = ['B', 'B/x', 'a.txt', 'b', 'b/10', 'b/2', 'empty']
    expectSame(
      entries.map(({ path }) => path),
      expected,
      'paths',
    )
    expectSame(
      entries.find(({ path }) => path === 'a.txt'),
      { path: 'a.txt', type: 'file', sizeBytes: 3 },
      'a file',
    )
    expectSame(entries.find(({ path }) => path === 'b')?.type, 'directory', 'a directory')
  })
  test('"under" narrows, and paths stay whole', async () => {
    const workspace = await open(files)
    const paths = (await allOf(workspace.list({ under: 'b' }))).map(({ path }) => path)
    expectSame(paths, ['b/10', 'b/2'], 'paths')
    expectSame(await allOf(workspace.list({ under: 'none' })), [], 'entries of what is missing')
  })
  test('an aborted signal stops it', async () => {
    const workspace = await open(files)
    await expectCode(() => allOf(workspace.list({ signal: AbortSignal.abort() })), 'aborted')
  })
}

function runTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('a command ends in a result, whatever it does', async () => {
    const workspace = await open({ 'a.txt': 'x' })
    const ran = await workspace.run('cat a.txt; echo oops >&2; exit 3')
    expectSame([ran.status, ran.exitCode, ran.signal, ran.stdout], ['exited', 3, null, 'x'], 'result')
    expectThat(ran.stderr.includes('oops'), 'stderr is missing')
    expectSame((await workspace.run(['no-such-program-anywhere'])).status, 'not-started', 'status')
  })
  test('arguments arrive unchanged', async () => {
    const workspace = await open({})
    const text = 'a b"c$(d)\ne'
    expectSame((await workspace.run(['printf', '%s', text])).stdout, text, 'stdout')
  })
  test('time and abort end it', async () => {
    const workspace = await open({})
    const late = await workspace.run('sleep 30', { timeoutMs: 200 })
    expectSame([late.status, late.exitCode], ['timed-out', null], 'result')
    expectSame((await workspace.run('true', { signal: AbortSignal.abort() })).status, 'aborted', 'status')
  })
  test('bad options are refused', async () => {
    const workspace = await open({})
    await expectCode(() => workspace.run('  '), 'option-invalid')
    await expectCode(() => workspace.run([]), 'option-invalid')
    await expectCode(() => workspace.run('true', { timeoutMs: 0 }), 'option-invalid')
    await expectCode(() => workspace.run('true', { cwd: '../x' }), 'path-escape')
  })
}
