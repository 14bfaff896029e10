import { createHash } from 'node:crypto'
import { type AgentOutput, asText, type Json } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { quantile } from '../result/statistics/descriptive.js'
import { trialText } from '../result/trial-figures.js'
import type { PromptChange } from '../result/trial-prompt.js'
import { answerText, expectedOutputOf, outputOf, sourcesOf } from '../result/trial-texts.js'
import { currentLabels, type Label } from './label.js'
import { type AnnotatorPair, labelAgreement } from './label-agreement.js'
import type { LabelledTrial } from './label-sample.js'

/** The trials that one person labels, in a terminal or in the page. */
export interface LabelPass {
  readonly annotator: string
  readonly use: Label['use']
  /** In the order in which they are labelled. */
  readonly trials: readonly LabelledTrial[]
  /** Items that are labelled again: this person's lines before `from` do not count for them. */
  readonly again: readonly string[]
  /** How many lines the file had when the pass began. */
  readonly from: number
}

export interface PassProgress {
  readonly total: number
  readonly counts: Readonly<Record<'pass' | 'fail' | 'skip', number>>
  /** `null`: every trial is labelled. */
  readonly next: LabelledTrial | null
  /** The label that this person gave last within the pass, which an undo takes back. */
  readonly last: Label | null
  /** The median time of a label; `null`: no time is known. */
  readonly secondsEach: number | null
  /** The agreement of this person with each other one. */
  readonly pairs: readonly AnnotatorPair[]
}

/**
 * The labels of a pass by the names of its trials, the last one last.
 *
 * @param lines every line of the file, also of other people
 */
export function passLabels(lines: readonly Label[], pass: LabelPass): ReadonlyMap<string, Label> {
  const names = new Set(pass.trials.map(trialText))
  const own = countedLines(lines, pass).filter(({ annotator }) => annotator === pass.annotator)
  const labels = currentLabels(own).filter((label) => names.has(trialText(label)))
  return new Map(labels.map((label) => [trialText(label), label]))
}

/** The progress of a pass, from every line of the file. */
export function passProgress(lines: readonly Label[], pass: LabelPass): PassProgress {
  const labels = passLabels(lines, pass)
  const given = [...labels.values()]
  const count = (word: Label['label']) => given.filter(({ label }) => label === word).length
  return {
    total: pass.trials.length,
    counts: { pass: count('pass'), fail: count('fail'), skip: count('skip') },
    next: nextOf(labels, pass),
    last: given.at(-1) ?? null,
    secondsEach: medianSeconds(given),
    pairs: labelAgreement(countedLines(lines, pass)).pairs.filter(({ annotators }) =>
      annotators.includes(pass.annotator),
    ),
  }
}

/** Uses only the name of the trial: a longer record may contain its verdict, which no person may see before labelling. */
function nextOf(labels: ReadonlyMap<string, Label>, { trials }: LabelPass): LabelledTrial | null {
  const next = trials.find((trial) => !labels.has(trialText(trial)))
  return next === undefined ? null : { itemId: next.itemId, repetition: next.repetition }
}

function medianSeconds(labels: readonly Label[]): number | null {
  const seconds = labels.flatMap((label) => label.seconds ?? []).sort((one, other) => one - other)
  return seconds.length === 0 ? null : quantile(seconds, 0.5)
}

/**
 * A uniform pass asks again for trials that its person labelled in a chosen sample: without these trials it would not be
 * uniform.
 */
function countedLines(lines: readonly Label[], { annotator, use, again, from }: LabelPass): readonly Label[] {
  return lines.filter((line, index) => {
    if (line.annotator !== annotator) return true
    if (use === 'explore') return index >= from || !again.includes(line.itemId)
    return line.use === 'certify' || (use === 'next' && line.use === 'next')
  })
}

/** A label as a row of a table, which `readLabels` accepts. It does not contain the judgment. */
export type LabelRow = Readonly<Record<string, Json>>

/**
 * The labels that hold as rows, with task, sources and answer of their trials. With `pass` the trials that one person labels, in their order, also
 * those without a label yet: a sheet to fill in.
 *
 * @param lines every line of the file
 */
export function labelRows(run: ExperimentResult, lines: readonly Label[], pass?: LabelPass): readonly LabelRow[] {
  const items = new Map(run.items.map((item) => [trialText(item), item]))
  const labels = currentLabels(lines)
  const row = (label: Unlabelled & Partial<Label>) => labelRow(run, items.get(trialText(label)), label)
  if (pass === undefined) return labels.map(row)
  const { annotator, use, trials } = pass
  const own = new Map(
    labels.flatMap((label) =>
      label.annotator === annotator && label.use === use ? [[trialText(label), label] as const] : [],
    ),
  )
  return trials.map((trial) => row(own.get(trialText(trial)) ?? { ...trial, annotator, use }))
}

type Unlabelled = Pick<Label, 'itemId' | 'repetition' | 'annotator' | 'use'>

function labelRow(run: ExperimentResult, item: ItemResult | undefined, label: Unlabelled & Partial<Label>): LabelRow {
  const { itemId, repetition, annotator, use, categories = [] } = label
  return {
    itemId,
    repetition,
    annotator,
    label: label.label ?? null,
    note: label.note ?? null,
    categories: categories.length === 0 ? null : categories,
    task: item?.task ?? null,
    sources: item === undefined || sourcesOf(item).length === 0 ? null : sourcesOf(item),
    output: item === undefined ? null : answerText(outputOf(item)),
    expectedOutput: answerText(item === undefined ? undefined : (expectedOutputOf(item) ?? undefined)),
    use,
    by: label.by ?? null,
    seconds: label.seconds ?? null,
    at: label.at ?? null,
    shown: label.shown ?? null,
    run: run.id,
  }
}

/** The parts of a trial that a person sees before labelling it: never a judgment. */
export interface ShownTrial<Change extends PromptChange = PromptChange> {
  readonly itemId: string
  readonly repetition: number
  readonly task: string
  readonly sources: readonly string[]
  /** `null`: the item has no right answer. */
  readonly expected: AgentOutput | null
  /** `null`: the agent returned no output. */
  readonly output: AgentOutput | null
  /** The changed files, or why they are unknown; `null`: the trial has no workspace. */
  readonly changes: readonly Change[] | string | null
  /** SHA-256 of all of this. */
  readonly hash: string
}

export function shownTrial<Change extends PromptChange>(
  trial: ItemResult,
  changes: ShownTrial<Change>['changes'],
): ShownTrial<Change> {
  const { itemId, repetition, task } = trial
  const output = outputOf(trial) ?? null
  const [expected, sources] = [expectedOutputOf(trial), sourcesOf(trial)]
  const text = (value: AgentOutput | null) => (value === null ? null : asText(value))
  const lines = Array.isArray(changes) ? changes.map((change: Change) => [change.path, change.lines]) : changes
  const hash = createHash('sha256')
    .update(
      JSON.stringify({
        itemId,
        repetition,
        task,
        expected: text(expected),
        output: text(output),
        changes: lines,
        ...(sources.length > 0 && { sources }),
      }),
    )
    .digest('hex')
  return Object.freeze({ itemId, repetition, task, sources, expected, output, changes, hash })
}
