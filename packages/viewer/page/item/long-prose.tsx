import { counted, grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Markdown } from '../transcript/markdown.js'
import { ReadingContext } from './reading.js'

/** How much of a text is shown before the reader asks for more, and at all: longer ones keep a browser busy. */
const maxCharacters = { first: 8_000, all: 200_000 }

/** A text that somebody or a model wrote, as Markdown. */
export function LongProse({ text }: { readonly text: string }): JSX.Element {
  const { isRaw } = useContext(ReadingContext)
  const [isWhole, setWhole] = useState(false)
  const most = isWhole ? maxCharacters.all : maxCharacters.first
  return (
    <>
      <Markdown text={text.slice(0, most)} isRaw={isRaw} />
      {text.length <= most ? null : isWhole ? (
        <p class="quiet small">Only the first {grouped(most)} characters are shown.</p>
      ) : (
        <button type="button" class="more-lines" onClick={() => setWhole(true)}>
          Show all {counted(text.length, 'character')}
        </button>
      )}
    </>
  )
}
