import type { Json } from '@jurist/core'
import { answerText } from '../result/answer-text.js'
import { expectedOutputOf } from '../result/expected-output.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { currentLabels, type Label } from './label.js'
import type { LabelPass } from './label-pass.js'
import { trialName } from './labelled-trials.js'

/** A label as a row of a table; `readLabels` reads it again. What a judge said is not in it. */
export type LabelRow = Readonly<Record<string, Json>>

/**
 * The labels that hold as rows, with task and answer of their trials. With `pass` the trials that one person labels, in their order, also
 * those without a label yet: a sheet to fill in.
 *
 * @param lines every line of the file
 */
export function labelRows(run: ExperimentResult, lines: readonly Label[], pass?: LabelPass): readonly LabelRow[] {
  const items = new Map(run.items.map((item) => [trialName(item), item]))
  const labels = currentLabels(lines)
  const row = (label: Unlabelled & Partial<Label>) => labelRow(run, items.get(trialName(label)), label)
  if (pass === undefined) return labels.map(row)
  const { annotator, use, trials } = pass
  const own = new Map(
    labels.flatMap((label) =>
      label.annotator === annotator && label.use === use ? [[trialName(label), label] as const] : [],
    ),
  )
  return trials.map((trial) => row(own.get(trialName(trial)) ?? { ...trial, annotator, use }))
}

type Unlabelled = Pick<Label, 'itemId' | 'repetition' | 'annotator' | 'use'>

function labelRow(run: ExperimentResult, item: ItemResult | undefined, label: Unlabelled & Partial<Label>): LabelRow {
  const { itemId, repetition, annotator, use, categories = [] } = label
  const { detail } = item ?? {}
  return {
    itemId,
    repetition,
    annotator,
    label: label.label ?? null,
    note: label.note ?? null,
    categories: categories.length === 0 ? null : categories,
    task: item?.task ?? null,
    output: answerText(detail?.kind === 'agent' ? detail.invocation.output : undefined),
    expectedOutput: answerText(item === undefined ? undefined : (expectedOutputOf(item) ?? undefined)),
    use,
    by: label.by ?? null,
    seconds: label.seconds ?? null,
    at: label.at ?? null,
    shown: label.shown ?? null,
    run: run.id,
  }
}
