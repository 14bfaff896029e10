/** The most bytes of one message: 32 MiB. */
export const maxLineBytes = 33_554_432

/** A stream of bytes line by line; `null` for a line with more than `maxLineBytes`, after which nothing follows. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder()
  let parts: Uint8Array[] = []
  let size = 0
  const take = (): string => {
    const line = parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
    parts = []
    size = 0
    return line
  }
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    let start = 0
    for (let end = value.indexOf(10); end >= 0; end = value.indexOf(10, start)) {
      size += end - start
      if (size > maxLineBytes) {
        yield null
        return
      }
      parts.push(value.subarray(start, end))
      yield take()
      start = end + 1
    }
    parts.push(value.subarray(start))
    size += value.length - start
    if (size > maxLineBytes) {
      yield null
      return
    }
  }
  if (size > 0) yield take()
}
