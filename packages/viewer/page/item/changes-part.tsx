import { grouped } from '@jurist/experiment/internal/results'
import { lineDiff } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ChangedFile, ChangesDocument } from '../../src/files/changes.js'
import type { FileContent } from '../../src/files/contained-files.js'
import type { FileDocument } from '../../src/files/file-answer.js'
import { Loaded, useDocument } from '../documents.js'
import { LinkChoice } from '../filters.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { DiffLines } from './diff-lines.js'

const sides = { before: 'Against the initial workspace', reference: 'Against the reference' } as const
const layouts = { unified: 'One column', sides: 'Side by side' } as const

/** What the changes are shown for, and how. */
interface ChangesProps {
  readonly trial: TrialRoute
  readonly against: keyof typeof sides
  readonly layout: keyof typeof layouts
}

/** The changes of a trial: the agent's final workspace against the initial workspace or the reference. */
export function ChangesPart({
  trial,
  query,
}: {
  readonly trial: TrialRoute
  readonly query: URLSearchParams
}): JSX.Element {
  const against = query.get('against') === 'reference' ? 'reference' : 'before'
  const layout = query.get('layout') === 'sides' ? 'sides' : 'unified'
  const path = trialPath(trial, 'changes')
  const loading = useDocument<ChangesDocument>(path, new URLSearchParams({ against }))
  return (
    <>
      <div class="tools">
        <LinkChoice
          label="Compared with"
          chosen={against}
          options={sides}
          hrefOf={(value) => linkTo(path, { against: value, layout })}
        />
        <LinkChoice
          label="Layout"
          chosen={layout}
          options={layouts}
          hrefOf={(value) => linkTo(path, { against, layout: value })}
        />
      </div>
      <Loaded of={loading} missing="A static report does not contain workspaces. Use the store: jurist view">
        {(changes) => <Changes changes={changes} trial={trial} against={against} layout={layout} />}
      </Loaded>
    </>
  )
}

function Changes({ changes, ...props }: ChangesProps & { readonly changes: ChangesDocument }): JSX.Element {
  const { against } = props
  if (changes.state === 'unknown') return <p class="empty">{changes.reason}</p>
  const { files, isCut } = changes
  if (files.length === 0)
    return <p class="empty">{against === 'before' ? 'No file changed.' : 'The workspace equals the reference.'}</p>
  return (
    <>
      <p class="quiet small">
        {grouped(files.length)} {files.length === 1 ? 'file differs' : 'files differ'}
        {isCut ? '; the workspace has more files than were compared' : ''}
      </p>
      {files.map((file) => (
        <FileChange key={`${against} ${file.path}`} file={file} isOpenAtFirst={file.sides !== undefined} {...props} />
      ))}
    </>
  )
}

interface FileProps extends ChangesProps {
  readonly file: ChangedFile
}

/** One changed file. Its content is fetched when it is opened. */
function FileChange({ isOpenAtFirst, ...props }: FileProps & { readonly isOpenAtFirst: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const { path, change, beforeBytes, afterBytes } = props.file
  return (
    <details class="file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="code">{path}</span>
        <span class="tag">{change}</span>
        <span class="beside quiet small">
          {[beforeBytes, afterBytes]
            .map((bytes) => (bytes === null ? 'absent' : `${grouped(bytes)} bytes`))
            .join(' → ')}
        </span>
      </summary>
      {isOpen ? <FileLines {...props} /> : null}
    </details>
  )
}

function FileLines({ file: { path, sides: content }, ...props }: FileProps): JSX.Element {
  if (content !== undefined) return <FileDiff document={{ path, ...content }} layout={props.layout} />
  return <FetchedLines path={path} {...props} />
}

function FetchedLines({ path, trial, against, layout }: ChangesProps & { readonly path: string }): JSX.Element {
  const loading = useDocument<FileDocument>(trialPath(trial, 'file'), new URLSearchParams({ against, path }))
  return <Loaded of={loading}>{(document) => <FileDiff document={document} layout={layout} />}</Loaded>
}

function FileDiff({
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
        {[before, after].map(contentText).join(' → ')}
      </p>
    )
  return <DiffLines lines={lines} layout={layout} label={path} />
}

/** The last line counts whether or not it ends with a line break. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function textOf(content: FileContent): string | undefined {
  switch (content.kind) {
    case 'absent':
      return ''
    case 'text':
      return content.text
    case 'binary':
    case 'too-large':
      return undefined
    default:
      return content satisfies never
  }
}

function contentText(content: FileContent): string {
  switch (content.kind) {
    case 'absent':
      return 'absent'
    case 'text':
      return 'text'
    case 'binary':
      return `binary, ${grouped(content.bytes)} bytes`
    case 'too-large':
      return `too large to show, ${grouped(content.bytes)} bytes`
    default:
      return content satisfies never
  }
}
