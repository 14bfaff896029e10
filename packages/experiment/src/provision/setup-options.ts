import { described, type OptionDescriptions, option } from '@jurist/core/internal'

/** How the packages of a project are installed, once for all trials that need the same ones. */
export interface WorkspaceSetup {
  /** Runs in a copy of the reference, else of the starting point, on this machine and without a sandbox. */
  readonly command: string | readonly string[]
  /** Files whose contents decide what is installed, such as `package-lock.json`. */
  readonly inputs: readonly string[]
  /** The directories that the command fills, such as `node_modules`. Each workspace gets a copy. */
  readonly keeps: readonly string[]
  /** Where they are kept for later runs. Default `.jurist/setups`. */
  readonly cacheDirectory?: string
  /** Milliseconds for the command. Default 900,000. */
  readonly timeoutMs?: number
}

const commandRule = {
  wants: 'a string or a non-empty array of strings',
  holds: (value: unknown) =>
    (typeof value === 'string' && value.trim() !== '') ||
    (option.strings.holds(value) && Array.isArray(value) && value.length > 0),
  schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
}

/** What each of these options is. */
export const setupRules: OptionDescriptions<WorkspaceSetup> = {
  command: described(
    commandRule,
    'Installs the packages, such as `npm ci`. It runs on this machine, without a sandbox.',
  ),
  inputs: described(option.strings, 'Files whose contents decide what is installed.'),
  keeps: described(option.strings, 'The directories that the command fills. Each workspace gets a copy.'),
  cacheDirectory: described(option.string, 'Where they are kept for later runs. Default: `.jurist/setups`.'),
  timeoutMs: described(option.positive, 'Milliseconds.', 900_000),
}
