import { useEffect, useRef } from 'preact/hooks'

/** Measures how long something has been shown, without the time in which its tab was hidden. Returns the seconds so far. */
export function useStopwatch(): () => number {
  const watch = useRef({ startMs: performance.now(), beforeMs: 0 })
  const shownMs = () => {
    const { startMs, beforeMs } = watch.current
    return beforeMs + (document.hidden ? 0 : performance.now() - startMs)
  }
  useEffect(() => {
    const change = () => {
      const { startMs, beforeMs } = watch.current
      const now = performance.now()
      watch.current = { startMs: now, beforeMs: document.hidden ? beforeMs + now - startMs : beforeMs }
    }
    document.addEventListener('visibilitychange', change)
    return () => document.removeEventListener('visibilitychange', change)
  }, [])
  return () => Math.round(shownMs() / 100) / 10
}
