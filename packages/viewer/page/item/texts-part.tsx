import { type AgentOutput, asText, type Json, type ToolStep, type Turn, type UserPart } from '@jurist/core'
import { counted, expectedOutputOf, grouped, outputOf, sourcesOf } from '@jurist/experiment/internal/results'
import { dollars, type ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Part } from '../parts.js'
import { plainText } from '../text.js'
import { LongOutput, LongProse } from './long-texts.js'
import { Disclosure } from './reading.js'

export function TextsPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const { task, detail, user } = item
  const { turns = [] } = detail?.kind === 'agent' ? detail.invocation : {}
  return (
    <Texts
      task={task}
      sources={sourcesOf(item)}
      output={detail?.kind === 'agent' ? (outputOf(item) ?? null) : undefined}
      {...{ turns, user }}
      expected={expectedOutputOf(item)}
    />
  )
}

export function Texts(props: {
  readonly task: string
  readonly sources: readonly string[]
  /** `null` if the agent gave no answer; `undefined` if there was no agent. */
  readonly output: AgentOutput | null | undefined
  readonly expected: AgentOutput | null
  readonly turns: readonly Turn[]
  readonly user: UserPart | undefined
}): JSX.Element {
  const { task, sources, output, expected, turns, user } = props
  return (
    <div class="texts">
      <Part title="Task">
        <LongProse text={task} />
      </Part>
      <Sources sources={sources} />
      {output === undefined || turns.length > 0 ? null : (
        <Part title="Output of the agent">
          <OutputText output={output} label="Output of the agent" />
        </Part>
      )}
      {expected === null ? null : (
        <Part title="Expected output">
          <OutputText output={expected} label="Expected output" />
        </Part>
      )}
      {turns.length === 0 ? null : <Conversation turns={turns} user={user} />}
    </div>
  )
}

const sourcesAtFirst = 5

/** The texts that the answer should rest on, by their numbers. */
function Sources({ sources }: { readonly sources: readonly string[] }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false)
  if (sources.length === 0) return null
  const left = isWhole ? 0 : Math.max(0, sources.length - sourcesAtFirst)
  return (
    <Part title="Sources">
      <ol class="sources">
        {sources.slice(0, sources.length - left).map((text, index) => (
          <li key={index}>
            <LongProse text={text} />
          </li>
        ))}
      </ol>
      {left === 0 ? null : (
        <button type="button" class="more-lines minor" onClick={() => setWhole(true)}>
          Show {counted(left, 'source')} more
        </button>
      )}
    </Part>
  )
}

function OutputText({ output, label }: { readonly output: AgentOutput | null; readonly label: string }): JSX.Element {
  if (output?.type === 'structured') return <LongOutput text={JSON.stringify(output.data, null, 2)} label={label} />
  const text = asText(output ?? undefined)
  return text === '' ? <p class="quiet">There is no output.</p> : <LongProse text={text} />
}

/** How many messages are drawn at first. */
const mostTurns = 100

function Conversation(props: { readonly turns: readonly Turn[]; readonly user: UserPart | undefined }): JSX.Element {
  const { turns, user } = props
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? turns : turns.slice(0, mostTurns)
  const faultsAt = (number: number) => (user?.faults ?? []).filter(({ turn }) => turn === number)
  return (
    <Part title="Conversation">
      <ol class="conversation">
        {shown.map((turn, index) => (
          <Message key={index} turn={turn} number={index + 1} faults={faultsAt(index + 1)} />
        ))}
      </ol>
      {shown.length === turns.length ? null : (
        <button type="button" class="more-lines minor" onClick={() => setWhole(true)}>
          Show all {counted(turns.length, 'message')}
        </button>
      )}
      <Faults faults={faultsAt(0)} />
      {user === undefined ? null : <p class="quiet small">{endings[user.ended]}</p>}
    </Part>
  )
}

const endings: Readonly<Record<UserPart['ended'], string>> = {
  satisfied: 'The user was satisfied.',
  'gave-up': 'The user gave up.',
  'out-of-scope': 'The user left what the scenario covers.',
  agent: 'The agent ended the conversation.',
  'max-turns': 'The user had sent as many messages as it may.',
  'user-fault': 'A mistake of the user ended the conversation.',
  failure: 'A failure ended the conversation.',
}

const speakers: Readonly<Record<Turn['role'], string>> = { user: 'User', agent: 'Agent' }

function Message(props: {
  readonly turn: Turn
  readonly number: number
  readonly faults: UserPart['faults']
}): JSX.Element {
  const { role, text, steps = [], costUsd, isHistory } = props.turn
  const { number, faults } = props
  return (
    <li class={`turn of-${role}`}>
      <p class="turn-head">
        <strong>{speakers[role]}</strong>{' '}
        <span class="quiet small">
          {[number, isHistory ? 'said before' : '', costUsd === undefined ? '' : dollars(costUsd)]
            .filter((fact) => fact !== '')
            .join(' · ')}
        </span>
      </p>
      {steps.length === 0 ? null : (
        <Disclosure id={`calls ${number}`} class="fold calls" summary={<CallsSummary steps={steps} />}>
          <ol>
            {steps.map((step, index) => (
              <Call key={index} step={step} />
            ))}
          </ol>
        </Disclosure>
      )}
      {text.trim() === '' ? <p class="quiet">The message is empty.</p> : <LongProse text={text} />}
      <Faults faults={faults} />
    </li>
  )
}

function Faults({ faults }: { readonly faults: UserPart['faults'] }): JSX.Element {
  return (
    <>
      {faults.map(({ name, message }, index) => (
        <p class="note" key={index}>
          <strong>Mistake of the user: {plainText(name)}.</strong> {plainText(message)}
        </p>
      ))}
    </>
  )
}

const mostNames = 4

function CallsSummary({ steps }: { readonly steps: readonly ToolStep[] }): JSX.Element {
  const names = [...new Set(steps.map(({ name }) => name))]
  const others = names.length - mostNames
  const broken = steps.filter(({ status }) => status !== 'completed').length
  return (
    <>
      {counted(steps.length, 'tool call')}: {plainText(names.slice(0, mostNames).join(', '))}
      {others > 0 ? ` and ${counted(others, 'other')}` : ''}
      {broken === 0 ? null : <span class="step-failed small"> ✗ {grouped(broken)} not completed</span>}
    </>
  )
}

function Call({ step: { name, input, output, status } }: { readonly step: ToolStep }): JSX.Element {
  return (
    <li>
      <p>
        <strong class="code">{plainText(name)}</strong>{' '}
        {status === 'completed' ? (
          <span class="tag">completed</span>
        ) : (
          <span class="step-failed small">✗ {status}</span>
        )}
      </p>
      <Value title="Input" of={name} value={input} />
      {output === undefined ? null : <Value title="Result" of={name} value={output} />}
    </li>
  )
}

/** Longer values have lines of their own. */
const maxLine = 100

function Value(props: { readonly title: string; readonly of: string; readonly value: Json }): JSX.Element {
  const { title, of, value } = props
  const line = typeof value === 'string' ? value : JSON.stringify(value)
  const text = line.length > maxLine && typeof value !== 'string' ? JSON.stringify(value, null, 2) : line
  return (
    <>
      <p class="quiet small">{title}</p>
      <LongOutput text={text} label={`${title} of ${plainText(of)}`} />
    </>
  )
}
