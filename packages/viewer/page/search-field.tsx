import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { changeQuery } from './place.js'

/** A field whose words become `q` of the address, a moment after the last key. */
export function SearchField({ label, words }: { readonly label: string; readonly words: string }): JSX.Element {
  const [text, setText] = useState(words)
  useEffect(() => {
    if (text === words) return undefined
    const timer = setTimeout(() => changeQuery({ q: text }), 200)
    return () => clearTimeout(timer)
  }, [text, words])
  return (
    <label class="grows">
      <span class="hidden">{label}</span>
      <input type="search" placeholder={label} value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
  )
}
