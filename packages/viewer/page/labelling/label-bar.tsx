import { categoriesIn } from '@jurist/experiment/internal/results'
import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type Keys, useKeys } from '../keys.js'
import { toggled } from '../router.js'

/** Shows the key of a button or a field. Screen readers get it from `aria-keyshortcuts`. */
export function Hotkey({ is }: { readonly is: string }): JSX.Element {
  return (
    <span class="hotkey" aria-hidden="true">
      {is}
    </span>
  )
}

interface Opinion {
  readonly label: 'pass' | 'fail' | 'skip'
  readonly note: string | null
  readonly categories: readonly string[]
}

export function LabelBar(props: {
  /** Categories that were used before. Digits choose them. */
  readonly known: readonly string[]
  /** The initial content of the fields. */
  readonly initial: Pick<Opinion, 'note' | 'categories'> | undefined
  readonly canUndo: boolean
  readonly onLabel: (opinion: Opinion) => void
  readonly onUndo: () => void
  /** The latest label. */
  readonly children: ComponentChildren
}): JSX.Element {
  const { known, initial, canUndo, onLabel, onUndo, children } = props
  const [note, setNote] = useState(initial?.note ?? '')
  const [words, setWords] = useState(initial?.categories.join(', ') ?? '')
  const [noteField, wordsField] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)]
  const toggle = (category: string) => setWords(toggled(categoriesIn(words), category).join(', '))
  const give = (label: Opinion['label']) =>
    onLabel({ label, note: note.trim() === '' ? null : note.trim(), categories: categoriesIn(words) })
  useKeys({
    p: { does: 'Pass', act: () => give('pass'), isOnce: true },
    f: { does: 'Fail', act: () => give('fail'), isOnce: true },
    s: { does: 'Skip', act: () => give('skip'), isOnce: true },
    u: { does: 'Undo the last label', act: onUndo, isOnce: true },
    n: { does: 'Write a note', act: () => noteField.current?.focus() },
    c: { does: 'Name categories', act: () => wordsField.current?.focus() },
    ...Object.fromEntries(
      known.map((category, index): [string, Keys[string]] => [
        String(index + 1),
        { does: `Category ${category}`, act: () => toggle(category), isOnce: true },
      ]),
    ),
  })
  return (
    <section class="label-bar" aria-label="Label">
      <div class="row label-fields">
        <Field name="Note" hotkey="n" text={note} onText={setNote} field={noteField} />
        <Field name="Categories" hotkey="c" text={words} onText={setWords} field={wordsField} hint="math, careless" />
        {known.length === 0 ? null : (
          <fieldset class="row choices">
            <legend class="hidden">Categories that were used before</legend>
            {known.map((category, index) => (
              <button
                type="button"
                key={category}
                aria-pressed={categoriesIn(words).includes(category)}
                aria-keyshortcuts={String(index + 1)}
                onClick={() => toggle(category)}
              >
                {category} <Hotkey is={String(index + 1)} />
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <div class="row label-buttons">
        {(['pass', 'fail', 'skip'] as const).map((label) => (
          <LabelButton
            key={label}
            name={`${label.charAt(0).toUpperCase()}${label.slice(1)}`}
            look={label === 'skip' ? undefined : label}
            onClick={() => give(label)}
          />
        ))}
        <LabelButton name="Undo" isDisabled={!canUndo} onClick={onUndo} />
        {children}
      </div>
    </section>
  )
}

/** A single-line field. Enter and Escape leave it, so that the next key labels. */
function Field(props: {
  readonly name: string
  readonly hotkey: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly field: { readonly current: HTMLInputElement | null }
  readonly hint?: string
}): JSX.Element {
  const { name, hotkey, text, onText, field, hint } = props
  return (
    <label>
      <span class="quiet small">
        {name} <Hotkey is={hotkey} />
      </span>
      <input
        type="text"
        ref={field}
        value={text}
        placeholder={hint}
        maxLength={4_000}
        aria-keyshortcuts={hotkey}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing) event.currentTarget.blur()
        }}
      />
    </label>
  )
}

/** A button whose key is the first letter of its name. */
export function LabelButton(props: {
  readonly name: string
  readonly look?: string | undefined
  readonly isDisabled?: boolean
  readonly onClick: () => void
}): JSX.Element {
  const { name, look, isDisabled = false, onClick } = props
  const hotkey = name.charAt(0).toLowerCase()
  return (
    <button type="button" class={look} aria-keyshortcuts={hotkey} disabled={isDisabled} onClick={onClick}>
      {name} <Hotkey is={hotkey} />
    </button>
  )
}
