import type { JournalStep } from '@jurist/experiment/internal/journal'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { changeQuery } from '../router.js'

/** The step that the address names. Choosing one scrolls to it and moves the focus there. */
export function useChosenStep(
  shown: readonly JournalStep[],
  query: URLSearchParams,
  list: { readonly current: HTMLElement | null },
  show: (row: number) => void,
) {
  const wanted = query.get('step')
  const current =
    wanted === null ? -1 : shown.findIndex(({ index, content }) => content.kind !== 'phase' && String(index) === wanted)
  const focused = useRef<string>()
  const [first] = useState(wanted)
  const isThere = current >= 0
  // A link to a step shows it. Later steps are chosen by the reader.
  useEffect(() => {
    if (isThere && first !== null && wanted === first) show(current)
  }, [isThere])
  useLayoutEffect(() => {
    if (focused.current === undefined) return
    const row = list.current?.querySelector<HTMLElement>(`[data-step="${focused.current}"]:not(.kind-phase)`)
    if (row === null || row === undefined) return
    row.focus({ preventScroll: true })
    focused.current = undefined
  })
  const choose = (row: number) => {
    const step = shown[row]
    if (step === undefined) return
    const isSlider = document.activeElement?.getAttribute('role') === 'slider'
    focused.current = isSlider ? undefined : String(step.index)
    changeQuery({ step: String(step.index) })
    show(row)
  }
  return { current, choose }
}

/** Keeps the row that the reader looks at when all rows change their heights. */
export function useSamePlace(look: boolean, row: number, show: (row: number) => void): void {
  const last = useRef({ look, row })
  useLayoutEffect(() => {
    if (last.current.look !== look && last.current.row > 0) show(last.current.row)
    last.current = { look, row }
  })
}

/** The next failure after a row, around the end; -1 without one. */
export function failureFrom(shown: readonly JournalStep[], row: number, direction: 1 | -1): number {
  for (let distance = 1; distance <= shown.length; distance++) {
    const at = (row + direction * distance + 2 * shown.length) % shown.length
    if (shown[at]?.isFailed === true) return at
  }
  return -1
}
