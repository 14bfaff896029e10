import { nonBlank } from './field-rules.js'
import type { Judge } from './judge.js'
import type { Embed, JudgeModel } from './judge-model.js'
import type { OptionDescription, OptionDescriptions } from './options.js'
import type { StandardSchema } from './standard-schema.js'
import type { Workspace } from './workspace.js'

/** The config that describes a judge: its paths are relative to the config file. */
export interface DescribingConfig {
  /** The absolute form of a path. */
  path(path: string): string
  /** A directory, as a workspace that cannot be written to. */
  workspace(directory: string): Promise<Workspace>
  /**
   * The model that an option means: a name of the config's `models`, or a description of one.
   *
   * @throws `option-invalid` for an unknown name and an invalid description
   */
  model(value: unknown): JudgeModel
  /**
   * The schema that an option means: a JSON Schema, or the path of a file that holds one.
   *
   * @throws `option-invalid` for what cannot be read and what is not a schema
   */
  schema(value: unknown): Promise<StandardSchema>
  /**
   * The model of vectors that an option describes.
   *
   * @throws `option-invalid` for an invalid description
   */
  embed(value: unknown): Embed
}

/** Makes a judge of what a config says beside `type`. */
type JudgeFromConfig = (
  options: { readonly [name: string]: unknown },
  config: DescribingConfig,
) => Judge | Promise<Judge>

/** What a config, an editor and a guide need to know about the judges of a factory. */
export interface JudgeDescription {
  /** When the judge passes: completes "Passes when …". */
  readonly passes: string
  /** What a config may say beside `type`. */
  readonly options: OptionDescriptions
  /** Options that a config must give. */
  readonly required: readonly string[]
  readonly make: JudgeFromConfig
}

/** A judge as its factory describes it. */
interface DescribedJudge<Options extends object> {
  readonly passes: string
  readonly options: OptionDescriptions<Options>
  /** Default: none. */
  readonly required?: readonly (keyof Options & string)[]
  /** Passes the options on without looking at them: the factory checks them, so that code and config have the same messages. */
  readonly make: (options: Options, config: DescribingConfig) => Judge | Promise<Judge>
}

const descriptions = new WeakMap<object, JudgeDescription>()

/**
 * Lets configs in YAML and JSON describe the judges of a factory: `fileExists` as `{type: file-exists, path: README.md}`.
 * It is called in the file of the factory. The editor's schema and the guide follow from it.
 */
export function describeJudge<Options extends object>(factory: object, described: DescribedJudge<Options>): void {
  const { required = [], make, ...rest } = described
  descriptions.set(factory, { ...rest, required, make: make as unknown as JudgeFromConfig })
}

/** How configs describe the judges of a factory; `undefined` where they cannot. */
export function judgeDescriptionOf(factory: unknown): JudgeDescription | undefined {
  return typeof factory === 'function' || typeof factory === 'object' ? descriptions.get(Object(factory)) : undefined
}

/** The option `path` of judges of one file. */
export const pathOption: OptionDescription = {
  ...nonBlank,
  wants: 'a path',
  description: 'The path of the file in the workspace.',
  isInside: true,
}

/** The option `reference` of judges that compare directories. */
export const referenceOption: OptionDescription = {
  ...nonBlank,
  wants: 'a directory',
  description: 'A directory, relative to the config. Default: the reference of the item.',
}
