import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** How long the button shows the outcome, in milliseconds. */
const shownMs = 1_500

const words = { copied: 'Copied', refused: 'The browser does not allow it' } as const

/** Copies a string and announces the outcome, also to a screen reader. */
export function CopyButton(props: {
  /** A function is called when the button is pressed. */
  readonly text: string | (() => Promise<string>)
  /** Describes what is copied, such as `Copy the id of the run`. */
  readonly label: string
  /** Whether the key `c` presses the button. Only the first such button of a view counts. */
  readonly isMain?: boolean
  readonly children?: ComponentChildren
}): JSX.Element {
  const { text, label, isMain = false, children = 'Copy' } = props
  const [result, setResult] = useState<keyof typeof words>()
  useEffect(() => {
    if (result === undefined) return undefined
    const timer = setTimeout(() => setResult(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [result])
  const copy = async () =>
    setResult((await isCopied(typeof text === 'string' ? text : await text())) ? 'copied' : 'refused')
  return (
    <>
      <button
        type="button"
        class="copy minor"
        title={label}
        aria-keyshortcuts={isMain ? 'c' : undefined}
        onClick={copy}
      >
        <span class={result === undefined ? undefined : 'unseen'}>{children}</span>
        {result === undefined ? null : (
          <span class="result" aria-hidden="true">
            {result === 'copied' ? '✓ Copied' : '✗ Refused'}
          </span>
        )}
      </button>
      <span class="hidden" role="status">
        {result === undefined ? '' : words[result]}
      </span>
    </>
  )
}

/** Browsers offer a clipboard only on secure origins. On other origins the selection is copied. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return isSelectionCopied(text)
  }
}

function isSelectionCopied(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden'
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isDone
}

/** Saves a file, and tells how that ended. */
export function SaveButton(props: {
  readonly label: string
  /** The message that is shown when the file is saved. */
  readonly saved: string
  readonly save: () => Promise<void>
}): JSX.Element {
  const { label, saved, save } = props
  const [state, setState] = useState('')
  const start = async () => {
    setState('Writing the file…')
    try {
      await save()
      setState(saved)
    } catch (thrown) {
      setState(`Not saved: ${thrown instanceof Error ? thrown.message : thrown}`)
    }
  }
  return (
    <>
      <button type="button" class="main" onClick={() => void start()}>
        {label}
      </button>
      <p class="quiet small" role="status">
        {state}
      </p>
    </>
  )
}
