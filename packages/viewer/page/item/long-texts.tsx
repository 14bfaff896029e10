import { counted, excerptOf, grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useContext, useMemo, useState } from 'preact/hooks'
import { plainText } from '../text.js'
import { styledTexts } from '../transcript/ansi-text.js'
import { Markdown } from '../transcript/markdown.js'
import { PlacedText, ReadingContext } from './reading.js'

/** Longer strings keep a browser busy for seconds. */
const maxCharacters = 200_000
/** How many lines are shown at first. An output with only a few more is shown whole, unless it hides what failed. */
const [mostLines, hardlyMore] = [24, 36]
/** So many lines before the one that failed are seen past. */
const seenPast = 4

/** The output of a program: the lines that explain the failure, and the rest on request. */
export function LongOutput({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const shown = text.slice(0, maxCharacters)
  const [isWhole, setWhole] = useState(false)
  const { before, after, lines, key } = useMemo(() => {
    const whole = excerptOf(shown, Number.POSITIVE_INFINITY)
    const { length } = whole.lines
    if (isWhole || (length <= hardlyMore && (whole.key ?? 0) <= seenPast)) return whole
    return excerptOf(shown, Math.min(mostLines, length - Math.max(0, (whole.key ?? 0) - 1)))
  }, [shown, isWhole])
  const more = (count: number, where: string) =>
    count === 0 ? null : (
      <button type="button" class="more-lines minor" onClick={() => setWhole(true)}>
        Show {counted(count, 'line')} {where}
      </button>
    )
  return (
    <section class="output" aria-label={label}>
      {more(before, 'before')}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys */}
      <pre class="sheet card" tabIndex={0}>
        {lines.map((line, index) => (
          <span key={index} class={index === key ? 'key-line' : undefined}>
            <OutputLine line={line} />
            {'\n'}
          </span>
        ))}
      </pre>
      {more(after, 'after')}
      {text.length > maxCharacters ? (
        <p class="quiet small">Only the first {counted(maxCharacters, 'character')} are shown.</p>
      ) : null}
    </section>
  )
}

function OutputLine({ line }: { readonly line: string }): JSX.Element {
  const { isRaw } = useContext(ReadingContext)
  const parts = isRaw ? [{ text: plainText(line), style: '' }] : styledTexts(line)
  return (
    <>
      {parts.map(({ text, style }, index) => (
        <span key={index} class={style === '' ? undefined : style}>
          <PlacedText text={text} />
        </span>
      ))}
    </>
  )
}

/** How many characters are shown at first, and at most: longer strings keep a browser busy. */
const mostOfProse = { first: 8_000, all: 200_000 }

/** Renders a string that a person or a model wrote as Markdown. */
export function LongProse({ text }: { readonly text: string }): JSX.Element {
  const { isRaw } = useContext(ReadingContext)
  const [isWhole, setWhole] = useState(false)
  const most = isWhole ? mostOfProse.all : mostOfProse.first
  return (
    <>
      <Markdown text={text.slice(0, most)} isRaw={isRaw} />
      {text.length <= most ? null : isWhole ? (
        <p class="quiet small">Only the first {grouped(most)} characters are shown.</p>
      ) : (
        <button type="button" class="more-lines minor" onClick={() => setWhole(true)}>
          Show all {counted(text.length, 'character')}
        </button>
      )}
    </>
  )
}
