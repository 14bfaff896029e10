import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, open, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Judge, type Judgment, judgmentContext, runJudge } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import { faultsOf, type TestsWanted, type Wanted, wrongTests } from './vector-expectations.js'

interface VectorCase {
  readonly id: string
  readonly judge: string
  readonly options?: { readonly [name: string]: unknown }
  readonly reference: string | null
  readonly workspace: string
  readonly context?: { readonly metadata?: { readonly [key: string]: unknown } }
  readonly before?: readonly { readonly path: string; readonly text: string }[]
  readonly prepare?: readonly Preparation[]
  readonly want: Wanted & TestsWanted
}

/** Which vectors are run. */
export interface FileVectorsSetup {
  readonly manifest: URL
  /** Which judges, by their exported names. Default: all. */
  readonly select?: (judge: string) => boolean
}

/** The doors that have judges of files, and functions beside them; each is loaded only when its names are looked up. */
const doors: readonly (() => Promise<object>)[] = [
  () => import('@jurist/workspace/files'),
  () => import('@jurist/workspace/commands'),
  () => import('@jurist/workspace/coverage'),
]

/**
 * Runs the cases of a manifest in the format `jurist-file-vectors/1`: two trees, a judge, and what it should say. The
 * format is described beside the vectors.
 *
 * @param setup `manifest` is the URL of the file of cases, beside which their directories lie; `select` chooses judges
 *
 * @example
 * runFileVectors({ describe, test }, 'my vectors', { manifest: new URL('../vectors/files.json', import.meta.url) })
 */
export function runFileVectors(harness: TestHarness, name: string, setup: FileVectorsSetup): void {
  const { manifest, select = () => true } = setup
  const cases = casesOf(manifest).filter(({ judge }) => select(judge))
  harness.describe(name, () => {
    for (const vector of cases) harness.test(vector.id, () => runCase(vector, manifest))
  })
}

function casesOf(manifest: URL): readonly VectorCase[] {
  const { format, cases } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (format !== 'jurist-file-vectors/1') throw new Error(`${manifest.href}: ${format} is no format of file vectors`)
  return cases
}

async function runCase(vector: VectorCase, manifest: URL): Promise<void> {
  const root = await realpath(await mkdtemp(`${tmpdir()}/jurist-vectors-`))
  try {
    await layOut(root, vector, fileURLToPath(new URL('.', manifest)))
    if (vector.judge === 'readTestReport') await checkTestReport(root, vector)
    else await checkJudgment(root, vector)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function checkJudgment(root: string, vector: VectorCase): Promise<void> {
  const judge = judgeOf(await exported(vector.judge), vector)
  const context = judgmentContext({
    workspace: localWorkspace(`${root}/workspace`),
    ...(vector.reference === null ? {} : { reference: readOnly(localWorkspace(`${root}/reference`)) }),
    ...(vector.before === undefined ? {} : { before: readOnly(localWorkspace(`${root}/before`)) }),
    ...(vector.context?.metadata === undefined ? {} : { metadata: vector.context.metadata }),
  })
  const startedAt = performance.now()
  const judgment: Judgment = await runJudge(judge, context)
  const elapsedMs = performance.now() - startedAt
  report(judgment, faultsOf(judgment, elapsedMs, vector.want))
}

async function checkTestReport(root: string, { judge, options, want }: VectorCase): Promise<void> {
  const read = (await exported(judge)) as (report: Uint8Array) => unknown
  const bytes = await readFile(`${root}/workspace/${String(options?.['path'])}`)
  report(
    want,
    wrongTests(() => read(bytes), want),
  )
}

function report(found: unknown, faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nin ${JSON.stringify(found, null, 2)}`)
}

type Exported = (...values: readonly unknown[]) => unknown

async function exported(name: string): Promise<Exported> {
  for (const open of doors) {
    const found = new Map<string, unknown>(Object.entries(await open())).get(name)
    if (typeof found === 'function') return found as Exported
  }
  throw new Error(`there is no judge ${name}`)
}

/** The judge with its options; those that are positional arguments are taken out of them. */
function judgeOf(make: Exported, { judge, options = {} }: VectorCase): Judge {
  const { path, percent, expected, ...others } = options
  const [positional] = [path, percent, expected].filter((value) => value !== undefined)
  const given = Object.keys(others).length > 0
  if (positional !== undefined && judge === 'classVersion') return make(given ? options : positional) as Judge
  if (positional !== undefined) return make(positional, others) as Judge
  return (withPath.has(judge) ? make(undefined, others) : make(others)) as Judge
}

/** The judges whose path may be left out. */
const withPath = new Set(['mavenPom', 'packageJson'])

/** What is made in the copies before judging, because it cannot lie in a repository. */
type Preparation = { readonly side: 'reference' | 'workspace'; readonly path: string } & (
  | { readonly kind: 'directory' | 'fifo' }
  | { readonly kind: 'link'; readonly target: string }
  | {
      readonly kind: 'nested'
      readonly open: string
      readonly close: string
      readonly depth: number
      readonly middle: string
    }
  | {
      readonly kind: 'repeat'
      readonly prefix?: string
      readonly unit: string
      readonly count: number
      readonly suffix?: string
    }
  | { readonly kind: 'lines'; readonly template: string; readonly count: number }
)

/** The trees of a case. */
interface VectorTrees {
  readonly reference: string | null
  readonly workspace: string
  readonly before?: readonly { readonly path: string; readonly text: string }[]
  readonly prepare?: readonly Preparation[]
}

/** Copies the trees of a case to `reference`, `workspace` and `before` below `root`, and prepares them. */
async function layOut(root: string, trees: VectorTrees, vectors: string): Promise<void> {
  await copyTree(trees.workspace, vectors, `${root}/workspace`)
  await copyTree(trees.reference, vectors, `${root}/reference`)
  await mkdir(`${root}/before`)
  for (const { path, text } of trees.before ?? []) await put(`${root}/before/${path}`, [text])
  for (const preparation of trees.prepare ?? []) await prepare(root, preparation)
}

async function copyTree(from: string | null, vectors: string, to: string): Promise<void> {
  const source = `${vectors}${from}`
  const exists = from !== null && (await stat(source).catch(() => undefined)) !== undefined
  if (exists) await cp(source, to, { recursive: true, verbatimSymlinks: true })
  else await mkdir(to)
}

async function prepare(root: string, preparation: Preparation): Promise<void> {
  const place = `${root}/${preparation.side}/${preparation.path}`
  await mkdir(dirname(place), { recursive: true })
  switch (preparation.kind) {
    case 'directory':
      return void (await mkdir(place, { recursive: true }))
    case 'fifo':
      return void (await promisify(execFile)('mkfifo', [place]))
    case 'link':
      return symlink(filled(preparation.target, 'reference', `${root}/reference`), place)
    case 'nested': {
      const { open, middle, close, depth } = preparation
      return put(place, [open.repeat(depth), middle, close.repeat(depth)])
    }
    case 'repeat': {
      const { prefix = '', unit, count, suffix = '' } = preparation
      return put(place, repeated(prefix, unit, count, suffix))
    }
    case 'lines': {
      const { template, count } = preparation
      return put(place, lines(template, count))
    }
    default:
      return preparation satisfies never
  }
}

const unitsAtOnce = 65_536

function* repeated(prefix: string, unit: string, count: number, suffix: string): Generator<string> {
  yield prefix
  for (let left = count; left > 0; left -= unitsAtOnce) yield unit.repeat(Math.min(left, unitsAtOnce))
  yield suffix
}

function* lines(template: string, count: number): Generator<string> {
  for (let from = 0; from < count; from += unitsAtOnce) {
    const numbers = Array.from({ length: Math.min(unitsAtOnce, count - from) }, (_, index) => from + index)
    yield numbers.map((number) => `${filled(template, 'n', String(number))}\n`).join('')
  }
}

/** `${name}` in a text of the manifest replaced. */
function filled(text: string, name: string, value: string): string {
  return text.replaceAll(`\${${name}}`, () => value)
}

async function put(place: string, parts: Iterable<string>): Promise<void> {
  await mkdir(dirname(place), { recursive: true })
  const file = await open(place, 'w')
  try {
    for (const part of parts) await writeFile(file, part)
  } finally {
    await file.close()
  }
}
