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
import { withEnvironment } from './environment-problem.js'
import { unfitIn } from './isolate/code-process.js'
import { brokenCode, type Isolating, isolateCode, isolatedJudgment } from './isolate/isolated-tests.js'
import { inCopyOf, installedPaths, laidTexts, overlaid, projectEntries } from './overlay.js'
import { runTests } from './run-tests.js'
import { removeRunnerOverrides, type SteeredTool } from './steering-files.js'
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
export function testRunJudge(runner: TestRunner, options: TestOptions): Judge {
  const { name, words, prepare, grade } = runner
  const { overlay } = options
  const cwd = normalizePath(options.cwd ?? '.')
  const judgeName = nameInLocks(name, words)
  const judge: Judge = async (context) => {
    const { workspace, before, reference, signal } = context
    const given = [before, reference].filter((one) => one !== undefined)
    if (overlay === undefined) return judged({ workspace, originals: given, cwd }, { context, prepare, options, grade })
    const hidden = hiddenTests(runner, options, context, cwd)
    const plain = (seen?: (run: TestRun) => void) =>
      hidden.inCopy(undefined, async ({ site, from, isolating, takenAway }) => {
        const judging = { context, prepare, options, from, grade, seen }
        const judgment = isolating === undefined ? judged(site, judging) : judgedIsolated(site, judging, isolating)
        return withTakenAway(await judgment, takenAway)
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
  readonly seen?: ((run: TestRun) => void) | undefined
}

/** A copy with hidden tests that are about to run. */
interface HiddenSite {
  readonly site: Site
  /** The source of what is laid over. */
  readonly from: Workspace
  /** The versions of the tests that were written. */
  readonly laid: readonly string[] | undefined
  /** What steered the run, and was removed. */
  readonly takenAway: readonly string[]
  /** Present if the code runs separately. */
  readonly isolating: Isolating | undefined
}

/** Runs the hidden tests of a judge, each time in a new copy. */
function hiddenTests(
  { tool, words, prepare }: TestRunner,
  options: TestOptions,
  context: JudgmentContext,
  cwd: string,
) {
  const { workspace, before, reference, signal } = context
  const overlay: Overlay = options.overlay ?? { paths: [] }
  const from = sourceOf(context, options)
  const originals = [...[before, reference].filter((one) => one !== undefined), from]
  const isApart = options.isolate !== undefined
  /** Creates a copy, removes what steers the run, writes versions of the tests, and uses the copy. */
  const inCopy = async <Result>(
    lay: ((root: string) => readonly string[] | undefined) | undefined,
    use: (hidden: HiddenSite) => Promise<Result>,
  ): Promise<Result> => {
    // Isolated tests run next to what the agent was given, not next to what the agent made of it.
    const [given = from] = isApart ? originals : [workspace]
    await using copy = await overlaid({ workspace: given, runsLike: workspace, from, paths: overlay.paths, signal })
    const takenAway = isApart ? [] : await withoutSteering(copy)
    const laid = lay?.(copy.root)
    const laidOptions = { ...options, overlay: { ...overlay, paths: [...overlay.paths, ...(laid ?? [])] } }
    const isolating = { copy, work: workspace, before, originals, options: laidOptions, tool, cwd, signal }
    const site = { workspace: judgedWorkspace(copy), originals, cwd }
    return await use({ site, from, laid, takenAway, isolating: isApart ? isolating : undefined })
  }
  const withoutSteering = (copy: ProvisionedWorkspace): Promise<readonly string[]> => {
    const laid = [...overlay.paths, ...installedPaths(workspace)]
    const known = [...new Set([from, reference, before])].filter((one) => one !== undefined)
    return removeRunnerOverrides({ copy, tool, words, env: options.env, cwd, originals: known, laid, overlay, signal })
  }
  /** Runs these versions of the tests; `undefined` if they cannot be written. */
  const mixed = (set: CanarySet, lay: Lay): Promise<TestRun | Judgment | undefined> =>
    inCopy(
      (root) => writeVersions(root, set, lay),
      async ({ site, laid, isolating }) => {
        if (laid === undefined) return undefined
        const code = isolating === undefined ? undefined : await isolateCode(isolating).catch(unlessStarted)
        if (code instanceof JuristError) return fail('the code could not be started')
        await using _code = code
        const copiedFrom = workspace.root
        const run = await runTests({ site, prepare, options, isHidden: true, copiedFrom, context, signal })
        const isUnfit = isolating !== undefined && unfitIn(isolating.copy.root).length > 0
        return isUnfit ? fail('a value did not get through') : run
      },
    )
  return { inCopy, mixed }
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
    readonly hidden: ReturnType<typeof hiddenTests>
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
  const files = await laidTexts(sourceOf(context, { overlay }), overlay.paths, isTestCode, context.signal)
  const canaries = await findCanaries({
    ...{ judge, base, files, before: context.before },
    run: async (set, lay) => {
      const run = await hidden.mixed(set, lay)
      return run === undefined || 'status' in run ? undefined : run
    },
  })
  return withMetadata(judgment, { canaries: canaries as unknown as JsonObject })
}

const isTestCode = (path: string) => /\.(?:[cm]?[jt]sx?|py|java|go|rs|rb|cs|cc|cpp)$/.test(path)

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
  const overlay = from && { from, paths: options.overlay?.paths ?? [] }
  const again = (original: Workspace) =>
    inCopyOf(original, { runsLike: workspace, overlay, signal }, async (copy) => {
      const copiedFrom = original.root
      const one = await runTests({ site: { ...site, workspace: copy }, copiedFrom, ...running })
      return 'status' in one ? one : (grade?.(one).run ?? one)
    })
  if (graded === undefined) {
    const asking = { ids: demandedIds(options), run, reference: reference ?? from, overlay, again, signal }
    const unknown = await unknownTests(asking, judgment.metadata)
    if (unknown !== undefined) return unknown
  } else if (judgment.status === 'error') return confirmed(judgment, context, again)
  // Tests that ran are believed, even about what they need of the machine.
  const originals = hasRun(run) ? [] : [reference, before]
  const { command } = run
  const { result } = run.evidence
  const attempt = async (original: Workspace) => {
    const one = await again(original)
    if ('status' in one) return undefined
    const { check } = one.evidence
    return { result: one.evidence.result, isHealthy: check.passed || hasRun(one) }
  }
  return withEnvironment(judgment, { ...site, command, result, originals, again: attempt, signal })
}

/**
 * Confirms an error that the output of a run mentions. The agent must not be able to choose it: if the tests run with
 * the reference, or with the initial state, the result is a failure.
 */
async function confirmed(
  judgment: Judgment,
  { reference, before }: JudgmentContext,
  again: (original: Workspace) => Promise<TestRun | Judgment>,
): Promise<Judgment> {
  const [original, name] =
    reference?.root === undefined ? [before, 'what the agent was given'] : [reference, 'the reference']
  if (original?.root === undefined) return judgment
  const run = await again(original)
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
