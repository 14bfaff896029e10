import { asText } from '@jurist/core'
import type { CalibrationResult } from '../calibrate/calibration.js'
import { decidingReason } from '../result/deciding-judge.js'
import type { ItemResult } from '../result/records.js'
import type { Label } from './label.js'
import { peopleOn } from './labelled-trials.js'

/** A trial on which a judge and the people differ, with what a reader needs to see who is right. */
export interface LabelDisagreement {
  readonly judge: string
  readonly itemId: string
  readonly repetition: number
  readonly said: 'pass' | 'fail'
  /** Why the judge says so. */
  readonly reason: string
  readonly labels: readonly Pick<Label, 'annotator' | 'label' | 'note'>[]
  /** Whether several people agree on the label, one gave it, or people differ. */
  readonly people: 'agree' | 'one' | 'differ'
  readonly task: string
  /** The beginning of what the agent answered; `null`: it answered nothing. */
  readonly output: string | null
}

const longestOutput = 2_000
const order = ['agree', 'one', 'differ'] as const

/** Where a judge differs from the label: the trials on which people agree first. */
export function labelDisagreements(
  judge: string,
  { disagreements, result }: CalibrationResult,
  trials: readonly { readonly name: string; readonly item: ItemResult }[],
  labels: ReadonlyMap<string, readonly Label[]>,
): readonly LabelDisagreement[] {
  const items = new Map(trials.map(({ name, item }) => [name, item]))
  const verdicts = new Map(result.items.map(({ itemId, verdict }) => [itemId, verdict]))
  const list = disagreements.flatMap(({ itemId: name, detail }) => {
    const item = items.get(name)
    const { status, reasoning } = detail.judgment
    if (item === undefined || (status !== 'pass' && status !== 'fail')) return []
    const verdict = verdicts.get(name) ?? null
    const own = labels.get(name) ?? []
    const answer = item.detail?.kind === 'agent' ? item.detail.invocation.output : undefined
    return {
      judge,
      itemId: item.itemId,
      repetition: item.repetition,
      said: status,
      reason: verdict === null ? reasoning : decidingReason(verdict),
      labels: own.map(({ annotator, label, note }) => ({ annotator, label, note })),
      people: peopleOn(own),
      task: item.task,
      output: answer === undefined ? null : asText(answer).slice(0, longestOutput),
    }
  })
  return list.sort((one, other) => order.indexOf(one.people) - order.indexOf(other.people))
}
