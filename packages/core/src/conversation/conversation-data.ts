import { shortened } from '../llm/fence.js'
import type { ToolStep } from '../tool-step.js'
import type { Turn } from '../turn.js'
import type { Scenario } from './scenario.js'

/** The limit of all messages in a prompt, in code units. */
const maxChars = 90_000
/** The limit of one message when all are too long together, in code units. */
const maxTurnChars = 4_000
/** The limit of the tool calls of one message, and of the input and the output of each, in code units. */
const maxToolChars = 2_000
const maxPartChars = 400
const firstKept = 2

/**
 * Each message is within separate marks that contain its number, such as `turn-3-agent`, so that no message can look
 * like another one. The tool calls of a message come before it, one per line. When the limit is exceeded, long messages
 * are cut in the middle. When that is not enough, messages after the second one and before the latest are left out, and
 * `left-out` names them.
 *
 * @param upTo the number of messages to show. Default: all
 */
export function turnsAsData(turns: readonly Turn[], upTo: number = turns.length): { readonly [name: string]: string } {
  const shown = turns.slice(0, upTo).map((turn, index) => ({ turn, number: index + 1 }))
  const total = shown.reduce((sum, { turn }) => sum + turn.text.length, 0)
  if (total <= maxChars) return Object.fromEntries(shown.flatMap((one) => entriesOf(one, maxChars)))
  const entries = shown.map((one) => entriesOf(one, maxTurnChars))
  const from = firstLate(entries)
  if (from <= firstKept) return Object.fromEntries(entries.flat())
  const leftOut = `[... messages ${firstKept + 1} to ${from} left out ...]`
  return Object.fromEntries([
    ...entries.slice(0, firstKept).flat(),
    ['left-out', leftOut],
    ...entries.slice(from).flat(),
  ])
}

type Entry = readonly [string, string]

/** The tool calls of a message come before it. */
function entriesOf({ turn, number }: { readonly turn: Turn; readonly number: number }, most: number): readonly Entry[] {
  const name = `turn-${number}-${turn.role}`
  const text: Entry = [name, shortened(turn.text, most)]
  const { steps = [] } = turn
  return steps.length === 0
    ? [text]
    : [[`${name}-tools`, shortened(steps.map(stepLine).join('\n'), maxToolChars)], text]
}

function stepLine({ name, input, output, status }: ToolStep): string {
  const result = output === undefined ? '' : `: ${shortened(JSON.stringify(output), maxPartChars)}`
  return `${name}(${shortened(JSON.stringify(input), maxPartChars)}) ${status}${result}`
}

/** Messages are counted from the end. */
function firstLate(entries: readonly (readonly Entry[])[]): number {
  const size = (parts: readonly Entry[]) => parts.reduce((sum, [, text]) => sum + text.length, 0)
  let room = maxChars - size(entries.slice(0, firstKept).flat())
  for (let index = entries.length - 1; index >= firstKept; index--) {
    room -= size(entries[index] ?? [])
    if (room < 0) return index + 1
  }
  return 0
}

export function scenarioText({ goal, facts, manner, mustNotReveal, stopWhen }: Scenario): string {
  const list = (title: string, entries: readonly string[] = []) =>
    entries.length === 0 ? [] : [`${title}\n${entries.map((entry) => `- ${entry}`).join('\n')}`]
  return [
    `Goal: ${goal}`,
    ...list('Known facts:', facts),
    ...(manner === undefined ? [] : [`Manner: ${manner}`]),
    ...list('Must not be revealed:', mustNotReveal),
    ...(stopWhen === undefined ? [] : [`Satisfied when: ${stopWhen}`]),
  ].join('\n')
}
