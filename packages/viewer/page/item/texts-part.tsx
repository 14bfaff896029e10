import { type AgentOutput, asText, type Turn, type UserPart } from '@jurist/core'
import { expectedOutputOf } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Part } from '../parts.js'
import { Conversation } from './conversation.js'
import { LongOutput, LongProse } from './long-texts.js'

export function TextsPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const { task, detail, user } = item
  const { output = null, turns = [] } = detail?.kind === 'agent' ? detail.invocation : {}
  return (
    <Texts
      task={task}
      output={detail?.kind === 'agent' ? output : undefined}
      {...{ turns, user }}
      expected={expectedOutputOf(item)}
    />
  )
}

export function Texts(props: {
  readonly task: string
  /** `null` if the agent gave no answer; `undefined` if there was no agent. */
  readonly output: AgentOutput | null | undefined
  readonly expected: AgentOutput | null
  readonly turns: readonly Turn[]
  readonly user: UserPart | undefined
}): JSX.Element {
  const { task, output, expected, turns, user } = props
  return (
    <div class="texts">
      <Part title="Task">
        <LongProse text={task} />
      </Part>
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

function OutputText({ output, label }: { readonly output: AgentOutput | null; readonly label: string }): JSX.Element {
  if (output?.type === 'structured') return <LongOutput text={JSON.stringify(output.data, null, 2)} label={label} />
  const text = asText(output ?? undefined)
  return text === '' ? <p class="quiet">There is no output.</p> : <LongProse text={text} />
}
