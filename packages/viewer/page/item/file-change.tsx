import { lineDiff } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ChangedFile } from '../../src/files/changes.js'
import type { FileDocument } from '../../src/files/file-answer.js'
import type { FileSide } from '../../src/files/file-side.js'
import { count } from '../amounts.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { DiffLines } from './diff-lines.js'
import type { TrialPlace } from './item-view.js'

interface Given {
  readonly file: ChangedFile
  readonly trial: TrialPlace
  readonly against: string
  readonly layout: 'unified' | 'sides'
}

/** One changed file; what changed in it is asked for when it is opened. */
export function FileChange({ isOpen, ...given }: Given & { readonly isOpen: boolean }): JSX.Element {
  const [open, setOpen] = useState(isOpen)
  const { path, change, beforeBytes, afterBytes } = given.file
  return (
    <details class="file" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="code">{path}</span>
        <span class="tag">{change}</span>
        <span class="beside quiet small">
          {[beforeBytes, afterBytes].map((bytes) => (bytes === null ? 'nothing' : `${count(bytes)} bytes`)).join(' → ')}
        </span>
      </summary>
      {open ? <FileLines {...given} /> : null}
    </details>
  )
}

function FileLines(given: Given): JSX.Element {
  const { path, sides } = given.file
  return sides === undefined ? <AskedLines {...given} /> : <Sides document={{ path, ...sides }} layout={given.layout} />
}

function AskedLines({ file, trial: { run, itemId, repetition }, against, layout }: Given): JSX.Element {
  const loading = useDocument<FileDocument>(
    ['runs', run, 'items', itemId, repetition, 'file'],
    new URLSearchParams({ against, path: file.path }),
  )
  return <State of={loading}>{(document) => <Sides document={document} layout={layout} />}</State>
}

function Sides({
  document: { before, after, path },
  layout,
}: {
  readonly document: FileDocument
  readonly layout: 'unified' | 'sides'
}): JSX.Element {
  const [old, now] = [textOf(before), textOf(after)]
  const lines = useMemo(
    () => (old === undefined || now === undefined ? [] : lineDiff(linesOf(old), linesOf(now))),
    [old, now],
  )
  if (old === undefined || now === undefined)
    return (
      <p class="quiet small" style={{ padding: '0.6rem 0.9rem' }}>
        {[before, after].map(sizeWords).join(' → ')}
      </p>
    )
  return <DiffLines lines={lines} layout={layout} label={path} />
}

/** The last line without a line break counts as a line like the others. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function textOf(side: FileSide): string | undefined {
  switch (side.kind) {
    case 'absent':
      return ''
    case 'text':
      return side.text
    case 'binary':
    case 'too-large':
      return undefined
    default:
      return side satisfies never
  }
}

function sizeWords(side: FileSide): string {
  switch (side.kind) {
    case 'absent':
      return 'nothing'
    case 'text':
      return 'text'
    case 'binary':
      return `no text, ${count(side.bytes)} bytes`
    case 'too-large':
      return `too large to show, ${count(side.bytes)} bytes`
    default:
      return side satisfies never
  }
}
