import { isToolStep, type JournalStep, stepWord } from '@jurist/experiment/internal/journal'

export interface StepFilter {
  /** Words that occur in the step, in any case; '' for all steps. */
  readonly words: string
  /** The name of a tool; '' for all. */
  readonly tool: string
  readonly isFailed: boolean
}

export function filterOf(query: URLSearchParams): StepFilter {
  return { words: query.get('q') ?? '', tool: query.get('tool') ?? '', isFailed: query.get('failed') === 'yes' }
}

/** Returns the matching steps. Headings of phases are shown only together with all steps. */
export function matchingSteps(steps: readonly JournalStep[], filter: StepFilter): readonly JournalStep[] {
  const { words, tool, isFailed } = filter
  if (words === '' && tool === '' && !isFailed) return steps
  const wanted = words.toLowerCase()
  return steps.filter(
    (step) =>
      step.content.kind !== 'phase' &&
      (!isFailed || step.isFailed) &&
      (tool === '' || (isToolStep(step.content) && stepWord(step.content) === tool)) &&
      (wanted === '' || contains(step.content, wanted, 0)),
  )
}

/** The depth to which values are searched. */
const maxDepth = 12

function contains(value: unknown, wanted: string, depth: number): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false
  return Object.values(value).some((part) => contains(part, wanted, depth + 1))
}

export interface ToolCount {
  readonly tool: string
  readonly calls: number
  readonly failed: number
}

/** Returns the tools of a journal, the most used first. */
export function toolCounts(steps: readonly JournalStep[]): readonly ToolCount[] {
  const counts = new Map<string, { calls: number; failed: number }>()
  for (const { content, isFailed } of steps) {
    if (!isToolStep(content)) continue
    const tool = stepWord(content)
    const count = counts.get(tool) ?? { calls: 0, failed: 0 }
    counts.set(tool, { calls: count.calls + 1, failed: count.failed + (isFailed ? 1 : 0) })
  }
  return [...counts].map(([tool, count]) => ({ tool, ...count })).sort((a, b) => b.calls - a.calls)
}
