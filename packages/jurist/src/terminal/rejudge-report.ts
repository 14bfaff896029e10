import { counted, grouped, type UndecidedJudge } from '@jurist/experiment/internal/results'
import { dollars, type ExperimentResult, type ItemResult, percent, type RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { none } from './cells.js'
import { undecidedJudgeLines } from './run-report.js'
import type { Terminal } from './terminal.js'

/** A rejudged run with its source. */
export interface Rejudged {
  readonly source: RunResult
  readonly result: ExperimentResult
  /** The judges that decided too little. */
  readonly judges: readonly UndecidedJudge[]
  /** The number of trials that were to be judged. */
  readonly chosen: number
  /** The cost of judging again; `null` if no judge declared a cost. */
  readonly spentUsd: number | null
}

/** Formats old and new outcomes, and the reasons why trials were left out. */
export function rejudgeReport({ source, result, judges, chosen, spentUsd }: Rejudged, terminal: Terminal): string {
  const missing = none(terminal)
  const row = (name: string, { counts, passRate }: RunResult) =>
    `  ${name}  ${grouped(counts.passes).padStart(7)}  ${grouped(counts.fails).padStart(7)}  ${grouped(counts.undecided).padStart(9)}  ${percent(passRate, missing)} of ${grouped(counts.decided)} decided`
  const reasons = skipReasons(result.items)
  return [
    ...undecidedJudgeLines(judges, terminal),
    `${terminal.style.bold(safeLine(source.experimentName))}   run ${result.id}   judged again from ${source.id}`,
    '',
    '            passed   failed  undecided',
    row('before', source),
    row('now   ', result),
    '',
    `  ${counted(chosen, 'trial')} to judge; the judges ${spentUsd === null ? 'declared no cost' : `cost ${dollars(spentUsd)}`}, the agent was not called`,
    ...[...reasons].map(
      ([reason, count]) => `  ${counted(count, 'trial')} left out: ${safeLine(reason)}${remedyFor(reason)}`,
    ),
  ].join('\n')
}

/** Returns the remedy for a reason. */
function remedyFor(reason: string): string {
  if (reason === 'agent-not-completed') return ' (judge them too: --judge-failed-runs)'
  if (reason === 'before-changed')
    return ' (of large workspaces only changes are kept: bring back what the items began with; or judge without: --workspaces none)'
  if (reason !== 'workspace-missing') return ''
  return ` (keep workspaces when you run: ${commandLine('run', '--preserve', 'all')}; or judge without: --workspaces none)`
}

/** Counts the reasons in `metadata.rejudge` of trials that were not judged again. */
function skipReasons(items: readonly ItemResult[]): ReadonlyMap<string, number> {
  const reasons = new Map<string, number>()
  for (const { metadata } of items) {
    const said = metadata['rejudge'] as { readonly rejudged?: boolean; readonly reason?: string | null } | undefined
    if (said?.rejudged !== false || typeof said.reason !== 'string') continue
    reasons.set(said.reason, (reasons.get(said.reason) ?? 0) + 1)
  }
  return reasons
}
