import type { Check } from '@jurist/core'
import { type MutableRef, useEffect, useRef } from 'preact/hooks'

/** A place in the agent's final workspace: a path, and a line counted from 1. */
export type Place = Required<Check>['location']

/** The place that an address names, if it names one. */
export function placeIn(query: URLSearchParams): Place | undefined {
  const path = query.get('path')?.replace(/^(?:\.\/)+/, '') ?? ''
  const line = Number(query.get('line'))
  if (path === '') return undefined
  return Number.isSafeInteger(line) && line > 0 ? { path, line } : { path }
}

/** Scrolls an element into view and moves the focus to it when it becomes the place of the address. */
export function useFocusAt<Element extends HTMLElement>(isAt: boolean): MutableRef<Element | null> {
  const ref = useRef<Element | null>(null)
  useEffect(() => {
    if (!isAt) return undefined
    // After the frame in which the page itself scrolls to the top of a new view.
    const frame = requestAnimationFrame(() => {
      ref.current?.scrollIntoView({ block: 'center' })
      ref.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isAt])
  return ref
}
