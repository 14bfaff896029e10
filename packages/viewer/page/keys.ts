import { useLayoutEffect, useRef } from 'preact/hooks'

/** Actions by key, as in `KeyboardEvent.key`. */
export interface Keys {
  readonly [key: string]: {
    /** What the sheet of keys says, such as `Search`. */
    readonly does: string
    readonly act: () => void
    /** Whether a key that is held down acts once. */
    readonly isOnce?: true
  }
}

const views = new Set<() => Keys>()

/** The keys of a view as soon as it is shown, and while it is. They come before the page's own. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const read = () => current.current
    views.add(read)
    return () => void views.delete(read)
  }, [])
}

/** The page's own keys with those of the views that are shown. */
export function allKeys(own: Keys): Keys {
  return Object.assign({}, own, ...[...views].map((read) => read()))
}

/**
 * Listens to keys for the page and its views. Keys with a modifier belong to the browser, and keys in a field to its text;
 * only Escape leaves the field.
 */
export function useKeyListener(own: Keys): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, altKey, metaKey, isComposing, defaultPrevented } = event
      if (ctrlKey || altKey || metaKey || isComposing || defaultPrevented) return
      if (document.querySelector('dialog[open]') !== null) return
      if (isField(target)) {
        if (key !== 'Escape') return
        event.preventDefault()
        target.blur()
        return
      }
      const keys = allKeys(own)
      if (!Object.hasOwn(keys, key)) return
      event.preventDefault()
      if (!event.repeat || keys[key]?.isOnce !== true) keys[key]?.act()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [own])
}

function isField(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), select, textarea')
}

/**
 * The place that a key moves to, of `total` places: `steps` tells how far, Home and End go to the ends; `undefined` for a key
 * that moves nothing.
 */
export function movedBy(
  key: string,
  at: number,
  total: number,
  steps: Readonly<Record<string, number>>,
): number | undefined {
  const step = key === 'Home' ? -total : key === 'End' ? total : Object.hasOwn(steps, key) ? (steps[key] ?? 0) : 0
  return step === 0 || total === 0 ? undefined : Math.min(total - 1, Math.max(0, at + step))
}
