import { readdirSync, readFileSync } from 'node:fs'

/** The ids of the processes of this machine whose words hold a text. */
export function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((id) => /^\d+$/.test(id) && wordsOf(id).includes(text))
}

function wordsOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    // It ended in the meantime.
    return ''
  }
}
