import type { Judge, JudgmentContext, Workspace } from '@jurist/core'
import { error, fail, infoOf, JuristError, named, readsReports, runJudge, runsCommands } from '@jurist/core'
import { hasCommandsBeside, ownContextOf } from '@jurist/core/internal'
import { remove } from '../commands/report-files.js'
import type { CoverageOptions } from './coverage-options.js'
import { everyReportIn } from './find-coverage.js'

/**
 * A judge of coverage that looks when another judge has measured: in one copy, from which every older report was taken
 * away. Without one it believes the report that the agent left, unless judges beside it run commands.
 */
export function measuredAfter(judge: Judge, { after, report }: Pick<CoverageOptions, 'after' | 'report'>): Judge {
  const { name } = infoOf(judge)
  if (after === 'agent') return judge
  if (after === undefined) {
    const looking: Judge = (context) => (hasCommandsBeside(context) ? unmeasured(name) : judge(context))
    return named(readsReports(looking), name)
  }
  const measuring: Judge = async (context) => {
    const own = ownContextOf(context)
    const judgment = await measured({ judge, after, report }, own?.context ?? context)
    return own === undefined ? judgment : own.end(judgment)
  }
  return named(runsCommands(measuring), name)
}

interface Measuring {
  readonly judge: Judge
  readonly after: Judge
  readonly report: CoverageOptions['report']
}

async function measured({ judge, after, report }: Measuring, context: JudgmentContext) {
  await takeAway(context.workspace, report, context.signal)
  const first = await runJudge(after, context)
  if (first.status === 'pass') return runJudge(judge, context)
  const reasoning = `coverage was not measured: ${first.reasoning}`
  const { checks, metadata } = first
  if (first.status === 'fail') return fail(reasoning, { checks, metadata })
  return { ...first, reasoning }
}

/** Whatever a report is called: those that are there were not written by the run. */
async function takeAway(workspace: Workspace, report: CoverageOptions['report'], signal: AbortSignal): Promise<void> {
  for (const path of await everyReportIn(workspace, report, signal)) await remove(workspace, path)
}

function unmeasured(name: string) {
  const problem =
    'other judges here run commands, each in a copy of its own, so the report in the workspace is the one that the agent left'
  const remedy = `Name the judge that measures, as in "after: buildSucceeds.npm('coverage')"; "after: 'agent'" believes the agent`
  const message = `${name}: ${problem}. ${remedy}.`
  return error(message, new JuristError('option-invalid', message, { option: 'after' }))
}
