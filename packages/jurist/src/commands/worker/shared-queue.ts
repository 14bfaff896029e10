import type { Distribution } from '@jurist/experiment/internal'
import { type ExitCode, type FlagOptions, type Parse, repeatable, usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { TrialQueue } from '@jurist/experiment/store-kit'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { durationsOf } from '../run/shard-flags.js'

/** A label, or several separated by commas. */
const labelList: Parse<readonly string[]> = (given, name) => {
  const labels = given.split(',').map((label) => label.trim())
  if (labels.every((label) => /^[\w.:/-]+$/.test(label))) return labels
  throw usageInvalid(name, `${name} takes labels with commas between them, such as docker,gpu (got "${given}").`)
}

/** The flag for the labels that a run requires of its workers, or that a worker offers. */
export function labelsFlag(help: string, options?: FlagOptions) {
  return repeatable('--labels <names>', help, labelList, options)
}

export function hasQueue({ store }: Results): boolean {
  return 'queue' in store && typeof store.queue === 'function'
}

/**
 * Returns the queue of a store that many workers share.
 *
 * @throws `usage-invalid` for a store without a queue
 */
export function queueOf(results: Results): TrialQueue {
  const { store, shown } = results
  if (hasQueue(results)) return (store as Results['store'] & { readonly queue: () => TrialQueue }).queue()
  throw usageInvalid(
    '--results',
    `${shown} cannot share trials with workers. Keep the results in PostgreSQL: --results postgres://user@host/database`,
  )
}

/** The flags of `jurist run` for sharing its trials. */
interface DistributionFlags {
  readonly durations: string | undefined
  readonly distributed: boolean
  readonly detach: boolean
  readonly labels: readonly (readonly string[])[]
  readonly anyCommit: boolean
}

/** Returns the settings for sharing a run with workers; `undefined` if it runs here. */
export async function distributionOf(
  host: Host,
  results: Results,
  flags: DistributionFlags,
): Promise<Distribution | undefined> {
  if (!flags.distributed) return undefined
  const labels = [...new Set(flags.labels.flat())]
  const { anyCommit, detach } = flags
  return { ...(await durationsOf(host, flags)), queue: queueOf(results), labels, requireSameCommit: !anyCommit, detach }
}

/** Prints the ids of runs that workers perform from now on. */
export function detached(host: Host, runs: readonly RunResult[], shown: string): ExitCode {
  if (host.flags.json === true)
    host.json(runs.map(({ id, experimentName, variant, planned }) => ({ id, experimentName, variant, planned })))
  else
    for (const { id, experimentName, planned } of runs) {
      host.terminal.out(`${id}\n`)
      host.note(
        `${planned} trials are planned in ${shown}. Follow them: ${host.terminal.command('run', experimentName, '--distributed', '--resume', id)}`,
      )
    }
  return 0
}
