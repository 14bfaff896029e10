import type { Embed, Embeddings } from '../embed.js'
import { JuristError } from '../errors.js'

/**
 * The vectors of the texts, checked.
 *
 * @throws `response-invalid` unless there is a vector of finite numbers for each text, all of one length, none of them zero
 */
export async function embedded(embed: Embed, texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
  const given = await embed(texts, signal)
  const { vectors, ...spent } = isVectors(given) ? { vectors: given } : given
  const [{ length: dimensions = 0 } = []] = vectors
  const isWhole = (vector: readonly number[]) =>
    vector.length === dimensions && vector.every(Number.isFinite) && vector.some((value) => value !== 0)
  if (vectors.length === texts.length && vectors.every(isWhole)) return { vectors, ...spent }
  const reason = `${texts.length} texts need as many vectors of finite numbers, of one length, not all 0`
  throw new JuristError('response-invalid', `similarTo: "embed" returned something else: ${reason}.`, { reason })
}

function isVectors(given: Awaited<ReturnType<Embed>>): given is readonly (readonly number[])[] {
  return Array.isArray(given)
}

/** The cosine of the angle between two vectors of one length; 0 where it is negative. */
export function cosineSimilarity(one: readonly number[], other: readonly number[]): number {
  // Scaled, so that squares neither overflow nor vanish.
  const [left, right] = [scaled(one), scaled(other)]
  const product = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
  return Math.min(1, Math.max(0, product / (norm(left) * norm(right))))
}

function scaled(vector: readonly number[]): readonly number[] {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return vector.map((value) => value / largest)
}

function norm(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
}
