import { posix } from 'node:path'
import { type Check, flatten } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment'
import { trialText } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import { filesIn } from '../reference-agent.js'
import type { HiddenDemand, TriedDemand } from './hidden-demand.js'
import type { LabelledRun } from './labelled-trials.js'
import { isWordIn } from './variant.js'

const mostOpened = 5
const mostBytes = 500_000

interface FailedTrial {
  readonly trial: ItemResult
  readonly from: LabelledRun
  /** The name, message and place of each check that failed; the reason of the jury without checks. */
  readonly failures: readonly string[]
}

/**
 * Adds to hidden demands what the failed trials of stored runs tell: how many failed at nothing else, and what one of
 * them wrote instead of the word.
 */
export async function triedDemands(
  demands: readonly HiddenDemand[],
  { id, task }: Pick<DatasetItem, 'id' | 'task'>,
  runs: readonly LabelledRun[],
  signal: AbortSignal,
): Promise<readonly TriedDemand[]> {
  if (demands.length === 0) return []
  const trials = runs.flatMap((from) =>
    from.run.items.flatMap((trial): readonly FailedTrial[] => {
      const isSame = trial.itemId === id && trial.task === task && trial.agent === 'completed'
      return isSame && trial.judged === 'fail' ? [{ trial, from, failures: failuresOf(trial) }] : []
    }),
  )
  const written = await Promise.all(trials.slice(-mostOpened).map((one) => writtenBy(one, signal)))
  return demands.map((demand) => {
    const failed = trials.filter(
      ({ failures }) =>
        failures.length > 0 &&
        failures.every((text) => isWordIn(text, demand.word) || isWordIn(text, `${demand.path}:${demand.line}`)),
    ).length
    const found = written.flatMap(({ name, changes }) => {
      const word = changes === null ? undefined : otherWord(demand, changes)
      return word === undefined ? [] : [{ trial: name, word }]
    })
    return { ...demand, failed, instead: found[0] ?? null }
  })
}

function failuresOf({ verdict }: ItemResult): readonly string[] {
  const rows = verdict === null ? [] : flatten(verdict)
  return rows.flatMap(({ kind, judgment }) => {
    if (kind !== 'judge' || judgment.status !== 'fail') return []
    // A command whose tests fail fails as a whole.
    const checks = judgment.checks.filter(({ passed, name }) => !passed && name !== 'command_execution')
    return checks.length === 0 ? [judgment.reasoning] : checks.map(textOf)
  })
}

function textOf({ name, message, location }: Check): string {
  return `${name}\n${message}\n${location?.path}:${location?.line}`
}

/** The changed files of a trial by path: the text before and after. */
type Changes = ReadonlyMap<string, { readonly before: string; readonly after: string }>

/** Opens what a trial left. Without its files, nothing is known of it. */
async function writtenBy({ trial, from }: FailedTrial, signal: AbortSignal) {
  const name = `${from.run.id} ${trialText(trial)}`
  const stored = await from.context(trial, from.run, signal)
  if ('skip' in stored) return { name, changes: null }
  const { workspace, before } = stored
  const changes = new Map<string, { before: string; after: string }>()
  try {
    for (const path of await filesIn(workspace, signal)) {
      const after = await workspace.read(path, { maxBytes: mostBytes }).catch(() => '')
      const isOld = before !== undefined && (await before.exists(path))
      const old = isOld ? await before.read(path, { maxBytes: mostBytes }).catch(() => '') : ''
      if (!isOld || old !== after) changes.set(path, { before: old, after })
    }
  } finally {
    if (Symbol.asyncDispose in workspace) await (workspace as AsyncDisposable)[Symbol.asyncDispose]()
  }
  return { name, changes }
}

/** The word that a trial wrote instead of the demanded one: a new file of the same kind, or a new word with a part of it. */
function otherWord({ kind, word }: HiddenDemand, changes: Changes): string | undefined {
  const isThere = [...changes].some(([path, { after }]) => posix.basename(path) === word || isWordIn(after, word))
  if (isThere) return undefined
  if (kind === 'path') {
    const ending = posix.extname(word)
    const made = [...changes].filter(([path, { before }]) => before === '' && posix.extname(path) === ending)
    return ending === '' || made[0] === undefined ? undefined : posix.basename(made[0][0])
  }
  const parts = partsOf(word)
  for (const { before, after } of changes.values())
    for (const found of after.match(/(?:--)?[A-Za-z_][\w-]*/g) ?? [])
      if (partsOf(found).some((part) => parts.includes(part)) && !isWordIn(before, found)) return found
  return undefined
}

/** The words that a name consists of. */
function partsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [])
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 3)
}
