/** Splits bytes into lines. Of a line with more than `most` bytes, nothing is kept: it is `null`. */
export function lineReader(most: number, read: (line: string | null) => void): (bytes: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > most) parts = []
    else parts.push(bytes)
  }
  return (bytes) => {
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      keep(bytes.subarray(start, end))
      const line = size > most ? null : Buffer.concat(parts).toString('utf8')
      parts = []
      size = 0
      start = end + 1
      if (line === null || line.trim() !== '') read(line)
    }
    keep(bytes.subarray(start))
  }
}
