import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** A box that scrolls what does not fit; then, and only then, it takes the focus, so that keys can scroll it. */
export function Scroller({
  label,
  isLow = false,
  children,
}: {
  readonly label: string
  readonly isLow?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  const box = useRef<HTMLElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const look = () =>
      setScrolls(current.scrollWidth > current.clientWidth || current.scrollHeight > current.clientHeight)
    const observer = new ResizeObserver(look)
    observer.observe(current)
    for (const child of current.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section
      class={isLow ? 'scroller low' : 'scroller'}
      aria-label={label}
      ref={box}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </section>
  )
}
