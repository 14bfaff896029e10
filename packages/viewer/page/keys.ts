import { useEffect } from 'preact/hooks'

/** Calls an action when its key is pressed, unless the reader types in a field or holds a modifier. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, altKey, metaKey } = event
      if (ctrlKey || altKey || metaKey || isField(target) || !Object.hasOwn(actions, key)) return
      event.preventDefault()
      actions[key]?.()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [actions])
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}
