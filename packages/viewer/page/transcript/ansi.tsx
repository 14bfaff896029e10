import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { plainText } from '../text.js'
import { styledTexts } from './ansi-text.js'

/** The output of a program in the colours of a terminal; without control sequences and colours for `isRaw`. */
export function Ansi({ text, isRaw = false }: { readonly text: string; readonly isRaw?: boolean }): JSX.Element {
  const parts = useMemo(() => (isRaw ? [{ text: plainText(text), style: '' }] : styledTexts(text)), [text, isRaw])
  return (
    <>
      {parts.map((part, index) =>
        part.style === '' ? (
          part.text
        ) : (
          <span class={part.style} key={index}>
            {part.text}
          </span>
        ),
      )}
    </>
  )
}
