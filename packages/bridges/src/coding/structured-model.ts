import type { Agent, Json, WritableWorkspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { emptyWorkspace } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { agentModel } from '../agent/model.js'
import { dataIn } from '../run/model-call.js'
import { scratchDirectory } from './environment.js'

/**
 * A model of an agent that supports response schemas. Each request runs in an empty directory.
 *
 * @param agentFor makes the agent for a schema, or without one
 */
export function structuredModel(agentFor: (schema: Json | undefined) => Agent): JudgeModel {
  return async function structuredModel(request) {
    const { responseSchema, ...options } = request.options
    const model = agentModel(agentFor(responseSchema), { workspace: scratchWorkspace })
    const response = await model({ ...request, options })
    const data = responseSchema === undefined ? undefined : dataIn(response.text)
    return data === undefined ? response : Object.freeze({ ...response, data })
  }
}

/** An empty, read-only workspace. */
async function scratchWorkspace(): Promise<WritableWorkspace & AsyncDisposable> {
  const directory = await scratchDirectory('model')
  return {
    ...emptyWorkspace(),
    root: directory.path,
    write: refused,
    remove: refused,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

async function refused(path: string): Promise<never> {
  throw new JuristError('read-only', `${path} cannot be changed: the workspace of a model is read-only.`, { path })
}
