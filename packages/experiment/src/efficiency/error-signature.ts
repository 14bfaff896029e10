import type { ToolResult } from '@jurist/core'

const maxLength = 150
const tooShort = 10

/** How many different errors there are among failed results. Each result that says nothing counts alone. */
export function distinctErrors(failed: readonly ToolResult[]): number {
  const signatures = failed.map(({ content }) => errorSignature(content))
  const blank = signatures.filter((signature) => signature === '').length
  return new Set(signatures.filter((signature) => signature !== '')).size + blank
}

/** What an error is recognised by: its first line that says `error` in more than 10 characters, else its first line. */
function errorSignature(content: string): string {
  const lines = content
    .trim()
    .split('\n')
    .map((line) => line.trim())
  const telling = lines.find((line) => line.length > tooShort && line.toLowerCase().includes('error'))
  return (telling ?? lines[0] ?? '').slice(0, maxLength)
}
