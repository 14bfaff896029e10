import { isToolStep, type JournalStep, stepWord } from '@jurist/experiment/internal/journal'
import { grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { SearchField, Select } from '../filters.js'
import { RawSwitch } from '../item/reading.js'
import { changeQuery } from '../router.js'
import { plainText } from '../text.js'

export function JournalTools(props: {
  readonly steps: readonly JournalStep[]
  readonly query: URLSearchParams
  readonly hasKeys: boolean
  readonly onNextFailure: () => void
}): JSX.Element {
  const { steps, query, hasKeys, onNextFailure } = props
  const tools = useMemo(() => toolCounts(steps), [steps])
  const failures = useMemo(() => steps.filter(({ isFailed }) => isFailed).length, [steps])
  const isFailed = query.get('failed') === 'yes'
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0)
  return (
    <div class="row tools">
      <SearchField label="Search the journal" words={query.get('q') ?? ''} />
      <Select
        label="Tool"
        isLabelHidden
        value={query.get('tool') ?? ''}
        options={[
          { value: '', text: `All tools (${grouped(calls)})` },
          ...tools.map(({ tool, calls: count, failed }) => ({
            value: tool,
            text: `${plainText(tool)} (${grouped(count)}${failed === 0 ? '' : `, ${grouped(failed)} failed`})`,
          })),
        ]}
        onChange={(tool) => changeQuery({ tool, step: undefined })}
      />
      <div class="row choices">
        <button
          type="button"
          aria-pressed={isFailed}
          disabled={failures === 0 && !isFailed}
          onClick={() => changeQuery({ failed: isFailed ? undefined : 'yes', step: undefined })}
        >
          Failed {grouped(failures)}
        </button>
        <button
          type="button"
          aria-keyshortcuts={hasKeys ? 'n' : undefined}
          title={hasKeys ? 'Key: n' : undefined}
          disabled={failures === 0}
          onClick={onNextFailure}
        >
          Next failure
        </button>
        <RawSwitch query={query} />
      </div>
    </div>
  )
}

interface StepFilter {
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

interface ToolCount {
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
