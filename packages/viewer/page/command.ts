import { shellWord } from '@jurist/kit/shell-word'

/** The command with which the server was started. A report in one file does not know it. */
let beginning = 'jurist'

/** Remembers how the server was started, such as `npx jurist -C shop`; `null` if the server does not state it. */
export function noteCommand(encoded: string | null): void {
  if (encoded !== null) beginning = decodeURIComponent(encoded)
}

/** Returns a command line to type where the server was started. */
export function commandLine(...words: readonly string[]): string {
  return [beginning, ...words.map(shellWord)].join(' ')
}
