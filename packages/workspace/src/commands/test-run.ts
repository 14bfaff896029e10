import {
  type JsonObject,
  type Judge,
  type Judgment,
  type JudgmentContext,
  JuristError,
  named,
  runsCommands,
  type Workspace,
} from '@jurist/core'
import { judgedWorkspace, madeOf, normalizePath } from '@jurist/core/internal'
import { escaped, shortened } from '../quotation.js'
import type { Prepare, Site } from './command-target.js'
import { type FailedRun, withEnvironment } from './environment-problem.js'
import { unfitIn } from './isolate/code-process.js'
import { type Isolating, isolateCode, isolatedJudgment } from './isolate/isolated-tests.js'
import { installedPaths, overlaid } from './overlay.js'
import { takeAway } from './remove-runner-overrides.js'
import { runTests } from './run-tests.js'
import { type SteeredTool, steeringFiles } from './steering-files.js'
import { demandedIds, type TestRun, testJudgment } from './test-judgment.js'
import { countTests, executed } from './test-names.js'
import type { TestOptions } from './test-options.js'
import { lockedTests, recordedTests } from './tests-lock.js'
import { unknownTests } from './unknown-tests.js'

/** A judge of tests: its name, its tool, and how that is asked. */
export interface TestRunner {
  readonly name: string
  readonly tool: SteeredTool
  /** What the tool is asked to run. */
  readonly words: readonly string[] | string
  readonly prepare: Prepare
}

/** A judge that runs tests and reads their report. */
export function testRunJudge({ name, tool, words, prepare }: TestRunner, options: TestOptions): Judge {
  const { overlay } = options
  const cwd = normalizePath(options.cwd ?? '.')
  const judge: Judge = async (context) => {
    const { workspace, before, reference, signal } = context
    const originals = [before, reference].filter((one) => one !== undefined)
    if (overlay === undefined) return judged({ workspace, originals, cwd }, { context, prepare, options })
    const from = sourceOf(context, options)
    await using copy = await overlaid({ workspace, from, paths: overlay.paths, signal })
    const { absent = steeringFiles[tool], sources } = overlay
    const laid = [...overlay.paths, ...installedPaths(workspace)]
    const known = { originals: [...new Set([from, reference, before])].filter((one) => one !== undefined), laid, cwd }
    const takenAway = await takeAway(copy, {
      ...known,
      absent,
      sources,
      linksPrograms: tool === 'npm' || tool === 'yarn',
      signal,
    })
    const site = { workspace: judgedWorkspace(copy), originals: [...originals, from], cwd }
    const judging = { context, prepare, options, from }
    if (options.isolate === undefined) return withTakenAway(await judged(site, judging), takenAway)
    const isolating = { copy, work: workspace, originals: known.originals, options, tool, cwd, signal }
    return withTakenAway(await judgedIsolated(site, judging, isolating), takenAway)
  }
  return madeOf(named(runsCommands(judge), name), {
    words,
    ...options,
    overlay: overlay && { ...overlay, from: undefined },
  })
}

interface Judging {
  readonly context: JudgmentContext
  readonly prepare: Prepare
  readonly options: TestOptions
  /** What is laid over. */
  readonly from?: Workspace
}

async function judged(site: Site, { context, prepare, options, from }: Judging): Promise<Judgment> {
  const { workspace, before, reference, signal } = context
  const running = { prepare, options, isHidden: from !== undefined, context, signal }
  const locked = options.expect === undefined ? undefined : lockedTests(context)
  const run = await runTests({ site, copiedFrom: from && workspace.root, ...running })
  if ('status' in run) return run
  const recorded = recordedTests(context, run.report?.tests ?? [], options.expect !== undefined)
  const judgment = withMetadata(testJudgment(run, locked === undefined ? options : { ...options, ...locked }), recorded)
  const again = (copy: Workspace, copiedFrom: string) =>
    runTests({ site: { ...site, workspace: copy }, copiedFrom, ...running })
  const overlay = from && { from, paths: options.overlay?.paths ?? [] }
  const asking = { ids: demandedIds(options), run, workspace, reference: reference ?? from, overlay, again, signal }
  const unknown = await unknownTests(asking, judgment.metadata)
  if (unknown !== undefined) return unknown
  // Tests that ran are believed: what they need of the machine is theirs to say.
  const originals = hasRun(run) ? [] : [reference, before]
  const { command } = run
  const { result } = run.evidence
  return withEnvironment(judgment, { ...site, command, result, originals, overlay, again: asAttempt(again), signal })
}

function withMetadata(judgment: Judgment, metadata: JsonObject): Judgment {
  return { ...judgment, metadata: { ...judgment.metadata, ...metadata } }
}

/** The judgment on tests whose code runs in a process of its own. */
async function judgedIsolated(site: Site, judging: Judging, isolating: Isolating): Promise<Judgment> {
  await using _code = await isolateCode(isolating)
  const judgment = await judged(site, judging)
  return isolatedJudgment(judgment, isolating.copy, () => unfitOfReference(judging, isolating))
}

/** What a run of the reference cannot pass on; `undefined` where it cannot be run. */
async function unfitOfReference(
  { context, prepare, options, from }: Judging,
  isolating: Isolating,
): Promise<readonly string[] | undefined> {
  const { reference, workspace, signal } = context
  if (reference?.root === undefined || from === undefined) return undefined
  await using copy = await overlaid({
    workspace: reference,
    runsLike: workspace,
    from,
    paths: options.overlay?.paths ?? [],
    signal,
  })
  await using _code = await isolateCode({ ...isolating, copy, work: reference, runsLike: workspace })
  const site = { workspace: judgedWorkspace(copy), originals: isolating.originals, cwd: isolating.cwd }
  const run = await runTests({ site, prepare, options, isHidden: true, copiedFrom: reference.root, context, signal })
  return 'status' in run ? undefined : unfitIn(copy.root)
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

/** The judgment with the files that were not there for the run. */
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
