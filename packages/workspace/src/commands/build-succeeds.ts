import {
  abstain,
  fail,
  type Judge,
  type Judgment,
  type JudgmentContext,
  pass,
  type Workspace,
  withInfo,
} from '@jurist/core'
import { checkOptions, describeJudge, giveInfo, normalizePath, optionInvalid } from '@jurist/core/internal'
import { type PackageManager, packageScript, packageScripts, plainTool, wrappedTool } from './build-tools.js'
import { checkedCommand, displayed, evidenceOf, splitArguments, type WordOrOptions } from './command-evidence.js'
import {
  type BuildOptions,
  below,
  buildRules,
  defaultTimeoutMs,
  isFile,
  judgeByTool,
  type Prepare,
  type Prepared,
  type Site,
  type ToolDescription,
  toolOptions,
} from './command-target.js'
import { runningAgain, withEnvironment } from './environment-problem.js'
import { withFirstErrorLine } from './first-error-line.js'

type Factory = (...given: readonly WordOrOptions<BuildOptions>[]) => Judge

/** Judges that pass when the workspace builds. Arguments go to the tool unchanged, never through a shell. */
export interface BuildSucceeds {
  /** Runs Maven goals, with `./mvnw` if it exists. Requires at least one goal. */
  maven(...goals: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs Gradle tasks, with `./gradlew` if it exists. Requires at least one task. */
  gradle(...tasks: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs a script of `package.json`, by default `build`. Further strings are arguments for the script. */
  npm(...script: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Like `npm`, with pnpm. */
  pnpm(...script: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Like `npm`, with Yarn. */
  yarn(...script: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs Cargo. Default: `cargo build`. */
  cargo(...args: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs Go. Default: `go build ./...`. */
  go(...args: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs make. Default: the first target of the makefile. */
  make(...targets: readonly WordOrOptions<BuildOptions>[]): Judge
  /** Runs any command. A string runs as a shell line. */
  command(command: string | readonly string[], options?: BuildOptions): Judge
  /**
   * Detects the build tool from the files: Maven, Gradle, a `build` script of `package.json`, Cargo, Go, make, in this
   * order. Abstains if none of them fits.
   */
  detect(options?: BuildOptions): Judge
}

/**
 * Creates judges that pass when the workspace builds.
 *
 * @example
 * import { buildSucceeds } from '@jurist/workspace/commands'
 *
 * buildSucceeds.maven('verify', '-DskipTests', { trustWrapper: 'reference' })
 */
export const buildSucceeds: BuildSucceeds = Object.freeze<BuildSucceeds>({
  maven: wrappedFactory('maven'),
  gradle: wrappedFactory('gradle'),
  npm: scriptFactory('npm'),
  pnpm: scriptFactory('pnpm'),
  yarn: scriptFactory('yarn'),
  cargo: factory('cargo', (words) => plainTool('cargo', orDefault(words, ['build']))),
  go: factory('go', (words) => plainTool('go', orDefault(words, ['build', './...']))),
  make: factory('make', (words) => plainTool('make', words)),
  command(command, options) {
    const name = 'buildSucceeds.command'
    const line = checkedCommand(name, command)
    const given = checkOptions(name, options, buildRules)
    return giveInfo(
      buildJudge(name, async () => ({ command: line, metadata: {} }), given),
      { options: { command } },
    )
  },
  detect(options) {
    const name = 'buildSucceeds.detect'
    const given = checkOptions(name, options, buildRules)
    return buildJudge(name, (site) => detectBuild(site, given), given)
  },
})

describeJudge<ToolDescription & BuildOptions>(buildSucceeds, {
  passes: 'the workspace builds',
  options: { ...toolOptions(buildSucceeds), ...buildRules },
  make: (described) => judgeByTool('buildSucceeds', { ...buildSucceeds }, described),
})

function factory(
  tool: string,
  prepare: (words: readonly string[], options: BuildOptions, name: string) => Prepare,
): Factory {
  const name = `buildSucceeds.${tool}`
  return (...given) => {
    const { words, options } = splitArguments(name, given)
    const checked = checkOptions(name, options, buildRules)
    return giveInfo(buildJudge(name, prepare(words, checked, name), checked), { options: { words } })
  }
}

function wrappedFactory(tool: 'maven' | 'gradle'): Factory {
  return factory(tool, (words, { trustWrapper }, name) => {
    if (words.length > 0) return wrappedTool(tool, words, trustWrapper)
    const example = tool === 'maven' ? 'verify' : 'assemble'
    optionInvalid('arguments', `${name}: say what to run, such as '${example}'.`)
  })
}

function scriptFactory(manager: PackageManager): Factory {
  return factory(manager, (words) => packageScript(manager, orDefault(words, ['build'])))
}

function orDefault(words: readonly string[], otherwise: readonly string[]): readonly string[] {
  return words.length === 0 ? otherwise : words
}

/** `prepare` returns `undefined` when it finds nothing to build. */
function buildJudge(
  name: string,
  prepare: (site: Site) => Promise<Prepared | undefined>,
  options: BuildOptions,
): Judge {
  const cwd = normalizePath(options.cwd ?? '.')
  const judge: Judge = async (context) => {
    const { workspace, before, reference } = context
    const originals = [before, reference].filter((one) => one !== undefined)
    const prepared = await prepare({ workspace, originals, cwd })
    if (prepared === undefined) return abstain('no known build was found', { metadata: { detected: null } })
    return build(context, prepared, cwd, options)
  }
  return withInfo(judge, { name, runsCommands: true, options })
}

async function build(
  { workspace, before, reference, signal }: JudgmentContext,
  { command, metadata: known, env: ownEnv, missing }: Prepared,
  cwd: string,
  { timeoutMs = defaultTimeoutMs, cpuMs, env = {} }: BuildOptions,
): Promise<Judgment> {
  if (missing !== undefined)
    return fail(missing, { checks: [{ name: 'command_execution', passed: false, message: missing }], metadata: known })
  const limits = cpuMs === undefined ? { timeoutMs } : { timeoutMs, cpuMs }
  const how = { cwd, env: { ...ownEnv, ...env }, ...limits, signal }
  const result = await workspace.run(command, how)
  const evidence = evidenceOf(result, { workspace, command, exitCode: 0, ...limits }, signal)
  if ('status' in evidence) return { ...evidence, metadata: { ...evidence.metadata, ...known } }
  const { check } = evidence
  const extras = { checks: [check], metadata: { ...evidence.metadata, ...known } }
  if (check.passed) return pass(`${displayed(command)} succeeded`, extras)
  const again = runningAgain(workspace, (copy) => copy.run(command, how), 0, signal)
  const failed = { command, cwd, result, workspace, originals: [reference, before], again, signal }
  return withEnvironment(fail(withFirstErrorLine(check.message, evidence.shown), extras), failed)
}

/**
 * Detects the build tool by a fixed order, or returns `undefined`. The reference decides, then the agent's initial
 * state. Files of the agent count only if neither of them has a build.
 */
async function detectBuild(site: Site, options: BuildOptions): Promise<Prepared | undefined> {
  for (const source of [...site.originals.toReversed(), site.workspace]) {
    const prepared = await buildAskedBy(source, site, options)
    if (prepared !== undefined) return prepared
  }
  return undefined
}

async function buildAskedBy(
  source: Workspace,
  site: Site,
  { trustWrapper }: BuildOptions,
): Promise<Prepared | undefined> {
  const has = (file: string) => isFile(source, below(site.cwd, file))
  const found = async (detected: string, prepared: Promise<Prepared>): Promise<Prepared> => {
    const { metadata, ...rest } = await prepared
    return { ...rest, metadata: { ...metadata, detected } }
  }
  if (await has('pom.xml')) return found('pom.xml', wrappedTool('maven', ['test-compile'], trustWrapper)(site))
  for (const file of ['build.gradle', 'build.gradle.kts'])
    if (await has(file)) return found(file, wrappedTool('gradle', ['assemble'], trustWrapper)(site))
  if ((await packageScripts({ workspace: source, cwd: site.cwd })).has('build'))
    return found('package.json', packageScript(await managerOf(has), ['build'])(site))
  if (await has('Cargo.toml')) return found('Cargo.toml', plainTool('cargo', ['build'])(site))
  if (await has('go.mod')) return found('go.mod', plainTool('go', ['build', './...'])(site))
  return (await has('Makefile')) ? found('Makefile', plainTool('make', [])(site)) : undefined
}

async function managerOf(has: (file: string) => Promise<boolean>): Promise<PackageManager> {
  if (await has('pnpm-lock.yaml')) return 'pnpm'
  return (await has('yarn.lock')) ? 'yarn' : 'npm'
}
