import { builtinModule } from '../builtin-module.js'
import { canonicalJson } from '../canonical-json.js'
import type { JudgeModelRequest, ModelMessage } from '../model.js'

const standIn = 'FENCE'

/**
 * What a request is known by in caches and cassettes: the SHA-256, as 64 hexadecimal digits, of its messages, its options
 * without `timeoutMs`, and `metadata.sample`. The number of the fence, which is new each time, counts as `FENCE`; the
 * signal and other metadata do not count.
 *
 * @example
 * await requestKey(userRequest('Say hello.'))
 */
export async function requestKey(request: JudgeModelRequest): Promise<string> {
  const { timeoutMs, ...options } = request.options
  const { sample } = request.metadata
  return sha256(canonicalJson({ messages: comparableMessages(request), options, sample }))
}

/** The messages with the number of their fence replaced, so that equal prompts are equal. */
export function comparableMessages({ messages, metadata }: JudgeModelRequest): readonly ModelMessage[] {
  const { fence } = metadata
  if (typeof fence !== 'string' || fence === '') return messages
  return messages.map((message) => ({ ...message, content: message.content.replaceAll(fence, standIn) }))
}

/**
 * The SHA-256 of a text, as hexadecimal digits. Web Crypto hashes in another thread, and waiting for that takes ten times
 * as long as the hashing: where there is a way to hash at once, it is taken.
 */
export async function sha256(text: string): Promise<string> {
  const atOnce = builtinModule('node:crypto')
  if (atOnce !== undefined) return atOnce.createHash('sha256').update(text).digest('hex')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
