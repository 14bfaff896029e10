import type { Json, Usage } from '@jurist/core'
import type { JudgeModelResponse, TokenLogprob } from '@jurist/core/llm'
import { toJson } from '../context/to-json.js'
import { secretsIn, withoutSecrets } from './secrets.js'

/** The parts of a model's answer; what is `undefined` is not known. */
export interface ResponseParts {
  readonly text: string
  readonly data?: Json | undefined
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  readonly costUsd?: number | undefined
  readonly logprobs?: readonly TokenLogprob[] | undefined
  /** Replaced by `***` in the metadata, those of 8 characters and more. Default: none. */
  readonly secrets?: readonly string[]
  /** Unknown entries and empty lists are left out. */
  readonly metadata: { readonly [key: string]: unknown }
}

/** A model's answer of its parts, frozen, without the keys that are not known. */
export function modelResponse({ metadata, secrets = [], ...parts }: ResponseParts): JudgeModelResponse {
  const known = Object.entries(parts).filter(([, part]) => part !== undefined)
  const told = Object.entries(metadata).filter(([, entry]) => !(Array.isArray(entry) && entry.length === 0))
  return Object.freeze({
    ...Object.fromEntries(known),
    metadata: withoutSecrets(toJson(Object.fromEntries(told)), secretsIn(undefined, ...secrets)),
  }) as JudgeModelResponse
}
