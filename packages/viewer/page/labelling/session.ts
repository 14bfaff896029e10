import type { GivenLabel } from '../../src/review/kept-labels.js'
import type { ReviewDocument } from '../../src/review/review-documents.js'
import { refusalOf, type Source, sourceAt } from '../documents.js'

const name = 'jurist-review'

/** The secret of the session. All tabs of this browser share it, and no other origin reads it. */
function secretHeader(): Readonly<Record<string, string>> {
  const secret = localStorage.getItem(name)
  return secret === null ? {} : { 'x-jurist-review': secret }
}

const documents = sourceAt('/api/review', secretHeader)

/** The documents of the review, at the paths that the views of a trial use. */
export const reviewSource: Source = (path, query) => documents(path[0] === 'runs' ? path.slice(2) : path, query)

/**
 * Exchanges the code in the address for the secret of the session, and takes it out of the address.
 *
 * @returns why the server refused it; `undefined` where it did not, or the address has no code
 */
export async function beginSession(): Promise<string | undefined> {
  const [, code] = /^#([\w-]{32})$/.exec(location.hash) ?? []
  if (code === undefined) return undefined
  history.replaceState(null, '', location.pathname)
  const response = await posted('session', { code })
  if (!response.ok) return refusalOf(response)
  const { secret } = (await response.json()) as { readonly secret: string }
  localStorage.setItem(name, secret)
  return undefined
}

/**
 * Sends a label.
 *
 * @throws why it was not kept
 */
export async function sendLabel(label: GivenLabel): Promise<ReviewDocument> {
  const response = await posted('labels', label)
  if (!response.ok) throw new Error(await refusalOf(response))
  return (await response.json()) as ReviewDocument
}

async function posted(path: string, value: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...secretHeader() }
  try {
    return await fetch(`/api/review/${path}`, { method: 'POST', headers, body: JSON.stringify(value) })
  } catch {
    throw new Error('The server does not answer, so the label was not kept. Start it again: jurist view --review')
  }
}
