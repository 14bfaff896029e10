import type { JsonObject } from './json.js'

const made: unique symbol = Symbol('made of')

/**
 * Says of what a judge, a model or a schema, made just now, was made: the options that can change what it says, and the judges in it. They
 * count in the fingerprint of a jury. Later calls add to it.
 */
export function madeOf<Made extends object>(one: Made, parts: object): Made {
  return Object.defineProperty(one, made, { value: { ...partsOf(one), ...parts }, configurable: true })
}

/** The judges that a judge was made of. */
export function judgesIn(one: object): readonly object[] {
  return (partsOf(one) as { readonly judges?: readonly object[] } | undefined)?.judges ?? []
}

/** Of what it was made; `undefined` where nothing is known. */
export function partsOf(one: object): object | undefined {
  return (one as { readonly [made]?: object })[made]
}

/** What is known of a model that a config names. */
export interface ModelInfo {
  /** Its name in the config. */
  readonly name: string
  /** What a run records: provider, model, address, options, prices with their date. Never a key. */
  readonly facts: JsonObject
  /** The variable that holds its key. Absent: it needs none. */
  readonly keyVariable?: string
}

const own: unique symbol = Symbol('model')
const used: unique symbol = Symbol('models used')

/** A function of any kind: a model, a judge, an agent. */
type Callable = (...given: never[]) => unknown
type ModelsUsed = (model: string | undefined) => readonly ModelInfo[]

/** Gives a model, made just now, what is known of it. */
export function giveModelInfo<M extends Callable>(model: M, info: ModelInfo): M {
  return Object.defineProperty(model, own, { value: info, configurable: true })
}

/** What is known of a model; `undefined` for a function that no config names. */
export function modelInfoOf(model: object): ModelInfo | undefined {
  return (model as { readonly [own]?: ModelInfo })[own]
}

/** Marks a judge or an agent, made just now, with the models that it calls. */
export function callsModels<User extends Callable>(user: User, models: readonly object[]): User {
  const infos = models.flatMap((model) => modelInfoOf(model) ?? [])
  return infos.length === 0 ? user : choosesModels(user, () => infos)
}

/** Marks an agent whose task says which model it calls. */
export function choosesModels<User extends Callable>(user: User, choose: ModelsUsed): User {
  return Object.defineProperty(user, used, { value: choose, configurable: true })
}

/**
 * The named models that a judge, a jury or an agent calls, each once.
 *
 * @param model the model that the agent's task names
 */
export function modelsUsedBy(user: object, model?: string): readonly ModelInfo[] {
  const { [used]: own } = user as { readonly [used]?: ModelsUsed }
  return own?.(model) ?? [...new Set(judgesIn(user).flatMap((judge) => modelsUsedBy(judge)))]
}

/** Gives a combination the models of its members. */
export function callsModelsOf<User extends Callable>(combination: User, members: readonly object[]): User {
  const infos = [...new Set(members.flatMap((member) => modelsUsedBy(member)))]
  return infos.length === 0 ? combination : choosesModels(combination, () => infos)
}
