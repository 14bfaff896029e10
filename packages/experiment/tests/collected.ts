/** Everything that an iteration gives. */
export async function collected<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}
