import { failureOf, isPlainObject } from '@jurist/core/internal'
import { semaphore } from '@jurist/kit/semaphore'
import { isTrusted, otherSiteRefusal, respond, writtenJson } from '../http.js'

export interface PromoterOptions {
  /** The host names, as in the options of `viewer`. */
  readonly hosts: readonly string[]
  readonly token: string
  /** Makes an item of a failed trial, and returns what was written as text. */
  readonly promote: (run: string, trial: string) => Promise<string>
}

/** The item that the page asked for, as it shows it. */
export interface PromotedDocument {
  readonly text: string
}

/**
 * Makes items of failed trials at `POST /api/promote`, one after the other. A trial that cannot become an item is refused with the
 * reason (409).
 *
 * @returns `undefined` for every other path
 */
export function promoter({ hosts, token, promote }: PromoterOptions) {
  const one = semaphore(1)
  return async function promoter(request: Request): Promise<Response | undefined> {
    if (new URL(request.url).pathname !== '/api/promote') return undefined
    const refusal = otherSiteRefusal(request, hosts)
    if (refusal !== undefined) return refusal
    if (!isTrusted(request, token)) return respond.refusal(401, 'Open the address that jurist view printed.')
    const written = await writtenJson(request)
    if (written instanceof Response) return written
    const { run, trial } = isPlainObject(written.value) ? written.value : {}
    if (typeof run !== 'string' || typeof trial !== 'string')
      return respond.refusal(400, 'Send the run and the trial as texts.')
    try {
      const text = await one.run(() => promote(run, trial))
      return respond.json({ text } satisfies PromotedDocument)
    } catch (thrown) {
      return respond.refusal(409, failureOf(thrown).message)
    }
  }
}
