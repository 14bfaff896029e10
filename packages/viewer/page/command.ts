import { shellWord } from '@jurist/kit/shell-word'

/** What begins a command line where the server was started. A report in one file does not know it. */
let beginning = 'jurist'

/** Keeps what the server says of how it was started, such as `npx jurist -C shop`; `null`: it says nothing. */
export function noteCommand(encoded: string | null): void {
  if (encoded !== null) beginning = decodeURIComponent(encoded)
}

/** A command line that the page proposes, to type where the server was started. */
export function commandLine(...words: readonly string[]): string {
  return [beginning, ...words.map(shellWord)].join(' ')
}
