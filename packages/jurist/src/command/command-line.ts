import type { GlobalFlags } from './host.js'

/**
 * A command that can be typed where this one was: with the flags that say which directory, config and results are meant.
 *
 * @example
 * commandLine({ cwd: 'examples/repair' }, 'show', 'latest') // 'jurist -C examples/repair show latest'
 */
export function commandLine({ cwd, config, results }: GlobalFlags, ...words: readonly string[]): string {
  const flags = { '-C': cwd, '-c': config, '--results': results }
  const given = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
  return ['jurist', ...[...given, ...words].map(quoted)].join(' ')
}

/** A word as a POSIX shell takes it for one. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
