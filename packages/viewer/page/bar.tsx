import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useConnectionProblem } from './documents.js'
import { allKeys, type Keys, useKeyListener, useKeys } from './keys.js'
import { remember, remembered } from './router.js'

export function Bar(props: {
  /** The keys of the page itself, without those of its views. */
  readonly own: Keys
  readonly children: ComponentChildren
}): JSX.Element {
  const { own, children } = props
  const problem = useConnectionProblem()
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        {children}
        <KeySheet own={own} />
        <ThemeChoice />
      </header>
      {problem === undefined ? null : (
        <p class="connection" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

export function Scales(): JSX.Element {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M16 5v21M9 26h14M6 10h20M6 10l-4 9a4.2 4.2 0 0 0 8 0zM26 10l-4 9a4.2 4.2 0 0 0 8 0z"
        fill="none"
        stroke="currentColor"
        stroke-width="2.2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** The browser remembers the chosen theme. */
function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((one) => one === remembered('localStorage', 'jurist.theme')) ?? 'system',
  )
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    remember('localStorage', 'jurist.theme', theme)
  }, [theme])
  return (
    <label class="theme quiet small">
      <span>Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {themes.map((one) => (
          <option value={one} key={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Listens to the keys of the page and its views, and lists them in a dialog that `?` and the button open. */
function KeySheet({ own }: { readonly own: Keys }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [shown, setShown] = useState<Keys>({})
  const open = () => {
    setShown(allKeys(own))
    dialog.current?.showModal()
  }
  useKeys({ '?': { does: 'These keys', act: open } })
  useKeyListener(own)
  return (
    <>
      <button type="button" class="keys-button minor" aria-label="Keys" title="Keys (?)" onClick={open}>
        ?
      </button>
      <dialog class="keys card" ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl>
          {Object.entries({ ...shown, Escape: { does: 'Close, or leave a field' } }).map(([key, { does }]) => (
            <div key={key}>
              <dt>
                <kbd>{key === 'Escape' ? 'Esc' : key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  )
}
