import { counted } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PairDocument, PairSide } from '../../src/answers/comparison.js'
import type { ChangedFile, ChangesDocument, FileContent } from '../../src/files/changes.js'
import type { FileDocument } from '../../src/files/file-answer.js'
import { Loaded, type Loading, useDocument } from '../documents.js'
import { LinkChoice } from '../filters.js'
import { FetchedLines, FileLines } from '../item/workspace-files.js'
import { changedAddress, type TrialRoute, trialPath } from '../router.js'
import { useIsNarrow } from './pair-links.js'

const modes = { start: 'Each against its start', other: 'Left against right' } as const

export function PairChanges(props: { readonly document: PairDocument; readonly query: URLSearchParams }): JSX.Element {
  const { itemId, left, right } = props.document
  const { query } = props
  const mode = query.get('against') === 'other' ? 'other' : 'start'
  const trials = [trialOf(itemId, left), trialOf(itemId, right)] as const
  const loadings = [useChanges(trials[0], left), useChanges(trials[1], right)] as const
  return (
    <>
      <div class="row tools">
        <LinkChoice
          label="Compared with"
          chosen={mode}
          options={modes}
          hrefOf={(value) => changedAddress({ against: value === 'other' ? value : undefined })}
        />
      </div>
      <Loaded of={bothOf(loadings)} missing="A static report does not contain workspaces. Use the store: jurist view">
        {(changes) => <Files changes={changes} trials={trials} mode={mode} />}
      </Loaded>
    </>
  )
}

function trialOf(itemId: string, { run, item }: PairSide): TrialRoute {
  return { run: run.id, itemId, repetition: item?.repetition ?? 0 }
}

/** A run without the item changed nothing. */
function useChanges(trial: TrialRoute, { item }: PairSide): Loading<ChangesDocument> {
  const loading = useDocument<ChangesDocument>(trialPath(trial, 'changes'), new URLSearchParams({ against: 'before' }))
  return item === null ? { state: 'loaded', document: { state: 'compared', files: [], isCut: false } } : loading
}

type Both<Value> = readonly [left: Value, right: Value]

function bothOf([left, right]: Both<Loading<ChangesDocument>>): Loading<Both<ChangesDocument>> {
  if (left.state === 'loaded' && right.state === 'loaded')
    return { state: 'loaded', document: [left.document, right.document] }
  const [first] = [left, right].filter(({ state }) => state !== 'loaded')
  return first === undefined || first.state === 'loaded' ? { state: 'loading' } : first
}

interface FilesProps {
  readonly trials: Both<TrialRoute>
  readonly mode: keyof typeof modes
}

function Files({ changes, ...props }: FilesProps & { readonly changes: Both<ChangesDocument> }): JSX.Element {
  const [left, right] = changes.map(
    (one) => new Map((one.state === 'compared' ? one.files : []).map((file) => [file.path, file])),
  )
  const paths = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].sort()
  const reasons = changes.flatMap((one) => (one.state === 'unknown' ? [one.reason] : []))
  return (
    <>
      {[...new Set(reasons)].map((reason) => (
        <p class="note" key={reason}>
          {reason}
        </p>
      ))}
      {paths.length === 0 && reasons.length === 0 ? <p class="empty">Neither agent changed a file.</p> : null}
      {paths.map((path) => (
        <PairFile key={path} path={path} files={[left?.get(path), right?.get(path)]} {...props} />
      ))}
    </>
  )
}

type PairFileProps = FilesProps & { readonly path: string; readonly files: Both<ChangedFile | undefined> }

/** One file on both sides. It is collapsed if both agents left it alike. */
function PairFile(props: PairFileProps): JSX.Element {
  const { path, files } = props
  const isSame = isSameResult(files)
  const [isOpen, setOpen] = useState(!isSame && files.some((file) => file?.sides !== undefined))
  return (
    <details class="card file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="row">
        <span class="code">{path}</span>
        <span class="tag">{changeText(files)}</span>
        <span class="beside quiet small">
          {files.map((file) => (file?.afterBytes == null ? '–' : counted(file.afterBytes, 'byte'))).join(' | ')}
        </span>
      </summary>
      {isOpen ? props.mode === 'other' ? <BetweenSides {...props} /> : <EachSide {...props} /> : null}
    </details>
  )
}

/** Returns `added`, or `left not changed, right added`. */
function changeText(files: Both<ChangedFile | undefined>): string {
  if (isSameResult(files)) return 'the same on both sides'
  const [left = 'not changed', right = 'not changed'] = files.map((file) => file?.change)
  return left === right ? left : `left ${left}, right ${right}`
}

function isSameResult([left, right]: Both<ChangedFile | undefined>): boolean {
  const [one, other] = [left?.sides?.after, right?.sides?.after]
  return one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

function EachSide({ path, files, trials }: PairFileProps): JSX.Element {
  return (
    <div class="pair tight">
      {trials.map((trial, index) => {
        const file = files[index]
        const label = `Changes of ${path}, ${index === 0 ? 'left' : 'right'}`
        return (
          <div key={`${index}`}>
            {file === undefined ? (
              <p class="quiet small unshown">Not changed.</p>
            ) : file.sides === undefined ? (
              <FetchedLines path={path} trial={trial} against="before" layout="unified" label={label} />
            ) : (
              <FileLines document={{ path, ...file.sides }} layout="unified" label={label} />
            )}
          </div>
        )
      })}
    </div>
  )
}

function BetweenSides({ path, trials }: PairFileProps): JSX.Element {
  const isNarrow = useIsNarrow()
  const search = new URLSearchParams({ against: 'nothing', path })
  const [left, right] = [
    useDocument<FileDocument>(trialPath(trials[0], 'file'), search),
    useDocument<FileDocument>(trialPath(trials[1], 'file'), search),
  ]
  if (left.state === 'loading' || right.state === 'loading') return <p class="quiet small unshown waiting">Loading…</p>
  const document = { path, before: resultOf(left), after: resultOf(right) }
  return <FileLines document={document} layout={isNarrow ? 'unified' : 'sides'} />
}

function resultOf(loading: Loading<FileDocument>): FileContent {
  return loading.state === 'loaded' ? loading.document.after : { kind: 'absent' }
}
