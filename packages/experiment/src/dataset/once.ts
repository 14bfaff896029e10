/** A function that computes its value at the first call and gives the same promise ever after. */
export function once<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined
  return () => {
    result ??= compute()
    return result
  }
}
