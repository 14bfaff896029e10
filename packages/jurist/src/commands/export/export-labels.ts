import { type LabelRow, labelRows } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import { type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { labelPass, labelsBeside, passFlags } from '../label/label-pass.js'

/** The flags for the person who fills in a sheet, and for its trials. */
export const sheetFlags = {
  by: { ...passFlags.by, help: 'with labels: a sheet for this person, with the trials to label as well' },
  sample: { ...passFlags.sample, help: 'with --by: a uniform random sample of n trials (default: all)' },
  seed: { ...passFlags.seed, help: 'with --by: the seed of --sample and of the order (default: 1)' },
} as const

type SheetFlags = FlagValues<typeof sheetFlags>

/** Reports flags without the flag that they require. */
export function checkSheetFlags(
  { by, sample, seed }: SheetFlags,
  isLabels: boolean,
  problem: (flag: string, message: string) => void,
): void {
  const given = { '--by': by, '--sample': sample, '--seed': seed }
  const [first] = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (first !== undefined && !isLabels) problem(first, `${first} needs --table labels.`)
  else if (first !== undefined && by === undefined)
    problem(first, `${first} needs --by <name>, who fills in the sheet.`)
}

/**
 * Yields the labels of each run as rows. With `by`, yields the trials for a person to label, as in `jurist label --by`.
 *
 * @throws `usage-invalid` if there are no rows
 */
export async function* labelTable(
  host: Host,
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
  sheet: SheetFlags,
): AsyncGenerator<LabelRow, void> {
  let last: ExperimentResult | undefined
  let rows = 0
  for await (const read of runs) {
    if (read.kind !== 'agent') continue
    const run = await resultWithItems(read)
    const lines = await labelsBeside(host, results, run).read()
    const flags = { ...sheet, next: undefined, stratify: undefined, item: [], queue: undefined, disagreements: false }
    const pass = sheet.by === undefined ? undefined : await labelPass(host, run, lines, flags)
    for (const row of labelRows(run, lines, pass)) {
      rows += 1
      yield row
    }
    last = run
  }
  if (rows > 0) return
  const sheetLine = commandLine('export', last?.id ?? 'RUN', '--table', 'labels', '--by', 'NAME')
  throw usageInvalid(
    '--table',
    `There are no labels to export. Make some: ${commandLine('label', last?.id ?? 'RUN')}, or a sheet to fill in: ${sheetLine}`,
  )
}
