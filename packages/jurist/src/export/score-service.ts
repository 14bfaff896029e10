import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '../config/problems.js'
import { notTaken, type PostJson } from './post-json.js'
import type { TrialScores } from './trial-scores.js'

/** What sending needs. */
export interface Delivery {
  /** Default: the name of the experiment. */
  readonly project: string
  readonly post: PostJson
  /** Says what the service did not take. The rest is sent. */
  readonly refused: (what: string) => void
}

/** A service that scores are sent to. */
export interface ScoreService {
  /** The variables that must be set. */
  readonly keys: readonly string[]
  /** The variables with the address of the service, the first that is set counts; and its default. */
  readonly address: { readonly variables: readonly string[]; readonly preset: string }
  /** Further headers from variables that may be set. */
  readonly optional?: { readonly [variable: string]: string }
  /** The headers of each request. */
  readonly headers: (keys: readonly string[]) => { readonly [name: string]: string }
  /** Statuses that say that the object is there already. */
  readonly exists?: readonly number[]
  /** Sends the scores of some trials of one run. Each object has an id of its own, so that sending twice changes nothing. */
  readonly send: (trials: readonly TrialScores[], delivery: Delivery) => Promise<void>
}

/** How many objects one request carries, and how many bytes. Langfuse takes 3.5 MB. */
const most = { objects: 50, bytes: 3_000_000 }

/** Objects in parts that one request takes. An object that is larger than the limit is a part of its own. */
export function* batches(objects: readonly Json[]): Generator<readonly Json[], void> {
  let [part, bytes]: [Json[], number] = [[], 0]
  for (const object of objects) {
    const size = Buffer.byteLength(JSON.stringify(object))
    if (part.length > 0 && (part.length === most.objects || bytes + size > most.bytes)) {
      yield part
      ;[part, bytes] = [[], 0]
    }
    part.push(object)
    bytes += size
  }
  if (part.length > 0) yield part
}

/**
 * The id of an object that a service made; `undefined` where it refused to.
 *
 * @throws `usage-invalid` where the answer has none
 */
export function idIn(answer: Json, what: string): string | undefined {
  if (answer === notTaken) return undefined
  const id = isPlainObject(answer) ? answer['id'] : undefined
  if (typeof id === 'string') return id
  throw usageInvalid('--to', `The service gave no id of the ${what}. Check its address.`)
}
