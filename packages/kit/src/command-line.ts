import { shellWord } from './shell-word.js'

/** Keyed by the name of the package manager in `npm_config_user_agent`. */
const runners: Readonly<Record<string, string>> = {
  npm: 'npx jurist',
  pnpm: 'pnpm exec jurist',
  yarn: 'yarn jurist',
  bun: 'bunx jurist',
}

/** The properties of a process that show how it was started. */
interface Started {
  readonly argv: readonly string[]
  readonly env: { readonly [name: string]: string | undefined }
}

/**
 * The words that start the command `jurist` in the same way as this process was started, for messages that propose a
 * command: `jurist` itself may not be on the `PATH`. Package managers set a variable for the programs that they run,
 * including scripts of `package.json`; `npx` starts a program below `node_modules/.bin`. Outside Node.js: `jurist`.
 *
 * @param started default: this process
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

/**
 * Formats a command line for a message, to be typed where this process was started. It begins as `calledAs`. If this
 * process is the command `jurist`, the line has the same directory, config and results, without the password of a
 * database.
 *
 * @param words the arguments of `jurist`; placeholders are in capitals, since a shell interprets `<run>`
 */
export function commandLine(...words: readonly string[]): string {
  return commandLineIn(globalThis.process, words)
}

export function commandLineIn(started: Started | undefined, words: readonly string[]): string {
  const given = Object.entries(placeOf(started?.argv ?? [])).filter(([flag]) => !words.includes(flag))
  return [calledAs(started), ...[...given.flat(), ...words].map(shellWord)].join(' ')
}

/** For text that is read elsewhere, such as a stored report: independent of how this process was started. */
export function plainCommandLine(...words: readonly string[]): string {
  return ['jurist', ...words.map(shellWord)].join(' ')
}

/** Flags that define where a command works. */
const spellings: Readonly<Record<string, string>> = {
  '-C': '-C',
  '--cwd': '-C',
  '-c': '-c',
  '--config': '-c',
  '--results': '--results',
}

/** The program of the command: a link to `bin/jurist.js`, that file, or the file it imports. */
const commandFile = /(?:^|[\\/])jurist(?:\.js|[\\/]dist[\\/]command[\\/]main\.js)?$/

/** The last occurrence of each flag counts. */
function placeOf([, file = '', ...argv]: readonly string[]): Readonly<Record<string, string>> {
  const place: { [flag: string]: string } = {}
  if (!commandFile.test(file)) return place
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  for (let at = 0; at < end; at += 1) {
    const word = argv[at] ?? ''
    const [, name = word, joined] = /^(-[Cc]|--[a-z]+(?==))=?(.+)$/.exec(word) ?? []
    const flag = Object.hasOwn(spellings, name) ? spellings[name] : undefined
    if (flag === undefined) continue
    if (joined === undefined) at += 1
    const value = joined ?? argv[at]
    if (value !== undefined) place[flag] = withoutPassword(value)
  }
  return place
}

/** Also removes the parameters of a URL. Strings that are not URLs stay unchanged. */
export function withoutPassword(text: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? []
  if (scheme === undefined) return text
  if (!URL.canParse(text)) return `${scheme}://…`
  const url = new URL(text)
  url.password = ''
  url.search = ''
  return url.href
}
