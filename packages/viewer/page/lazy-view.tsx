import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A view whose code is a chunk of its own, which is loaded when the view is shown for the first time. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function LazyView(props: Props): JSX.Element {
    const [problem, setProblem] = useState('')
    const [, setLoaded] = useState(loaded !== undefined)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (view) => {
          loaded = view
          setLoaded(true)
        },
        () => setProblem('This part of the page could not be loaded. Reload the page.'),
      )
    }, [])
    if (loaded !== undefined) {
      const View = loaded
      return <View {...props} />
    }
    return problem === '' ? (
      <p class="quiet waiting" role="status">
        Loading…
      </p>
    ) : (
      <p class="empty" role="alert">
        {problem}
      </p>
    )
  }
}
