import { randomBytes } from 'node:crypto'
import { isSecret } from '../http.js'

/** Who may label: the browser that came first with the code. */
export interface ReviewSession {
  /** The secret of the session for the code, once; `undefined` for another code, and from the second time on. */
  readonly begin: (code: string) => string | undefined
  /** Whether a request carries the secret. */
  readonly isHeldBy: (request: Request) => boolean
}

/**
 * Exchanges a code for a secret once. The page sends the secret in the header `x-jurist-review`, which no other page can do,
 * and keeps it where only its own origin reads it. A cookie would go to every port of this machine.
 */
export function reviewSession(code: string): ReviewSession {
  const secret = randomBytes(24).toString('base64url')
  let isBegun = false
  return {
    begin(given) {
      if (isBegun || !isSecret(given, code)) return undefined
      isBegun = true
      return secret
    },
    isHeldBy: ({ headers }) => isBegun && isSecret(headers.get('x-jurist-review'), secret),
  }
}
