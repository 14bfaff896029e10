import { counted } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { ChangedFile } from '../../src/files/changes.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { FetchedLines } from './file-lines.js'
import { FileTree } from './file-tree.js'
import type { Place } from './place-link.js'

/** The files of the agent's final workspace as a tree, and the one that the address names. */
export function WorkspaceFiles({
  files,
  isCut,
  trial,
  place,
}: {
  readonly files: readonly ChangedFile[]
  readonly isCut: boolean
  readonly trial: TrialRoute
  readonly place: Place | undefined
}): JSX.Element {
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

/** One file of the agent's final workspace, with the line of the address. */
export function WorkspaceFile({
  trial,
  place: { path, line },
  note,
}: {
  readonly trial: TrialRoute
  readonly place: Place
  readonly note?: string
}): JSX.Element {
  return (
    <div class="file">
      <p class="file-name">
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
