import type { Host } from './host.js'
import { keyReader } from './key-reader.js'

/** Whether a person at a terminal can answer questions. */
export function isPerson({ terminal, flags }: Host): boolean {
  return terminal.interactive && process.stdin.isTTY === true && flags.json !== true
}

/** Asks a person to confirm with the key `y`. */
export async function isConfirmed({ terminal }: Host, question: string): Promise<boolean> {
  terminal.err(`${question} [y/N] `)
  using keys = keyReader(process.stdin, terminal.err)
  const key = await keys.key()
  terminal.err('\n')
  return key === 'y'
}
