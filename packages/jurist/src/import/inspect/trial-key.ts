/** Under which name the facts of a sample are kept in the metadata of its trial. */
export const inspectFacts = 'inspect'

/** What finds the scores of a trial: the id and the epoch of its sample, which its metadata has. */
export function trialKey(metadata: { readonly [key: string]: unknown }): string {
  const { id, epoch } = (metadata[inspectFacts] ?? {}) as { readonly id?: unknown; readonly epoch?: unknown }
  return keyOf(id, epoch)
}

/** The same of an id and an epoch. The number 1 and the text "1" are different ids. */
export function keyOf(id: unknown, epoch: unknown): string {
  return JSON.stringify([id, epoch])
}
