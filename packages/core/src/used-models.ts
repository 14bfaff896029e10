import type { ModelInfo } from './judge-model.js'

/** What is known of a model; `undefined` for a function that no config names. */
export function modelInfoOf(model: object): ModelInfo | undefined {
  const { info } = model as { readonly info?: Partial<ModelInfo> }
  return info?.name === undefined || info.facts === undefined ? undefined : (info as ModelInfo)
}

/** The models that something calls; of an agent they may depend on the model that its task names. */
export type CalledModels = readonly object[] | ((model: string | undefined) => readonly ModelInfo[])

/**
 * The named models that a judge, a jury or an agent calls, each once.
 *
 * @param model the model that the agent's task names
 */
export function modelsUsedBy(user: object, model?: string): readonly ModelInfo[] {
  const { info = {} } = user as {
    readonly info?: { readonly models?: CalledModels; readonly judges?: readonly object[] }
  }
  const { models = [], judges = [] } = info
  const own = typeof models === 'function' ? models(model) : models.flatMap((one) => modelInfoOf(one) ?? [])
  return [...new Set([...own, ...judges.flatMap((judge) => modelsUsedBy(judge))])]
}
