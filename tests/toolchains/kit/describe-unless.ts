import { describe } from 'vitest'

/** A suite that is skipped for a reason, which is printed; without one it runs. */
export function describeUnless(reason: string | undefined, title: string, body: () => void): void {
  if (reason !== undefined) console.warn(`skipped: ${title}: ${reason}`)
  describe.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (skipped: ${reason})`, body)
}
