import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import { type RejudgeContext, storedContext } from '@jurist/experiment/rejudge'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { LoadedConfig } from '../config/load-config.js'
import { usageInvalid } from '../config/problems.js'
import { findRun, resultsHolding } from './find-run.js'
import { defined, type FlagValues, flag, text } from './flags.js'
import type { Host } from './host.js'
import { experimentOf, judgesOfItems } from './rejudge.js'
import type { Results } from './results-store.js'
import { workspacesFlag } from './workspaces-flag.js'

/** Where the labelled trials are, and what judges see of them. */
export const labelledRunFlags = {
  labels: flag('--labels <file>', 'with --run: labels as .jsonl or .csv (default: those beside the run)', text),
  workspaces: { ...workspacesFlag, help: `with --run: ${workspacesFlag.help}` },
} as const

/** Refuses these flags without `--run`. */
export function checkLabelledRun(
  { run, labels, workspaces }: FlagValues<typeof labelledRunFlags> & { readonly run: string | undefined },
  problem: (flag: string, message: string) => void,
): void {
  if (run !== undefined) return
  if (labels !== undefined) problem('--labels', '--labels needs --run <run>, the run whose trials were labelled.')
  if (workspaces !== 'copy') problem('--workspaces', '--workspaces needs --run <run>, the run whose trials are judged.')
}

/** A stored run with the labels of its trials. */
export interface LabelledRun {
  readonly run: ExperimentResult
  /** The lines of the file. */
  readonly labels: readonly Label[]
  /** How the stored trials are opened again: as `jurist rejudge` does. */
  readonly context: (loaded: LoadedConfig) => Promise<RejudgeContext>
}

/**
 * Finds a run, and its labels: in a file, or beside the run.
 *
 * @throws `usage-invalid` where there is no such run or no label, `label-file-invalid`
 */
export async function labelledRunOf(
  host: Host,
  own: Results,
  { run: name, labels: file, workspaces }: FlagValues<typeof labelledRunFlags> & { readonly run: string },
): Promise<LabelledRun> {
  const results = await resultsHolding(own, name, host.cwd)
  const run = await resultWithItems(await findRun(results, name, host.cwd, ['agent']))
  const labels = await labelsOf(host, results, run, file)
  return { run, labels, context: (loaded) => contextOf(loaded, run, { results, workspaces }) }
}

async function labelsOf(
  host: Host,
  results: Results,
  run: ExperimentResult,
  file: string | undefined,
): Promise<readonly Label[]> {
  const { id } = run
  const { labelFile, labelsBeside } = await import('./label-pass.js')
  if (file !== undefined) {
    const path = resolve(host.cwd, file)
    if (existsSync(path)) return await labelFile(host.cwd, path).read()
    throw usageInvalid('--labels', `${path} does not exist. Make labels: jurist label ${id}`)
  }
  const labels = await labelsBeside(host, results, run).read()
  if (labels.length > 0) return labels
  throw usageInvalid(
    '--labels',
    `Run ${id} has no labels. Make some: jurist label ${id}, or name a file: --labels <file>`,
  )
}

async function contextOf(
  loaded: LoadedConfig,
  run: ExperimentResult,
  { results, workspaces }: { readonly results: Results } & Pick<FlagValues<typeof labelledRunFlags>, 'workspaces'>,
): Promise<RejudgeContext> {
  const { provision, datasetDirectory } = judgesOfItems(loaded, await experimentOf(loaded, run)) ?? {}
  const resultsDirectory = await results.filesOf(run)
  return storedContext(defined({ resultsDirectory, workspaces, provision, datasetDirectory }))
}
