import { counted, grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Against, ChangedFile, ChangesDocument } from '../../src/files/changes.js'
import { Loaded, useDocument } from '../documents.js'
import { LinkChoice } from '../filters.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { FileTree } from './file-tree.js'
import { type Place, placeIn, useFocusAt } from './reading.js'
import { FetchedLines, FileLines, WorkspaceFile, WorkspaceFiles } from './workspace-files.js'

const bases = {
  before: 'Against the initial state',
  reference: 'Against the reference',
  nothing: 'All files',
} as const
const layouts = { unified: 'One column', sides: 'Side by side' } as const

interface ChangesProps {
  readonly trial: TrialRoute
  readonly against: Against
  readonly layout: keyof typeof layouts
  readonly place: Place | undefined
}

/** The changes of a trial: the agent's final workspace against the initial state or the reference, or all its files. */
export function ChangesPart(props: { readonly trial: TrialRoute; readonly query: URLSearchParams }): JSX.Element {
  const { trial, query } = props
  const named = query.get('against')
  const against = named === 'reference' || named === 'nothing' ? named : 'before'
  const layout = query.get('layout') === 'sides' ? 'sides' : 'unified'
  const path = trialPath(trial, 'changes')
  return (
    <>
      <div class="row tools">
        <LinkChoice
          label="Compared with"
          chosen={against}
          options={bases}
          hrefOf={(value) => linkTo(path, { against: value, layout })}
        />
        {against === 'nothing' ? null : (
          <LinkChoice
            label="Layout"
            chosen={layout}
            options={layouts}
            hrefOf={(value) => linkTo(path, { against, layout: value })}
          />
        )}
      </div>
      <FetchedChanges trial={trial} against={against} layout={layout} place={placeIn(query)} />
    </>
  )
}

function FetchedChanges(props: ChangesProps): JSX.Element {
  const { trial, against } = props
  const loading = useDocument<ChangesDocument>(trialPath(trial, 'changes'), new URLSearchParams({ against }))
  return (
    <Loaded of={loading} missing="A static report does not contain workspaces. Use the store: jurist view">
      {(changes) => <Changes changes={changes} {...props} />}
    </Loaded>
  )
}

function Changes({ changes, ...props }: ChangesProps & { readonly changes: ChangesDocument }): JSX.Element {
  const { against, trial, place } = props
  if (changes.state === 'unknown')
    return changes.hasWorkspace ? (
      <>
        <p class="note">{changes.reason}</p>
        <FetchedChanges {...props} against="nothing" />
      </>
    ) : (
      <p class="empty">{changes.reason}</p>
    )
  const { files, isCut } = changes
  if (against === 'nothing') return <WorkspaceFiles files={files} isCut={isCut} trial={trial} place={place} />
  const isElsewhere = place !== undefined && !files.some(({ path }) => path === place.path)
  return (
    <>
      {isElsewhere ? <WorkspaceFile trial={trial} place={place} note="not among the changes" /> : null}
      {files.length === 0 ? (
        <p class="empty">{against === 'before' ? 'No file changed.' : 'The workspace equals the reference.'}</p>
      ) : (
        <ChangedFiles files={files} isCut={isCut} {...props} />
      )}
    </>
  )
}

/** A list of at most this many files needs no tree next to it. */
const fewFiles = 3

function ChangedFiles({
  files,
  isCut,
  ...props
}: ChangesProps & { readonly files: readonly ChangedFile[]; readonly isCut: boolean }): JSX.Element {
  const { trial, against, layout, place } = props
  const list = files.map((file) => <FileChange key={`${against} ${file.path}`} file={file} {...props} />)
  const count = (
    <p class="quiet small">
      {grouped(files.length)} {files.length === 1 ? 'file differs' : 'files differ'}
      {isCut ? '; the workspace has more files than were compared' : ''}
    </p>
  )
  if (files.length <= fewFiles)
    return (
      <>
        {count}
        {list}
      </>
    )
  return (
    <div class="with-tree">
      <div>
        {count}
        <FileTree
          label="Changed files"
          files={files}
          current={place?.path}
          hrefOf={(path) => linkTo(trialPath(trial, 'changes'), { against, layout, path })}
          mark={({ change }) => (
            <span class={`change-sign ${changeTones[change]}`} role="img" aria-label={change}>
              {changeSigns[change]}
            </span>
          )}
        />
      </div>
      <div>{list}</div>
    </div>
  )
}

const changeSigns = { added: '+', removed: '−', modified: '±' } as const
const changeTones = { added: 'pass', removed: 'fail', modified: 'timeout' } as const

function FileChange({
  file,
  trial,
  against,
  layout,
  place,
}: ChangesProps & { readonly file: ChangedFile }): JSX.Element {
  const { path, sides } = file
  const isAt = place?.path === path
  const line = isAt ? place.line : undefined
  const [isOpen, setOpen] = useState(isAt || sides !== undefined)
  useEffect(() => {
    if (isAt) setOpen(true)
  }, [isAt])
  const summary = useFocusAt<HTMLElement>(isAt && line === undefined)
  return (
    <details class="card file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="row" ref={summary}>
        <span class="code">{path}</span>
        <span class="tag">{file.change}</span>
        <span class="beside quiet small">
          {[file.beforeBytes, file.afterBytes]
            .map((bytes) => (bytes === null ? 'absent' : counted(bytes, 'byte')))
            .join(' → ')}
        </span>
      </summary>
      {!isOpen ? null : sides === undefined ? (
        <FetchedLines path={path} trial={trial} against={against} layout={layout} place={line} />
      ) : (
        <FileLines document={{ path, ...sides }} layout={layout} place={line} />
      )}
    </details>
  )
}
