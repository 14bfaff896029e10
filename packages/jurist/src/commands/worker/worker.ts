import { closeSync, openSync, utimesSync } from 'node:fs'
import { resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { runWorker, type WorkerEvent } from '@jurist/distributed'
import { counted, trialText } from '@jurist/experiment/internal/results'
import { flag, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { duration, outcomeOf } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import { type Host, workerSignals } from '../../command-kit/host.js'
import { cacheHelp, judgeCache } from '../../command-kit/judge-cache.js'
import { resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { markOf } from '../../terminal/cells.js'
import { labelsFlag, queueOf } from './shared-queue.js'

const everyMs = 5_000

/**
 * Touches a file every five seconds while the event loop of this process runs, for a probe that restarts a hanging
 * process.
 *
 * @throws `usage-invalid` for a file that cannot be written
 */
function aliveFile({ cwd }: Host, path: string | undefined): Disposable {
  if (path === undefined) return { [Symbol.dispose]() {} }
  const file = resolve(cwd, path)
  try {
    closeSync(openSync(file, 'a'))
    touch(file)
  } catch (thrown) {
    throw usageInvalid(
      '--alive-file',
      `--alive-file ${path} cannot be written: ${failureOf(thrown).message}. Name a file in a directory that exists.`,
    )
  }
  const timer = setInterval(touch, everyMs, file)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function touch(file: string): void {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch {
    // The probe finds an old file or none.
  }
}

export const worker: Subcommand = subcommand({
  arguments: [['[experiment...]', 'names in the config (default: all)']],
  flags: {
    concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1), {
      default: 4,
      variable: 'JURIST_CONCURRENCY',
    }),
    labels: labelsFlag('labels of this worker, such as docker,gpu'),
    exitWhenIdle: toggle('--exit-when-idle', 'end when no run is left that this worker can work on'),
    aliveFile: flag(
      '--alive-file <file>',
      'touch this file every 5 seconds, for a probe that restarts a hanging process',
      text,
    ),
    cache: toggle('--cache', cacheHelp),
  },
  note: `Runs trials of \`jurist run --distributed\`. It takes trials only of runs that it would plan the same way: same
experiment, conditions, jury, items and commit. Ctrl-C finishes the trials that run; a second one, or SIGTERM, gives them
back to the other workers.`,
  examples: ['worker -j 8', 'worker repair --labels docker --exit-when-idle'],
  async run(host, [names], { concurrency, labels, exitWhenIdle, aliveFile: file, cache }) {
    using _alive = aliveFile(host, file)
    const results = await resultsOf(host)
    using answers = await judgeCache(host, cache)
    const experiments = (await experimentsOf(await host.config(), names, true)).map(({ store: _, ...experiment }) => {
      return { ...experiment, ...answers.asking }
    })
    await using queue = queueOf(results)
    using signals = workerSignals(host)
    const { stored, lost, left } = await runWorker({
      ...{ queue, experiments, concurrency, labels: [...new Set(labels.flat())], exitWhenIdle },
      ...{ signal: signals.finish, giveBack: signals.giveBack },
      onEvent: (event) => report(host, event),
    })
    const rest = [lost > 0 ? `${lost} lost to other workers` : '', left > 0 ? `${left} given back` : ''].filter(Boolean)
    if (host.flags.json !== true) host.note([`${counted(stored, 'trial')} stored`, ...rest].join(', '))
    return 0
  },
})

/** Prints an event as a line: with `--json` as JSON, otherwise as text. */
function report(host: Host, event: WorkerEvent): void {
  const { terminal, flags } = host
  const at = new Date().toISOString()
  if (flags.json === true) terminal.raw(`${JSON.stringify({ at, ...shortened(event) })}\n`)
  else if (flags.quiet !== true || event.type === 'warning')
    terminal.out(`${at.slice(11, 19)} ${safeBlock(inWords(event, terminal.unicode))}\n`)
}

/** Returns the event without the whole result, which the store contains. */
function shortened(event: WorkerEvent): object {
  if (event.type !== 'trial-end') return event
  const { result, ...rest } = event
  const { passed, agent, judged, failure, durationMs, costUsd } = result
  return { ...rest, result: { passed, agent, judged, failure, durationMs, costUsd } }
}

function inWords(event: WorkerEvent, unicode: boolean): string {
  switch (event.type) {
    case 'worker-start':
      return `worker ${event.worker} waits for trials`
    case 'run-joined':
      return `joins run ${event.run} of ${event.experimentName}${event.variant === null ? '' : `, ${event.variant}`}`
    case 'run-refused':
      return `takes no trial of run ${event.run}. ${event.reason}`
    case 'trial-start': {
      const { losses } = event.trial
      return `${nameOf(event)} starts${losses.length === 0 ? '' : `, after ${counted(losses.length, 'lost worker')}`}`
    }
    case 'trial-end': {
      const { result, stored } = event
      const outcome = outcomeOf(result)
      const dropped = stored === 'lost' ? ': dropped, since another worker has the trial' : ''
      const why = result.failure === null ? '' : ` ${safeLine(result.failure.message)}`
      return `${nameOf(event)} ${markOf(outcome, unicode)} ${outcome} in ${duration(result.durationMs)}${why}${dropped}`
    }
    case 'trial-left':
      return `${nameOf(event)} ended without a result. ${event.reason}`
    case 'warning':
      return `warning: ${event.message}`
    default:
      return event satisfies never
  }
}

function nameOf({ trial }: WorkerEvent & { readonly trial: { readonly itemId: string; readonly repetition: number } }) {
  return safeLine(trialText(trial))
}
