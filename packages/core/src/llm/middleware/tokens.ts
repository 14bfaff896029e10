import type { Usage } from '../../usage.js'

/** All tokens of a usage: the total as reported, else input and output; `undefined` when neither was. */
export function allTokens(usage: Usage | undefined): number | undefined {
  const { totalTokens, inputTokens, outputTokens } = usage ?? {}
  if (totalTokens !== undefined) return totalTokens
  return inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0)
}
