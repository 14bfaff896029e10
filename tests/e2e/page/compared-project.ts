import { type Project, project } from '../../../packages/jurist/tests/project.js'

/**
 * Sixty questions, three attempts each, in three variants. `plain` gets every third wrong, `better` every fifth, `wordy`
 * says more than was asked. Attempts of a wrong answer differ. Every agent writes its answer to a file and records it.
 */
const config = `const same = (text) => text
const agent = (isWrong, says) => async (task) => {
  const { itemId, repetition } = task.metadata
  const number = Number(String(itemId).slice(5))
  const isLost = isWrong(number) && Number(repetition) !== 2
  const answer = isLost ? 'The answer is ' + (number + 1) + '.' : says('The answer is ' + number + '.')
  await task.workspace.write('answer.txt', answer + '\\n')
  await task.workspace.write('notes/' + (isLost ? 'wrong' : 'right') + '.md', '# Notes\\n')
  await task.record({ type: 'thinking', text: 'Thinking about ' + itemId })
  await task.record({ type: 'tool-call', id: '1', name: 'Bash', input: { command: 'echo ' + number } })
  await task.record({ type: 'tool-result', id: '1', content: String(number), failed: isLost })
  return { status: 'completed', output: { type: 'text', text: answer } }
}
const items = Array.from({ length: 60 }, (_, number) => ({
  id: 'item-' + number,
  task: 'What is ' + number + ' + 0?',
  expectedOutput: 'The answer is ' + number + '.',
}))
export default {
  experiments: {
    sums: {
      dataset: items,
      agent: agent((number) => number % 3 === 0, same),
      jury: ({ agentOutput, expectedOutput }) => agentOutput.text.includes(expectedOutput.text),
      repetitions: 3,
      preserveWorkspaces: 'all',
      variants: {
        plain: {},
        better: { agent: agent((number) => number % 5 === 0, same) },
        wordy: { agent: agent(() => false, (text) => 'You asked for a sum. ' + text + ' I am sure.') },
      },
    },
  },
}
`

/** A project whose three variants have run. */
export interface ComparedProject extends Disposable {
  readonly made: Project
  /** The id of the run of a variant. */
  readonly idOf: (variant: string) => string
}

/** Makes the project and runs it. */
export async function comparedProject(): Promise<ComparedProject> {
  const made = project({ 'jurist.config.mjs': config })
  const ran = await made.jurist('run')
  if (ran.code !== 0 && ran.code !== 1) throw new Error(ran.stderr)
  const runs: readonly { readonly id: string; readonly variant: string | null }[] = JSON.parse(
    (await made.jurist('list', '--json')).stdout,
  )
  return {
    made,
    idOf: (variant) => runs.find((run) => run.variant === variant)?.id ?? '',
    [Symbol.dispose]: () => made[Symbol.dispose](),
  }
}
