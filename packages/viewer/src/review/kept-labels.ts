import { type LabelPass, type LabelPlace, labelFrom, passLabels } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import { semaphore } from '@jurist/kit/semaphore'

export interface GivenLabel {
  readonly itemId: string
  readonly repetition: number
  /** `null` undoes the label. */
  readonly label: Label['label']
  /** The label of this trial that the page knows, so that another tab's label is not overwritten by accident. */
  readonly replaces: Label['label']
  readonly note: string | null
  readonly categories: readonly string[]
  readonly seconds: number | null
  readonly shown: string | null
}

export interface KeptLabels {
  readonly lines: () => Promise<readonly Label[]>
  /** Appends a label, or returns the reason why not. */
  readonly keep: (given: unknown) => Promise<{ readonly status: 400 | 404 | 409; readonly message: string } | undefined>
}

/** Labels are appended one after the other, so that each sees the ones before it. */
export function keptLabels(place: LabelPlace, pass: LabelPass): KeptLabels {
  const one = semaphore(1)
  const names = new Set(pass.trials.map(trialText))
  return {
    lines: place.read,
    keep: (given) =>
      one.run(async () => {
        const label = labelOf(given, pass)
        if (typeof label === 'string') return { status: 400, message: `This is not a label: ${label}.` }
        const name = trialText(label)
        if (!names.has(name)) return { status: 404, message: `${name} is not among the trials to label.` }
        const known = passLabels(await place.read(), pass).get(name)?.label ?? null
        const { replaces = null } = given as Partial<GivenLabel>
        if (known !== replaces) return { status: 409, message: conflictText(name, known) }
        await place.append(label)
        return undefined
      }),
  }
}

function conflictText(name: string, known: Label['label']): string {
  return known === null
    ? `${name} no longer has a label: another tab undid it.`
    : `${name} is labelled already, in another tab or terminal: ${known}.`
}

/** Returns the line to append, or what is wrong. The annotator, the time and the use do not come from the page. */
function labelOf(given: unknown, { annotator, use }: LabelPass): Label | string {
  if (typeof given !== 'object' || given === null) return 'it must be an object'
  const { itemId, repetition, label, note, categories, seconds, shown } = given as Partial<GivenLabel>
  const at = new Date().toISOString()
  return labelFrom({ itemId, repetition, label, note, categories, seconds, shown, annotator, use, at })
}
