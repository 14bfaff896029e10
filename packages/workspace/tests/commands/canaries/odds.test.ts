import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import {
  type Canary,
  type CanarySet,
  drawnSides,
  readRun,
  writeVersions,
} from '../../../src/commands/canaries/canary-plan.js'
import { readTests } from '../../../src/commands/canaries/read-tests.js'
import type { TestRun } from '../../../src/commands/test-judgment.js'

/** A version of the file of tests as code beside it sees it, or saw it in the run before. */
interface Seen {
  readonly name: string
  readonly expected: readonly number[]
  readonly inode: number
  readonly changedMs: number
  readonly bornMs: number
  readonly bytes: number
}
/** How code that does not know an answer chooses one of two versions, for one test of both. */
type Choice = (versions: readonly [Seen, Seen], at: number) => number

const least =
  (of: (seen: Seen, at: number) => number | string): Choice =>
  ([one, other], at) =>
    of(one, at) <= of(other, at) ? 0 : 1
const expectedAt = ({ expected }: Seen, at: number) => expected[at] ?? 0
const most =
  (choice: Choice): Choice =>
  (versions, at) =>
    1 - choice(versions, at)
const smaller = least(expectedAt)
/** What most tests of a version have decides for all of them. */
const majorityOf =
  (choice: Choice): Choice =>
  (versions) => {
    const votes = versions[0].expected.map((_, at) => choice(versions, at))
    return Number(votes.filter((vote) => vote === 1).length * 2 > votes.length)
  }

const choices: { readonly [how: string]: Choice } = {
  'the first that is listed, or that ran': () => 0,
  'the last that is listed, or that ran': () => 1,
  'in turns': (_, at) => at % 2,
  'by the name': least(({ name }) => name),
  'by the length of the name': least(({ name }) => name.length),
  'by the inode': least(({ inode }) => inode),
  'the oldest': least(({ bornMs }) => bornMs),
  'the newest': most(least(({ changedMs }) => changedMs)),
  'by the size': least(({ bytes }) => bytes),
  'the smaller value': smaller,
  'the larger value': most(smaller),
  'the even value': least((seen, at) => expectedAt(seen, at) % 2),
  'the odd value': most(least((seen, at) => expectedAt(seen, at) % 2)),
  'the version with most of the smaller values': majorityOf(smaller),
  'the version with the smaller sum': least(({ expected }) => expected.reduce((sum, one) => sum + one, 0)),
  'by the clock': () => Date.now() % 2,
  'at random for all': ([{ inode }], _at) => (inode * 7 + (Date.now() >> 3)) % 2,
  'at random for each': () => randomInt(2),
}

/** So many that chance alone never comes near the limit. */
const tests = 10
const judgments = 1_000
const file = 'tests/sums.test.js'

/** A file with a sum in each test, zero or one, and its canaries. */
async function drawnTests(): Promise<{ readonly source: string; readonly changes: readonly Canary[] }> {
  const sums = Array.from({ length: tests }, () => randomInt(2))
  const source = sums.map((sum, at) => `test('t${at}', () => assert.equal(sum(a${at}), ${sum}))\n`).join('')
  const read = await readTests(source, file, randomInt)
  const changes = (read?.tests ?? []).flatMap(({ expectations: [one] }, at) =>
    one === undefined ? [] : { ...one, file, tests: [`t${at}`], counts: one.isEven },
  )
  return { source, changes }
}

/** What code sees of the laid files. */
function seenIn(root: string, paths: readonly string[]): readonly Seen[] {
  return readdirSync(join(root, 'tests')).flatMap((name) => {
    if (!paths.includes(`tests/${name}`)) return []
    const path = join(root, 'tests', name)
    const { ino, mtimeMs, birthtimeMs, size } = statSync(path)
    const expected = [...readFileSync(path, 'utf8').matchAll(/, (\d+)\)\)/g)].map(([, value]) => Number(value))
    return { name, expected, inode: ino, changedMs: mtimeMs, bornMs: birthtimeMs, bytes: size }
  })
}

/** The run in which each version passes the tests that expect what was chosen. */
function runOf(versions: readonly Seen[], answers: readonly number[]): TestRun {
  const cases = versions.flatMap(({ name, expected }) =>
    answers.map((answer, at) => {
      const [, mark = ''] = /^sums(.*)\.test\.js$/.exec(name) ?? []
      const status = expected[at] === answer ? 'passed' : 'failed'
      return { id: `t${at}${mark}`, status, message: '', elapsedMs: null }
    }),
  )
  const result = { status: 'exited', exitCode: 1, signal: null, stdout: '', stderr: '' }
  return {
    evidence: { result, check: { passed: false } },
    report: { format: 'tap', tests: cases },
  } as unknown as TestRun
}

test.each(['one-run', 'two-runs'] as const)(
  'in the %s form, code that chooses passes as rarely as by chance',
  async (form) => {
    const passes = Object.fromEntries(Object.keys(choices).map((how) => [how, 0]))
    await using workspace = await temporaryWorkspace({ 'tests/README': '' })
    const { root } = workspace
    for (let judgment = 0; judgment < judgments; judgment++) {
      const { source, changes } = await drawnTests()
      expect(changes).toHaveLength(tests)
      const titleEnds = { [file]: changes.map(({ start }) => source.lastIndexOf("'", start)) }
      const set: CanarySet = { judge: 'tests', form, changes, titleEnds }
      const runs = drawnSides(set).map((lay) => {
        writeFileSync(join(root, file), source)
        const paths = writeVersions(root, set, lay) ?? []
        const versions = seenIn(root, paths)
        for (const path of paths) rmSync(join(root, path))
        return { lay, versions }
      })
      const [one, other] = runs.flatMap(({ versions }) => versions)
      if (one === undefined || other === undefined) throw new Error('there are no two versions')
      for (const [how, choice] of Object.entries(choices)) {
        const answers = changes.map((_, at) => expectedAt(choice([one, other], at) === 0 ? one : other, at))
        const passesAll = runs.every(({ lay, versions }) => readRun(runOf(versions, answers), lay)?.missed.length === 0)
        if (passesAll) passes[how] = (passes[how] ?? 0) + 1
      }
    }
    const tooOften = Object.entries(passes).filter(([, count]) => count / judgments > 2 ** -tests + 0.01)
    expect(tooOften).toEqual([])
  },
)
