import type { ModelInfo } from './judge-model.js'

/** `undefined` for a model that is not in a config. */
export function modelInfoOf(model: object): ModelInfo | undefined {
  const { info } = model as { readonly info?: Partial<ModelInfo> }
  return info?.name === undefined || info.facts === undefined ? undefined : (info as ModelInfo)
}

/** For an agent the models may depend on the model of its task. */
export type CalledModels = readonly object[] | ((model: string | undefined) => readonly ModelInfo[])

/**
 * Lists each named model once.
 *
 * @param model the model of the agent's task
 */
export function modelsUsedBy(user: object, model?: string): readonly ModelInfo[] {
  const { info = {} } = user as {
    readonly info?: { readonly models?: CalledModels; readonly judges?: readonly object[] }
  }
  const { models = [], judges = [] } = info
  const own = typeof models === 'function' ? models(model) : models.flatMap((one) => modelInfoOf(one) ?? [])
  return [...new Set([...own, ...judges.flatMap((judge) => modelsUsedBy(judge))])]
}
