import { meanOf, standardError } from '@jurist/experiment/internal/results'
import type { InspectHeader, InspectResult } from './log-schema.js'
import type { ReadSample } from './read-samples.js'

/** A figure of a log, and the same of the samples that were read. */
export interface ComparedMetric {
  /** As scores are named: `match`, `many.a`. */
  readonly score: string
  /** Such as `accuracy`. */
  readonly metric: string
  /** What the log says; `null` for NaN. */
  readonly logged: number | null
  /** Of the samples; `undefined` for a metric that is not computed here. */
  readonly computed?: number
}

/** Whether two figures are the same but for rounding. */
export function isSame({ logged, computed }: ComparedMetric): boolean {
  return (
    computed === undefined || (logged !== null && Math.abs(logged - computed) <= 1e-9 * Math.max(1, Math.abs(logged)))
  )
}

/**
 * The accuracy, mean and standard error of each score, beside those that the log says. The epochs of a sample are reduced to
 * their mean first; samples without a number are in neither figure. The standard error is the sample standard deviation over √n,
 * and 0 for one sample, as in Inspect's `stderr`.
 */
export function comparedMetrics(
  { results, eval: { config } }: InspectHeader,
  samples: readonly ReadSample[],
): readonly ComparedMetric[] {
  const reducers = config?.epochs_reducer ?? ['mean']
  const isMean = reducers.length === 1 && reducers[0] === 'mean'
  return (results?.scores ?? []).flatMap((result) => {
    const name = nameOf(result, samples)
    const values = [...epochsOf(samples, name).values()].map(meanOf)
    return Object.entries(result.metrics ?? {}).map(([metric, { value }]): ComparedMetric => {
      const computed = isMean ? figureOf(metric, values) : undefined
      const logged = typeof value === 'number' ? value : null
      return { score: name, metric, logged, ...(computed === undefined ? {} : { computed }) }
    })
  })
}

/** Results name the parts of a score by their own name. */
function nameOf({ name, scorer }: InspectResult, samples: readonly ReadSample[]): string {
  const full = `${scorer ?? name}.${name}`
  return samples.some(({ scores }) => scores.some((one) => one.name === full)) ? full : name
}

/** The numbers of a score by the id of the sample, one for each epoch with one. */
function epochsOf(samples: readonly ReadSample[], name: string): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>()
  for (const { sample, scores } of samples) {
    const number = scores.find((one) => one.name === name)?.number
    if (number === undefined) continue
    const id = JSON.stringify(sample.id)
    numbers.set(id, [...(numbers.get(id) ?? []), number])
  }
  return numbers
}

function figureOf(metric: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  if (metric === 'accuracy' || metric === 'mean') return meanOf(values)
  return metric === 'stderr' ? (standardError(values) ?? 0) : undefined
}
