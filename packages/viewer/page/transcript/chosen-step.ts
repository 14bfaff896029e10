import { isToolStep, type JournalStep } from '@jurist/experiment/internal/journal'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { changeQuery } from '../router.js'

/** Keeps the chosen step in the address. Choosing a step scrolls to it and moves the focus there. */
export function useChosenStep(
  shown: readonly JournalStep[],
  query: URLSearchParams,
  list: { readonly current: HTMLElement | null },
  show: (row: number) => void,
) {
  const wanted = query.get('step')
  const current = useMemo(
    () =>
      wanted === null
        ? -1
        : shown.findIndex(({ index, content }) => index === Number(wanted) && content.kind !== 'phase'),
    [shown, wanted],
  )
  const focused = useRef<string>()
  const [first] = useState(wanted)
  const isThere = current >= 0
  // A link to a step shows that step once. Later choices are the reader's.
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

/** Keeps the visible row in place when all rows change their heights. */
export function useSamePlace(look: boolean, row: number, show: (row: number) => void): void {
  const last = useRef({ look, row })
  useLayoutEffect(() => {
    if (last.current.look !== look && last.current.row > 0) show(last.current.row)
    last.current = { look, row }
  })
}

/** Finds the next failure after a row, wrapping around at the end; -1 without one. */
export function failureFrom(shown: readonly JournalStep[], row: number, direction: 1 | -1): number {
  for (let distance = 1; distance <= shown.length; distance++) {
    const at = (row + direction * distance + 2 * shown.length) % shown.length
    if (shown[at]?.isFailed === true) return at
  }
  return -1
}

const fewLines = 24

/** Failures and edits of a few lines are open at first; the reader opens the others. */
function isOpenAtFirst({ content, isFailed }: JournalStep): boolean {
  if (isFailed) return true
  if (content.kind !== 'edit') return content.kind === 'output'
  const lines = (content.edits ?? [])
    .flatMap(({ parts }) => parts)
    .flatMap(({ before, after }) => `${before}\n${after}`)
  return lines.join('\n').split('\n').length <= fewLines
}

/** Keeps which rows are open, and which show long content in full. */
export function useOpened(shown: readonly JournalStep[], isRaw: boolean) {
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set())
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set())
  const keyOf = useCallback(
    (row: number) => `${shown[row]?.index} ${shown[row]?.content.kind} ${isRaw ? 'raw' : 'rendered'}`,
    [shown, isRaw],
  )
  const isOpen = (step: JournalStep) => isOpenAtFirst(step) !== toggled.has(step.index)
  const toggle = ({ index }: JournalStep) => {
    const next = new Set(toggled)
    if (!next.delete(index)) next.add(index)
    setToggled(next)
  }
  const showWhole = ({ index }: JournalStep) => setWhole(new Set([...whole, index]))
  return { keyOf, isOpen, isWhole: ({ index }: JournalStep) => whole.has(index), toggle, showWhole }
}

const [headPx, linePx] = [37, 21]

/** Estimates the height of a row that has not been drawn yet, in pixels. */
export function guessOf(step: JournalStep | undefined): number {
  if (step === undefined) return headPx
  const { content } = step
  if ('text' in content) return headPx + linePx * Math.min(40, Math.ceil(content.text.length / 80))
  if (!isToolStep(content) || !isOpenAtFirst(step)) return headPx
  const output = 'output' in content && content.output !== null ? content.output.split('\n', 24).length : 0
  return headPx + 30 + linePx * output
}
