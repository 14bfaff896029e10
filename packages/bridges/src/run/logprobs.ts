import type { TokenAlternative, TokenLogprob } from '@jurist/core/llm'
import type { Look } from '../context/look.js'
import { isList } from '../context/look.js'

/**
 * The log-probabilities of an answer, as chat completions spell them; `undefined` when there are none. A token whose text
 * or number is malformed is left out.
 */
export function logprobsIn(content: Look): readonly TokenLogprob[] | undefined {
  const tokens = flatList(content).flatMap((token) => {
    const [alternative] = alternativeIn(token)
    if (alternative === undefined) return []
    return [
      Object.freeze({ ...alternative, top: Object.freeze(token.get('top_logprobs').list().flatMap(alternativeIn)) }),
    ]
  })
  return tokens.length === 0 ? undefined : Object.freeze(tokens)
}

/** The responses protocol has a list of tokens for each part of the text. */
function flatList(content: Look): readonly Look[] {
  return content.list().flatMap((token) => (isList(token.value) ? token.list() : [token]))
}

function alternativeIn(look: Look): readonly TokenAlternative[] {
  const token = look.get('token').text()
  const logprob = look.get('logprob').number()
  return token === undefined || logprob === undefined ? [] : [Object.freeze({ token, logprob })]
}
