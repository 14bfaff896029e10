import { counted, grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { Against, ChangedFile, FileContent } from '../../src/files/changes.js'
import type { FileDocument } from '../../src/files/file-answer.js'
import { Loaded, useDocument } from '../documents.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { DiffLines, type LineLayout } from './diff-lines.js'
import { FileTree } from './file-tree.js'
import type { Place } from './reading.js'

export function WorkspaceFiles(props: {
  readonly files: readonly ChangedFile[]
  readonly isCut: boolean
  readonly trial: TrialRoute
  readonly place: Place | undefined
}): JSX.Element {
  const { files, isCut, trial, place } = props
  if (files.length === 0) return <p class="empty">The workspace has no files.</p>
  return (
    <div class="with-tree">
      <div>
        <p class="quiet small">
          {counted(files.length, 'file')}
          {isCut ? '; the workspace has more' : ''}
        </p>
        <FileTree
          label="Files of the workspace"
          files={files}
          current={place?.path}
          hrefOf={(path) => linkTo(trialPath(trial, 'changes'), { against: 'nothing', path })}
        />
      </div>
      {place === undefined ? (
        <p class="empty">Choose a file to read it.</p>
      ) : (
        <WorkspaceFile key={place.path} trial={trial} place={place} />
      )}
    </div>
  )
}

export function WorkspaceFile(props: {
  readonly trial: TrialRoute
  readonly place: Place
  readonly note?: string
}): JSX.Element {
  const { path, line } = props.place
  const { trial, note } = props
  return (
    <div class="card file">
      <p class="row file-name">
        <span class="code">{path}</span>
        {note === undefined ? null : <span class="tag">{note}</span>}
      </p>
      <FetchedLines
        path={path}
        trial={trial}
        against="nothing"
        layout="file"
        place={line}
        missing="The agent's final workspace has no such file. A judge may have added it for its command."
      />
    </div>
  )
}

interface LinesProps {
  readonly layout: LineLayout
  readonly place?: number | undefined
  /** The accessible name of the lines. Default: the path. */
  readonly label?: string
}

export function FetchedLines(
  given: LinesProps & {
    readonly path: string
    readonly trial: TrialRoute
    readonly against: Against
    readonly missing?: string
  },
): JSX.Element {
  const { path, trial, against, missing, ...props } = given
  const loading = useDocument<FileDocument>(trialPath(trial, 'file'), new URLSearchParams({ against, path }))
  return (
    <Loaded of={loading} missing={missing}>
      {(document) => <FileLines document={document} {...props} />}
    </Loaded>
  )
}

/** Shows both sides of a file as a difference, or only the new side. */
export function FileLines({
  document: { before, after, path },
  ...props
}: LinesProps & { readonly document: FileDocument }): JSX.Element {
  const { layout } = props
  const [old, now] = [textOf(before), textOf(after)]
  if (old === undefined || now === undefined)
    return (
      <p class="quiet small unshown">{(layout === 'file' ? [after] : [before, after]).map(contentText).join(' → ')}</p>
    )
  return <DiffLines before={old} after={now} label={layout === 'file' ? path : `Changes of ${path}`} {...props} />
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
