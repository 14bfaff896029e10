import { type AgentOutput, asText } from '@jurist/core'
import { expectedOutputOf } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Part } from '../parts.js'
import { Conversation } from './conversation.js'
import { LongOutput } from './long-output.js'
import { LongProse } from './long-prose.js'

/** The task, the agent's output or the whole conversation, and the right answer. */
export function TextsPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const { output, turns = [] } = item.detail?.kind === 'agent' ? item.detail.invocation : {}
  const expected = expectedOutputOf(item)
  return (
    <div class="texts">
      <Part title="Task">
        <LongProse text={item.task} />
      </Part>
      {item.detail?.kind === 'agent' && turns.length === 0 ? (
        <Part title="Output of the agent">
          <OutputText output={output} label="Output of the agent" />
        </Part>
      ) : null}
      {expected === null ? null : (
        <Part title="Expected output">
          <OutputText output={expected} label="Expected output" />
        </Part>
      )}
      {turns.length === 0 ? null : <Conversation turns={turns} user={item.user} />}
    </div>
  )
}

function OutputText({
  output,
  label,
}: {
  readonly output: AgentOutput | undefined
  readonly label: string
}): JSX.Element {
  if (output?.type === 'structured') return <LongOutput text={JSON.stringify(output.data, null, 2)} label={label} />
  const text = asText(output)
  return text === '' ? <p class="quiet">There is no output.</p> : <LongProse text={text} />
}
