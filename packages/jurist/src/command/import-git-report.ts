import { join, relative } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { type LeftOut, leftOutWords } from '../import/git/candidates.js'
import type { Imported } from '../import/git/import-repository.js'
import type { ImportedState } from '../import/git/project.js'
import type { ProjectPaths } from '../import/git/project-paths.js'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'

/** Prints what an import made, what it left out, and what comes next. */
export function reportImport(
  host: Host,
  { state, notes, stopped }: Imported,
  directory: string,
  { globs }: ProjectPaths,
): ExitCode {
  const reasons = countsOf(state)
  if (host.flags.json === true) {
    host.json({ directory, items: state.items, leftOut: reasons, notes, stopped })
    return exitCode(state, stopped)
  }
  const { out } = host.terminal
  const shown = relative(host.cwd, directory) || '.'
  const looked = state.items.length + Object.keys(state.leftOut).length
  out(`${counted(state.items.length, 'item')} of ${counted(looked, 'commit')} in ${join(shown, 'dataset')}\n`)
  for (const [reason, count] of Object.entries(reasons))
    out(`  left out: ${count}  ${leftOutWords[reason as LeftOut]}\n`)
  if (notes.length > 0) out(`\nLook at:\n${listed(notes)}`)
  if (state.items.length === 0 && stopped) {
    out('\nStopped before the first item was found. The same command with --resume continues.\n')
    return exitCode(state, stopped)
  }
  if (state.items.length === 0) {
    out(`\nNothing to import. Sources: ${globs.source.join(', ')}. Tests: ${globs.tests.join(', ')}.\n`)
    return exitCode(state, stopped)
  }
  out(`\nNext:  cd ${shellWord(shown)} && npx jurist vet && npx jurist run\n`)
  const config = shellWord(join(directory, 'jurist.config.yaml'))
  out(`Then, in the repository:  npx jurist -c ${config} hook install claude\n`)
  return exitCode(state, stopped)
}

const mostNotes = 20

function listed(notes: Imported['notes']): string {
  const lines = notes.slice(0, mostNotes).map(({ of, note }) => `- ${of}: ${safeLine(note)}\n`)
  return `${lines.join('')}${notes.length > mostNotes ? `… ${notes.length - mostNotes} more: --json lists all\n` : ''}`
}

function exitCode({ items }: ImportedState, stopped: boolean): ExitCode {
  if (stopped) return 130
  return items.length === 0 ? 3 : 0
}

function countsOf({ leftOut }: ImportedState): { readonly [reason in LeftOut]?: number } {
  const counts: { [reason in LeftOut]?: number } = {}
  for (const reason of Object.values(leftOut)) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
