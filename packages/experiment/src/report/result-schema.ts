import * as v from 'valibot'
import { agentOutcomes, judgedOutcomes, type Summary } from '../result/summary.js'
import type { UndecidedJudge } from '../result/undecided-judges.js'
import { findingFields, headFields } from '../scan/findings-schema.js'
import type { RunScan, ScanFigures } from '../scan/run-scan.js'
import { itemSchema, runFields } from '../store/record-schemas.js'
import { amount, count, rate, text, usageSchema } from '../store/verdict-schemas.js'

// Apart from `jsonReport`, since published types need no schema library.

const counts = v.object({
  planned: count,
  run: count,
  notRun: count,
  passes: count,
  fails: count,
  undecided: count,
  decided: count,
  agent: v.object(v.entriesFromList(agentOutcomes, count)),
  judged: v.object(v.entriesFromList(judgedOutcomes, count)),
  infrastructureFailures: count,
})

const interval = v.object({ low: amount, high: amount, level: rate, method: text })

const scoreSummary = v.object({
  n: count,
  missing: count,
  mean: amount,
  min: amount,
  max: amount,
  standardError: v.nullable(amount),
})

const summary: { readonly [key in keyof Summary]: v.GenericSchema } = {
  counts,
  quarantined: v.nullable(
    v.object({ items: count, trials: count, passes: count, decided: count, passRateWithThem: v.nullable(rate) }),
  ),
  passCount: count,
  failCount: count,
  passRate: v.nullable(rate),
  passRateOfAll: v.nullable(rate),
  passRateInterval: v.nullable(interval),
  passAtK: v.array(v.object({ k: count, passAtK: rate, passHatK: rate, items: count })),
  flakyItems: v.array(text),
  scores: v.record(text, scoreSummary),
  efficiency: v.record(text, scoreSummary),
  usage: v.nullable(usageSchema),
  judgeUsage: v.nullable(usageSchema),
  costUsd: v.nullable(amount),
  judgeCostUsd: v.nullable(amount),
  userFaults: v.nullable(
    v.object({ trials: count, atFault: count, interval, byName: v.record(text, count), unaudited: count }),
  ),
  userUsage: v.nullable(usageSchema),
  userCostUsd: v.nullable(amount),
  unpricedTrials: count,
  agentMs: v.nullable(v.object({ total: amount, mean: amount, median: amount, p95: amount })),
  byBucket: v.record(text, v.object({ counts, passRate: v.nullable(rate) })),
}

const undecidedJudge = v.object({
  path: text,
  asked: count,
  decided: count,
  abstained: count,
  errors: count,
  reason: text,
  remedy: text,
  isAllowed: v.boolean(),
} satisfies { readonly [key in keyof UndecidedJudge]: v.GenericSchema })

const rates = { passRate: v.nullable(rate), passRateInterval: v.nullable(interval) }
const level = v.picklist(['suspect', 'attempt', 'note'])

const scan = v.object({
  ...headFields,
  findings: v.array(v.object({ ...findingFields, settled: v.boolean() })),
  ...rates,
  figures: v.object({
    trials: count,
    decided: count,
    passes: count,
    suspectPasses: count,
    unseenPasses: count,
    settled: count,
    notScanned: count,
    partlyScanned: count,
  } satisfies { readonly [key in keyof ScanFigures]: v.GenericSchema }),
  withoutSuspects: v.object(rates),
  rules: v.array(v.object({ rule: text, level, trials: count, passes: count, failed: count, example: text })),
} satisfies { readonly [key in keyof RunScan]: v.GenericSchema })

/** The fields of a summary, in the order of reports. */
export const summaryKeys: readonly (keyof Summary)[] = Object.keys(summary) as (keyof Summary)[]

/** The output of `jsonReport`. `schema/result.schema.json` is generated from it. */
export const resultSchema: v.GenericSchema = v.object({
  ...runFields,
  ...summary,
  undecidedJudges: v.array(undecidedJudge),
  scan: v.optional(scan),
  items: v.array(itemSchema),
})
