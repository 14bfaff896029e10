import { mcpFixture } from '@jurist/bridges/mcp'
import type { Agent, AgentTask, Invocation } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'

export interface Shop {
  readonly cancelled: readonly string[]
}

type Options = Partial<Parameters<typeof mcpFixture<Shop>>[0]>

/** A shop with two tools, and what belongs to one test. */
export function shopWith(options: Options = {}) {
  return mcpFixture<Shop>({
    name: 'shop',
    state: { cancelled: [] },
    tools: {
      cancel_order: {
        description: 'Cancels an order.',
        input: {
          type: 'object',
          properties: { order: { type: 'string' } },
          required: ['order'],
          additionalProperties: false,
        },
        run: ({ order }, { cancelled }) =>
          cancelled.includes(String(order))
            ? { error: 'It is cancelled already.' }
            : { result: { ok: true }, state: { cancelled: [...cancelled, String(order)] } },
      },
      list_orders: {
        description: 'The orders.',
        run: (_, { cancelled }) => ({ result: `${cancelled.length} cancelled` }),
      },
    },
    ...options,
  })
}

/** A task in an empty workspace. */
function task(more: Partial<AgentTask> = {}): AgentTask {
  return { prompt: 'Cancel A.', workspace: memoryWorkspace({}), signal: new AbortController().signal, ...more }
}

/** The tool calls of an invocation, as name, status and output. */
export function callsIn({ metadata = {} }: Invocation): readonly (readonly unknown[])[] {
  const executions = metadata[`${metadata['bridge']}.toolExecutions`] as readonly {
    readonly name: string
    readonly status: string
    readonly output?: unknown
  }[]
  return executions.map(({ name, status, output }) => [name, status, output])
}

export const completed = async (): Promise<Invocation> => ({ status: 'completed' })

/** Calls an agent. */
export const run = async (agent: Agent, more: Partial<AgentTask> = {}): Promise<Invocation> => agent(task(more))
