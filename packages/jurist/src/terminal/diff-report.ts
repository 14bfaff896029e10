import { counted } from '@jurist/experiment/internal/results'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { Snapshot } from '@jurist/workspace'
import type { Terminal } from './terminal.js'

/** The change of one file. */
export interface FileDiff {
  readonly path: string
  /** `null` for a new file. */
  readonly before: Snapshot['files'][string] | null
  /** `null` for a removed file. */
  readonly after: Snapshot['files'][string] | null
  /** The unified diff of a text file; `null` for a binary file or one that is too large to show. */
  readonly lines: readonly string[] | null
}

const maxLinesOfFile = 300
const maxLines = 2_000
const maxFiles = 500

/** Formats the changed files under a title: text files as a unified diff, others by their sizes. */
export function diffReport(title: string, files: readonly FileDiff[], terminal: Terminal): string {
  const report = [`  ${title}: ${counted(files.length, 'file')} ${files.length === 1 ? 'differs' : 'differ'}`]
  let room = maxLines
  for (const file of files.slice(0, maxFiles)) {
    const lines = file.lines ?? []
    const most = Math.min(maxLinesOfFile, room)
    report.push(
      `    ${terminal.style.bold(headingOf(file))}`,
      ...lines.slice(0, most).map((line) => row(line, terminal)),
    )
    if (lines.length > most) report.push(`      and ${counted(lines.length - most, 'line')} more`)
    room -= Math.min(lines.length, most)
  }
  if (files.length > maxFiles) report.push(`    and ${counted(files.length - maxFiles, 'file')} more`)
  return `${report.join('\n')}\n`
}

function headingOf({ path, before, after, lines }: FileDiff): string {
  const change = before === null ? 'added' : after === null ? 'removed' : 'modified'
  const sizes = [before, after].flatMap((entry) => (entry === null ? [] : [sizeOf(entry)]))
  const mode = lines?.length === 0 && before !== null && after !== null ? ', only its executable bit' : ''
  return `${change} ${safeLine(path)}  ${sizes.join(' to ')}${mode}`
}

function sizeOf(entry: Snapshot['files'][string]): string {
  return 'link' in entry ? `link to ${safeLine(entry.link)}` : counted(entry.sizeBytes, 'byte')
}

/** Carriage returns are shown, since they may be the only difference. */
function row(line: string, { style }: Terminal): string {
  const text = `      ${safeBlock(line.replaceAll('\r', '^M')).replaceAll('\n', ' ')}`
  if (line.startsWith('+')) return style.green(text)
  if (line.startsWith('-')) return style.red(text)
  return line.startsWith('@@') ? style.dim(text) : text
}
