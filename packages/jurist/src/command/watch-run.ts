import { relative } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { forgetModules } from '../config/module-config.js'
import type { ExitCode } from './exit-code.js'
import type { Host } from './host.js'
import { interruptible } from './interrupt.js'
import { hostOf } from './local-host.js'
import { addSpending, type Spending } from './spending.js'
import { type Changes, watchPaths } from './watch-paths.js'

/** One run of everything that was asked for, ready to start. */
export interface Round {
  /** What it depends on: when that changes, it runs again. */
  readonly paths: readonly string[]
  /** What it writes itself. */
  readonly ignored: readonly string[]
  /** Whether the budget allows another one. */
  readonly canGoOn: () => boolean
  readonly perform: () => Promise<{ readonly code: ExitCode; readonly results: readonly ExperimentResult[] }>
}

/** Reads config and datasets anew; `undefined` when the budget is used up. */
export type PrepareRound = (host: Host, spending: Spending) => Promise<Round | undefined>

/**
 * Runs, and runs again whenever something changes that the run depends on, until Ctrl-C (130) or until the budget is
 * used up (the code of the last run). A config that cannot be used after a change is told, and waited for.
 */
export async function watchRuns(host: Host, prepare: PrepareRound): Promise<ExitCode> {
  const spending: Spending = new Map()
  let round = await prepare(host, spending)
  let code: ExitCode = 0
  while (round !== undefined) {
    using changes = watchPaths(round.paths, round.ignored)
    const ended = await round.perform()
    code = ended.code
    if (code === 130) return code
    addSpending(spending, ended.results)
    if (!round.canGoOn()) break
    const next = await nextRound(host, changes, () => prepare(hostOf(host.flags, host.cwd), spending))
    if (next === 'interrupted') return 130
    round = next
  }
  host.note('The budget is used up, so that watching ends.')
  return code
}

/** Waits for a change after which everything can be read again. */
async function nextRound(
  host: Host,
  changes: Changes,
  prepare: () => Promise<Round | undefined>,
): Promise<Round | undefined | 'interrupted'> {
  using interrupt = interruptible(host, () => 'Watching has ended.')
  host.note('Watching for changes. Ctrl-C ends it.')
  for (;;) {
    const changed = await changes.next(interrupt.signal)
    if (changed === undefined) return 'interrupted'
    host.note(`\n${safeLine(relative(host.cwd, changed))} has changed.`)
    forgetModules()
    try {
      const round = await prepare()
      return interrupt.signal.aborted ? 'interrupted' : round
    } catch (thrown) {
      if (!JuristError.is(thrown)) throw thrown
      host.terminal.err(`${host.terminal.style.red(safeBlock(failureOf(thrown).message))}\n`)
    }
  }
}
