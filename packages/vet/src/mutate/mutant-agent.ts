import type { Agent, AgentTask } from '@jurist/core'
import { completed, type DatasetItem, errored, trialOf } from '@jurist/experiment'
import { localWorkspace } from '@jurist/workspace'
import { type References, referenceName, rightAnswer } from '../reference-agent.js'
import { mutated } from './mutants.js'
import type { MutationPlan, MutationStep } from './mutation-plan.js'

/** What the agent of a run of mutants needs. */
export interface MutantScene {
  readonly planOf: (itemId: string) => MutationPlan | undefined
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly references: References
  /** As `vet.solution` of the experiment. */
  readonly solution: readonly string[] | undefined
  /** Whether the reference of the item is known not to pass, so that its mutants say nothing. */
  readonly isUnsound: (itemId: string) => boolean
}

/** The agent of a run of mutants: each repetition of an item lays down its reference with another mistake. */
export function mutantAgent({ planOf, items, references, solution, isUnsound }: MutantScene): Agent {
  return async function mutantAgent(task) {
    const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
    const plan = planOf(itemId)
    const step = plan?.steps[repetition - 1]
    const reference = references.of(itemId, repetition)
    if (plan === undefined || step === undefined || reference === null)
      throw new Error(`No mutant is planned for repetition ${repetition} of ${itemId}.`)
    if (step.kind !== 'reference' && isUnsound(itemId))
      return errored(new Error('The reference of this item does not pass: its mutants say nothing.'))
    const output = await rightAnswer(task, { item: items.get(itemId), reference, solution })
    if (step.kind === 'solution') await laySolution(task, step.directory)
    if (step.kind === 'mutant') {
      const { path } = step.mutant
      await task.workspace.write(path, mutated(plan.sources.get(path) ?? '', step.mutant))
    }
    const said = output === undefined ? {} : { output }
    return completed({ ...said, metadata: { tried: nameOf(step), mutation: describedStep(step) } })
  }
}

async function laySolution({ workspace, signal }: AgentTask, directory: string): Promise<void> {
  const solution = await localWorkspace(directory)
  for await (const { path, type } of solution.list({ signal }))
    if (type === 'file') await workspace.write(path, await solution.readBytes(path))
}

/** A step in a few words. */
function nameOf(step: MutationStep): string {
  if (step.kind !== 'mutant') return step.kind === 'solution' ? step.name : referenceName
  const { operator, path, line, original, text } = step.mutant
  return `${operator} ${path}:${line}${original.length + text.length > 30 ? '' : ` ${original} → ${text}`}`
}

/** A step as plain data, for the journal and the page. */
function describedStep(step: MutationStep) {
  if (step.kind !== 'mutant')
    return step.kind === 'solution' ? { kind: step.kind, name: step.name } : { kind: step.kind }
  const { path, line, operator, original, text } = step.mutant
  return { kind: step.kind, path, line, operator, original, text }
}
