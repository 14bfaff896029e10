import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, fail, type Judgment, numerical } from '@jurist/core'
import { escaped, shortened } from '../../quotation.js'
import { breakOf } from '../crashed-run.js'
import { distinctTests, type TestCase, testCase } from '../reports/test-report.js'
import type { TestRun } from '../test-judgment.js'
import { type Draw, shuffled } from './read-tests.js'

/**
 * A test whose expectation can be changed so that a correct solution fails it. `establish` finds such tests by running
 * them.
 */
export interface Canary {
  /** The test file, relative to the root of the workspace. */
  readonly file: string
  /** The line number, counted from 1. */
  readonly line: number
  /** The index at which `was` begins in the file. */
  readonly start: number
  readonly was: string
  readonly became: string
  /** The ids of the reported tests that fail because of it. */
  readonly tests: readonly string[]
  /**
   * Whether it counts against guessing: both expectations are equally likely, and no file of the agent's initial state
   * contains the call.
   */
  readonly counts: boolean
}

/** The canaries of one judge of an item. */
export interface CanarySet {
  /** The judge: its name and the arguments of its tool. */
  readonly judge: string
  /**
   * `'one-run'`: both versions of each file run side by side under random names. `'two-runs'`: one after the other,
   * each in its own copy and under its own name.
   */
  readonly form: 'one-run' | 'two-runs'
  readonly changes: readonly Canary[]
  /** The indexes at which something can be added to the titles of tests, by file, since reports may not name files. */
  readonly titleEnds: Readonly<Record<string, readonly number[]>>
  /** The reason why there are no canaries. */
  readonly problem?: string
}

/** Cryptographically random, so that nothing outside this process can know the result. */
export const draw: Draw = (below) => randomInt(below)

/** A version of the changed files. The canaries in `changed` have a wrong expectation in it. */
interface Side {
  /** The suffix of the names of its files and tests; empty if they keep their names. */
  readonly mark: string
  readonly changed: ReadonlySet<Canary>
}

/** The versions that are written into one copy. */
export type Lay = readonly Side[]

/**
 * Draws for each canary in which of two versions of its file it is wrong; it is right in the other. There are never
 * more than two versions: of three, the two that are equal would reveal the right one.
 */
export function drawnSides({ form, changes }: Pick<CanarySet, 'form' | 'changes'>): readonly Lay[] {
  const first = new Set(changes.filter(() => draw(2) === 0))
  const second = new Set(changes.filter((one) => !first.has(one)))
  const sides = [first, second].map((changed): Side => ({ mark: form === 'one-run' ? newMark() : '', changed }))
  const drawn = shuffled(sides, draw)
  return form === 'one-run' ? [drawn] : drawn.map((side) => [side])
}

/** Only letters, since marks become part of names of files, modules and titles. */
function newMark(): string {
  return [...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

/**
 * Adds a mark to the path of a file, and keeps what runners recognize tests by: the end of the name and a leading
 * `test_`.
 */
function markedPath(path: string, mark: string): string {
  if (mark === '') return path
  const [, directory = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
  return `${directory}${name.replace(/^(.*?)((?:[._-](?:tests?|specs?))?(?:\.\w+)+)$/, `$1-${mark}$2`)}`
}

/**
 * Writes the versions into a copy that has the tests. Originals are removed unless a version has their name.
 *
 * @returns the paths of the written files; `undefined` if a file is not the one in which the canaries were found
 */
export function writeVersions(
  root: string,
  { changes, titleEnds }: Pick<CanarySet, 'changes' | 'titleEnds'>,
  lay: Lay,
): readonly string[] | undefined {
  const laid: string[] = []
  const now = new Date()
  for (const file of new Set(changes.map((one) => one.file))) {
    const own = changes.filter((one) => one.file === file)
    const source = textOf(join(root, file))
    if (source === undefined || own.some(({ start, was }) => !source.startsWith(was, start))) return undefined
    rmSync(join(root, file))
    for (const { mark, changed } of lay) {
      const edits = own
        .filter((one) => changed.has(one))
        .map(({ start, was, became }) => ({ start, end: start + was.length, text: became }))
      const titles = mark === '' ? [] : (titleEnds[file] ?? []).map((at) => ({ start: at, end: at, text: `-${mark}` }))
      const path = markedPath(file, mark)
      writeFileSync(join(root, path), edited(source, [...edits, ...titles]), { flag: 'wx' })
      utimesSync(join(root, path), now, now)
      laid.push(path)
    }
  }
  return laid
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function edited(
  source: string,
  edits: readonly { readonly start: number; readonly end: number; readonly text: string }[],
): string {
  let text = source
  for (const { start, end, text: other } of [...edits].sort((one, two) => two.start - one.start))
    text = `${text.slice(0, start)}${other}${text.slice(end)}`
  return text
}

/** The result of a run with changed expectations, with the test names of the dataset. */
export interface ReadRun {
  /** The unchanged tests; the worst result of several. */
  readonly real: readonly TestCase[]
  /** Canaries that did not fail, or not by an assertion, or are not in the report. */
  readonly missed: readonly Canary[]
  /** The number of sides of which some test is reported. */
  readonly seen: number
}

/** Returns `undefined` if the report cannot be believed. */
export function readRun({ evidence, report }: TestRun, lay: Lay): ReadRun | undefined {
  if (report === undefined || evidence.result.status !== 'exited') return undefined
  if (breakOf(evidence.result, evidence.check.passed, report.tests) !== undefined) return undefined
  const real: TestCase[] = []
  const failed = new Map<Canary, Set<string>>()
  const missed = new Set<Canary>()
  const seen = new Set<Side>()
  for (const test of report.tests) {
    const side = lay.find(({ mark }) => mark === '' || test.id.includes(mark))
    const named = lay.reduce((one, { mark }) => withoutMark(one, mark), test)
    if (side !== undefined) seen.add(side)
    const canary = [...(side?.changed ?? [])].find(({ tests }) => tests.includes(named.id))
    if (canary === undefined) real.push(named)
    else if (test.status !== 'failed') missed.add(canary)
    else failed.set(canary, (failed.get(canary) ?? new Set()).add(named.id))
  }
  for (const { changed } of lay)
    for (const canary of changed) if (failed.get(canary)?.size !== canary.tests.length) missed.add(canary)
  return { real: orderedTests(real), missed: [...missed], seen: seen.size }
}

/**
 * Returns the worst result of each test, in an order that does not depend on what was drawn, so that equal judgments
 * are equal.
 */
function orderedTests(tests: readonly TestCase[]): readonly TestCase[] {
  return [...distinctTests(tests)].sort((one, other) => (one.id < other.id ? -1 : 1))
}

function withoutMark(test: TestCase, mark: string): TestCase {
  if (mark === '') return test
  return { ...test, id: test.id.replaceAll(`-${mark}`, ''), message: test.message.replaceAll(`-${mark}`, '') }
}

/**
 * Returns the run as it would have been without canaries, judging by the tests. Its output is left out, since it
 * contains the changed expectations and agents may read failures.
 */
function cleanRun(run: TestRun, real: readonly TestCase[], format: string): TestRun {
  const { evidence } = run
  const isBad = real.some(({ status }) => status === 'failed' || status === 'errored')
  const result = { ...evidence.result, stdout: '', stderr: '', exitCode: isBad ? evidence.result.exitCode : 0 }
  const passed = { ...evidence.check, passed: true, message: 'the tests ran to their end' }
  return {
    ...run,
    evidence: {
      result,
      shown: result,
      check: isBad ? evidence.check : passed,
      metadata: { ...evidence.metadata, output: '' },
    },
    report: { format, tests: real },
    summaries: [],
  }
}

interface CanaryJudging {
  readonly set: CanarySet
  /** Runs these versions of the tests in a new copy; `undefined` if they cannot be written. */
  readonly run: (lay: Lay) => Promise<TestRun | Judgment | undefined>
  /** Judges tests by their report. */
  readonly grade: (run: TestRun) => Judgment
  /** Runs and judges the unchanged tests. */
  readonly plain: () => Promise<Judgment>
  /** The files that only the agent has, for people who look for the cause. */
  readonly added: () => Promise<readonly string[]>
}

/**
 * Judges tests in which every canary must fail. A pass comes from runs that mix right and wrong expectations. Any other
 * judgment comes from the unchanged tests, or explains that they cannot fail.
 */
export async function judgedWithCanaries(judging: CanaryJudging): Promise<Judgment> {
  const { set, run, grade, plain } = judging
  const runs: { readonly run: TestRun; readonly read: ReadRun }[] = []
  for (const lay of drawnSides(set)) {
    const one = await run(lay)
    if (one === undefined) return withNote(await plain(), 'the tests are not those in which canaries were found')
    const read = 'status' in one ? undefined : readRun(one, lay)
    if (read === undefined || 'status' in one || read.seen < lay.length) return cannotFailUnlessBad(judging, [])
    runs.push({ run: one, read })
    const clean = cleanRun(one, read.real, one.report?.format ?? '')
    // One run contains every unchanged test; each of two runs contains only a part of them.
    const judgment = set.form === 'one-run' ? grade(clean) : undefined
    if (judgment !== undefined && judgment.status !== 'pass') return judgment
    if (read.missed.length > 0)
      return judgment === undefined
        ? cannotFailUnlessBad(judging, read.missed)
        : cannotFail(judging, judgment, read.missed)
    if (
      set.form === 'two-runs' &&
      grade(cleanRun(one, withAssumed(read.real, lay), clean.report?.format ?? '')).status !== 'pass'
    )
      return cannotFailUnlessBad(judging, [])
  }
  const [last] = runs.slice(-1)
  if (last === undefined) return plain()
  const real = orderedTests(runs.flatMap(({ read }) => read.real))
  const judgment = grade(cleanRun(last.run, real, last.run.report?.format ?? ''))
  if (judgment.status !== 'pass') return cannotFailUnlessBad(judging, [])
  const { length } = set.changes
  const check: Check = {
    name: 'canary',
    passed: true,
    message: `${length} ${length === 1 ? 'test' : 'tests'} with a changed expectation failed, as they must`,
  }
  const counted = set.changes.filter(({ counts }) => counts).length
  const metadata = { ...judgment.metadata, canaries: { form: set.form, tests: length, counted } }
  return { ...judgment, checks: [...judgment.checks, check], metadata }
}

/** Returns the tests of a part, with those that are changed in it as passed: the other part contains their result. */
function withAssumed(real: readonly TestCase[], lay: Lay): readonly TestCase[] {
  const changed = lay.flatMap((side) => [...side.changed].flatMap(({ tests }) => tests))
  return orderedTests([...real, ...changed.map((id) => testCase(id, 'passed'))])
}

/** The unchanged tests decide. If they pass although they did not pass next to canaries, they cannot fail. */
async function cannotFailUnlessBad(judging: CanaryJudging, missed: readonly Canary[]): Promise<Judgment> {
  const judgment = await judging.plain()
  return judgment.status === 'pass' ? cannotFail(judging, judgment, missed) : judgment
}

const mostShown = 5

async function cannotFail(
  { set, added }: CanaryJudging,
  { reasoning, metadata }: Judgment,
  missed: readonly Canary[],
): Promise<Judgment> {
  const files = (await added()).map((path) => shortened(escaped(path)))
  const more = files.length > mostShown ? `, and ${files.length - mostShown} more` : ''
  const cause = files.length === 0 ? '' : ` Files that the agent added: ${files.slice(0, mostShown).join(', ')}${more}.`
  const message =
    'the tests cannot fail in this workspace: they pass whatever they expect, or end differently beside other expectations.'
  const said = `${reasoning}, but ${message}${cause}`
  // The values are for people who read the result: agents read reasons and checks.
  const passedCanaries = missed.map(
    ({ file, line, was, became }) => `${file}:${line}: ${shortened(was)} became ${shortened(became)}`,
  )
  return fail(said, {
    score: numerical(0),
    checks: [{ name: 'canary', passed: false, message }],
    metadata: { ...metadata, output: '', canaries: { form: set.form, tests: set.changes.length, passedCanaries } },
  })
}

function withNote(judgment: Judgment, problem: string): Judgment {
  return { ...judgment, metadata: { ...judgment.metadata, canaries: { tests: 0, problem } } }
}
