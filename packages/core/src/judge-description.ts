import type { Judge } from './judge.js'
import type { Embed, JudgeModel } from './judge-model.js'
import type { OptionDescription, OptionDescriptions } from './options.js'
import { nonBlank } from './options.js'
import type { StandardSchema } from './standard-schema.js'
import type { Workspace } from './workspace.js'

/** The config that describes a judge. Its paths are relative to the config file. */
export interface DescribingConfig {
  /** Resolves a path. */
  path(path: string): string
  /** Opens a directory as a read-only workspace. */
  workspace(directory: string): Promise<Workspace>
  /**
   * Finds the model of an option: a name of the config's `models`, or a description of one.
   *
   * @throws `option-invalid` for an unknown name and an invalid description
   */
  model(value: unknown): JudgeModel
  /**
   * Reads the schema of an option: a JSON Schema, or the path of a file that contains one.
   *
   * @throws `option-invalid` for an unreadable file and an invalid schema
   */
  schema(value: unknown): Promise<StandardSchema>
  /**
   * Creates the embedding model that an option describes.
   *
   * @throws `option-invalid` for an invalid description
   */
  embed(value: unknown): Embed
}

/** `options` are the keys of the config except `type`. */
type JudgeFromConfig = (
  options: { readonly [name: string]: unknown },
  config: DescribingConfig,
) => Judge | Promise<Judge>

/** A factory of judges, as configs, editors and guides need it. */
export interface JudgeDescription {
  /** When the judge passes: completes "Passes when …". */
  readonly passes: string
  /** The options a config may set besides `type`. */
  readonly options: OptionDescriptions
  /** Options a config must set. */
  readonly required: readonly string[]
  readonly make: JudgeFromConfig
}

interface DescribedJudge<Options extends object> {
  readonly passes: string
  readonly options: OptionDescriptions<Options>
  /** Default: none. */
  readonly required?: readonly (keyof Options & string)[]
  /**
   * Passes the options on without looking at them: the factory checks them, so that code and config have the same
   * messages.
   */
  readonly make: (options: Options, config: DescribingConfig) => Judge | Promise<Judge>
}

const descriptions = new WeakMap<object, JudgeDescription>()

/**
 * Lets configs in YAML and JSON describe the judges of a factory: `fileExists` as `{type: file-exists, path:
 * README.md}`. Call it in the file of the factory. The editor's schema and the guide follow from it.
 */
export function describeJudge<Options extends object>(factory: object, described: DescribedJudge<Options>): void {
  const { required = [], make, ...rest } = described
  descriptions.set(factory, { ...rest, required, make: make as unknown as JudgeFromConfig })
}

/** `undefined` where configs cannot describe them. */
export function judgeDescriptionOf(factory: unknown): JudgeDescription | undefined {
  return typeof factory === 'function' || typeof factory === 'object' ? descriptions.get(Object(factory)) : undefined
}

export const pathOption: OptionDescription = {
  ...nonBlank,
  wants: 'a path',
  description: 'The path of the file in the workspace.',
  isInside: true,
}

export const referenceOption: OptionDescription = {
  ...nonBlank,
  wants: 'a directory',
  description: 'A directory, relative to the config. Default: the reference of the item.',
}
