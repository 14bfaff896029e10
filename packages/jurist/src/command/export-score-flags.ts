import { type ScoreServiceName, scoreServices } from '../export/services.js'
import { type FlagValues, flag, oneOf, text, toggle } from './flags.js'

const names = Object.keys(scoreServices) as readonly ScoreServiceName[]

/** Where scores are sent instead of a file. */
export const scoreFlags = {
  to: flag('--to <service>', `send the scores to ${names.join(', ')}; keys come from the environment`, oneOf(names)),
  project: flag(
    '--project <name>',
    'with --to: the project of langsmith and braintrust (default: the experiment)',
    text,
  ),
  dryRun: toggle('--dry-run', 'with --to: print what would be sent, a request a line'),
} as const

/** Says which of the flags miss what they go with. */
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
