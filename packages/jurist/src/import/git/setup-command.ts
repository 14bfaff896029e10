import { splitWords } from './words.js'

/** How the packages of a project are installed, as the config says it. */
export interface SetupCommand {
  readonly command: string | readonly string[]
  readonly inputs: readonly string[]
  readonly keeps: readonly string[]
}

/** What installs the packages that a lock file lists. */
const installers: Readonly<Record<string, string>> = {
  'package-lock.json': 'npm ci --no-audit --no-fund',
  'npm-shrinkwrap.json': 'npm ci --no-audit --no-fund',
  'pnpm-lock.yaml': 'pnpm install --frozen-lockfile',
  'yarn.lock': 'yarn install --frozen-lockfile',
}

/** Files that decide what is installed, where the caller names a command of his own. */
const usualInputs: readonly string[] = [
  'package.json',
  ...Object.keys(installers),
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'requirements-dev.txt',
  'poetry.lock',
  'uv.lock',
]

/**
 * The setup of a project.
 *
 * @param given the command of the caller; `none`: no setup; `undefined`: the usual one, by the files at the root
 * @returns `undefined` if nothing has to be installed
 */
export function setupCommand(
  given: string | undefined,
  keeps: readonly string[],
  paths: ReadonlySet<string>,
): SetupCommand | undefined {
  if (given === 'none') return undefined
  if (given !== undefined)
    return {
      command: splitWords(given) ?? given,
      inputs: usualInputs.filter((path) => paths.has(path)),
      keeps: keeps.length > 0 ? keeps : [paths.has('package.json') ? 'node_modules' : '.venv'],
    }
  const [lock, line] = Object.entries(installers).find(([path]) => paths.has(path)) ?? []
  if (lock === undefined || line === undefined) return undefined
  return {
    command: splitWords(line) ?? line,
    inputs: ['package.json', lock],
    keeps: keeps.length > 0 ? keeps : ['node_modules'],
  }
}
