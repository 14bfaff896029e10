import type { ExperimentResult } from '../result/records.js'
import { undecidedJudges } from '../result/undecided-judges.js'
import { itemKeys, runKeys } from '../store/record-schemas.js'
import { summaryKeys } from './result-schema.js'

/**
 * A run with its summary as JSON. The keys are always in the same order, so equal results give the same bytes. The package's
 * file `schema/result.schema.json` describes the format.
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { jsonReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await writeFile('result.json', jsonReport(aResult()))
 */
export function jsonReport(result: ExperimentResult): string {
  const run = pick(result, [...runKeys, ...summaryKeys])
  const items = result.items.map((item) => pick(item, itemKeys))
  return `${JSON.stringify({ ...run, undecidedJudges: undecidedJudges(result), items }, null, 2)}\n`
}

function pick<Value extends object>(value: Value, keys: readonly (keyof Value)[]): Partial<Value> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Partial<Value>
}
