import { fileURLToPath } from 'node:url'
import { acpAgent } from '@jurist/bridges/acp'
import type { AgentTask } from '@jurist/core'
import { stepsOfExecutions } from '@jurist/core/internal'
import { memoryWorkspace } from '@jurist/core/testing'
import { emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { agentScript, scriptedServer } from '../../testing/index.js'

type AcpAgentOptions = Parameters<typeof acpAgent>[0]

const program = fileURLToPath(new URL('../fixtures/acp-agent.mjs', import.meta.url))
const command = (fault: string) => [process.execPath, program, fault] as const

async function run(options: AcpAgentOptions, task: Partial<AgentTask> = {}) {
  await using workspace = await emptyDirectory()
  await using server = await scriptedServer(
    agentScript(workspace.root, [{ write: 'made.txt', content: 'made' }, { say: 'Done.' }]),
  )
  const environment = { set: { ANTHROPIC_BASE_URL: server.url } }
  const agent = acpAgent({ environment, graceMs: 300, ...options })
  return await agent({ prompt: 'Do it.', workspace, signal: new AbortController().signal, ...task })
}

describe('A6: faults of an agent that speaks ACP', () => {
  test('a missing program', async () => {
    const { status, failure } = await run({ command: ['no-such-agent'] })
    expect([status, failure?.code, failure?.infrastructure]).toEqual(['error', 'agent-start', true])
    expect(failure?.message).toBe(
      'no-such-agent could not be started (ENOENT). Install it, or pass its full path as "command".',
    )
  })

  test('a death in the middle tells the last words', async () => {
    const { failure } = await run({ command: command('dies') })
    expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
    expect(failure?.message).toContain('out of memory: the agent is dying')
  })

  test('garbage on its output is a warning, and the run continues', async () => {
    const { status, metadata } = await run({ command: command('garbage') })
    expect(status).toBe('completed')
    expect(metadata?.['acp.warnings']).toEqual(['output-not-json'])
  })

  test('another version of the protocol', async () => {
    const { failure } = await run({ command: command('version') })
    expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
  })

  test('a program that never says hello', async () => {
    const { failure } = await run({ command: ['sleep', '30'], startTimeoutMs: 200 })
    expect(failure).toMatchObject({ code: 'agent-protocol' })
    expect(failure?.message).toContain('startTimeoutMs')
  })

  test('no login names the methods that are offered', async () => {
    const { failure } = await run({ command: command('login') })
    expect(failure).toMatchObject({ code: 'http-401', infrastructure: true })
    expect(failure?.message).toContain('It offers: key.')
  })

  test('an agent that does not hear "cancel" is ended', async () => {
    const stop = AbortSignal.timeout(700)
    const agent = { command: command('deaf'), permit: () => new Promise<null>(() => {}) }
    const { status } = await run(agent, { signal: stop })
    expect(status).toBe('timeout')
  })
})

describe('what an agent that speaks ACP receives', () => {
  test('a mode that it does not offer is a mistake of the caller', async () => {
    await expect(run({ command: command(''), mode: 'yolo' })).rejects.toThrow(
      'acpAgent: the agent has no mode "yolo". It offers: default, plan.',
    )
  })

  test('a model that it offers is set; an unknown setting is a warning', async () => {
    const { metadata } = await run({
      command: command(''),
      mode: 'plan',
      model: 'other',
      configuration: { speed: 'high' },
    })
    expect(metadata?.['acp.model']).toBe('other')
    expect(metadata?.['acp.warnings']).toEqual(['unsupported: configuration speed'])
    expect(metadata?.['acp.frameworkVersion']).toBe('scripted 1.0.0')
  })

  test('who permits decides, and null refuses', async () => {
    const asked: unknown[] = []
    const permit: NonNullable<AcpAgentOptions['permit']> = ({ toolCall }) => {
      asked.push(toolCall.kind)
      return null
    }
    const { metadata, status } = await run({ command: command(''), permit })
    expect([status, asked]).toEqual(['completed', ['edit']])
    expect(metadata?.['acp.toolExecutions']).toMatchObject([{ name: 'Write', status: 'denied', kind: 'edit' }])
    expect(stepsOfExecutions(metadata?.['acp.toolExecutions'])).toMatchObject([{ name: 'Write', status: 'denied' }])
    expect(metadata?.['acp.permissionDenials']).toMatchObject([{ tool: 'Write' }])
  })

  test('a system prompt is put before the prompt, with a warning', async () => {
    const { metadata } = await run({ command: command('') }, { systemPrompt: 'Be brief.' })
    expect(metadata?.['acp.warnings']).toEqual(['system-prompt-inlined'])
  })

  test('a workspace without a directory', async () => {
    const agent = acpAgent({ command: command('') })
    const task = { prompt: 'x', workspace: memoryWorkspace(), signal: new AbortController().signal }
    await expect(agent(task)).rejects.toMatchObject({ code: 'workspace-not-local' })
  })

  test('bad options are named together', () => {
    const options = { command: [], startTimeoutMs: 0, environment: { hom: 'x' } } as unknown as AcpAgentOptions
    expect(() => acpAgent(options)).toThrow(/"command".*"startTimeoutMs".*"environment"/)
  })
})
