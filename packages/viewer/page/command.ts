import { shellWord } from '@jurist/kit/shell-word'

/** The command with which the server was started. A report in one file does not know it. */
let beginning = 'jurist'
let promotes = false

/** Remembers how the server was started, such as `npx jurist -C shop`, and what it may do, if it states that. */
export function noteServer(headers: Headers | undefined): void {
  const encoded = headers?.get('x-jurist-command') ?? null
  if (encoded !== null) beginning = decodeURIComponent(encoded)
  promotes ||= headers?.get('x-jurist-may') === 'promote'
}

/** Whether the server makes items of trials. A server that only reads does not. */
export function mayPromote(): boolean {
  return promotes
}

/** Returns a command line to type where the server was started. */
export function commandLine(...words: readonly string[]): string {
  return [beginning, ...words.map(shellWord)].join(' ')
}
