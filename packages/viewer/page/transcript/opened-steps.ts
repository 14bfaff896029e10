import { isToolStep, type JournalStep } from '@jurist/experiment/internal/journal'
import { useMemo, useState } from 'preact/hooks'

const fewLines = 24

/** Failures are open, and edits of a few lines; the reader opens the others. */
function isOpenAtFirst({ content, isFailed }: JournalStep): boolean {
  if (isFailed) return true
  if (content.kind !== 'edit') return content.kind === 'output'
  const lines = (content.edits ?? [])
    .flatMap(({ parts }) => parts)
    .flatMap(({ before, after }) => `${before}\n${after}`)
  return lines.join('\n').split('\n').length <= fewLines
}

/** Which rows are open, and which show long texts in full. */
export function useOpened(shown: readonly JournalStep[], isRaw: boolean) {
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set())
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set())
  const look = isRaw ? 'raw' : 'rendered'
  const keys = useMemo(() => shown.map(({ index, content }) => `${index} ${content.kind} ${look}`), [shown, look])
  const isOpen = (step: JournalStep) => isOpenAtFirst(step) !== toggled.has(step.index)
  const toggle = ({ index }: JournalStep) => {
    const next = new Set(toggled)
    if (!next.delete(index)) next.add(index)
    setToggled(next)
  }
  const showWhole = ({ index }: JournalStep) => setWhole(new Set([...whole, index]))
  return { keys, isOpen, isWhole: ({ index }: JournalStep) => whole.has(index), toggle, showWhole }
}

const [headPx, linePx] = [37, 21]

/** A guess of the height of a row that has not been drawn yet, in pixels. */
export function guessOf(step: JournalStep | undefined, isOpen: (step: JournalStep) => boolean): number {
  if (step === undefined) return headPx
  const { content } = step
  if ('text' in content) return headPx + linePx * Math.min(40, Math.ceil(content.text.length / 80))
  if (!isToolStep(content) || !isOpen(step)) return headPx
  const output = 'output' in content && content.output !== null ? content.output.split('\n', 24).length : 0
  return headPx + 30 + linePx * output
}
