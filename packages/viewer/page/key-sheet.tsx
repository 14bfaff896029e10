import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { allKeys, type Keys, useKeyListener, useKeys } from './keys.js'

/** Listens to the keys of the page and its views, and lists them in a dialog that `?` and the button open. */
export function KeySheet({ own }: { readonly own: Keys }): JSX.Element {
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
      <button type="button" class="keys-button" aria-label="Keys" title="Keys (?)" onClick={open}>
        ?
      </button>
      <dialog class="keys" ref={dialog} aria-labelledby="keys-title">
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
