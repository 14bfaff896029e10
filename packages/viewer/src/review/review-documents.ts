import type { Turn } from '@jurist/core'
import {
  type LabelPass,
  type PassProgress,
  passProgress,
  type ShownTrial,
  shownTrial,
} from '@jurist/experiment/internal'
import { hadWorkspace } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { comparedDirectories, type ReadableDirectories, unifiedChanges } from '../files/changes.js'

/** The progress of one person's labels. Nothing in it comes from a judge. */
export interface ReviewDocument {
  readonly run: string
  readonly experimentName: string
  readonly variant: string | null
  readonly annotator: string
  readonly use: Label['use']
  readonly progress: PassProgress
  /** The categories of all labels so far, the most used first. */
  readonly categories: readonly string[]
}

const mostCategories = 9

export function reviewDocument(run: RunResult, lines: readonly Label[], pass: LabelPass): ReviewDocument {
  const { id, experimentName, variant } = run
  const uses = new Map<string, number>()
  for (const category of lines.flatMap(({ categories }) => categories))
    uses.set(category, (uses.get(category) ?? 0) + 1)
  const categories = [...uses].sort(([, one], [, other]) => other - one).map(([category]) => category)
  return {
    run: id,
    experimentName,
    variant,
    annotator: pass.annotator,
    use: pass.use,
    progress: passProgress(lines, pass),
    categories: categories.slice(0, mostCategories),
  }
}

/** A trial as the page shows it before the label. The page requests the changes and the journal separately. */
export interface ReviewTrial extends Omit<ShownTrial, 'changes'> {
  /** The messages of a conversation; empty without one. */
  readonly turns: readonly Turn[]
  readonly hasChanges: boolean
  readonly hasJournal: boolean
}

/** How many files are compared for the hash: as many as in the terminal. */
const maxFiles = 200

export async function reviewTrial(
  directories: ReadableDirectories,
  run: RunResult,
  trial: ItemResult,
): Promise<ReviewTrial> {
  const { changes, ...shown } = shownTrial(trial, await changesOf(directories, run, trial))
  const turns = trial.detail?.kind === 'agent' ? (trial.detail.invocation.turns ?? []) : []
  return { ...shown, turns, hasChanges: changes !== null, hasJournal: trial.journalPath !== null }
}

async function changesOf(directories: ReadableDirectories, run: RunResult, trial: ItemResult) {
  if (!hadWorkspace(trial)) return null
  const compared = await comparedDirectories(directories, run, trial, 'before')
  return 'state' in compared ? compared.reason : unifiedChanges(compared, maxFiles)
}
