import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import { type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { type RunResult, tokensOf } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { type Host, hostOf, interruptible } from '../../command-kit/host.js'
import { forgetModules } from '../../config/module-config.js'

/** One run of all selected experiments, ready to start. */
export interface Round {
  /** The files and directories whose changes start the next round. */
  readonly paths: readonly string[]
  /** Directories that the run itself writes to. */
  readonly ignored: readonly string[]
  /** Whether the budget allows another round. */
  readonly canGoOn: () => boolean
  readonly perform: () => Promise<{ readonly code: ExitCode; readonly results: readonly RunResult[] }>
}

/** Reloads config and datasets; returns `undefined` if the budget is used up. */
export type PrepareRound = (host: Host, spending: Spending) => Promise<Round | undefined>

/**
 * Runs once, and again after each change of the config, its modules or the datasets. Ends with Ctrl-C (130), or when
 * the budget is used up (the code of the last run). An invalid config is reported, and the next change is awaited.
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
  host.note('The budget is used up, so watching ends.')
  return code
}

/** Waits for a change after which everything loads. */
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

/** The changes of files since watching began, or since the last call. */
interface Changes extends Disposable {
  /** Returns the first changed path, after a moment without further changes; `undefined` if the signal fires first. */
  next(signal: AbortSignal): Promise<string | undefined>
}

/** Milliseconds without further changes. Saving several files, or one in several steps, counts as one change. */
const restMs = 200
const neverWatched = ['.git', 'node_modules']

/**
 * Watches files, and directories with everything below them. Skips missing paths, `.git`, `node_modules` and everything
 * in `ignored`.
 */
function watchPaths(paths: readonly string[], ignored: readonly string[]): Changes {
  let first: string | undefined
  let wake = () => {}
  const notice = (path: string) => {
    const isOurs = ignored.some((directory) => path === directory || path.startsWith(`${directory}${sep}`))
    if (isOurs || path.split(sep).some((name) => neverWatched.includes(name))) return
    first ??= path
    wake()
  }
  const watchers = paths.flatMap((path) => watcherOf(path, notice))
  return {
    async next(signal) {
      await new Promise<void>((resolve) => {
        wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (first !== undefined || signal.aborted) resolve()
      })
      if (!signal.aborted) await sleep(restMs)
      const changed = first
      first = undefined
      return signal.aborted ? undefined : changed
    },
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** A file is watched through its directory, since editors replace files instead of writing to them. */
function watcherOf(path: string, notice: (path: string) => void): readonly FSWatcher[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  const watcher = found.isDirectory()
    ? watch(path, { recursive: true }, (_, name) => notice(name === null ? path : join(path, name)))
    : watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path)) notice(path)
      })
  // A deleted directory is no longer watched.
  watcher.on('error', () => undefined)
  return [watcher]
}

/** The total spending of the experiments of a command over all their runs, by name. */
export type Spending = Map<string, { readonly usd: number; readonly tokens: number }>

/** Adds the spending of runs, including agents and judges. */
function addSpending(spending: Spending, results: readonly RunResult[]): void {
  for (const { experimentName, costUsd, judgeCostUsd, usage, judgeUsage } of results) {
    const { usd, tokens } = spending.get(experimentName) ?? { usd: 0, tokens: 0 }
    spending.set(experimentName, {
      usd: usd + (costUsd ?? 0) + (judgeCostUsd ?? 0),
      tokens: tokens + (tokensOf(usage) ?? 0) + (tokensOf(judgeUsage) ?? 0),
    })
  }
}

/**
 * Returns the experiment with its remaining budget; `undefined` if it is used up.
 *
 * @throws `usage-invalid` for an experiment without a budget
 */
export function withinBudget(experiment: ExperimentOptions, spending: Spending): ExperimentOptions | undefined {
  const { budget: { usd, tokens, ...others } = {}, name } = experiment
  if (usd === undefined && tokens === undefined)
    throw usageInvalid(
      '--watch',
      `--watch runs ${name} again and again, so it needs a budget for all these runs together. ` +
        'Give --budget <usd> or --budget-tokens <n>; an agent that costs nothing never uses it up.',
    )
  const spent = spending.get(name) ?? { usd: 0, tokens: 0 }
  const left: ExperimentOptions['budget'] = {
    ...others,
    ...(usd === undefined ? {} : { usd: usd - spent.usd }),
    ...(tokens === undefined ? {} : { tokens: tokens - spent.tokens }),
  }
  return (left.usd ?? 1) > 0 && (left.tokens ?? 1) > 0 ? { ...experiment, budget: left } : undefined
}
