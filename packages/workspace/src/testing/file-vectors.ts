import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Judge, type Judgment, judgmentContext, runJudge } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { localWorkspace } from '../local-workspace.js'
import { readOnly } from '../read-only.js'
import { faultsOf, type TestsWanted, type Wanted, wrongTests } from './vector-expectations.js'
import { layOut, type Preparation } from './vector-trees.js'

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
  () => import('../files/index.js'),
  () => import('../commands/index.js'),
  () => import('../coverage/index.js'),
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
