import type { Judge } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { type BuildOptions, buildRules } from './build-options.js'
import { buildJudge } from './build-run.js'
import { type PackageManager, packageScript, plainTool, wrappedTool } from './build-tools.js'
import { checkedCommand } from './command-line.js'
import { detectBuild } from './detect-build.js'
import type { Prepare } from './site.js'
import { type Argument, splitArguments } from './tool-arguments.js'

type Factory = (...given: readonly Argument<BuildOptions>[]) => Judge

/** Judges that pass when the workspace builds. Words go to the tool as they are, never through a shell. */
export interface BuildSucceeds {
  /** Runs Maven goals, by `./mvnw` if it is there. At least one. */
  maven(...goals: readonly Argument<BuildOptions>[]): Judge
  /** Runs Gradle tasks, by `./gradlew` if it is there. At least one. */
  gradle(...tasks: readonly Argument<BuildOptions>[]): Judge
  /** Runs a script of `package.json`, default `build`; further words are arguments for it. */
  npm(...script: readonly Argument<BuildOptions>[]): Judge
  /** Like `npm`, by pnpm. */
  pnpm(...script: readonly Argument<BuildOptions>[]): Judge
  /** Like `npm`, by Yarn. */
  yarn(...script: readonly Argument<BuildOptions>[]): Judge
  /** Default `cargo build`. */
  cargo(...args: readonly Argument<BuildOptions>[]): Judge
  /** Default `go build ./...`. */
  go(...args: readonly Argument<BuildOptions>[]): Judge
  /** Without targets: the first of the makefile. */
  make(...targets: readonly Argument<BuildOptions>[]): Judge
  /** Any command; a text runs as a shell line. */
  command(command: string | readonly string[], options?: BuildOptions): Judge
  /**
   * What the files ask for: Maven, Gradle, a `build` script of `package.json`, Cargo, Go, make, the first of these.
   * ABSTAIN when there is none.
   */
  detect(options?: BuildOptions): Judge
}

/**
 * Judges that pass when the workspace builds.
 *
 * @example
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
    return buildJudge(name, async () => ({ command: line, metadata: {} }), checkOptions(name, options, buildRules))
  },
  detect(options) {
    const name = 'buildSucceeds.detect'
    const given = checkOptions(name, options, buildRules)
    return buildJudge(name, (site) => detectBuild(site, given), given)
  },
})

function factory(
  tool: string,
  prepare: (words: readonly string[], options: BuildOptions, name: string) => Prepare,
): Factory {
  const name = `buildSucceeds.${tool}`
  return (...given) => {
    const { words, options } = splitArguments(name, given)
    const checked = checkOptions(name, options, buildRules)
    return buildJudge(name, prepare(words, checked, name), checked)
  }
}

function wrappedFactory(tool: 'maven' | 'gradle'): Factory {
  return factory(tool, (words, { trustWrapper }, name) => {
    if (words.length > 0) return wrappedTool(tool, words, trustWrapper)
    const example = tool === 'maven' ? 'verify' : 'assemble'
    throw new JuristError('option-invalid', `${name}: say what to run, such as '${example}'.`, { option: 'arguments' })
  })
}

function scriptFactory(manager: PackageManager): Factory {
  return factory(manager, (words) => packageScript(manager, orDefault(words, ['build'])))
}

function orDefault(words: readonly string[], otherwise: readonly string[]): readonly string[] {
  return words.length === 0 ? otherwise : words
}
