import type { Judge, Judgment, JudgmentContext, Workspace } from '@jurist/core'
import { JuristError, named, runsCommands } from '@jurist/core'
import { judgedWorkspace, normalizePath } from '@jurist/core/internal'
import { escaped, shortened } from '../files/quotation.js'
import { type FailedRun, withEnvironment } from './environment-problem.js'
import { overlaid } from './overlay.js'
import { runTests } from './run-tests.js'
import type { Prepare, Site } from './site.js'
import { type SteeredTool, steeringFiles } from './steering-files.js'
import { takeAway } from './take-away.js'
import { countTests, executed } from './test-counts.js'
import { demandedIds, type TestRun, testJudgment } from './test-judgment.js'
import type { TestOptions } from './test-options.js'
import { unknownTests } from './unknown-tests.js'

/** A judge of tests: its name, its tool, and how that is asked. */
export interface TestRunner {
  readonly name: string
  readonly tool: SteeredTool
  readonly prepare: Prepare
}

/** A judge that runs tests and reads their report. */
export function testRunJudge({ name, tool, prepare }: TestRunner, options: TestOptions): Judge {
  const cwd = normalizePath(options.cwd ?? '.')
  const judge: Judge = async (context) => {
    const { workspace, before, reference, signal } = context
    const originals = [before, reference].filter((one) => one !== undefined)
    const { overlay } = options
    if (overlay === undefined) return judged({ workspace, originals, cwd }, { context, prepare, options })
    const from = sourceOf(context, options)
    await using copy = await overlaid({ workspace, from, paths: overlay.paths, signal })
    const { absent = steeringFiles[tool], sources, paths: laid } = overlay
    const known = { originals: [...new Set([from, reference, before])].filter((one) => one !== undefined), laid, cwd }
    const takenAway = await takeAway(copy, {
      ...known,
      absent,
      sources,
      linksPrograms: tool === 'npm' || tool === 'yarn',
      signal,
    })
    const site = { workspace: judgedWorkspace(copy), originals: [...originals, from], cwd }
    return withTakenAway(await judged(site, { context, prepare, options, from }), takenAway)
  }
  return named(runsCommands(judge), name)
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
  const run = await runTests({ site, copiedFrom: from && workspace.root, ...running })
  if ('status' in run) return run
  const judgment = testJudgment(run, options)
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
  return { ...judgment, metadata: { ...judgment.metadata, takenAway: shown, takenAwayTotal: paths.length } }
}

function sourceOf({ reference }: JudgmentContext, { overlay }: TestOptions): Workspace {
  const from = overlay?.from ?? reference
  if (from !== undefined) return from
  throw new JuristError('not-found', 'There is no reference to take the overlay from; give "overlay.from".', {
    path: overlay?.paths.join(', ') ?? '',
  })
}
