/** A promise that is resolved by hand. */
export function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}
