import { randomBytes } from 'node:crypto'
import { isPlainObject } from '@jurist/core/internal'
import {
  type BuildOptions,
  below,
  gaveWrapper,
  manifestOf,
  mayUseWrapper,
  type Prepare,
  type Prepared,
  type Site,
  type Wrapper,
} from './command-target.js'
import { mayAskNode, namesReporter, runsNodeTests } from './node-reporter.js'

type Trust = NonNullable<BuildOptions['trustWrapper']>
/** The package managers that run the scripts of a `package.json`. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn'

interface WrappedTool {
  readonly program: string
  readonly wrapper: Wrapper
  /** Flags for a run without a terminal. */
  readonly flags: readonly string[]
}
type WrappedName = 'maven' | 'gradle'
const wrapped: { readonly [tool in WrappedName]: WrappedTool } = {
  maven: {
    program: 'mvn',
    wrapper: { script: 'mvnw', parts: '.mvn/wrapper' },
    // Batch mode, and no progress of transfers.
    flags: ['-B', '-ntp'],
  },
  gradle: {
    program: 'gradle',
    wrapper: { script: 'gradlew', parts: 'gradle/wrapper' },
    flags: ['--no-daemon'],
  },
}

/**
 * Runs Maven or Gradle with the wrapper of the workspace if it may be trusted, otherwise with the tool of the machine.
 * If the agent changed the wrapper and the machine has no such tool, nothing runs: an agent must not be able to choose
 * ERROR.
 */
export function wrappedTool(tool: WrappedName, words: readonly string[], trust: Trust = 'unchanged'): Prepare {
  const { program, wrapper, flags } = wrapped[tool]
  return async (site: Site) => {
    const usesWrapper = await mayUseWrapper(site, wrapper, trust)
    const file = usesWrapper ? `./${wrapper.script}` : program
    const prepared = { command: [file, ...flags, ...words], metadata: { tool, wrapper: usesWrapper } }
    if (usesWrapper || trust === false || !(await gaveWrapper(site, wrapper)) || (await hasProgram(site, program)))
      return prepared
    return {
      ...prepared,
      missing: `${wrapper.script} is not what the agent was given, and ${program} is not installed`,
    }
  }
}

async function hasProgram({ workspace }: Site, program: string): Promise<boolean> {
  const { status, exitCode } = await workspace.run(['sh', '-c', 'command -v "$1"', 'sh', program])
  return status !== 'exited' || exitCode === 0
}

export function plainTool(tool: string, args: readonly string[]): Prepare {
  return async () => ({ command: [tool, ...args], metadata: { tool, wrapper: false } })
}

/** The command for a script of `package.json`: its name, then its arguments. */
function scriptCommand(manager: PackageManager, [script = '', ...args]: readonly string[]): readonly string[] {
  // npm keeps arguments for itself unless they come after a `--`. The others would pass the `--` on.
  const separator = manager === 'npm' && args.length > 0 ? ['--'] : []
  return [manager, 'run', script, ...separator, ...args]
}

/** Variables take precedence over a `.npmrc` of the workspace, whose `script-shell` could be anything. */
const scriptEnvironment: { readonly [name: string]: string } = { npm_config_script_shell: '/bin/sh' }

/**
 * For scripts that test: without isolation, the agent can also write the `.npmrc` of the home directory, whose
 * `node-options` could load anything.
 */
const testScriptEnvironment: { readonly [name: string]: string } = {
  ...scriptEnvironment,
  npm_config_userconfig: '/dev/null',
}

export function packageScript(manager: PackageManager, words: readonly string[]): Prepare {
  return async () => ({
    command: scriptCommand(manager, words),
    metadata: { tool: manager, wrapper: false },
    env: scriptEnvironment,
  })
}

/** A random name for the report of one run: it is unpredictable, and no leftover file has it. */
export function reportName(extension: 'json' | 'xml'): string {
  return `.jurist-test-report-${randomBytes(8).toString('hex')}.${extension}`
}

interface Reporter {
  readonly extension: 'json' | 'xml'
  readonly words: (file: string) => readonly string[]
}
const reporters: ReadonlyMap<string, Reporter> = new Map([
  ['vitest', { extension: 'json', words: (file) => ['--reporter=json', `--outputFile=${file}`] }],
  ['jest', { extension: 'json', words: (file) => ['--json', `--outputFile=${file}`] }],
  ['mocha', { extension: 'xml', words: (file) => ['--reporter=xunit', `--reporter-option=output=${file}`] }],
])

/**
 * Runs a script of `package.json`. A script that ends with Vitest, Jest or Mocha gets the options for a report file,
 * and one that runs Node gets those for TAP, unless the user names a report. A script that the agent was given counts
 * as having run no test if it is gone or no longer runs the test runner.
 */
export function testScript(manager: PackageManager, words: readonly string[], wantsReport: boolean): Prepare {
  const [name = ''] = words
  return async (site) => {
    const scripts = await packageScripts(site)
    const given = await givenScripts(site, name)
    const known = { metadata: { tool: manager, wrapper: false }, env: testScriptEnvironment }
    const script = scripts.get(name)
    if (script === undefined && given.length > 0)
      return {
        ...known,
        command: scriptCommand(manager, words),
        missing: `package.json no longer has the script "${name}"`,
      }
    const asked = wantsReport ? reportAsked(manager, words, scripts) : { command: scriptCommand(manager, words) }
    const didReport = given.some((one) => reporters.has(lastProgram(one)) || runsNodeTests(one))
    return { ...known, ...asked, demandsReport: didReport || runsNodeTests(script ?? '') }
  }
}

/** The script in the workspaces that the agent did not touch. */
async function givenScripts({ originals, cwd }: Site, name: string): Promise<readonly string[]> {
  const all = await Promise.all(originals.map((workspace) => packageScripts({ workspace, cwd })))
  return all.map((scripts) => scripts.get(name)).filter((script) => script !== undefined)
}

function reportAsked(
  manager: PackageManager,
  words: readonly string[],
  scripts: ReadonlyMap<string, string>,
): Pick<Prepared, 'command' | 'reportFile' | 'asksNode'> {
  const reporter = reporters.get(lastProgram(scripts.get(words[0] ?? '') ?? ''))
  if (reporter === undefined) {
    const all = [...scripts.values()]
    return { command: scriptCommand(manager, words), asksNode: all.some(mayAskNode) && !all.some(namesReporter) }
  }
  const reportFile = reportName(reporter.extension)
  return { command: scriptCommand(manager, [...words, ...reporter.words(reportFile)]), reportFile }
}

/** The program that receives the arguments added to a script: that of its last command. */
function lastProgram(script: string): string {
  const words =
    script
      .split(/&&|\|\||[;|]/)
      .at(-1)
      ?.trim()
      .split(/\s+/) ?? []
  const [program = '', ...others] = words.filter(
    (word) => !/^(?:\w+=.*|npx|cross-env|c8|nyc|pnpm|yarn|exec)$/.test(word),
  )
  const last = program.split('/').at(-1) ?? ''
  if (last !== 'node') return last
  // Node with the file of an installed runner counts as that runner.
  const [file = ''] = others.filter((word) => !word.startsWith('-'))
  return /node_modules\/.*?([^/]+?)(?:\.[cm]?js)?$/.exec(file)?.[1] ?? last
}

/** Reads the scripts of the `package.json` of a site. There are no scripts if the file is missing or unreadable. */
export async function packageScripts({
  workspace,
  cwd,
}: Pick<Site, 'workspace' | 'cwd'>): Promise<ReadonlyMap<string, string>> {
  const scripts = (await manifestOf(workspace, below(cwd, 'package.json')))?.['scripts']
  const all = isPlainObject(scripts) ? Object.entries(scripts) : []
  return new Map(all.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
