import type { JudgmentContext } from '../../context.js'
import { asText } from '../../output.js'

/** What of a context a model is shown, by the name of its fence; what is not there, or blank, is `undefined`. */
export type TaskData = { readonly [name in 'goal' | 'output' | 'expected' | 'reference']: string | undefined }

/** Goal, output, expected output and reference data. The workspace and where it lies are never among them. */
export function taskData({ goal, agentOutput, expectedOutput, referenceData }: JudgmentContext): TaskData {
  return {
    goal: goal.trim() === '' ? undefined : goal,
    output: agentOutput && asText(agentOutput),
    expected: expectedOutput && asText(expectedOutput),
    reference: referenceData === undefined || referenceData.length === 0 ? undefined : referenceData.join('\n\n'),
  }
}

/** What the parts shown are, in a sentence each, for the words in front of them. */
export function toldAbout({ goal, output, expected, reference }: TaskData): string {
  return [
    goal === undefined ? 'No goal was written down.' : 'The goal is what the agent was asked for.',
    output === undefined ? 'The agent gave no output.' : 'The output is what the agent answered.',
    ...(expected === undefined ? [] : ['The expected output is known to be right; another form of it is as good.']),
    ...(reference === undefined ? [] : ['The reference holds facts that the output may be measured by.']),
  ].join(' ')
}
