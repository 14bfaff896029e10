import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { changeQuery } from './router.js'

/** The delay between the last key and the change of the address, in milliseconds. */
const typingMs = 200

/** A search field. Its content becomes the parameter `q` of the address. */
export function SearchField({ label, words }: { readonly label: string; readonly words: string }): JSX.Element {
  const [text, setText] = useState(words)
  const sent = useRef(words)
  useEffect(() => {
    // A link or the history has changed the address, not this field.
    if (words !== sent.current) {
      sent.current = words
      setText(words)
      return undefined
    }
    if (text === words) return undefined
    const timer = setTimeout(() => {
      sent.current = text
      changeQuery({ q: text })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, words])
  return (
    <label class="grows">
      <span class="hidden">{label}</span>
      <input type="search" placeholder={label} value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
  )
}

/** Buttons, of which at most one is pressed. The choice becomes a parameter of the address. */
export function FilterButtons<Value extends string>(props: {
  readonly legend: string
  readonly parameter: string
  readonly chosen: string | null
  readonly values: readonly Value[]
  readonly children: (value: Value) => ComponentChildren
}): JSX.Element {
  const { legend, parameter, chosen, values, children } = props
  return (
    <fieldset class="row choices">
      <legend class="hidden">{legend}</legend>
      {values.map((value) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === chosen}
          onClick={() => changeQuery({ [parameter]: value === chosen ? undefined : value })}
        >
          {children(value)}
        </button>
      ))}
    </fieldset>
  )
}

/** Links, of which exactly one is current. */
export function LinkChoice<Value extends string>(props: {
  readonly label: string
  readonly chosen: Value
  readonly options: Readonly<Record<Value, string>>
  readonly hrefOf: (value: Value) => string
}): JSX.Element {
  const { label, chosen, options, hrefOf } = props
  return (
    <nav class="row choices" aria-label={label}>
      {(Object.keys(options) as Value[]).map((value) => (
        <a key={value} href={hrefOf(value)} aria-current={value === chosen ? 'true' : undefined}>
          {options[value]}
        </a>
      ))}
    </nav>
  )
}

/**
 * A button that opens a list of choices. The list closes when the focus leaves it, but not on a click between the
 * choices.
 */
export function Menu(props: { readonly label: string; readonly children: ComponentChildren }): JSX.Element {
  const { label, children } = props
  const close = (event: { readonly currentTarget: HTMLDetailsElement }) => {
    event.currentTarget.open = false
  }
  return (
    <details
      class="menu"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) close(event)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close(event)
      }}
    >
      <summary class="button">{label}</summary>
      <div class="menu-list card" tabIndex={-1}>
        {children}
      </div>
    </details>
  )
}

export function Select(props: {
  readonly label: string
  /** A tooltip of the list. */
  readonly hint?: string | undefined
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly onChange: (value: string) => void
}): JSX.Element {
  const { label, hint, isLabelHidden = false, value, options, onChange } = props
  return (
    <label title={hint}>
      <span class={isLabelHidden ? 'hidden' : undefined}>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option value={option.value} key={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The parameters of the address that filter and order the rows of the items table. */
const listParameters: readonly string[] = [
  ...['q', 'outcome', 'bucket', 'tag', 'judge', 'label', 'finding', 'alike', 'spent'],
  ...['flaky', 'passes', 'fails', 'by', 'sort', 'order'],
]

/** Returns the part of an address that the server needs to choose the rows, or to find the neighbours of one. */
export function listQuery(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => listParameters.includes(name)))
}
