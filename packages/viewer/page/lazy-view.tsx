import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The pause before a chunk that could not be loaded is requested again. */
const retryMs = 2_000

/**
 * A view whose code is a chunk of its own. It is loaded when the browser is idle, or when the view is shown, so that it is
 * there when the server stops.
 */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let view: ComponentType<Props> | undefined
  const loaded = async (): Promise<void> => {
    view ??= await load()
  }
  globalThis.requestIdleCallback?.(() => void loaded().catch(() => undefined))
  return function LazyView(props: Props): JSX.Element {
    const [hasFailed, setFailed] = useState(false)
    const [, setLoaded] = useState(false)
    const View = view
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const attempt = () => {
        loaded().then(
          () => setLoaded(true),
          () => {
            setFailed(true)
            timer = setTimeout(attempt, retryMs)
          },
        )
      }
      // The view may have been loaded since it was missing here: then it is shown now.
      if (View === undefined) attempt()
      return () => clearTimeout(timer)
    }, [])
    if (View !== undefined) return <View {...props} />
    return hasFailed ? (
      <p class="empty" role="alert">
        This part of the page could not be loaded. The page tries again.
      </p>
    ) : (
      <p class="quiet waiting" role="status">
        Loading…
      </p>
    )
  }
}
