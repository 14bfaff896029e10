import { JuristError } from '../errors.js'
import { freeze } from '../freeze.js'
import type { Place } from '../json.js'
import { dotted, isPlainObject } from '../json.js'
import { readAmount } from '../read.js'
import { readUsage } from '../usage.js'
import type { JudgeModelResponse } from './model.js'

/** Programs that answer with data alone may say `null` for the text. */
type Given = Partial<Omit<JudgeModelResponse, 'text'>> & { readonly text?: string | null }

/**
 * What a model answered, checked as far as judges rest on it. An answer of data alone has the empty text.
 *
 * @throws `response-invalid`
 */
export function readResponse(value: unknown): JudgeModelResponse {
  if (typeof value !== 'object' || value === null) return refuse([], `is ${value === null ? 'null' : typeof value}`)
  const { text, data, model, usage, costUsd, metadata } = value as Given
  const silent = text === undefined || text === null
  if (typeof text !== 'string' && !(silent && data !== undefined)) return refuse(['text'], 'is no text')
  if (model !== undefined && typeof model !== 'string') return refuse(['model'], 'is no text')
  if (metadata !== undefined && !isPlainObject(metadata)) return refuse(['metadata'], 'is no object')
  if (usage !== undefined) readUsage(usage, ['usage'], refuse)
  if (costUsd !== undefined) readAmount(costUsd, ['costUsd'], refuse)
  return typeof text === 'string' ? (value as JudgeModelResponse) : freeze({ ...value, text: '' })
}

function refuse(place: Place, problem: string): never {
  const reason = `${dotted(place)} ${problem}`
  throw new JuristError(
    'response-invalid',
    `The model's answer cannot be used: ${reason}. A model resolves to { text } or { data }, with usage where known.`,
    { reason },
  )
}
