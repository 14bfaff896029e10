import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { safeBlock } from '@jurist/kit/terminal'
import { unifiedDiff } from '@jurist/kit/text-diff'
import type { Host } from './host.js'
import { makeParent } from './results-store.js'

/** A file to write, with what it has now. */
export interface Change {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** The change of a file whose new content follows from the old one, which is `''` for a new file. */
export function changeOf(file: string, change: (before: string) => string): Change {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return { file, before, after: change(before) }
}

/** Shows each change, and writes them unless it is a dry run. With `--json`, nothing is shown. */
export async function writeSettings(host: Host, changes: readonly Change[], dryRun: boolean): Promise<void> {
  for (const { file, before, after } of changes) {
    if (host.flags.json !== true) showChange(host, { file, before, after })
    if (dryRun) continue
    await makeParent(file)
    await writeFile(file, after)
  }
}

function showChange({ cwd, terminal }: Host, { file, before, after }: Change): void {
  const lines = unifiedDiff(before, after)
  const shown = relative(cwd, file)
  terminal.out(`${shown.startsWith('..') ? file : shown}\n${lines.length === 0 ? '  unchanged\n' : ''}`)
  for (const line of lines) terminal.out(`${safeBlock(line)}\n`)
}
