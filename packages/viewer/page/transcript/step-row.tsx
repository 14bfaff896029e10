import {
  type FileEdit,
  isToolStep,
  type JournalStep,
  stepSummary,
  stepWord,
  type ToolContent,
} from '@jurist/experiment/internal/journal'
import { grouped } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { DiffLines } from '../item/diff-lines.js'
import { plainText } from '../text.js'
import { styledTexts } from './ansi-text.js'
import { Markdown } from './markdown.js'

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

interface BodyProps {
  readonly step: JournalStep
  readonly records: readonly unknown[]
  readonly isRaw: boolean
  readonly isWhole: boolean
  readonly showWhole: (step: JournalStep) => void
}

function StepBody(props: BodyProps): JSX.Element | null {
  const { step, isRaw } = props
  const { content } = step
  switch (content.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return <Message text={content.text} {...props} />
    case 'shell':
    case 'edit':
    case 'tool':
      return isRaw ? <Recorded {...props} /> : <ToolBody content={content} {...props} />
    case 'result':
    case 'output':
      return isRaw ? <Recorded {...props} /> : <Output text={content.output} {...props} />
    case 'other':
      return <Recorded {...props} />
    case 'phase':
    case 'model-call':
    case 'state':
    case 'file':
      return isRaw ? <Recorded {...props} /> : null
    default:
      return content satisfies never
  }
}

/** How many lines are shown at first. Output shows its last lines, which explain how it ended. */
const mostLines = { message: 40, thinking: 12, output: 24 } as const

/** Longer strings keep a browser busy for seconds. */
const mostCharacters = 200_000

function Message({ text, ...props }: BodyProps & { readonly text: string }): JSX.Element {
  const kind = props.step.content.kind === 'thinking' ? 'thinking' : 'message'
  const { shown, omitted } = cut(text, props.isWhole ? Number.POSITIVE_INFINITY : mostLines[kind], 'start')
  return (
    <>
      <Markdown text={shown} isRaw={props.isRaw} />
      <More omitted={omitted} {...props} />
    </>
  )
}

function ToolBody({ content, ...props }: BodyProps & { readonly content: ToolContent }): JSX.Element {
  const { kind, command = '', edits = [], input, output } = content
  return (
    <>
      {kind === 'shell' && command.includes('\n') ? <pre class="sheet card">{plainText(`$ ${command}`)}</pre> : null}
      {kind === 'edit' ? edits.map((edit, index) => <Edit key={index} edit={edit} />) : null}
      {kind === 'tool' ? <pre class="sheet card input">{plainText(inputText(input))}</pre> : null}
      {output === null || (kind === 'edit' && !props.step.isFailed) ? null : <Output text={output} {...props} />}
    </>
  )
}

function inputText(input: ToolContent['input']): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2)
}

function Edit({ edit: { path, change, parts } }: { readonly edit: FileEdit }): JSX.Element {
  return (
    <div class="edit">
      <p class="edit-head">
        <span class="code">{plainText(path)}</span> <span class="tag">{change}</span>
      </p>
      {parts.map((part, index) => (
        <DiffLines key={index} {...part} layout="unified" label={`Change of ${path}`} />
      ))}
    </div>
  )
}

function Output({ text, ...props }: BodyProps & { readonly text: string }): JSX.Element {
  const { shown, omitted } = cut(text.trimEnd(), props.isWhole ? Number.POSITIVE_INFINITY : mostLines.output, 'end')
  if (shown === '') return <p class="quiet small">No output.</p>
  return (
    <>
      <More omitted={omitted} {...props} />
      <pre class={props.step.isFailed ? 'sheet card broken' : 'sheet card'}>
        <Ansi text={shown} isRaw={props.isRaw} />
      </pre>
    </>
  )
}

function Recorded(props: BodyProps): JSX.Element {
  const text = props.records.map((record) => JSON.stringify(record, null, 2)).join('\n')
  const { shown, omitted } = cut(text, props.isWhole ? Number.POSITIVE_INFINITY : mostLines.output, 'start')
  return (
    <>
      <pre class="sheet card">{shown}</pre>
      <More omitted={omitted} {...props} />
    </>
  )
}

function More({ omitted, step, showWhole }: BodyProps & { readonly omitted: number }): JSX.Element | null {
  return omitted === 0 ? null : (
    <button type="button" class="minor" onClick={() => showWhole(step)}>
      Show {grouped(omitted)} more {omitted === 1 ? 'line' : 'lines'}
    </button>
  )
}

/** Returns the first or the last lines of a string, and how many lines are left out. */
function cut(text: string, most: number, side: 'start' | 'end'): { readonly shown: string; readonly omitted: number } {
  const short = side === 'start' ? text.slice(0, mostCharacters) : text.slice(-mostCharacters)
  const lines = short.split('\n')
  if (lines.length <= most) return { shown: short, omitted: 0 }
  const shown = side === 'start' ? lines.slice(0, most) : lines.slice(-most)
  return { shown: shown.join('\n'), omitted: lines.length - most }
}

/** The output of a program in the colours of a terminal; without control sequences and colours for `isRaw`. */
function Ansi({ text, isRaw = false }: { readonly text: string; readonly isRaw?: boolean }): JSX.Element {
  const parts = useMemo(() => (isRaw ? [{ text: plainText(text), style: '' }] : styledTexts(text)), [text, isRaw])
  return (
    <>
      {parts.map((part, index) =>
        part.style === '' ? (
          part.text
        ) : (
          <span class={part.style} key={index}>
            {part.text}
          </span>
        ),
      )}
    </>
  )
}
