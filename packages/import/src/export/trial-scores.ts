import { createHash } from 'node:crypto'
import { asText, type Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { expectedOutputOf, trialText } from '@jurist/experiment/internal/results'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'

interface Score {
  readonly name: string
  readonly value: number
  /** The reason for the score. */
  readonly comment?: string
}

/** The data of a trial that a service receives. */
export interface TrialScores {
  readonly run: ExperimentResult
  readonly item: ItemResult
  /** `<item> #<repetition>`. */
  readonly name: string
  readonly input: string
  readonly output: string | null
  readonly expected: string | null
  /** The scores of the judges, and `passed`: 1 or 0. A trial without a decision has no `passed`. */
  readonly scores: readonly Score[]
  readonly metadata: { readonly [key: string]: Json }
  /** The id of the trace that the trial was imported from. */
  readonly traceId: string | undefined
}

/** Trials without a score are left out. */
export function trialScores(run: ExperimentResult): readonly TrialScores[] {
  return run.items.flatMap((item) => {
    const scores = scoresOf(item)
    if (scores.length === 0) return []
    const { detail, itemId, repetition } = item
    const invocation = detail?.kind === 'agent' ? detail.invocation : undefined
    const expected = expectedOutputOf(item)
    return [
      {
        ...{ run, item, scores },
        name: trialText({ itemId, repetition }),
        input: item.task,
        output: invocation?.output === undefined ? null : asText(invocation.output),
        expected: expected === null ? null : asText(expected),
        metadata: {
          ...{ experiment: run.experimentName, run: run.id, item: itemId, repetition },
          ...(run.variant === null ? {} : { variant: run.variant }),
        },
        traceId: importedTrace(invocation?.metadata),
      },
    ]
  })
}

function scoresOf({ passed, scores, verdict }: ItemResult): readonly Score[] {
  const reason = verdict?.aggregated.reasoning
  const decided: readonly Score[] =
    passed === null
      ? []
      : [{ name: 'passed', value: passed ? 1 : 0, ...(reason === undefined ? {} : { comment: reason }) }]
  return [...decided, ...Object.entries(scores).map(([name, value]) => ({ name, value }))]
}

/** Finds the last trace of a conversation that `jurist import otlp` made. */
function importedTrace(metadata: { readonly [key: string]: unknown } | undefined): string | undefined {
  const trace = metadata?.['trace']
  const id = isPlainObject(trace) ? trace['traceId'] : undefined
  // OTLP/JSON allows capital letters, but the services store small ones.
  return typeof id === 'string' ? id.toLowerCase() : undefined
}

/** Returns the same UUID for the same parts, so that an object that is sent twice is stored once. */
export function stableId(...parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  // Version 8 of RFC 9562 is for UUIDs of a custom format.
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
