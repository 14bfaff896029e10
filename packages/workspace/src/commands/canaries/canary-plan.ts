import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { breakOf } from '../crashed-run.js'
import { distinctTests, type TestCase } from '../reports/test-report.js'
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
export function orderedTests(tests: readonly TestCase[]): readonly TestCase[] {
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
export function cleanRun(run: TestRun, real: readonly TestCase[], format: string): TestRun {
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
