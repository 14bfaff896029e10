import { JuristError } from '@jurist/core'
import * as v from 'valibot'

/** Labels of a person for a trial. `skip` is not a judgment: it only records that the person has seen the trial. */
const labelWords = ['pass', 'fail', 'skip'] as const

/** One label: a line of `labels.jsonl`. */
export interface Label {
  readonly itemId: string
  /** Counts from 1. */
  readonly repetition: number
  /** The person who labelled; `''`: unknown. */
  readonly annotator: string
  /** `null` takes the earlier label of this annotator back. */
  readonly label: (typeof labelWords)[number] | null
  readonly note: string | null
  readonly categories: readonly string[]
  /** How long it took; `null`: unknown. */
  readonly seconds: number | null
  /** When, as ISO 8601; `null`: unknown. */
  readonly at: string | null
  /** SHA-256 of the parts of the trial that the annotator saw; `null`: unknown. */
  readonly shown: string | null
  /**
   * `certify`: from a uniform sample, so that the labels stand for the run. `explore`: from a stratified one or chosen by hand,
   * which no certificate may rest on. `next`: uniform within each verdict, more where labels help most; the estimate of a true pass rate
   * uses them, and no certificate does.
   */
  readonly use: 'certify' | 'next' | 'explore'
  /** Whether a person or a model labelled. Absent or `null`: not known. */
  readonly by?: 'people' | 'models' | null
  /** The run whose trial it is, where labels leave the directory of their run. Absent or `null`: not known. */
  readonly run?: string | null
}

const word = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const optional = <Value>(schema: v.BaseSchema<unknown, Value, v.BaseIssue<unknown>>, otherwise: Value) =>
  v.optional(schema, otherwise as never)

const labelSchema = v.object({
  itemId: word,
  repetition: optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  annotator: optional(v.string(), ''),
  label: v.nullable(v.picklist(labelWords, `must be ${labelWords.join(', ')} or null`)),
  note: optional(v.nullable(v.string()), null),
  categories: v.nullish(v.array(v.string()), []),
  seconds: optional(v.nullable(v.pipe(v.number(), v.minValue(0))), null),
  at: optional(v.nullable(v.string()), null),
  shown: optional(v.nullable(v.string()), null),
  use: optional(v.picklist(['certify', 'next', 'explore']), 'certify'),
  by: v.exactOptional(v.nullable(v.picklist(['people', 'models']))),
  run: v.exactOptional(v.nullable(v.string())),
})

/** Reads a record as a label; otherwise returns its problem. */
export function labelFrom(value: unknown): Label | string {
  const read = v.safeParse(labelSchema, value)
  if (read.success) return Object.freeze(read.output) as Label
  return read.issues.map((issue) => `${v.getDotPath(issue) ?? 'the line'} ${issue.message}`).join('; ')
}

/** The annotator and the trial of a line: a later line of the same key replaces an earlier one. */
function labelKey({ annotator, itemId, repetition }: Pick<Label, 'annotator' | 'itemId' | 'repetition'>): string {
  return JSON.stringify([annotator, itemId, repetition])
}

/**
 * The labels that hold: the last of each annotator for each trial, without those that were taken back.
 *
 * @param lines in the order of the file
 *
 * @example
 * import { currentLabels, readLabels } from '@jurist/experiment/label'
 *
 * const passes = currentLabels(await readLabels('labels.jsonl')).filter(({ label }) => label === 'pass')
 */
export function currentLabels(lines: readonly Label[]): readonly Label[] {
  const last = new Map<string, Label>()
  for (const line of lines) {
    last.delete(labelKey(line))
    last.set(labelKey(line), line)
  }
  return [...last.values()].filter(({ label }) => label !== null)
}

/** Refuses a file of labels: throws `labels-invalid` naming every line. */
export function labelsInvalid(path: string, problems: readonly string[]): never {
  const shown = problems.slice(0, 20).map((problem) => `\n  ${problem}`)
  const more = problems.length > shown.length ? `\n  and ${problems.length - shown.length} more` : ''
  throw new JuristError(
    'label-file-invalid',
    `The labels in ${path} cannot be used:${shown.join('')}${more}\nA line has itemId and label (pass, fail or skip); repetition, annotator and note are optional.`,
    { path, problems },
  )
}
