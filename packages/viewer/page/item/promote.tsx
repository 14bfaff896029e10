import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PromotedDocument } from '../../src/review/promoter.js'
import { commandLine, mayPromote } from '../command.js'
import { CopyButton } from '../copy-button.js'
import { sent } from '../documents.js'
import { useKeys } from '../keys.js'

type Made =
  | { readonly state: 'closed' | 'shown' | 'running' }
  | { readonly state: 'done' | 'refused'; readonly text: string }

/** The command that makes an item of a failed trial. A server that may write runs it, and the item is shown. */
export function Promote({ run, trial }: { readonly run: string; readonly trial: string }): JSX.Element {
  const [made, setMade] = useState<Made>({ state: 'closed' })
  const command = commandLine('promote', run, trial, '--minimise')
  const act = async () => {
    if (made.state === 'running') return
    if (made.state !== 'closed') return setMade({ state: 'closed' })
    if (!mayPromote()) return setMade({ state: 'shown' })
    setMade({ state: 'running' })
    try {
      const { text } = await sent<PromotedDocument>('promote', { run, trial })
      setMade({ state: 'done', text })
    } catch (thrown) {
      setMade({ state: 'refused', text: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  }
  useKeys({ P: { does: 'Make a test of this failure', act: () => void act(), isOnce: true } })
  return (
    <div class="promote">
      <button
        type="button"
        class="minor"
        aria-expanded={made.state !== 'closed'}
        aria-keyshortcuts="P"
        title="Key: P"
        onClick={() => void act()}
      >
        Make a test of it
      </button>
      {made.state === 'closed' ? null : (
        <>
          {' '}
          <code>{command}</code> <CopyButton text={command} label="Copy the command that makes an item of this trial" />
        </>
      )}
      <div role="status">
        {made.state === 'running' ? <p class="quiet">The judges look at smaller and smaller parts of it…</p> : null}
        {'text' in made ? <pre class="sheet card">{made.text}</pre> : null}
      </div>
    </div>
  )
}
