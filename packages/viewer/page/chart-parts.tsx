import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** An element and its width, so that the text of a chart keeps its size on every screen. */
export function useWidth() {
  const element = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    setWidth(current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return [element, width] as const
}

/** Lines and numbers of a scale. The links of a chart say its values, so assistive technology skips them. */
export function Unspoken({
  class: className,
  children,
}: {
  readonly class?: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus
    <g class={className} aria-hidden="true">
      {children}
    </g>
  )
}
