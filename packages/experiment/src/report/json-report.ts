import type { ExperimentResult } from '../result/records.js'
import { undecidedJudges } from '../result/undecided-judges.js'
import type { KeptScan } from '../scan/finding-text.js'
import { runScan } from '../scan/run-scan.js'
import { itemKeys, runKeys } from '../store/record-schemas.js'
import { summaryKeys } from './result-schema.js'

/**
 * A run with its summary as JSON. The keys are always in the same order, so equal results give the same bytes. The package's
 * file `schema/result.schema.json` describes the format.
 *
 * @param kept what a scan of the run has kept: the report then has both pass rates and the findings as `scan`
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { jsonReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await writeFile('result.json', jsonReport(aResult()))
 */
export function jsonReport(result: ExperimentResult, kept?: KeptScan): string {
  const run = pick(result, [...runKeys, ...summaryKeys])
  const scan = kept === undefined ? {} : { scan: runScan(result, kept) }
  const items = result.items.map((item) => pick(item, itemKeys))
  return `${JSON.stringify({ ...run, undecidedJudges: undecidedJudges(result), ...scan, items }, null, 2)}\n`
}

function pick<Value extends object>(value: Value, keys: readonly (keyof Value)[]): Partial<Value> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Partial<Value>
}
