import { failureOf } from '@jurist/core/internal'
import { keepFindings } from '@jurist/experiment/internal'
import { counted, itemsOf } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { type ScanOptions, scanFigures, scanRules, scanTrial, type TrialScan } from '@jurist/experiment/scan'
import { commandLine } from '@jurist/kit/command-line'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import { type Results, runDirectory } from '../../command-kit/results-store.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { configInvalid } from '../../config/problems.js'
import { startingDirectories } from '../show/show.js'
import { scannedTrial } from './scanned-trial.js'

/** The names of the rules. */
export const ruleNames: readonly string[] = scanRules.map(({ name }) => name)

export function unknownRule(name: string): string {
  return `There is no rule "${name}".${didYouMean(name, ruleNames)} List them: ${commandLine('scan', '--list')}`
}

/**
 * The rules and allowances of a config; those of Jurist without a config.
 *
 * @throws `config-invalid` for an unknown rule
 */
export function configuredScan(loaded: LoadedConfig | undefined): Required<ScanOptions> {
  const scan = loaded?.config.scan
  const { without = [], allow = [] } = typeof scan === 'object' ? scan : {}
  const named = [
    ...without.map((name, index) => ({ name, path: `scan.without.${index}` })),
    ...allow.map(({ rule: name }, index) => ({ name, path: `scan.allow.${index}.rule` })),
  ]
  const unknown = named.filter(({ name }) => !ruleNames.includes(name))
  if (unknown.length > 0)
    throw configInvalid(
      loaded?.file ?? '',
      unknown.map(({ name, path }) => ({ path, problem: unknownRule(name), remedy: '' })),
    )
  return { rules: scanRules.filter(({ name }) => !without.includes(name)), allow }
}

/** Scans trials of a run one after the other. */
export async function scannedItems(
  host: Host,
  { results, run, isOwn }: { readonly results: Results; readonly run: RunResult; readonly isOwn: boolean },
  items: readonly ItemResult[],
  options: ScanOptions,
): Promise<readonly TrialScan[]> {
  const place = { run, results, datasets: await startingDirectories(host, isOwn ? run : undefined, []) }
  const scans: TrialScan[] = []
  for (const item of items) scans.push(scanTrial(await scannedTrial(place, item), options))
  return scans
}

/** Keeps the findings of a whole run beside it. Results that can only be read are scanned too. */
export async function keepRunFindings(
  host: Host,
  results: Results,
  run: RunResult,
  scans: readonly TrialScan[],
): Promise<void> {
  const directory = runDirectory(results, run)
  if (directory === undefined) return
  await keepFindings(directory, scans).catch((thrown: unknown) =>
    host.note(`The findings were not kept: ${safeLine(failureOf(thrown).message)}`),
  )
}

/** Scans runs that have just ended, as the config asks for. A scan that fails is a notice, and no failure of the run. */
export async function scanFinished(
  host: Host,
  results: Results,
  runs: readonly RunResult[],
  options: ScanOptions,
): Promise<void> {
  for (const run of runs) {
    try {
      const scans = await scannedItems(host, { results, run, isOwn: true }, await itemsOf(run), options)
      await keepRunFindings(host, results, run, scans)
      const { suspectPasses, passes } = scanFigures(scans)
      if (suspectPasses > 0)
        host.note(
          `scan: ${suspectPasses} of ${counted(passes, 'pass', 'passes')} ${suspectPasses === 1 ? 'is' : 'are'} suspect: ${commandLine('scan', run.id)}`,
        )
    } catch (thrown) {
      host.note(`scan: run ${run.id} could not be scanned: ${safeLine(failureOf(thrown).message)}`)
    }
  }
}
