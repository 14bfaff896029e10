import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Keys {
  readonly [key: string]: {
    /** A description for the list of keys, such as `Search`. */
    readonly does: string
    readonly act: () => void
    /** Whether a key that is held down acts only once. */
    readonly isOnce?: true
  }
}

const views = new Set<() => Keys>()

/** Registers the keys of a view while it is shown. They take precedence over the keys of the page. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const read = () => current.current
    views.add(read)
    return () => void views.delete(read)
  }, [])
}

/** Merges the page's own keys with those of the views that are shown. */
export function allKeys(own: Keys): Keys {
  return Object.assign({}, own, ...[...views].map((read) => read()))
}

/**
 * Listens to keys for the page and its views. Keys with a modifier belong to the browser, and keys in a field to the
 * field, except for Escape, which leaves it.
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
 * Returns the position that a key moves to among `total` positions: `steps` maps keys to distances, Home and End go to
 * the ends. Returns `undefined` for other keys.
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
