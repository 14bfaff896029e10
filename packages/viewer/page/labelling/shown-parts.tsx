import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ReviewTrial } from '../../src/review/review-documents.js'
import { ChangesPart } from '../item/changes-part.js'
import { toggledIn } from '../item/disclosure.js'
import { ReadingContext } from '../item/place-link.js'
import { Texts } from '../item/texts-part.js'
import { useKeys } from '../keys.js'
import { Part } from '../parts.js'
import type { TrialRoute } from '../router.js'
import { JournalPart } from '../transcript/journal-view.js'
import { isRaw, RawSwitch } from '../transcript/raw-switch.js'
import { Hotkey } from './label-bar.js'

/** A trial as the labeller sees it: its task and output, the agent's changes, and the journal on request. */
export function ShownParts(props: {
  readonly shown: ReviewTrial
  readonly run: string
  readonly query: URLSearchParams
}): JSX.Element {
  const { shown, run, query } = props
  const { itemId, repetition, task, sources, output, expected, turns, hasChanges, hasJournal } = shown
  const trial: TrialRoute = { run, itemId, repetition }
  return (
    <ReadingContext.Provider
      value={{ trial: hasChanges ? trial : null, isRaw: isRaw(query), toggled: toggledIn(query) }}
    >
      <Texts {...{ task, sources, output, expected, turns }} user={undefined} />
      {hasChanges ? (
        <Part title="Changes">
          <ChangesPart trial={trial} query={query} />
        </Part>
      ) : null}
      {hasJournal ? (
        <Journal trial={trial} query={query} />
      ) : (
        // The journal has a switch of its own.
        <div class="row choices part">
          <RawSwitch query={query} />
        </div>
      )}
    </ReadingContext.Provider>
  )
}

/** The journal is long, so it is collapsed until the key `j` opens it. */
function Journal({ trial, query }: { readonly trial: TrialRoute; readonly query: URLSearchParams }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen) section.current?.scrollIntoView()
  }, [isOpen])
  useKeys({ j: { does: 'Open or close the journal', act: () => setOpen(!isOpen) } })
  return (
    <section class="part" ref={section}>
      <h2>Journal</h2>
      <div class="row choices">
        <button type="button" aria-expanded={isOpen} aria-keyshortcuts="j" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Open'} the journal <Hotkey is="j" />
        </button>
        {isOpen ? null : <RawSwitch query={query} />}
      </div>
      {isOpen ? <JournalPart trial={trial} query={query} hasKeys={false} /> : null}
    </section>
  )
}
