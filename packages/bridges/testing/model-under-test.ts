import type { JudgeModel, JudgeModelResponse } from '@jurist/core/llm'
import type { ScriptedServer } from './scripted-server.js'

/** The abilities of a model bridge. A missing one must be a warning, never ignored. */
export interface ModelAbilities {
  /** Whether it enforces a schema. */
  readonly structured: boolean
  /** Whether it returns log-probabilities. */
  readonly logprobs: boolean
  /** Whether it retries by itself: three attempts in all. */
  readonly retries: boolean
}

export interface ModelUnderTest {
  readonly make: (server: ScriptedServer) => JudgeModel | Promise<JudgeModel>
  readonly can: ModelAbilities
}

/** Each bridge has another key for them. */
export function warningsOf({ metadata = {} }: JudgeModelResponse): readonly string[] {
  const lists = Object.entries(metadata).filter(([key]) => key === 'warnings' || key.endsWith('.warnings'))
  return lists.flatMap(([, warnings]) => (Array.isArray(warnings) ? warnings.map(String) : []))
}
