import { randomBytes } from 'node:crypto'
import { JuristError, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import {
  type BuildOptions,
  below,
  gaveWrapper,
  mayUseWrapper,
  type Prepare,
  type Prepared,
  type Site,
  type Wrapper,
} from './command-target.js'
import { mayAskNode, namesReporter, runsNodeTests } from './node-reporter.js'

type Trust = NonNullable<BuildOptions['trustWrapper']>
/** The managers that run the scripts of a `package.json`. */
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
    // Batch mode, and no lines of progress while something is transferred.
    flags: ['-B', '-ntp'],
  },
  gradle: {
    program: 'gradle',
    wrapper: { script: 'gradlew', parts: 'gradle/wrapper' },
    flags: ['--no-daemon'],
  },
}

/**
 * Maven or Gradle, by the wrapper of the workspace if it may be trusted, else by the tool of the machine. An agent that
 * changed the wrapper where the machine has no such tool must not be able to choose ERROR: nothing is run.
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

/** A program of the machine with arguments. */
export function plainTool(tool: string, args: readonly string[]): Prepare {
  return async () => ({ command: [tool, ...args], metadata: { tool, wrapper: false } })
}

/** The words that run a script of `package.json`: its name, then arguments for it. */
function scriptCommand(manager: PackageManager, [script = '', ...args]: readonly string[]): readonly string[] {
  // npm takes arguments for itself unless they come after a `--`; the others would pass the `--` on.
  const separator = manager === 'npm' && args.length > 0 ? ['--'] : []
  return [manager, 'run', script, ...separator, ...args]
}

/** Variables outrank a `.npmrc` of the workspace, whose `script-shell` could be anything. */
const scriptEnvironment: { readonly [name: string]: string } = { npm_config_script_shell: '/bin/sh' }

/**
 * For scripts that test: without isolation the agent can write to the `.npmrc` of the home directory, too, whose
 * `node-options` could load anything.
 */
const testScriptEnvironment: { readonly [name: string]: string } = {
  ...scriptEnvironment,
  npm_config_userconfig: '/dev/null',
}

/** A script of `package.json`. */
export function packageScript(manager: PackageManager, words: readonly string[]): Prepare {
  return async () => ({
    command: scriptCommand(manager, words),
    metadata: { tool: manager, wrapper: false },
    env: scriptEnvironment,
  })
}

/** A random name for the report of one run: it cannot be predicted, and no leftover file has it. */
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
 * A script of `package.json`. One that ends with Vitest, Jest or Mocha is asked for a report file, one that runs Node for
 * its TAP; a report that the user names is left to the user. A script that the agent was given and that is gone, or that
 * no longer runs the test runner, ran no test.
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

/** The program that gets the arguments added to a script: that of its last command. */
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
  // Node with the file of an installed runner is that runner.
  const [file = ''] = others.filter((word) => !word.startsWith('-'))
  return /node_modules\/.*?([^/]+?)(?:\.[cm]?js)?$/.exec(file)?.[1] ?? last
}

/** The scripts of the `package.json` of a site; none when there is no such file, or none that can be read. */
export async function packageScripts({
  workspace,
  cwd,
}: Pick<Site, 'workspace' | 'cwd'>): Promise<ReadonlyMap<string, string>> {
  const scripts = scriptsIn(await textOf(workspace, below(cwd, 'package.json')))
  return new Map(Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

async function textOf(workspace: Workspace, path: string): Promise<string> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    // The agent may have left anything here; anything but a readable file has no scripts.
    if (thrown instanceof JuristError) return ''
    throw thrown
  }
}

function scriptsIn(text: string): { readonly [name: string]: unknown } {
  try {
    const { scripts } = JSON.parse(text) ?? {}
    return isPlainObject(scripts) ? scripts : {}
  } catch {
    return {}
  }
}
