import type { JSX } from 'preact'
import type { ChangesDocument } from '../../src/files/changes.js'
import { count } from '../amounts.js'
import { linkTo } from '../place.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { FileChange } from './file-change.js'
import type { TrialPlace } from './item-view.js'

const sides: readonly (readonly [name: string, word: string])[] = [
  ['before', 'Against what it began with'],
  ['reference', 'Against the reference'],
]
const layouts: readonly (readonly [name: string, word: string])[] = [
  ['unified', 'One column'],
  ['sides', 'Side by side'],
]

/** The workspace that the agent left, against what it began with or the reference. */
export function ChangesPart({
  trial,
  query,
}: {
  readonly trial: TrialPlace
  readonly query: URLSearchParams
}): JSX.Element {
  const { run, itemId, repetition } = trial
  const against = query.get('against') === 'reference' ? 'reference' : 'before'
  const layout = query.get('layout') === 'sides' ? 'sides' : 'unified'
  const place = ['runs', run, 'items', itemId, repetition, 'changes']
  const loading = useDocument<ChangesDocument>(place, new URLSearchParams({ against }))
  const choice = (name: 'against' | 'layout', present: string, options: typeof sides) => (
    <nav class="choices" aria-label={name === 'against' ? 'Compared with' : 'Shown as'}>
      {options.map(([value, word]) => (
        <a
          key={value}
          href={linkTo(place, { against, layout, [name]: value })}
          aria-current={value === present ? 'true' : undefined}
        >
          {word}
        </a>
      ))}
    </nav>
  )
  return (
    <>
      <div class="tools">
        {choice('against', against, sides)}
        {choice('layout', layout, layouts)}
      </div>
      <State of={loading} missing="A report of one file holds no workspaces. Look at the store: jurist view">
        {(changes) => <Changes changes={changes} trial={trial} against={against} layout={layout} />}
      </State>
    </>
  )
}

function Changes({
  changes,
  trial,
  against,
  layout,
}: {
  readonly changes: ChangesDocument
  readonly trial: TrialPlace
  readonly against: string
  readonly layout: 'unified' | 'sides'
}): JSX.Element {
  if (changes.state === 'unknown') return <p class="empty">{changes.reason}</p>
  const { files, isCut } = changes
  if (files.length === 0)
    return <p class="empty">{against === 'before' ? 'Nothing was changed.' : 'It is like the reference.'}</p>
  return (
    <>
      <p class="quiet small">
        {count(files.length)} {files.length === 1 ? 'file differs' : 'files differ'}
        {isCut ? '; there are more files than were looked at' : ''}
      </p>
      {files.map((file) => (
        <FileChange
          key={`${against} ${file.path}`}
          file={file}
          trial={trial}
          against={against}
          layout={layout}
          isOpen={file.sides !== undefined}
        />
      ))}
    </>
  )
}
