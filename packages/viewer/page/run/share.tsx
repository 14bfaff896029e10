import type { JSX } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { SourceContext, saveFile, server } from '../documents.js'

const extras = { journals: 'With journals', changes: 'With changed files' } as const
type Extra = keyof typeof extras

/** Saves a run, with the other variants of its session, as one HTML file. A report has no such button: it is the file. */
export function Share({ run }: { readonly run: string }): JSX.Element | null {
  const isServed = useContext(SourceContext) === server
  const [chosen, setChosen] = useState<readonly Extra[]>([])
  const [state, setState] = useState('')
  if (!isServed) return null
  const toggle = (extra: Extra) =>
    setChosen(chosen.includes(extra) ? chosen.filter((one) => one !== extra) : [...chosen, extra])
  const save = async () => {
    setState('Writing the file…')
    try {
      await saveFile(['runs', run, 'report'], new URLSearchParams(chosen.map((extra) => ['with', extra])))
      setState('Saved. The file contains what agents were asked and what they answered.')
    } catch (thrown) {
      setState(`Not saved: ${thrown instanceof Error ? thrown.message : thrown}`)
    }
  }
  return (
    <details class="share">
      <summary class="button">Share</summary>
      <div class="share-choice">
        <p>One HTML file that opens without a server.</p>
        {Object.entries(extras).map(([extra, label]) => (
          <label key={extra}>
            <input type="checkbox" checked={chosen.includes(extra as Extra)} onChange={() => toggle(extra as Extra)} />{' '}
            {label}
          </label>
        ))}
        <button type="button" class="main" onClick={() => void save()}>
          Save the file
        </button>
        <p class="quiet" role="status">
          {state}
        </p>
      </div>
    </details>
  )
}
