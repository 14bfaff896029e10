import type { JudgeModel, JudgeModelResponse } from '@jurist/core/llm'
import type { ScriptedServer } from './scripted-server.js'

/** What a model bridge can do; what it cannot must be a warning, never a silence. */
export interface ModelAbilities {
  /** It holds an answer to a schema. */
  readonly structured: boolean
  /** It gives log-probabilities. */
  readonly logprobs: boolean
  /** It tries again by itself: three attempts in all. */
  readonly retries: boolean
}

/** How the parts of the contract get at a model. */
export interface ModelUnderTest {
  readonly make: (server: ScriptedServer) => JudgeModel | Promise<JudgeModel>
  readonly can: ModelAbilities
}

/** The warnings of an answer, under whatever key the bridge keeps them. */
export function warningsOf({ metadata = {} }: JudgeModelResponse): readonly string[] {
  const lists = Object.entries(metadata).filter(([key]) => key === 'warnings' || key.endsWith('.warnings'))
  return lists.flatMap(([, warnings]) => (Array.isArray(warnings) ? warnings.map(String) : []))
}
