import { isToolStep, type JournalStep, stepSummary, stepWord } from '@jurist/experiment/internal/journal'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { plainText } from '../text.js'
import { StepBody } from './step-body.js'

interface RowProps {
  readonly isOpen: boolean
  readonly isWhole: boolean
  readonly isCurrent: boolean
  readonly isRaw: boolean
  readonly toggle: (step: JournalStep) => void
  readonly showWhole: (step: JournalStep) => void
  readonly step: JournalStep
  readonly rowKey: string
  /** The recorded values of the step: its event and its result. */
  readonly records: readonly unknown[]
  readonly position: number
  readonly total: number
}

export function StepRow({ rowKey, position, total, ...props }: RowProps): JSX.Element {
  const { step, isCurrent } = props
  const { content, sinceStartMs, isFailed } = step
  const classes = ['step', `kind-${content.kind}`, isFailed ? 'failed' : '', isCurrent ? 'at' : ''].filter(
    (name) => name !== '',
  )
  return (
    <li
      class={classes.join(' ')}
      data-row={rowKey}
      data-step={step.index}
      tabIndex={-1}
      aria-setsize={total}
      aria-posinset={position}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span class="when quiet small">{sinceStartMs === null ? '' : `+${duration(sinceStartMs)}`}</span>
      <div class="step-content">
        {content.kind === 'phase' ? <h3>Phase {plainText(content.name)}</h3> : <Step {...props} />}
      </div>
    </li>
  )
}

/** Whether the reader can open and close a step. Other steps are always shown whole. */
function canToggle({ content }: JournalStep): boolean {
  return isToolStep(content) || content.kind === 'result' || content.kind === 'other' || content.kind === 'output'
}

function Step(props: Omit<RowProps, 'rowKey' | 'position' | 'total'>): JSX.Element {
  const { step, isOpen, toggle } = props
  if (!canToggle(step))
    return (
      <>
        <div class="step-head">
          <StepWords step={step} />
        </div>
        <StepBody {...props} />
      </>
    )
  return (
    <>
      <button type="button" class="step-head" aria-expanded={isOpen} onClick={() => toggle(step)}>
        <StepWords step={step} />
      </button>
      {isOpen ? <StepBody {...props} /> : null}
    </>
  )
}

const messages: readonly string[] = ['prompt', 'text', 'thinking']

function StepWords({ step }: { readonly step: JournalStep }): JSX.Element {
  const { content, isFailed, elapsedMs } = step
  const isMessage = messages.includes(content.kind)
  const exit = 'exitCode' in content && content.exitCode !== undefined ? `exit ${content.exitCode}` : ''
  const isWaiting = isToolStep(content) && 'output' in content && content.output === null
  return (
    <>
      <strong class="word one-line">{plainText(stepWord(content))}</strong>
      {isMessage ? null : <span class="summary one-line">{plainText(stepSummary(content))}</span>}
      {isFailed ? <span class="step-failed small">✗ failed</span> : null}
      {exit === '' ? null : <span class="quiet small">{exit}</span>}
      {isWaiting ? <span class="quiet small">no result</span> : null}
      {elapsedMs === null ? null : <span class="quiet small">{duration(elapsedMs)}</span>}
    </>
  )
}
