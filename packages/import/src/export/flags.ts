import { type FlagValues, flag, oneOf, text, toggle } from '@jurist/experiment/plugin'
import { type ScoreServiceName, scoreServices } from './score-services.js'

export const harborExportFlags = {
  dataset: flag('--dataset <dir>', 'with harbor: the dataset (default: that of the only experiment)', text),
  image: flag('--image <name>', 'with harbor: the image of the tasks (default: one with the tool of the tests)', text),
  setup: flag('--setup <line>', 'with harbor: a line that each Dockerfile runs, such as "npm ci"', text),
} as const

export function checkHarborFlags(
  given: FlagValues<typeof harborExportFlags> & { readonly [name: string]: unknown },
  runs: readonly string[],
  problem: (flag: string, message: string) => void,
): void {
  const { format, output } = given
  if (format !== 'harbor') {
    for (const name of ['dataset', 'image', 'setup'])
      if (given[name] !== undefined) problem(`--${name}`, `--${name} needs --format harbor.`)
    return
  }
  if (output === undefined) problem('--output', 'Name the directory to make with --output.')
  if (runs.length > 0) problem('run', 'A dataset is exported, not a run: leave the runs out, or name --dataset.')
  for (const name of ['table', 'session', 'sweep', 'since', 'to', 'by', 'sample'])
    if (given[name] !== undefined)
      problem(`--${name}`, `--${name} selects of runs, and --format harbor writes a dataset.`)
}

const names = Object.keys(scoreServices) as readonly ScoreServiceName[]

export const scoreFlags = {
  to: flag('--to <service>', `send the scores to ${names.join(', ')}; keys come from the environment`, oneOf(names)),
  project: flag(
    '--project <name>',
    'with --to: the project of langsmith and braintrust (default: the experiment)',
    text,
  ),
  dryRun: toggle('--dry-run', 'with --to: print the requests, one per line, and send nothing'),
} as const

export function checkScoreFlags(
  { to, project, dryRun, ...others }: FlagValues<typeof scoreFlags> & { readonly [name: string]: unknown },
  problem: (flag: string, message: string) => void,
): void {
  if (to === undefined && project !== undefined) problem('--project', '--project needs --to <service>.')
  if (to === undefined && dryRun) problem('--dry-run', '--dry-run needs --to <service>.')
  if (to === undefined) return
  for (const name of ['table', 'format', 'output'])
    if (others[name] !== undefined) problem(`--${name}`, `--to sends scores, and writes no file: leave --${name} out.`)
}
