import {
  error,
  fail,
  infoOf,
  type Judge,
  type JudgmentContext,
  JuristError,
  runJudge,
  type Workspace,
  withInfo,
} from '@jurist/core'
import {
  described,
  hasCommandsBeside,
  type OptionDescriptions,
  type OptionRule,
  option,
  ownContextOf,
} from '@jurist/core/internal'
import { remove } from '../commands/report-files.js'
import type { CoverageReport } from './coverage-report.js'
import { everyReportIn, reportRule } from './find-coverage.js'

/** Options of the judges of coverage. */
export interface CoverageOptions {
  /**
   * The coverage before the agent: line coverage from 0 to 100, or a report. Default: `baselineCoverage` of the
   * metadata, otherwise the report in `context.before`.
   */
  readonly baseline?: number | CoverageReport
  /** The path of the report, or globs. Several files count together. Default: where builds usually write it. */
  readonly report?: string | readonly string[]
  /** With `'agent-start'`, a report that was written before the agent started fails. Default: any age. */
  readonly notBefore?: 'agent-start'
  /**
   * The judge whose command measures coverage, such as `buildSucceeds.npm('coverage')`. It runs first, in the copy in
   * which the report is then read, and every report from before is removed. Coverage is judged only if this judge
   * passes. With `'agent'`, the report that the agent left is believed. Default: the same, but an ERROR if other judges
   * of the same jury run commands, since their reports are not visible here.
   */
  readonly after?: Judge | 'agent'
}

export const percentRule: OptionRule = {
  wants: 'a number from 0 to 100',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 100,
  schema: { type: 'number', minimum: 0, maximum: 100 },
}

/** The options that every judge of coverage has. In a config, `after` is the description of a judge. */
export const currentRules: OptionDescriptions<Omit<CoverageOptions, 'baseline'>> = {
  report: described(
    reportRule,
    'The path of the report, or globs. Several files count together. Default: where builds usually write it.',
  ),
  notBefore: described(
    option.oneOf('agent-start'),
    'With "agent-start", a report that was written before the agent started fails. Default: any age.',
  ),
  after: {
    ...option.either(option.oneOf('agent'), { wants: 'a judge', holds: (value) => typeof value === 'function' }),
    schema: { anyOf: [{ const: 'agent' }, { $ref: '#/$defs/jury' }] },
    description:
      'The judge whose command measures coverage; it runs first, in the same copy. "agent": believe the report of the agent.',
  },
}

/** Adds the baseline. A number that is not a percentage means that there is no baseline, as in the metadata. */
export const coverageRules: OptionDescriptions<CoverageOptions> = {
  ...currentRules,
  baseline: {
    schema: { type: 'number' },
    description:
      'Line coverage before, from 0 to 100. Default: `baselineCoverage` of the metadata, else the report of the task.',
    wants: 'a number from 0 to 100 or a coverage report',
    holds: (value) =>
      typeof value === 'number' ||
      (typeof value === 'object' && value !== null && 'line' in value && 'format' in value),
  },
}

/**
 * Makes a judge of coverage run after another judge has measured: in one copy, from which every older report is removed
 * first. Without such a judge, it believes the report that the agent left, unless judges next to it run commands.
 */
export function measuredAfter(judge: Judge, { after, report }: Pick<CoverageOptions, 'after' | 'report'>): Judge {
  const { name } = infoOf(judge)
  if (after === 'agent') return judge
  if (after === undefined) {
    const looking: Judge = (context) => (hasCommandsBeside(context) ? unmeasured(name) : judge(context))
    return withInfo(looking, { name, readsReports: true })
  }
  const measuring: Judge = async (context) => {
    const own = ownContextOf(context)
    return own.end(await measured({ judge, after, report }, own.context))
  }
  return withInfo(measuring, { name, runsCommands: true })
}

interface Measuring {
  readonly judge: Judge
  readonly after: Judge
  readonly report: CoverageOptions['report']
}

async function measured({ judge, after, report }: Measuring, context: JudgmentContext) {
  await removeReports(context.workspace, report, context.signal)
  const first = await runJudge(after, context)
  if (first.status === 'pass') return runJudge(judge, context)
  const reasoning = `coverage was not measured: ${first.reasoning}`
  const { checks, metadata } = first
  if (first.status === 'fail') return fail(reasoning, { checks, metadata })
  return { ...first, reasoning }
}

/** Removes existing reports, whatever their names: the run did not write them. */
async function removeReports(
  workspace: Workspace,
  report: CoverageOptions['report'],
  signal: AbortSignal,
): Promise<void> {
  for (const path of await everyReportIn(workspace, report, signal)) await remove(workspace, path)
}

function unmeasured(name: string) {
  const problem =
    'other judges here run commands, each in its own copy, so the report in the workspace is the one that the agent left'
  const remedy = `Name the judge that measures, as in "after: buildSucceeds.npm('coverage')"; "after: 'agent'" believes the agent`
  const message = `${name}: ${problem}. ${remedy}.`
  return error(message, new JuristError('option-invalid', message, { option: 'after' }))
}
