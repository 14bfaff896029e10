/** How package managers name themselves in `npm_config_user_agent`, and how each runs a program of a project. */
const runners: Readonly<Record<string, string>> = {
  npm: 'npx jurist',
  pnpm: 'pnpm exec jurist',
  yarn: 'yarn jurist',
  bun: 'bunx jurist',
}

/** What a process knows of how it was started. */
interface Started {
  readonly argv: readonly string[]
  readonly env: { readonly [name: string]: string | undefined }
}

/**
 * The words that start the command `jurist` the way this process was started, for messages that propose a command: `jurist`
 * itself may not be on the `PATH`. A package manager names itself to what it runs, a script of `package.json` included; a
 * program below `node_modules/.bin` is the one that `npx` starts. Outside of Node: `jurist`.
 *
 * @param started default: this process
 *
 * @example
 * `Make one: ${calledAs()} init` // 'Make one: npx jurist init' in a process that npx started
 */
export function calledAs(started: Started | undefined = globalThis.process): string {
  const { argv = [], env = {} } = started ?? {}
  const [manager = ''] = (env['npm_config_user_agent'] ?? '').split('/', 1)
  const runner = Object.hasOwn(runners, manager) ? runners[manager] : undefined
  if (runner !== undefined) return runner
  const [directory] = /^.*[\\/]node_modules[\\/]\.bin(?=[\\/][^\\/]+$)/.exec(argv[1] ?? '') ?? []
  return directory === undefined || isOnPath(directory, env['PATH']) ? 'jurist' : 'npx jurist'
}

function isOnPath(directory: string, path: string | undefined): boolean {
  return (path ?? '').split(/[:;]/).some((one) => one.replace(/[\\/]$/, '') === directory)
}
