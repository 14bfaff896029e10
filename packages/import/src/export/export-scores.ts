import type { Json } from '@jurist/core'
import { counted, resultWithItems } from '@jurist/experiment/internal/results'
import { type CommandHost, usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'
import { type PostJson, postJson } from './post-json.js'
import { type ScoreServiceName, scoreServices, serviceOf } from './score-services.js'
import { trialScores } from './trial-scores.js'

export interface ScoreTarget {
  readonly to: ScoreServiceName
  /** Default: the name of the experiment. */
  readonly project: string | undefined
  /** Prints the requests instead of sending them. */
  readonly dryRun: boolean
}

const shownRefusals = 20

/**
 * Sends the scores of runs to a service. A refused object does not stop the rest.
 *
 * @throws `usage-invalid` if the service refused an object or a request failed
 */
export async function exportScores(
  host: CommandHost,
  runs: AsyncIterable<ExperimentResult>,
  { to, project, dryRun }: ScoreTarget,
): Promise<void> {
  using interrupt = host.interruptible(() => 'Stopping. Run the command again: what was sent is not sent twice.')
  const refusals: string[] = []
  const refused = (what: string) => void refusals.push(what)
  const post = dryRun ? shownRequests(host) : postJson(serviceOf(to, process.env, interrupt.signal), refused)
  const totals = { runs: 0, trials: 0, scores: 0, withoutScore: 0 }
  for await (const read of runs) {
    const run = await resultWithItems(read)
    const trials = trialScores(run)
    await scoreServices[to].send(trials, { project: project ?? run.experimentName, post, refused })
    totals.runs += 1
    totals.trials += trials.length
    totals.scores += trials.reduce((sum, { scores }) => sum + scores.length, 0)
    totals.withoutScore += run.items.length - trials.length
  }
  if (dryRun) return
  if (refusals.length > 0) {
    const listed = refusals.slice(0, shownRefusals).map((one) => `\n  ${safeLine(one)}`)
    const more = refusals.length > shownRefusals ? `\n  and ${refusals.length - shownRefusals} more` : ''
    const advice =
      'It accepted everything else. Correct the cause and run the command again: what was sent is not sent twice.'
    throw usageInvalid('--to', `${to} did not take:${listed.join('')}${more}\n${advice}`)
  }
  if (host.flags.json === true) host.json({ to, ...totals })
  else {
    const left = totals.withoutScore === 0 ? '' : ` ${counted(totals.withoutScore, 'trial')} without a score left out.`
    host.terminal.out(
      `Sent ${counted(totals.scores, 'score')} of ${counted(totals.trials, 'trial')} to ${to}.${left}\n`,
    )
  }
}

/** Prints each request as a line of JSON. The answers of the service are invented. */
function shownRequests(host: CommandHost): PostJson {
  return async (path, body): Promise<Json> => {
    host.terminal.raw(`${JSON.stringify({ method: 'POST', path, body })}\n`)
    return { id: 'ID' }
  }
}
