import type { JsonObject } from '@jurist/core'
import { amount, count, listOf, mapOf, objectOf, orNull, rate, ref, text } from './schema-parts.js'

const agentOutcomes = ['completed', 'timeout', 'error', 'setup-error', 'cancelled']
const judgedOutcomes = ['pass', 'fail', 'abstain', 'error', 'not-judged']
const counted = (names: readonly string[]) => objectOf(Object.fromEntries(names.map((name) => [name, count])))

/** Parts of a summary. */
export const summarySchemas: { readonly [name: string]: JsonObject } = {
  interval: objectOf({ low: amount, high: amount, level: rate, method: text }),
  scoreSummary: objectOf({
    n: count,
    missing: count,
    mean: amount,
    min: amount,
    max: amount,
    standardError: orNull(amount),
  }),
  counts: objectOf({
    planned: count,
    run: count,
    notRun: count,
    passes: count,
    fails: count,
    undecided: count,
    decided: count,
    agent: counted(agentOutcomes),
    judged: counted(judgedOutcomes),
    infrastructureFailures: count,
  }),
}

/** What follows from the items of a run. */
export const summaryProperties: { readonly [name: string]: JsonObject } = {
  counts: ref('counts'),
  passCount: count,
  failCount: count,
  passRate: orNull(rate),
  passRateOfAll: orNull(rate),
  passRateInterval: orNull(ref('interval')),
  passAtK: listOf(objectOf({ k: count, passAtK: rate, passHatK: rate, items: count })),
  flakyItems: listOf(text),
  scores: mapOf(ref('scoreSummary')),
  efficiency: mapOf(ref('scoreSummary')),
  usage: orNull(ref('usage')),
  judgeUsage: orNull(ref('usage')),
  costUsd: orNull(amount),
  judgeCostUsd: orNull(amount),
  unpricedTrials: count,
  agentMs: orNull(objectOf({ total: amount, mean: amount, median: amount, p95: amount })),
  byBucket: mapOf(objectOf({ counts: ref('counts'), passRate: orNull(rate) })),
}
