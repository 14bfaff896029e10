import type { Judge } from './judge.js'
import type { Workspace } from './workspace.js'

/** The config that describes a judge: its paths are relative to the config file. */
export interface DescribingConfig {
  /** The absolute form of a path. */
  path(path: string): string
  /** A directory, as a workspace that cannot be written to. */
  workspace(directory: string): Promise<Workspace>
}

/** Makes a judge of what a config says beside `type`. */
export type JudgeFromConfig = (
  options: { readonly [name: string]: unknown },
  config: DescribingConfig,
) => Judge | Promise<Judge>

const descriptions = new WeakMap<object, JudgeFromConfig>()

/**
 * Lets configs in YAML and JSON describe the judges of a factory: `fileExists` as `{type: file-exists, path: README.md}`.
 * It is called in the file of the factory. `make` passes the options on without looking at them: the factory checks them,
 * so that code and config have the same messages.
 */
export function describeJudge<Options extends object>(
  factory: object,
  make: (options: Options, config: DescribingConfig) => Judge | Promise<Judge>,
): void {
  descriptions.set(factory, make as unknown as JudgeFromConfig)
}

/** How configs describe the judges of a factory; `undefined` where they cannot. */
export function judgeDescriptionOf(factory: unknown): JudgeFromConfig | undefined {
  return typeof factory === 'function' || typeof factory === 'object' ? descriptions.get(Object(factory)) : undefined
}
