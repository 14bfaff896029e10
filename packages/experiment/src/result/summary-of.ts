import type { ExperimentResult } from './records.js'
import type { Summary } from './summary.js'

/** The summary within a result, without the record. */
export function summaryOf(result: ExperimentResult): Summary {
  const { counts, passCount, failCount, passRate, passRateOfAll, passRateInterval, passAtK, flakyItems } = result
  const { scores, efficiency, usage, judgeUsage, costUsd, judgeCostUsd, unpricedTrials, agentMs, byBucket } = result
  return {
    ...{ counts, passCount, failCount, passRate, passRateOfAll, passRateInterval, passAtK, flakyItems },
    ...{ scores, efficiency, usage, judgeUsage, costUsd, judgeCostUsd, unpricedTrials, agentMs, byBucket },
  }
}
