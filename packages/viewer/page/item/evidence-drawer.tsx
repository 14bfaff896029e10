import type { Json } from '@jurist/core'
import {
  type CommandEvidence,
  counted,
  type ErrorEvidence,
  type Evidence,
  grouped,
  type ModelEvidence,
} from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { CopyButton } from '../copy-button.js'
import { LongOutput, LongProse } from './long-texts.js'
import { Disclosure, PlacedText, ReadingContext } from './reading.js'

/** The evidence of a judgment, collapsed unless it decided the trial. */
export function EvidenceDrawer(props: {
  readonly evidence: Evidence
  readonly id: string
  readonly isOpenAtFirst: boolean
}): JSX.Element | null {
  const { evidence, id, isOpenAtFirst } = props
  const { command, model, label, votes, error, metadata } = evidence
  const facts = factsOf({ label, votes, metadata })
  if (command === null && model === null && error === null && facts.length === 0) return null
  return (
    <Disclosure
      id={`evidence ${id}`}
      class="evidence"
      isOpenAtFirst={isOpenAtFirst}
      summary={
        <>
          Evidence <span class="quiet">{hintOf(evidence)}</span>
        </>
      }
    >
      {command === null ? null : <Command command={command} />}
      {model === null ? null : <Model model={model} id={id} />}
      {error === null ? null : <Thrown error={error} />}
      <FactList facts={facts} />
    </Disclosure>
  )
}

function hintOf({ command, model, error, label, votes }: Evidence): string {
  if (command !== null) return endOf(command)
  if (error !== null) return error.code ?? error.name
  const answered = [model?.name ?? '', label === null ? '' : `said ${label}`].filter((text) => text !== '')
  if (answered.length > 0) return answered.join(', ')
  return votes === null ? '' : votesText(votes)
}

function endOf({ exitCode, signal, timedOut, durationMs }: CommandEvidence): string {
  const end = timedOut
    ? 'timed out'
    : signal !== null
      ? `ended by ${signal}`
      : exitCode === null
        ? 'did not end by itself'
        : `exit code ${exitCode}`
  return durationMs === null ? end : `${end}, ${duration(durationMs)}`
}

function votesText(votes: Readonly<Record<string, number>>): string {
  return Object.entries(votes)
    .map(([name, count]) => `${grouped(count)} ${name}`)
    .join(', ')
}

function Command({ command }: { readonly command: CommandEvidence }): JSX.Element {
  const { line, output, cut } = command
  return (
    <section>
      <p class="command code">
        <span class="quiet" aria-hidden="true">
          ${' '}
        </span>
        {line} <CopyButton text={line} label="Copy the command" />
      </p>
      {output.trim() === '' ? (
        <p class="quiet small">It printed nothing.</p>
      ) : (
        <LongOutput text={output} label="Output of the command" />
      )}
      {cut ? <p class="quiet small">It printed more than was kept: this is the end.</p> : null}
    </section>
  )
}

function Model({ model, id }: { readonly model: ModelEvidence; readonly id: string }): JSX.Element {
  const { name, prompt, answer, cut, cached, usage, costUsd } = model
  const facts = [
    name ?? '',
    usage?.inputTokens === undefined ? '' : `${counted(usage.inputTokens, 'token')} in`,
    usage?.outputTokens === undefined ? '' : `${grouped(usage.outputTokens)} out`,
    costUsd === null ? '' : dollars(costUsd),
    cached ? 'from a cache' : '',
  ]
  return (
    <section>
      <h4>Answer of the model</h4>
      <p class="quiet small">{facts.filter((fact) => fact !== '').join(' · ')}</p>
      {answer === null ? <p class="quiet small">The answer was not recorded.</p> : <LongProse text={answer} />}
      {prompt === null ? null : (
        <Disclosure id={`prompt ${id}`} class="more" summary="The prompt">
          <LongProse text={prompt} />
        </Disclosure>
      )}
      {cut ? <p class="quiet small">Only the beginning of longer answers and prompts was kept.</p> : null}
    </section>
  )
}

export function Thrown({ error: { name, message, code, stack } }: { readonly error: ErrorEvidence }): JSX.Element {
  const reading = useContext(ReadingContext)
  return (
    <section>
      <p>
        <strong>{name}</strong>
        {code === null ? null : <span class="tag">{code}</span>}: <PlacedText text={message} />
      </p>
      {stack === null ? null : (
        // The stack names files of the project, not of the agent's workspace.
        <ReadingContext.Provider value={{ ...reading, trial: null }}>
          <LongOutput text={stack} label="Stack" />
        </ReadingContext.Provider>
      )}
    </section>
  )
}

type FactRow = readonly [name: string, value: string]

function factsOf({ label, votes, metadata }: Pick<Evidence, 'label' | 'votes' | 'metadata'>): readonly FactRow[] {
  return [
    ...(label === null ? [] : [['label', label] as const]),
    ...(votes === null ? [] : [['votes', votesText(votes)] as const]),
    ...Object.entries(metadata).map(([name, value]) => [name, factText(value)] as const),
  ]
}

/** Formats a value of metadata, on one line if it is short. */
export function factText(value: Json): string {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value)
  return line.length <= 80 ? line : JSON.stringify(value, null, 2)
}

const [maxShortFact, maxFactLines] = [24, 12]

export function FactList({ facts }: { readonly facts: readonly FactRow[] }): JSX.Element | null {
  if (facts.length === 0) return null
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) => (
        <div key={name} class={value.length > maxShortFact || value.includes('\n') ? 'long' : undefined}>
          <dt class="quiet small">{name}</dt>
          <dd class="code">
            {value.length < 2_000 && value.split('\n').length <= maxFactLines ? (
              <PlacedText text={value} />
            ) : (
              <LongOutput text={value} label="Value" />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
