import type { BuildOptions } from './build-options.js'
import type { Prepare, Site } from './site.js'
import { mayUseWrapper, type Wrapper } from './wrapper.js'

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

/** Maven or Gradle, by the wrapper of the workspace if it may be trusted, else by the tool of the machine. */
export function wrappedTool(tool: WrappedName, words: readonly string[], trust: Trust = 'unchanged'): Prepare {
  const { program, wrapper, flags } = wrapped[tool]
  return async (site: Site) => {
    const usesWrapper = await mayUseWrapper(site, wrapper, trust)
    const file = usesWrapper ? `./${wrapper.script}` : program
    return { command: [file, ...flags, ...words], metadata: { tool, wrapper: usesWrapper } }
  }
}

/** A program of the machine with arguments. */
export function plainTool(tool: string, args: readonly string[]): Prepare {
  return async () => ({ command: [tool, ...args], metadata: { tool, wrapper: false } })
}

/** The words that run a script of `package.json`: its name, then arguments for it. */
export function scriptCommand(manager: PackageManager, [script = '', ...args]: readonly string[]): readonly string[] {
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
export const testScriptEnvironment: { readonly [name: string]: string } = {
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
