import {
  fail,
  type JsonObject,
  type Judge,
  type Judgment,
  type JudgmentContext,
  JuristError,
  numerical,
  type Workspace,
  withInfo,
} from '@jurist/core'
import { judgedWorkspace, normalizePath } from '@jurist/core/internal'
import type { ProvisionedWorkspace } from '../provision.js'
import { escaped, shortened } from '../quotation.js'
import { type CanarySet, judgedWithCanaries, type Lay, writeVersions } from './canaries/canary-plan.js'
import type { Prepare, Site } from './command-target.js'
import { type FailedRun, withEnvironment } from './environment-problem.js'
import { unfitIn } from './isolate/code-process.js'
import { brokenCode, type Isolating, isolateCode, isolatedJudgment } from './isolate/isolated-tests.js'
import { installedPaths, overlaid, projectEntries } from './overlay.js'
import { runTests } from './run-tests.js'
import { removeRunnerOverrides, type SteeredTool, steeringFilesOf } from './steering-files.js'
import { demandedIds, type TestRun, testJudgment } from './test-judgment.js'
import { countTests, executed } from './test-names.js'
import type { Overlay, TestOptions } from './test-options.js'
import { findsCanaries, lockedCanaries, lockedTests, recordedTests } from './tests-lock.js'
import { unknownTests } from './unknown-tests.js'

export interface TestRunner {
  readonly name: string
  readonly tool: SteeredTool
  /** The arguments of the tool. */
  readonly words: readonly string[] | string
  readonly prepare: Prepare
  /** Special grading rules. Default: `testJudgment`, and an ERROR for ids that no test has. */
  readonly grade?: Grade
}

/** Judges a run by other rules, and returns it with the tests that they found in it. */
export type Grade = (run: TestRun) => { readonly run: TestRun; readonly judgment: Judgment }

/** Creates a judge that runs tests and reads their report. */
export function testRunJudge({ name, tool, words, prepare, grade }: TestRunner, options: TestOptions): Judge {
  const { overlay } = options
  const cwd = normalizePath(options.cwd ?? '.')
  const judgeName = nameInLocks(name, words)
  const judge: Judge = async (context) => {
    const { workspace, before, reference, signal } = context
    const given = [before, reference].filter((one) => one !== undefined)
    if (overlay === undefined) return judged({ workspace, originals: given, cwd }, { context, prepare, options, grade })
    const hidden = hiddenTests({ runner: { name, tool, words, prepare }, options, context, cwd })
    const plain = (seen?: (run: TestRun) => void) =>
      hidden.run({}, ({ site, judging, isolating }) => {
        const seeing = seen === undefined ? judging : { ...judging, seen }
        return isolating === undefined
          ? judged(site, { ...seeing, grade })
          : judgedIsolated(site, { ...seeing, grade }, isolating)
      })
    if (options.canaries === false || grade !== undefined) return plain()
    if (findsCanaries(context)) return withFoundCanaries(judgeName, { hidden, plain, context, overlay })
    const set = lockedCanaries(context, judgeName)
    if (set === undefined || set.changes.length === 0) return plain()
    const locked = options.expect === undefined ? undefined : lockedTests(context)
    const demanding = locked === undefined ? options : { ...options, ...locked }
    return judgedWithCanaries({
      set,
      plain,
      run: (lay) => hidden.mixed(set, lay),
      grade: (run) =>
        withMetadata(
          testJudgment(run, demanding),
          recordedTests(context, run.report?.tests ?? [], locked !== undefined),
        ),
      added: () => addedPaths(workspace, given, signal),
    })
  }
  return withInfo(judge, {
    name,
    runsCommands: true,
    options: { words, ...options, overlay: overlay && { ...overlay, from: undefined } },
  })
}

/**
 * Locks are shared between machines, so programs and files outside the workspace are identified by the last segment of
 * their path.
 */
function nameInLocks(name: string, words: TestRunner['words']): string {
  const all = typeof words === 'string' ? words.split(/\s+/) : words
  return [name, ...all.map((word) => word.replace(/^([^=/\\]*=)?(?:[a-z]:)?[/\\].*[/\\]/i, '$1'))].join(' ')
}

interface Judging {
  readonly context: JudgmentContext
  readonly prepare: Prepare
  readonly options: TestOptions
  /** The source of what is laid over. */
  readonly from?: Workspace
  readonly grade?: Grade | undefined
  /** Receives the run. */
  readonly seen?: (run: TestRun) => void
}

/** A copy with hidden tests that are about to run. */
interface HiddenSite {
  readonly site: Site
  readonly judging: Judging
  /** Present if the code runs separately. */
  readonly isolating: Isolating | undefined
}

/** The way the hidden tests of a judge run, each time in a new copy. */
interface HiddenTests {
  /** Creates a copy, removes what steers the run, writes versions of the tests, and uses the copy. */
  run(
    versions: { readonly lay?: (root: string) => readonly string[] | undefined },
    use: (hidden: HiddenSite) => Promise<Judgment>,
  ): Promise<Judgment>
  /** Runs these versions of the tests; `undefined` if they cannot be written, or values did not get through. */
  mixed(set: CanarySet, lay: Lay): Promise<TestRun | Judgment | undefined>
}

interface Hiding {
  readonly runner: TestRunner
  readonly options: TestOptions
  readonly context: JudgmentContext
  /** Normalised. */
  readonly cwd: string
}

function hiddenTests({ runner: { tool, words, prepare }, options, context, cwd }: Hiding): HiddenTests {
  const { workspace, before, reference, signal } = context
  const { overlay = { paths: [] } } = options
  const from = sourceOf(context, options)
  const originals = [...[before, reference].filter((one) => one !== undefined), from]
  const run: HiddenTests['run'] = async ({ lay }, use) => {
    const isApart = options.isolate !== undefined
    // Isolated tests run next to what the agent was given, not next to what the agent made of it.
    const [given = from] = isApart ? originals : [workspace]
    await using copy = await overlaid({ workspace: given, runsLike: workspace, from, paths: overlay.paths, signal })
    const takenAway = isApart ? [] : await withoutSteering(copy, from)
    const laid = lay?.(copy.root)
    const paths = [...overlay.paths, ...(laid ?? [])]
    const laidOptions = { ...options, overlay: { ...overlay, paths } }
    const site = { workspace: judgedWorkspace(copy), originals, cwd }
    const isolating = { copy, work: workspace, before, originals, options: laidOptions, tool, cwd, signal }
    const judgment = await use({
      site,
      judging: { context, prepare, options, from },
      isolating: isApart ? isolating : undefined,
    })
    return withTakenAway(judgment, takenAway)
  }
  const withoutSteering = async (copy: ProvisionedWorkspace, from: Workspace): Promise<readonly string[]> => {
    const laid = [...overlay.paths, ...installedPaths(workspace)]
    const known = { originals: [...new Set([from, reference, before])].filter((one) => one !== undefined), laid, cwd }
    const searched = { ...known, tool, workspace: copy, env: options.env, words }
    const { absent = await steeringFilesOf(searched), sources } = overlay
    const linksPrograms = tool === 'npm' || tool === 'yarn'
    return removeRunnerOverrides(copy, { ...known, absent, sources, linksPrograms, signal })
  }
  const mixed: HiddenTests['mixed'] = async (set, lay) => {
    let isLaid = false
    let found: TestRun | undefined
    const judgment = await run(
      {
        lay: (root) => {
          const paths = writeVersions(root, set, lay)
          isLaid = paths !== undefined
          return paths
        },
      },
      async ({ site, isolating }) => {
        if (!isLaid) return fail('nothing was run')
        const code = isolating === undefined ? undefined : await isolateCode(isolating).catch(unlessStarted)
        if (code instanceof JuristError) return fail('the code could not be started')
        await using _code = code
        const one = await runTests({
          site,
          prepare,
          options,
          isHidden: true,
          copiedFrom: workspace.root,
          context,
          signal,
        })
        if (isolating !== undefined && unfitIn(isolating.copy.root).length > 0)
          return fail('a value did not get through')
        if ('status' in one) return one
        found = one
        return fail('the tests ran')
      },
    )
    return isLaid ? (found ?? judgment) : undefined
  }
  return { run, mixed }
}

/** Judges the tests, and adds the canaries that are found in them. */
async function withFoundCanaries(
  judge: string,
  {
    hidden,
    plain,
    context,
    overlay,
  }: {
    readonly hidden: HiddenTests
    readonly plain: (seen: (run: TestRun) => void) => Promise<Judgment>
    readonly context: JudgmentContext
    readonly overlay: Overlay
  },
): Promise<Judgment> {
  const runs: TestRun[] = []
  const judgment = await plain((run) => runs.push(run))
  const [base] = runs
  if (base === undefined) return judgment
  const { findCanaries } = await import('./canaries/find-canaries.js')
  const files = await textsOf(overlay.from ?? context.reference, overlay.paths, context.signal)
  const canaries = await findCanaries({
    ...{ judge, base, files, before: context.before },
    run: async (set, lay) => {
      const run = await hidden.mixed(set, lay)
      return run === undefined || 'status' in run ? undefined : run
    },
  })
  return withMetadata(judgment, { canaries: canaries as unknown as JsonObject })
}

/** Reads the laid files that may be tests. */
async function textsOf(
  from: Workspace | undefined,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const add = async (path: string) => {
    if (isScript.test(path)) texts.set(path, Buffer.from((await from?.readBytes(path)) ?? []).toString('utf8'))
  }
  for (const path of paths)
    if (await from?.isFile(path)) await add(path)
    else if (from !== undefined)
      for await (const entry of from.list({ under: path, signal })) if (entry.type === 'file') await add(entry.path)
  return texts
}

const isScript = /\.(?:[cm]?[jt]sx?|py|java|go|rs|rb|cs|cc|cpp)$/

/** Lists the files that neither `before` nor the reference has. */
async function addedPaths(
  workspace: Workspace,
  originals: readonly Workspace[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const added: string[] = []
  for await (const { path, type } of projectEntries(workspace, signal)) {
    if (type === 'directory' || originals.length === 0) continue
    const known = await Promise.all(originals.map((original) => original.exists(path)))
    if (!known.includes(true)) added.push(path)
  }
  return added
}

async function judged(site: Site, judging: Judging): Promise<Judgment> {
  const { context, prepare, options, from, grade } = judging
  const { workspace, before, reference, signal } = context
  const running = { prepare, options, isHidden: from !== undefined, context, signal }
  const locked = options.expect === undefined ? undefined : lockedTests(context)
  const raw = await runTests({ site, copiedFrom: from && workspace.root, ...running })
  if ('status' in raw) return raw
  judging.seen?.(raw)
  const graded = grade?.(raw)
  const run = graded?.run ?? raw
  const recorded = recordedTests(context, run.report?.tests ?? [], options.expect !== undefined)
  const demanding = locked === undefined ? options : { ...options, ...locked }
  const judgment = withMetadata(graded?.judgment ?? testJudgment(run, demanding), recorded)
  const again = async (copy: Workspace, copiedFrom: string) => {
    const one = await runTests({ site: { ...site, workspace: copy }, copiedFrom, ...running })
    return 'status' in one ? one : (grade?.(one).run ?? one)
  }
  const overlay = from && { from, paths: options.overlay?.paths ?? [] }
  if (graded === undefined) {
    const asking = { ids: demandedIds(options), run, workspace, reference: reference ?? from, overlay, again, signal }
    const unknown = await unknownTests(asking, judgment.metadata)
    if (unknown !== undefined) return unknown
  } else if (judgment.status === 'error') return confirmed(judgment, { context, overlay, again })
  // Tests that ran are believed, even about what they need of the machine.
  const originals = hasRun(run) ? [] : [reference, before]
  const { command } = run
  const { result } = run.evidence
  return withEnvironment(judgment, { ...site, command, result, originals, overlay, again: asAttempt(again), signal })
}

interface Confirming {
  readonly context: JudgmentContext
  readonly overlay: { readonly from: Workspace; readonly paths: readonly string[] } | undefined
  readonly again: (copy: Workspace, copiedFrom: string) => Promise<TestRun | Judgment>
}

/**
 * Confirms an error that the output of a run mentions. The agent must not be able to choose it: if the tests run with
 * the reference, or with the initial state, the result is a failure.
 */
async function confirmed(judgment: Judgment, { context, overlay, again }: Confirming): Promise<Judgment> {
  const { reference, before, workspace, signal } = context
  const [original, name] =
    reference?.root === undefined ? [before, 'what the agent was given'] : [reference, 'the reference']
  if (original?.root === undefined) return judgment
  const laying = overlay ?? { from: original, paths: [] }
  await using copy = await overlaid({ workspace: original, runsLike: workspace, ...laying, signal })
  const run = await again(copy, original.root)
  // An agent that uses up the time of the reference as well has chosen that.
  if ('status' in run || !(hasRun(run) || run.evidence.result.status === 'timed-out')) return judgment
  const said = `${judgment.reasoning}, but the tests run with ${name}`
  const checks = [{ name: 'log_valid', passed: false, message: said }]
  return fail(said, { score: numerical(0), checks, metadata: judgment.metadata })
}

function withMetadata(judgment: Judgment, metadata: JsonObject): Judgment {
  return { ...judgment, metadata: { ...judgment.metadata, ...metadata } }
}

/** The files next to the tests, and the process of the code. */
interface Apart extends AsyncDisposable {
  readonly copy: ProvisionedWorkspace
}

/** Lays the tests over what the agent was given, and starts the code of a workspace separately. */
async function apart(from: Workspace, isolating: Omit<Isolating, 'copy'>): Promise<Apart> {
  const { originals, options, work, runsLike = work, signal } = isolating
  const [workspace = from] = originals
  const copy = await overlaid({ workspace, runsLike, from, paths: options.overlay?.paths ?? [], signal })
  try {
    const code = await isolateCode({ ...isolating, copy })
    return {
      copy,
      async [Symbol.asyncDispose]() {
        await code[Symbol.asyncDispose]()
        await copy[Symbol.asyncDispose]()
      },
    }
  } catch (thrown) {
    await copy[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Returns the error with which the process of the code did not start, and throws any other. */
function unlessStarted(thrown: unknown): JuristError<'not-started'> {
  if (JuristError.is(thrown, 'not-started')) return thrown
  throw thrown
}

/** Judges tests whose code runs in a separate process. */
async function judgedIsolated(site: Site, judging: Judging, isolating: Isolating): Promise<Judgment> {
  const { context, options, from = sourceOf(context, options) } = judging
  const ofReference = { ...isolating, options, work: context.reference ?? from, runsLike: context.workspace }
  const code = await isolateCode(isolating).catch(unlessStarted)
  if (code instanceof JuristError) return brokenCode(code, () => apart(from, ofReference))
  await using _code = code
  const judgment = await judged(site, judging)
  return isolatedJudgment(judgment, isolating.copy, () => unfitOfReference({ ...judging, from }, ofReference))
}

/** Returns what a run of the reference cannot pass on; `undefined` if it cannot be run. */
async function unfitOfReference(
  { context, prepare, options, from }: Judging & { readonly from: Workspace },
  isolating: Omit<Isolating, 'copy'>,
): Promise<readonly string[] | undefined> {
  const { work, originals, cwd, signal } = isolating
  if (work.root === undefined) return undefined
  await using tests = await apart(from, isolating)
  const site = { workspace: judgedWorkspace(tests.copy), originals, cwd }
  const run = await runTests({ site, prepare, options, isHidden: true, copiedFrom: work.root, context, signal })
  return 'status' in run ? undefined : unfitIn(tests.copy.root)
}

function hasRun({ report }: TestRun): boolean {
  return report !== undefined && executed(countTests(report.tests)) > 0
}

function asAttempt(again: (copy: Workspace, copiedFrom: string) => Promise<TestRun | Judgment>): FailedRun['again'] {
  return async (copy, copiedFrom) => {
    const run = await again(copy, copiedFrom)
    if ('status' in run) return undefined
    const { check, result } = run.evidence
    return { result, isHealthy: check.passed || hasRun(run) }
  }
}

const maxTakenAway = 20

/** Adds the files that were removed for the run to a judgment. */
function withTakenAway(judgment: Judgment, paths: readonly string[]): Judgment {
  if (paths.length === 0) return judgment
  const shown = paths.slice(0, maxTakenAway).map((path) => shortened(escaped(path)))
  return withMetadata(judgment, { takenAway: shown, takenAwayTotal: paths.length })
}

function sourceOf({ reference }: JudgmentContext, { overlay }: TestOptions): Workspace {
  const from = overlay?.from ?? reference
  if (from !== undefined) return from
  throw new JuristError('not-found', 'There is no reference to take the overlay from. Pass "overlay.from".', {
    path: overlay?.paths.join(', ') ?? '',
  })
}
