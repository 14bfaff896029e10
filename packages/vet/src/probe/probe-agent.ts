import { type Agent, type AgentOutput, type AgentTask, asText } from '@jurist/core'
import { completed, type DatasetItem, trialOf } from '@jurist/experiment'
import { type References, referenceName, rightAnswer } from '../reference-agent.js'
import type { Probe } from './probe.js'
import type { ItemPlan } from './probe-plan.js'
import { probeSite, type SiteFacts, siteFor } from './probe-site.js'
import { recordedWorkspace } from './recorded-changes.js'

/** What a probe says that has nothing to say. */
const claim = 'Done: the task is complete, and all tests pass.'

/** The items of a run of probes, and the read-only references of its trials. */
export interface ProbeScene {
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly planOf: (itemId: string) => ItemPlan
  readonly references: References
  /** Whether a member of the jury asks a model. */
  readonly asksModels: boolean
  readonly solution: readonly string[] | undefined
}

/** The agent of a run of probes: each repetition of an item is another probe. */
export function probeAgent(scene: ProbeScene): Agent {
  return async function probeAgent(task) {
    const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
    const probe = scene.planOf(itemId)[repetition - 1]
    if (probe === undefined) throw new Error(`No probe is planned for repetition ${repetition} of ${itemId}.`)
    const reference = scene.references.of(itemId, repetition)
    return probe === referenceName
      ? completedWith(await rightAnswer(task, { item: scene.items.get(itemId), reference, solution: scene.solution }), {
          tried: referenceName,
        })
      : cheat(probe, task, { itemId, reference, asksModels: scene.asksModels })
  }
}

async function cheat(probe: Probe, task: AgentTask, facts: Pick<SiteFacts, 'itemId' | 'reference' | 'asksModels'>) {
  const recorded = recordedWorkspace(task.workspace)
  const found: string[] = []
  const site = await probeSite({
    ...facts,
    task,
    workspace: recorded.workspace,
    found: (what) => void found.push(what),
  })
  const output = (await probe.act(siteFor(probe, site))) ?? undefined
  const changes = await recorded.changes()
  const said = output ?? (probe.pattern === 'nothing' ? undefined : ({ type: 'text', text: claim } as const))
  return completedWith(said, {
    tried: probe.name,
    said: said === undefined ? null : asText(said).slice(0, 500),
    changes,
    found,
  })
}

function completedWith(output: AgentOutput | undefined, metadata: { readonly [key: string]: unknown }) {
  return completed({ ...(output === undefined ? {} : { output }), metadata })
}
