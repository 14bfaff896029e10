import type { JournalStep } from '@jurist/experiment/internal/journal'
import { grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { SearchField, Select } from '../filters.js'
import { changeQuery } from '../router.js'
import { plainText } from '../text.js'
import { RawSwitch } from './raw-switch.js'
import { toolCounts } from './step-filter.js'

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
