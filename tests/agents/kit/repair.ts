import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contextFromInvocation, runFacts } from '@jurist/bridges/agent'
import { explain, type JournalEvent } from '@jurist/core'
import { copyOf, type LocalWorkspaceOptions, localWorkspace, type Sandbox } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { repairJury, testCommand } from '../../../examples/repair/judges.js'
import { type AgentStep, agentScript, scriptedServer } from '../../../packages/bridges/testing/index.js'
import { root } from '../../structure/source.js'
import type { RealAgent } from './real-agent.js'

const item = join(root, 'examples/repair/dataset/items/leap-year')
const prompt = 'The visible test in tests/ fails. Repair what is in src/.'

/** The sandbox of the workspace, for a model at a port of this machine. */
interface Within extends Pick<LocalWorkspaceOptions, 'onNetwork'> {
  readonly sandbox: (port: number) => Sandbox
}

/** One task of `examples/repair`, done by a real agent in a real workspace, judged by the jury of the example. */
export function repairTest(make: RealAgent['make'], can: RealAgent['can'], within?: Within): void {
  test('repairs a program, and the run is on record', async () => {
    const steps = [...repairSteps(), { run: testCommand.join(' ') }, { say: 'Repaired.' }]
    const place = { root: '/workspace' }
    await using server = await scriptedServer(agentScript(() => place.root, steps))
    const options = within && { sandbox: within.sandbox(Number(new URL(server.url).port)), onNetwork: within.onNetwork }
    await using workspace = await copyOf(join(item, 'before'), options)
    if (within === undefined) place.root = workspace.root
    const agent = await make({ server, environment: {}, permissions: 'workspace', maxTurns: 20 })
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => events.push(event)
    const invocation = await agent({ prompt, workspace, signal: AbortSignal.timeout(100_000), record })
    expect(invocation, JSON.stringify(invocation.failure)).toMatchObject({ status: 'completed' })
    expect(invocation.sessionId).toMatch(/\w/)
    const { toolExecutions, usage } = runFacts(invocation.metadata ?? {}) ?? {}
    expect(toolExecutions?.length).toBe(steps.length - 1)
    if (can.usage) expect(usage?.inputTokens).toBeGreaterThan(0)
    const types = new Set(events.map(({ type }) => type))
    for (const type of ['prompt', 'tool-call', 'tool-result', 'text', 'model-call'] as const)
      expect(types).toContain(type)
    await using before = localWorkspace(join(item, 'before'))
    await using reference = localWorkspace(join(item, 'reference'))
    const verdict = await repairJury.vote(
      contextFromInvocation(invocation, { goal: prompt, workspace, before, reference }),
    )
    expect(verdict.aggregated, explain(verdict)).toMatchObject({ status: 'pass' })
  })
}

/** What leads from `before` to `reference`, one change a file. */
function repairSteps(): readonly AgentStep[] {
  return readdirSync(join(item, 'before/src')).flatMap((file): readonly AgentStep[] => {
    const [old, right] = ['before', 'reference'].map((kind) => linesOf(join(item, kind, 'src', file)))
    if (old === undefined || right === undefined || old.join('\n') === right.join('\n')) return []
    const start = old.findIndex((line, index) => line !== right[index])
    const end = [...old].reverse().findIndex((line, index) => line !== right[right.length - 1 - index])
    const [from, to] = [old, right].map((lines) => lines.slice(start, lines.length - end).join('\n'))
    return [{ read: `src/${file}` }, { edit: `src/${file}`, from: from ?? '', to: to ?? '' }]
  })
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split('\n')
}
